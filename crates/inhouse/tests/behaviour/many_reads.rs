//! A CLI whose output arrives in many small reads.

use std::io;
use std::pin::Pin;
use std::task::{Context, Poll, ready};

use inhouse::launch::Launch;
use inhouse::transport::{Connection, Transport};
use inhouse::{Client, Options, Result};
use inhouse_testkit::fake::join;
use inhouse_testkit::{FakeCli, FakeTransport};
use tokio::io::{AsyncRead, ReadBuf};

/// A transport whose reader returns one byte for each poll, as long as there is one.
struct ByteByByte(FakeTransport);

struct OneByte(Box<dyn AsyncRead + Send + Unpin>);

impl Transport for ByteByByte {
    async fn open(self, launch: &Launch) -> Result<Connection> {
        let mut connection = self.0.open(launch).await?;
        connection.reader = Box::new(OneByte(connection.reader));
        Ok(connection)
    }
}

impl AsyncRead for OneByte {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let mut byte = [0];
        let mut limited = ReadBuf::new(&mut byte);
        ready!(Pin::new(&mut self.0).poll_read(cx, &mut limited))?;
        buffer.put_slice(limited.filled());
        Poll::Ready(Ok(()))
    }
}

// The driver reads a bounded number of times before it yields. The reader has not registered a
// waker by then, so the driver has to wake itself.
#[tokio::test(start_paused = true)]
async fn session_continues_after_more_reads_than_one_poll_makes() {
    let (transport, mut cli) = FakeCli::new();
    let host = async {
        let mut client = Client::connect_with(Options::new(), ByteByByte(transport))
            .await
            .unwrap();
        let answer = client.send("hello").await.unwrap().text().await;
        client.close().await.unwrap();
        answer
    };
    let cli = async move {
        cli.accept().await;
        cli.expect_prompt().await;
        cli.turn("hi").await;
        cli.expect_end_of_input().await;
    };
    let (answer, ()) = join(host, cli).await;
    assert_eq!(answer.unwrap(), "hi");
}
