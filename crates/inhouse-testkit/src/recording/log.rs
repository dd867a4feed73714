//! The files of a recording while it is being made.

use std::{
    fs::File,
    io::{self, Write},
    path::Path,
};

use super::tape::{Side, files};

/// Unbuffered, so that a recording is complete up to the moment in which its process is killed.
#[derive(Debug)]
pub(super) struct Log {
    out: File,
    input: File,
    order: File,
}

impl Log {
    pub(super) fn create(path: &Path) -> io::Result<Self> {
        let [out, input, order] = files(path).map(|path| {
            File::create(&path).map_err(|cause| {
                io::Error::new(cause.kind(), format!("{}: {cause}", path.display()))
            })
        });
        Ok(Self {
            out: out?,
            input: input?,
            order: order?,
        })
    }

    /// Notes a line, given without its line end.
    pub(super) fn line(&mut self, by: Side, line: &[u8]) -> io::Result<()> {
        let (file, word) = self.of(by);
        file.write_all(&[line, b"\n"].concat())?;
        writeln!(self.order, "{word}")
    }

    /// Notes that a side has written its last, with the beginning of a line that it never ended.
    pub(super) fn end(&mut self, by: Side, unfinished: &[u8]) -> io::Result<()> {
        let (file, word) = self.of(by);
        if !unfinished.is_empty() {
            file.write_all(unfinished)?;
            writeln!(self.order, "{word}")?;
        }
        writeln!(self.order, "{word} end")
    }

    fn of(&mut self, side: Side) -> (&mut File, &'static str) {
        match side {
            Side::Host => (&mut self.input, "in"),
            Side::Cli => (&mut self.out, "out"),
        }
    }
}
