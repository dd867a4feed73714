//! A proxy between a store and its server, which can hold back a request.

use std::net::{Ipv4Addr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// A proxy on a free port of loopback, as long as the runtime of the test.
pub(crate) struct Proxy {
    address: SocketAddr,
    server: String,
    traffic: Arc<Traffic>,
}

struct Traffic {
    hold: watch::Sender<Hold>,
    /// How often what was held back was released.
    released: watch::Sender<u64>,
    /// The bytes that the server has sent.
    received: AtomicU64,
}

#[derive(Clone, Copy, PartialEq)]
enum Hold {
    Nothing,
    /// The packet after this many of all connections is held back.
    After(usize),
    /// A packet is held back, and all later ones of its connection. Other connections go on.
    Held,
}

impl Proxy {
    /// Starts a proxy for the server of a URL.
    pub(crate) async fn start(url: &str) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let address = listener.local_addr().unwrap();
        let server = url.split(['@', '/']).nth(3).unwrap().to_owned();
        let traffic = Arc::new(Traffic {
            hold: watch::Sender::new(Hold::Nothing),
            released: watch::Sender::new(0),
            received: AtomicU64::new(0),
        });
        let (target, shared) = (server.clone(), traffic.clone());
        tokio::spawn(async move {
            while let Ok((client, _)) = listener.accept().await {
                let server = TcpStream::connect(&target).await.unwrap();
                let (from_client, to_client) = client.into_split();
                let (from_server, to_server) = server.into_split();
                tokio::spawn(shared.clone().send(from_client, to_server));
                tokio::spawn(shared.clone().receive(from_server, to_client));
            }
        });
        Self {
            address,
            server,
            traffic,
        }
    }

    /// Returns the URL with the proxy in place of the server.
    pub(crate) fn url(&self, url: &str) -> String {
        url.replace(&self.server, &self.address.to_string())
    }

    /// Holds back the packet after this many.
    pub(crate) fn hold_after(&self, packets: usize) {
        self.traffic.hold.send_replace(Hold::After(packets));
    }

    /// Waits until a packet is held back.
    pub(crate) async fn held(&self) {
        let mut hold = self.traffic.hold.subscribe();
        let held = hold.wait_for(|hold| *hold == Hold::Held);
        held.await.unwrap();
    }

    /// Sends what is held back, and holds back nothing more.
    pub(crate) fn release(&self) {
        self.traffic.hold.send_replace(Hold::Nothing);
        self.traffic.released.send_modify(|times| *times += 1);
    }

    /// Returns the number of bytes that the server has sent.
    pub(crate) fn received(&self) -> u64 {
        self.traffic.received.load(Ordering::Relaxed)
    }
}

impl Traffic {
    async fn send(self: Arc<Self>, mut client: OwnedReadHalf, mut server: OwnedWriteHalf) {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = client.read(&mut buffer).await {
            let mut released = self.released.subscribe();
            if self.is_held() {
                released.changed().await.unwrap();
            }
            if server.write_all(&buffer[..length]).await.is_err() {
                return;
            }
        }
    }

    async fn receive(self: Arc<Self>, mut server: OwnedReadHalf, mut client: OwnedWriteHalf) {
        let mut buffer = vec![0; 64 * 1024];
        while let Ok(length @ 1..) = server.read(&mut buffer).await {
            self.received.fetch_add(length as u64, Ordering::Relaxed);
            if client.write_all(&buffer[..length]).await.is_err() {
                return;
            }
        }
    }

    /// Counts a packet; returns whether it is the one to hold back.
    fn is_held(&self) -> bool {
        let mut is_held = false;
        self.hold.send_modify(|hold| match *hold {
            Hold::After(0) => {
                *hold = Hold::Held;
                is_held = true;
            }
            Hold::After(packets) => *hold = Hold::After(packets - 1),
            Hold::Nothing | Hold::Held => {}
        });
        is_held
    }
}
