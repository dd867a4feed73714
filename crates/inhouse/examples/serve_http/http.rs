//! An MCP handler served over streamable HTTP with hyper.

use std::convert::Infallible;
use std::io;
use std::sync::Arc;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use inhouse::rmcp::ServerHandler;
use inhouse::rmcp::transport::StreamableHttpService;
use inhouse::rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use tokio::net::TcpListener;

/// Serves a handler on every path, until accepting a connection fails.
///
/// The default configuration accepts requests for loopback host names only, which protects a local
/// server from DNS rebinding. For another name, set `allowed_hosts` of `StreamableHttpServerConfig`.
pub(crate) async fn serve<H>(listener: TcpListener, handler: H) -> io::Result<()>
where
    H: ServerHandler + Clone,
{
    let service = StreamableHttpService::new(
        move || Ok(handler.clone()),
        Arc::new(LocalSessionManager::default()),
        Default::default(),
    );
    loop {
        let (stream, _) = listener.accept().await?;
        let service = service.clone();
        let respond = service_fn(move |request| {
            let service = service.clone();
            async move { Ok::<_, Infallible>(service.handle(request).await) }
        });
        tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), respond));
    }
}
