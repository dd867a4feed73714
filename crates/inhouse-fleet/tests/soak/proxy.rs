//! A connection to servers on loopback that a test can cut.

use std::io;
use std::net::Ipv4Addr;

use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWrite, AsyncWriteExt as _};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::{AbortHandle, JoinSet};

/// Passes bytes on between clients and servers. While it is cut, nothing passes and nothing is closed, as in a network without a route.
pub(crate) struct Proxy {
    port: u16,
    is_cut: watch::Sender<bool>,
    task: AbortHandle,
}

impl Proxy {
    /// Starts a proxy. `choose` returns the port of loopback for the next connection, which is closed if there is none.
    pub(crate) async fn start(
        choose: impl Fn() -> Option<u16> + Send + 'static,
    ) -> io::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let port = listener.local_addr()?.port();
        let is_cut = watch::Sender::new(false);
        let state = is_cut.subscribe();
        let task = tokio::spawn(async move {
            let mut connections = JoinSet::new();
            while let Ok((client, _)) = listener.accept().await {
                if let Some(server) = choose() {
                    connections.spawn(pass(client, server, state.clone()));
                }
            }
        });
        Ok(Self {
            port,
            is_cut,
            task: task.abort_handle(),
        })
    }

    /// Returns the port on which clients connect.
    pub(crate) fn port(&self) -> u16 {
        self.port
    }

    /// Lets nothing pass any more.
    pub(crate) fn cut(&self) {
        self.is_cut.send_replace(true);
    }

    /// Lets everything pass again, also what was sent meanwhile.
    pub(crate) fn mend(&self) {
        self.is_cut.send_replace(false);
    }
}

impl Drop for Proxy {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn pass(client: TcpStream, server: u16, mut is_cut: watch::Receiver<bool>) -> io::Result<()> {
    until_mended(&mut is_cut).await;
    let server = TcpStream::connect((Ipv4Addr::LOCALHOST, server)).await?;
    let (client_reads, client_writes) = client.into_split();
    let (server_reads, server_writes) = server.into_split();
    // One direction ends the other, as the end of a connection does.
    tokio::select! {
        ended = copy(client_reads, server_writes, is_cut.clone()) => ended,
        ended = copy(server_reads, client_writes, is_cut) => ended,
    }
}

async fn copy(
    mut from: impl AsyncRead + Unpin,
    mut to: impl AsyncWrite + Unpin,
    mut is_cut: watch::Receiver<bool>,
) -> io::Result<()> {
    let mut buffer = vec![0; 64 * 1024];
    loop {
        let length = from.read(&mut buffer).await?;
        // Also the end of a connection is noticed only afterwards.
        until_mended(&mut is_cut).await;
        if length == 0 {
            return Ok(());
        }
        to.write_all(&buffer[..length]).await?;
    }
}

async fn until_mended(is_cut: &mut watch::Receiver<bool>) {
    // Fails if the proxy was dropped, which ends this task.
    let _ = is_cut.wait_for(|is_cut| !is_cut).await;
}
