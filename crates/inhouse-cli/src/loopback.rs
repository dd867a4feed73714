//! A server on loopback for one page, which other users and other web pages cannot reach.

use std::convert::Infallible;
use std::future::Future;

use anyhow::{Context as _, Result};
use bytes::Bytes;
use http_body_util::channel::Channel;
use http_body_util::{Either, Full};
use hyper::body::Incoming;
use hyper::header::{CACHE_CONTROL, CONTENT_TYPE, HOST, HeaderValue, X_FRAME_OPTIONS};
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::TokioIo;
use tokio::net::TcpListener;

/// The body of a response: whole, or sent piece by piece.
pub(crate) type Body = Either<Full<Bytes>, Channel<Bytes, Infallible>>;

/// A server that has a port.
pub(crate) struct Server {
    listener: TcpListener,
    address: Address,
}

#[derive(Clone)]
struct Address {
    /// The address without the scheme, which requests name as their host.
    host: String,
    /// Part of every path: other users of the machine cannot guess it.
    token: String,
}

impl Server {
    /// Binds a port of 127.0.0.1; 0 is a free one.
    ///
    /// # Errors
    /// Returns an error if the port is taken.
    pub(crate) async fn bind(port: u16) -> Result<Self> {
        let listener = TcpListener::bind(("127.0.0.1", port))
            .await
            .with_context(|| {
                format!("cannot listen on port {port}; leave out `--port` for a free one")
            })?;
        let address = Address {
            host: listener.local_addr()?.to_string(),
            token: secret(),
        };
        Ok(Self { listener, address })
    }

    /// Returns the address of the page.
    pub(crate) fn url(&self) -> String {
        format!("http://{}/{}/", self.address.host, self.address.token)
    }

    /// Serves until the process ends. `answer` gets the path below the address of the page, such as `/events`.
    pub(crate) async fn run<F>(
        self,
        answer: impl Fn(String, Request<Incoming>) -> F + Clone + Send + Sync + 'static,
    ) -> Result<()>
    where
        F: Future<Output = Response<Body>> + Send,
    {
        loop {
            let (stream, _) = self.listener.accept().await?;
            let (address, answer) = (self.address.clone(), answer.clone());
            tokio::spawn(async move {
                let service = service_fn(|request| async {
                    let response = match address.path_of(&request) {
                        Ok(path) => answer(path, request).await,
                        Err(response) => response,
                    };
                    Ok::<_, Infallible>(response)
                });
                let connection = hyper::server::conn::http1::Builder::new();
                // An error is that of a browser that has closed the connection.
                let _ = connection
                    .serve_connection(TokioIo::new(stream), service)
                    .await;
            });
        }
    }
}

impl Address {
    /// Returns the path below the token, or the response to a request that is not for this page.
    #[expect(clippy::result_large_err, reason = "made once, and sent at once")]
    fn path_of(&self, request: &Request<Incoming>) -> Result<String, Response<Body>> {
        // A page of another site can name a host that resolves to 127.0.0.1; its requests have that name.
        let host = request.headers().get(HOST).map(HeaderValue::as_bytes);
        if host != Some(self.host.as_bytes()) {
            return Err(text(StatusCode::FORBIDDEN, "the host is not this server\n"));
        }
        let path = request.uri().path().strip_prefix('/').unwrap_or_default();
        match path.strip_prefix(self.token.as_str()) {
            Some(path) => Ok(path.to_owned()),
            None => Err(not_found()),
        }
    }
}

/// Returns a text that cannot be guessed.
pub(crate) fn secret() -> String {
    uuid::Uuid::new_v4().simple().to_string()
}

pub(crate) fn html(page: String) -> Response<Body> {
    let body = Either::Left(Full::from(page));
    respond(StatusCode::OK, "text/html; charset=utf-8", body)
}

/// Returns a stream of server-sent events.
pub(crate) fn events(channel: Channel<Bytes, Infallible>) -> Response<Body> {
    respond(StatusCode::OK, "text/event-stream", Either::Right(channel))
}

pub(crate) fn text(status: StatusCode, text: impl Into<Bytes>) -> Response<Body> {
    let body = Either::Left(Full::new(text.into()));
    respond(status, "text/plain; charset=utf-8", body)
}

pub(crate) fn not_found() -> Response<Body> {
    text(
        StatusCode::NOT_FOUND,
        "use the address that was printed when the server was started\n",
    )
}

pub(crate) fn method_not_allowed() -> Response<Body> {
    text(
        StatusCode::METHOD_NOT_ALLOWED,
        "this method is not served here\n",
    )
}

fn respond(status: StatusCode, kind: &'static str, body: Body) -> Response<Body> {
    let mut response = Response::new(body);
    *response.status_mut() = status;
    let headers = response.headers_mut();
    headers.insert(CONTENT_TYPE, HeaderValue::from_static(kind));
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-store"));
    // Another page must not show this one in a frame and have its buttons clicked.
    headers.insert(X_FRAME_OPTIONS, HeaderValue::from_static("DENY"));
    response
}

/// Escapes a text for an attribute of HTML in double quotation marks.
pub(crate) fn attribute(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('"', "&quot;")
        .replace('<', "&lt;")
}
