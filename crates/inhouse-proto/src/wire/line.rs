use bytes::{Bytes, BytesMut};

/// Size of a new buffer in bytes.
const BUFFER: usize = 64 * 1024;

/// Minimum free space of the buffer that [`Lines::space`] returns, in bytes.
///
/// Lines are slices of their buffer. A buffer is filled before the next one is allocated, because otherwise each unread
/// line would keep a whole buffer allocated.
const MIN_SPACE: usize = 4 * 1024;

/// Size in bytes above which a buffer that was allocated for a long line is freed once the lines are short again.
const MAX_IDLE_BUFFER: usize = 2 * 1024 * 1024;

/// Maximum length of the sample of a rejected line, in bytes.
const SAMPLE: usize = 200;

/// Splits a stream of bytes into lines.
///
/// The bytes may arrive in portions of any size, which may end inside a character. A line is a slice of the buffer that
/// it was read into, so it is not copied. A line that exceeds the limit is skipped and reported as [`Line::TooLong`];
/// the lines after it are read as usual.
#[derive(Debug)]
pub struct Lines {
    buffer: BytesMut,
    /// Size of the whole allocation of the buffer in bytes.
    size: usize,
    /// Size of the allocation that the last line is a slice of.
    line_buffer: usize,
    /// Number of bytes at the start of the buffer that contain no line feed.
    scanned: usize,
    limit: usize,
    overlong: Option<Overlong>,
}

/// A line that [`Lines`] found in the stream.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A complete line, without the line feed.
    Whole(Bytes),
    /// A line that exceeded the limit. Its bytes were discarded.
    TooLong {
        /// Length of the line in bytes.
        bytes: u64,
        /// Start of the line, as text.
        sample: String,
    },
}

#[derive(Debug)]
struct Overlong {
    bytes: u64,
    sample: String,
}

impl Lines {
    /// Creates a splitter for lines of at most `limit` bytes.
    #[must_use]
    pub fn new(limit: usize) -> Self {
        Self {
            buffer: BytesMut::new(),
            size: 0,
            line_buffer: 0,
            scanned: 0,
            limit,
            overlong: None,
        }
    }

    /// Returns the buffer to append read bytes to. It has at least 4 KiB of free space.
    pub fn space(&mut self) -> &mut BytesMut {
        if self.buffer.is_empty() && self.buffer.capacity() < self.size / 2 {
            // Reuse the allocation from its start if no line refers to it any more, so that a long line fits without
            // growing it.
            let _ = self.buffer.try_reclaim(self.size);
        }
        if self.buffer.capacity() - self.buffer.len() < MIN_SPACE {
            self.buffer.reserve(BUFFER);
            self.size = self.buffer.capacity();
        }
        &mut self.buffer
    }

    /// Returns the next line; `None` if its line feed has not arrived yet.
    pub fn next_line(&mut self) -> Option<Line> {
        // Search only the bytes that arrived since the last call.
        let Some(end) = memchr::memchr(b'\n', &self.buffer[self.scanned..]) else {
            self.scanned = self.buffer.len();
            if self.scanned > self.limit {
                self.discard_overlong();
            }
            return None;
        };
        let end = self.scanned + end;
        self.scanned = 0;
        let mut line = self.buffer.split_to(end + 1);
        line.truncate(end);
        self.line_buffer = self.size;
        // Free a large buffer only at a short line, so that successive long lines reuse it.
        if self.size > MAX_IDLE_BUFFER && end < self.size / 4 && self.buffer.is_empty() {
            self.release_buffer();
        }
        Some(self.finish_line(line))
    }

    /// Returns the last line if the stream ended without a line feed.
    pub fn finish(&mut self) -> Option<Line> {
        self.scanned = 0;
        self.line_buffer = self.size;
        let line = self.buffer.split();
        (self.overlong.is_some() || !line.is_empty()).then(|| self.finish_line(line))
    }

    /// Returns whether every byte belonged to a line that was returned.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.buffer.is_empty() && self.overlong.is_none()
    }

    /// Returns the size of the allocation that the last line is a slice of, and that the line keeps alive.
    pub(crate) fn line_buffer(&self) -> usize {
        self.line_buffer
    }

    fn finish_line(&mut self, line: BytesMut) -> Line {
        if line.len() > self.limit || self.overlong.is_some() {
            let Overlong { bytes, sample } = self.overlong.take().unwrap_or_else(|| Overlong {
                bytes: 0,
                sample: sample_of(&line),
            });
            return Line::TooLong {
                bytes: bytes + line.len() as u64,
                sample,
            };
        }
        Line::Whole(line.freeze())
    }

    /// Discards the bytes of a line that exceeds the limit before its line feed has arrived.
    fn discard_overlong(&mut self) {
        let overlong = self.overlong.get_or_insert_with(|| Overlong {
            bytes: 0,
            sample: sample_of(&self.buffer),
        });
        overlong.bytes += self.buffer.len() as u64;
        self.release_buffer();
        self.scanned = 0;
    }

    /// Drops the buffer, so that the memory of a long line is freed.
    fn release_buffer(&mut self) {
        self.buffer = BytesMut::new();
        self.size = 0;
    }
}

