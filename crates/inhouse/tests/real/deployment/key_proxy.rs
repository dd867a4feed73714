//! A reverse proxy that replaces the API key of every request.

use std::io;
use std::net::SocketAddr;

use hyper::body::Incoming;
use hyper::header::{AUTHORIZATION, HOST, HeaderValue};
use hyper::service::service_fn;
use hyper::{Request, Response, client, server};
use hyper_util::rt::TokioIo;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;

type Error = Box<dyn std::error::Error + Send + Sync>;

/// Serves one connection of the CLI until it is closed.
pub(super) async fn serve<S>(stream: S, upstream: SocketAddr, key: HeaderValue) -> io::Result<()>
where
    S: AsyncRead + AsyncWrite + Unpin,
{
    let forward = service_fn(|request| forward(request, upstream, key.clone()));
    let connection = server::conn::http1::Builder::new();
    let connection = connection.serve_connection(TokioIo::new(stream), forward);
    connection.await.map_err(io::Error::other)
}

/// Sends a request to the API with the key, and returns the response while it arrives.
async fn forward(
    mut request: Request<Incoming>,
    upstream: SocketAddr,
    key: HeaderValue,
) -> Result<Response<Incoming>, Error> {
    request.headers_mut().remove(AUTHORIZATION);
    request.headers_mut().insert("x-api-key", key);
    let host = HeaderValue::from_str(&upstream.to_string())?;
    request.headers_mut().insert(HOST, host);
    // An API on the internet needs a TLS stream here.
    let stream = TcpStream::connect(upstream).await?;
    let (mut sender, connection) = client::conn::http1::handshake(TokioIo::new(stream)).await?;
    tokio::spawn(connection);
    Ok(sender.send_request(request).await?)
}
