//! A server on loopback that shows a recording while it is written.
//!
//! The page connects to `events`, a stream of server-sent events. The id of each event is the [`Cursor`] after its lines, so a browser
//! that reconnects continues where it was.

use std::convert::Infallible;
use std::fmt;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io::SeekFrom;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

use anyhow::Result;
use bytes::Bytes;
use http_body_util::channel::{Channel, Sender};
use hyper::body::Incoming;
use hyper::{Method, Request, Response};
use tokio::fs::File;
use tokio::io::{AsyncBufReadExt as _, AsyncReadExt as _, AsyncSeekExt as _, BufReader};

use super::{embed, header};
use crate::loopback::{self, Body};

/// How often the file is checked for new lines.
const POLL: Duration = Duration::from_millis(100);

/// After how many checks without a line a comment is sent, which finds out whether the browser is still there.
const QUIET_POLLS: u32 = 100;

/// The most bytes that are read for one event, unless a line is longer.
const BATCH: usize = 256 * 1024;

/// A server of one recording.
pub(crate) struct Server {
    server: loopback::Server,
    file: PathBuf,
}

impl Server {
    /// Binds a port; the recording need not exist yet.
    ///
    /// # Errors
    /// Returns an error if the port is taken, or the file is not a recording.
    pub(crate) async fn bind(file: &Path, port: u16) -> Result<Self> {
        if let Ok(text) = tokio::fs::read(file).await
            && let Some(end) = text.iter().position(|byte| *byte == b'\n')
        {
            header::check(file, &text[..end])?;
        }
        Ok(Self {
            server: loopback::Server::bind(port).await?,
            file: file.to_owned(),
        })
    }

    /// Returns the address of the page.
    pub(crate) fn url(&self) -> String {
        self.server.url()
    }

    /// Serves until the process ends.
    pub(crate) async fn run(self) -> Result<()> {
        let file = self.file;
        let answer = move |path: String, request| {
            let response = answer(&file, &path, &request);
            async { response }
        };
        self.server.run(answer).await
    }
}

fn answer(file: &Path, path: &str, request: &Request<Incoming>) -> Response<Body> {
    if request.method() != Method::GET {
        return loopback::method_not_allowed();
    }
    match path {
        "/" => loopback::html(embed::following(file, "events")),
        "/events" => {
            let from = request.headers().get("last-event-id");
            let from = from.and_then(|id| id.to_str().ok()?.parse().ok());
            let (sender, channel) = Channel::new(1);
            let file = file.to_owned();
            tokio::spawn(async move { send_lines(&file, from.unwrap_or_default(), sender).await });
            loopback::events(channel)
        }
        _ => loopback::not_found(),
    }
}

/// A place in a recording.
///
/// A session that records to the same file again replaces it, maybe by one that is at least as long when it is checked next. So the
/// header, which has the start of the session, is compared, too.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct Cursor {
    position: u64,
    /// The hash of the header; 0 at the start.
    header: u64,
}

impl fmt::Display for Cursor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}-{}", self.position, self.header)
    }
}

impl FromStr for Cursor {
    type Err = ();

    fn from_str(text: &str) -> std::result::Result<Self, ()> {
        let (position, header) = text.split_once('-').ok_or(())?;
        Ok(Self {
            position: position.parse().map_err(drop)?,
            header: header.parse().map_err(drop)?,
        })
    }
}

/// Sends the lines of the file from a place on, until the browser closes the connection.
async fn send_lines(file: &Path, mut cursor: Cursor, mut sender: Sender<Bytes, Infallible>) {
    let mut quiet = 0;
    loop {
        let event = match read_lines(file, cursor).await {
            Ok(Read::Lines(lines, next)) => {
                cursor = next;
                quiet = 0;
                event(cursor, &lines)
            }
            // The file is that of another session: the page loads again.
            Ok(Read::Replaced) => {
                let restart = Bytes::from_static(b"event: restart\ndata: \n\n");
                let _ = sender.send_data(restart).await;
                return;
            }
            // The session has not created the file yet, or it cannot be read for a moment.
            Ok(Read::Nothing) | Err(_) => {
                tokio::time::sleep(POLL).await;
                quiet += 1;
                if quiet % QUIET_POLLS != 0 {
                    continue;
                }
                Bytes::from_static(b":\n\n")
            }
        };
        if sender.send_data(event).await.is_err() {
            return;
        }
    }
}