/// Returns the start of a line as text, with invalid UTF-8 replaced.
pub(crate) fn sample_of(line: &[u8]) -> String {
    String::from_utf8_lossy(&line[..line.len().min(SAMPLE)]).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feed(lines: &mut Lines, bytes: &[u8]) -> Vec<Line> {
        lines.space().extend_from_slice(bytes);
        std::iter::from_fn(|| lines.next_line()).collect()
    }

    fn whole(text: &str) -> Line {
        Line::Whole(Bytes::copy_from_slice(text.as_bytes()))
    }

    #[test]
    fn lines_do_not_depend_on_the_chunking() {
        let stream = "{\"a\":\"é\u{1F600}\"}\n\n{\"b\":1}\nlast".as_bytes();
        let expected = vec![
            whole("{\"a\":\"é\u{1F600}\"}"),
            whole(""),
            whole("{\"b\":1}"),
            whole("last"),
        ];
        for size in 1..=stream.len() {
            let mut lines = Lines::new(1024);
            let mut got: Vec<Line> = stream
                .chunks(size)
                .flat_map(|chunk| feed(&mut lines, chunk))
                .collect();
            got.extend(lines.finish());
            assert_eq!(got, expected, "in portions of {size} bytes");
        }
    }

    #[test]
    fn line_over_the_limit_is_reported_and_the_next_is_read() {
        for size in [1, 3, 7, 100] {
            let mut lines = Lines::new(8);
            let got: Vec<Line> = b"12345678\n123456789\nok\n"
                .chunks(size)
                .flat_map(|chunk| feed(&mut lines, chunk))
                .collect();
            let [first, Line::TooLong { bytes, sample }, last] = &got[..] else {
                panic!("in portions of {size} bytes: {got:?}");
            };
            assert_eq!((first, last), (&whole("12345678"), &whole("ok")));
            assert_eq!(*bytes, 9);
            assert_eq!(sample, "123456789");
        }
    }

    #[test]
    fn overlong_line_is_not_buffered() {
        let mut lines = Lines::new(1024);
        for _ in 0..1000 {
            assert!(feed(&mut lines, &[b'x'; 4096]).is_empty());
            assert!(lines.buffer.len() <= 1024 + 4096);
        }
        let got = feed(&mut lines, b"\n{}\n");
        assert!(matches!(
            got[0],
            Line::TooLong {
                bytes: 4_096_000,
                ..
            }
        ));
        assert_eq!(got[1], whole("{}"));
    }

    #[test]
    fn unfinished_overlong_line_is_reported_at_the_end() {
        let mut lines = Lines::new(4);
        assert!(feed(&mut lines, b"123456").is_empty());
        assert!(matches!(
            lines.finish(),
            Some(Line::TooLong { bytes: 6, .. })
        ));
        assert_eq!(lines.finish(), None);
    }

    #[test]
    fn kept_lines_share_buffers() {
        let mut lines = Lines::new(1024);
        let kept: Vec<Bytes> = (0..10_000)
            .flat_map(|_| feed(&mut lines, b"{\"type\":\"x\"}\n"))
            .map(|line| match line {
                Line::Whole(line) => line,
                Line::TooLong { .. } => panic!("the lines are short"),
            })
            .collect();
        let is_adjacent = |pair: &&[Bytes]| {
            let end = pair[0].as_ptr() as usize + pair[0].len() + 1;
            end == pair[1].as_ptr() as usize
        };
        let adjacent = kept.windows(2).filter(is_adjacent).count();
        assert!(
            adjacent > 9_900,
            "{adjacent} of 10,000 share a buffer with the next"
        );
    }

    #[test]
    fn successive_long_lines_reuse_one_buffer() {
        let mut lines = Lines::new(usize::MAX);
        let line = [b'x'; 1024 * 1024];
        let mut addresses = std::iter::repeat_with(|| {
            for portion in line.chunks(BUFFER) {
                assert!(feed(&mut lines, portion).is_empty());
            }
            match &feed(&mut lines, b"\n")[..] {
                [Line::Whole(line)] => line.as_ptr(),
                other => panic!("expected one line, got {other:?}"),
            }
        });
        let first = addresses.next();
        assert!(addresses.take(10).all(|address| Some(address) == first));
    }

    #[test]
    fn large_buffer_is_freed_after_a_short_line() {
        let mut lines = Lines::new(usize::MAX);
        for _ in 0..2 {
            feed(&mut lines, &vec![b'x'; 2 * MAX_IDLE_BUFFER]);
            feed(&mut lines, b"\n");
            assert!(lines.space().capacity() > 2 * MAX_IDLE_BUFFER);
        }
        feed(&mut lines, b"{}\n");
        assert!(lines.space().capacity() <= 2 * BUFFER);
    }

    #[test]
    fn line_is_not_copied() {
        let mut lines = Lines::new(1024);
        lines.space().extend_from_slice(b"{}\n");
        let start = lines.buffer.as_ptr();
        let Some(Line::Whole(line)) = lines.next_line() else {
            panic!("no line");
        };
        assert_eq!(line.as_ptr(), start);
    }
}
