//! An HTTP client without TLS for `object_store`, for servers on loopback.

use std::sync::Arc;

use http_body_util::BodyExt as _;
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector as TcpConnector;
use hyper_util::rt::TokioExecutor;
use inhouse_store::async_trait;
use object_store::ClientOptions;
use object_store::client::{
    HttpClient, HttpConnector, HttpError, HttpErrorKind, HttpRequest, HttpRequestBody,
    HttpResponse, HttpResponseBody, HttpService,
};
use tokio::sync::Mutex;

/// The client; clones share their lock.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlainHttp {
    /// With a lock, conditional creates are sent one after the other.
    creates: Option<Arc<Mutex<()>>>,
}

#[derive(Debug)]
struct Service {
    client: Client<TcpConnector, HttpRequestBody>,
    creates: Option<Arc<Mutex<()>>>,
}

impl PlainHttp {
    /// Sends conditional creates one after the other, for a server that checks and writes in two steps.
    pub(crate) fn with_serialised_creates() -> Self {
        Self {
            creates: Some(Arc::default()),
        }
    }
}

impl HttpConnector for PlainHttp {
    fn connect(&self, _: &ClientOptions) -> object_store::Result<HttpClient> {
        let client = Client::builder(TokioExecutor::new()).build_http();
        let creates = self.creates.clone();
        Ok(HttpClient::new(Service { client, creates }))
    }
}

#[async_trait]
impl HttpService for Service {
    async fn call(&self, request: HttpRequest) -> Result<HttpResponse, HttpError> {
        let is_create = request.headers().contains_key("if-none-match");
        let _turn = match &self.creates {
            Some(creates) if is_create => Some(creates.lock().await),
            _ => None,
        };
        let response = self.client.request(request).await.map_err(|error| {
            // A server that is still starting refuses connections; `object_store` repeats the request.
            let kind = match error.is_connect() {
                true => HttpErrorKind::Connect,
                false => HttpErrorKind::Interrupted,
            };
            HttpError::new(kind, error)
        })?;
        let (parts, body) = response.into_parts();
        let body = body.map_err(|error| HttpError::new(HttpErrorKind::Interrupted, error));
        Ok(HttpResponse::from_parts(parts, HttpResponseBody::new(body)))
    }
}