enum Read {
    /// Whole lines with their line feeds, and the place behind them.
    Lines(Vec<u8>, Cursor),
    Nothing,
    Replaced,
}

async fn read_lines(path: &Path, cursor: Cursor) -> std::io::Result<Read> {
    let mut file = File::open(path).await?;
    let length = file.metadata().await?.len();
    let mut first = Vec::new();
    BufReader::new(&mut file)
        .read_until(b'\n', &mut first)
        .await?;
    let mut hasher = DefaultHasher::new();
    first.hash(&mut hasher);
    let header = hasher.finish();
    if cursor.position > 0 && (length < cursor.position || header != cursor.header) {
        return Ok(Read::Replaced);
    }
    file.seek(SeekFrom::Start(cursor.position)).await?;
    let mut text = Vec::new();
    let mut file = file.take(length.saturating_sub(cursor.position));
    let mut chunk = vec![0; BATCH];
    loop {
        let count = file.read(&mut chunk).await?;
        if count == 0 {
            return Ok(Read::Nothing);
        }
        text.extend_from_slice(&chunk[..count]);
        // The rest of the last line comes later.
        if let Some(end) = text.iter().rposition(|byte| *byte == b'\n') {
            text.truncate(end + 1);
            let position = cursor.position + text.len() as u64;
            return Ok(Read::Lines(text, Cursor { position, header }));
        }
    }
}

/// Returns a server-sent event whose data are the lines.
fn event(cursor: Cursor, lines: &[u8]) -> Bytes {
    let text = String::from_utf8_lossy(lines);
    let mut event = format!("id: {cursor}\n");
    for line in text.lines() {
        event.push_str("data: ");
        event.push_str(line);
        event.push('\n');
    }
    event.push('\n');
    event.into()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recording() -> (tempfile::TempDir, PathBuf) {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("trace.jsonl");
        (directory, file)
    }

    async fn lines(file: &Path, cursor: Cursor) -> (Vec<u8>, Cursor) {
        match read_lines(file, cursor).await.unwrap() {
            Read::Lines(lines, next) => (lines, next),
            _ => panic!("there are lines"),
        }
    }

    #[tokio::test]
    async fn only_whole_lines_are_read() {
        let (_directory, file) = recording();
        assert!(read_lines(&file, Cursor::default()).await.is_err());
        std::fs::write(&file, "one\ntwo\nthr").unwrap();
        let (read, cursor) = lines(&file, Cursor::default()).await;
        assert_eq!(read, b"one\ntwo\n");
        let rest = read_lines(&file, cursor).await.unwrap();
        assert!(matches!(rest, Read::Nothing));
        std::fs::write(&file, "one\ntwo\nthree\n").unwrap();
        assert_eq!(lines(&file, cursor).await.0, b"three\n");
    }

    #[tokio::test]
    async fn replaced_recording_of_any_length_is_noticed() {
        let (_directory, file) = recording();
        std::fs::write(&file, "header 1\nline\n").unwrap();
        let (_, cursor) = lines(&file, Cursor::default()).await;
        for text in [
            "header 2\nline\n",
            "header 2\n",
            "header 2\nline\nmore\n",
            "",
        ] {
            std::fs::write(&file, text).unwrap();
            let read = read_lines(&file, cursor).await.unwrap();
            assert!(matches!(read, Read::Replaced), "{text:?}");
        }
    }

    #[test]
    fn event_has_one_data_field_per_line() {
        let cursor = Cursor {
            position: 8,
            header: 5,
        };
        assert_eq!(
            event(cursor, b"one\ntwo\n"),
            "id: 8-5\ndata: one\ndata: two\n\n"
        );
        assert_eq!("8-5".parse(), Ok(cursor));
        assert_eq!("8".parse::<Cursor>(), Err(()));
    }
}
