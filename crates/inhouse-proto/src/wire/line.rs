use bytes::{Bytes, BytesMut};

/// How large a buffer is made.
const BUFFER: usize = 64 * 1024;

/// How much room [`Lines::space`] offers at least.
///
/// Lines that are kept are slices of their buffer, so a buffer is filled before the next one is made:
/// otherwise each unread line would keep a whole buffer alive.
const ROOM: usize = 4 * 1024;

/// How large a buffer may stay that was made for a long line and is of no use to the next ones.
const KEPT: usize = 2 * 1024 * 1024;

/// How much of a line that is too long is kept to show.
const SAMPLE: usize = 200;

/// Splits a stream of bytes into lines.
///
/// The bytes may arrive in any portions, also ones that end inside a character. A line is handed
/// out without copying: it is a slice of the buffer that it was read into. A line longer than the
/// limit is passed over and reported, and the lines after it are read as if nothing had happened.
#[derive(Debug)]
pub struct Lines {
    buffer: BytesMut,
    /// How much the buffer holds when all of it is free.
    size: usize,
    /// How large the buffer was from which the last line was taken.
    line_buffer: usize,
    /// How much of the buffer is known to hold no line end.
    scanned: usize,
    limit: usize,
    overlong: Option<Overlong>,
}

/// What [`Lines`] found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Line {
    /// A line without its line end.
    Whole(Bytes),
    /// A line that was longer than the limit and is gone.
    TooLong {
        /// Its length in bytes.
        bytes: u64,
        /// How it began.
        sample: String,
    },
}

#[derive(Debug)]
struct Overlong {
    bytes: u64,
    sample: String,
}

impl Lines {
    /// Splits lines of at most `limit` bytes.
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

    /// The buffer to append freshly read bytes to; it has room for a good portion.
    pub fn space(&mut self) -> &mut BytesMut {
        if self.buffer.is_empty() && self.buffer.capacity() < self.size / 2 {
            // From its start, if nobody keeps a line of it: a long one then finds room as it is.
            let _ = self.buffer.try_reclaim(self.size);
        }
        if self.buffer.capacity() - self.buffer.len() < ROOM {
            self.buffer.reserve(BUFFER);
            self.size = self.buffer.capacity();
        }
        &mut self.buffer
    }

    /// The next line, if its end has arrived.
    pub fn next_line(&mut self) -> Option<Line> {
        let Some(end) = memchr::memchr(b'\n', &self.buffer[self.scanned..]) else {
            self.scanned = self.buffer.len();
            if self.scanned > self.limit {
                self.pass_over();
            }
            return None;
        };
        let end = self.scanned + end;
        self.scanned = 0;
        let mut line = self.buffer.split_to(end + 1);
        line.truncate(end);
        self.line_buffer = self.size;
        if self.size > KEPT && end < self.size / 4 && self.buffer.is_empty() {
            self.give_back();
        }
        Some(self.finish_line(line))
    }

    /// The last line, when the stream ends without a line end.
    pub fn finish(&mut self) -> Option<Line> {
        self.scanned = 0;
        self.line_buffer = self.size;
        let line = self.buffer.split();
        (self.overlong.is_some() || !line.is_empty()).then(|| self.finish_line(line))
    }

    /// Returns the size of the buffer that the last line is a part of, and keeps allocated.
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

    /// Forgets the bytes of a line that has grown too long before its end arrived.
    fn pass_over(&mut self) {
        let overlong = self.overlong.get_or_insert_with(|| Overlong {
            bytes: 0,
            sample: sample_of(&self.buffer),
        });
        overlong.bytes += self.buffer.len() as u64;
        self.give_back();
        self.scanned = 0;
    }

    /// Begins with a new buffer, so that the room of a long line does not stay.
    fn give_back(&mut self) {
        self.buffer = BytesMut::new();
        self.size = 0;
    }
}

/// The start of a line, as text.
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
    fn every_chunking_gives_the_same_lines() {
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
    fn a_line_over_the_limit_is_reported_and_the_next_one_lives() {
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
    fn an_overlong_line_does_not_pile_up() {
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
    fn an_unfinished_overlong_line_is_reported_at_the_end() {
        let mut lines = Lines::new(4);
        assert!(feed(&mut lines, b"123456").is_empty());
        assert!(matches!(
            lines.finish(),
            Some(Line::TooLong { bytes: 6, .. })
        ));
        assert_eq!(lines.finish(), None);
    }

    #[test]
    fn kept_lines_stand_close_together() {
        let mut lines = Lines::new(1024);
        let kept: Vec<Bytes> = (0..10_000)
            .flat_map(|_| feed(&mut lines, b"{\"type\":\"x\"}\n"))
            .map(|line| match line {
                Line::Whole(line) => line,
                Line::TooLong { .. } => panic!("short lines"),
            })
            .collect();
        let next_to = |pair: &&[Bytes]| {
            let end = pair[0].as_ptr() as usize + pair[0].len() + 1;
            end == pair[1].as_ptr() as usize
        };
        let together = kept.windows(2).filter(next_to).count();
        assert!(
            together > 9_900,
            "{together} of 10,000 share a buffer with the next"
        );
    }

    #[test]
    fn long_lines_one_after_the_other_need_one_buffer() {
        let mut lines = Lines::new(usize::MAX);
        let line = [b'x'; 1024 * 1024];
        let mut places = std::iter::repeat_with(|| {
            for portion in line.chunks(BUFFER) {
                assert!(feed(&mut lines, portion).is_empty());
            }
            match &feed(&mut lines, b"\n")[..] {
                [Line::Whole(line)] => line.as_ptr(),
                other => panic!("one line, and not {other:?}"),
            }
        });
        let first = places.next();
        assert!(places.take(10).all(|place| Some(place) == first));
    }

    #[test]
    fn a_buffer_stays_as_large_as_the_lines_are() {
        let mut lines = Lines::new(usize::MAX);
        for _ in 0..2 {
            feed(&mut lines, &vec![b'x'; 2 * KEPT]);
            feed(&mut lines, b"\n");
            assert!(lines.space().capacity() > 2 * KEPT);
        }
        feed(&mut lines, b"{}\n");
        assert!(lines.space().capacity() <= 2 * BUFFER);
    }

    #[test]
    fn a_whole_line_is_not_copied() {
        let mut lines = Lines::new(1024);
        lines.space().extend_from_slice(b"{}\n");
        let start = lines.buffer.as_ptr();
        let Some(Line::Whole(line)) = lines.next_line() else {
            panic!("a line was there");
        };
        assert_eq!(line.as_ptr(), start);
    }
}
