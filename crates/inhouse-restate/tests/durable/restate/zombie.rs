use std::io;
use std::net::{Ipv4Addr, SocketAddr};

use inhouse_fleet::WorkId;
use inhouse_restate::{Prompt, WorkState};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_util::task::AbortOnDropHandle;

use super::support::World;

/// The keep-alive of the server, from 40 and 20 seconds. The timeout is one that a loaded machine keeps.
const KEEP_ALIVE: &str = r#"
    worker.invoker.http2-keep-alive-interval = "1s"
    worker.invoker.http2-keep-alive-timeout = "5s"
"#;

#[tokio::test(flavor = "multi_thread")]
async fn late_answer_of_a_worker_that_was_cut_off_does_not_count() {
    let mut world = World::start(KEEP_ALIVE).await;
    let network = Network::start(world.port.address).await;
    world.url = network.url.clone();
    let _worker = world.worker(2, |endpoint| endpoint).await;
    let id = WorkId::new();
    world.send("a", &Prompt::new("wait a").id(id)).await;
    world.shared.logged("begin wait a #1", 1).await;
    network.cut();
    // Delivered again over another connection, while the first turn still waits.
    world.shared.logged("begin wait a #2", 1).await;
    assert_eq!(world.shared.log(), ["begin wait a #1", "begin wait a #2"]);
    // The first turn ends first, but the network keeps its end.
    world.shared.gate.add_permits(1);
    world.shared.logged("end wait a", 1).await;
    assert_eq!(world.status(id).await.state, WorkState::Running);
    network.restore();
    assert_eq!(world.status(id).await.state, WorkState::Running);
    world.shared.gate.add_permits(1);
    let reply = world.until(id, WorkState::Done).await.reply.unwrap();
    assert_eq!(reply.fence.epoch, 2);
    let next = world.call("a", &Prompt::new("say b")).await;
    assert_eq!(next.as_deref(), Ok("b"));
}

/// A network between Restate and the workers, whose connections can be cut without closing them.
struct Network {
    url: String,
    /// The number of connections so far.
    connections: watch::Sender<usize>,
    /// Connections with smaller numbers are cut.
    cut: watch::Sender<usize>,
    _accept: AbortOnDropHandle<()>,
}

impl Network {
    async fn start(workers: SocketAddr) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await.unwrap();
        let url = format!("http://{}", listener.local_addr().unwrap());
        let (connections, cut) = (watch::Sender::new(0), watch::Sender::new(0));
        let accept = accept(listener, workers, connections.clone(), cut.clone());
        Self {
            url,
            connections,
            cut,
            _accept: AbortOnDropHandle::new(tokio::spawn(accept)),
        }
    }

    /// Cuts the open connections. Later ones work.
    fn cut(&self) {
        self.cut.send_replace(*self.connections.borrow());
    }

    fn restore(&self) {
        self.cut.send_replace(0);
    }
}

async fn accept(
    listener: TcpListener,
    workers: SocketAddr,
    connections: watch::Sender<usize>,
    cut: watch::Sender<usize>,
) {
    let mut pumps = JoinSet::new();
    loop {
        let (server, _) = listener.accept().await.unwrap();
        // Without a worker the connection is closed.
        let Ok(worker) = TcpStream::connect(workers).await else {
            continue;
        };
        let number = *connections.borrow();
        connections.send_replace(number + 1);
        let (server_read, server_write) = server.into_split();
        let (worker_read, worker_write) = worker.into_split();
        pumps.spawn(pump(server_read, worker_write, number, cut.subscribe()));
        pumps.spawn(pump(worker_read, server_write, number, cut.subscribe()));
    }
}

async fn pump(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    number: usize,
    mut cut: watch::Receiver<usize>,
) -> io::Result<()> {
    let mut buffer = vec![0; 16 * 1024];
    loop {
        let length = from.read(&mut buffer).await?;
        let _ = cut.wait_for(|cut| number >= *cut).await;
        if length == 0 {
            return to.shutdown().await;
        }
        to.write_all(&buffer[..length]).await?;
    }
}
