use std::{
    fs, io,
    path::{Path, PathBuf},
};

pub use inhouse::record::Side;
use inhouse::record::{RecordedEvent, Recording};

/// A recorded conversation: the lines of both sides in order.
///
/// The [module](super) describes its files.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tape {
    steps: Vec<TapeStep>,
}

/// A step of a recorded conversation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TapeStep {
    /// One side wrote a line.
    Line {
        /// The side that wrote the line.
        by: Side,
        /// The line, without its line end.
        line: String,
    },
    /// A side ended: the host closed the CLI's stdin, or the CLI its stdout.
    End(Side),
}

impl Tape {
    /// Reads a recording; `path` is without the extensions `.out.jsonl`, `.in.jsonl` and `.order`.
    ///
    /// # Errors
    ///
    /// If a file is missing or not text, or if the three are inconsistent.
    pub fn load(path: impl AsRef<Path>) -> io::Result<Self> {
        let [out, input, order] = files(path.as_ref()).map(read);
        Self::parse(&out?, &input?, &order?)
    }

    /// Parses the content of the three files of a recording: lines of the CLI, lines of the host, order.
    ///
    /// ```
    /// use inhouse_testkit::recording::{Side, Tape};
    ///
    /// let tape = Tape::parse("{\"type\":\"keep_alive\"}\n", "{}\n", "in\nout\nout end\n")?;
    /// assert_eq!(tape.steps().len(), 3);
    /// assert_eq!(tape.lines(Side::Host).collect::<Vec<_>>(), ["{}"]);
    /// # Ok::<(), std::io::Error>(())
    /// ```
    ///
    /// # Errors
    ///
    /// If the three are inconsistent.
    pub fn parse(out: &str, input: &str, order: &str) -> io::Result<Self> {
        let [mut out, mut input] = [out, input].map(lines);
        let mut steps = Vec::new();
        for word in lines(order) {
            let (by, line) = match word {
                "out end" => {
                    steps.push(TapeStep::End(Side::Cli));
                    continue;
                }
                "in end" => {
                    steps.push(TapeStep::End(Side::Host));
                    continue;
                }
                "out" => (Side::Cli, out.next()),
                "in" => (Side::Host, input.next()),
                other => {
                    return Err(invalid(format!(
                        "`{other}` is not a valid entry of the order file"
                    )));
                }
            };
            let line = line
                .ok_or_else(|| invalid("the order file has more entries than there are lines"))?;
            let line = line.to_owned();
            steps.push(TapeStep::Line { by, line });
        }
        if out.next().is_some() || input.next().is_some() {
            return Err(invalid(
                "the order file has fewer entries than there are lines",
            ));
        }
        Ok(Self { steps })
    }

    /// Writes the recording to files, and replaces existing ones; `path` is as in [`load`](Tape::load).
    ///
    /// # Errors
    ///
    /// If a file cannot be written.
    pub fn save(&self, path: impl AsRef<Path>) -> io::Result<()> {
        let mut texts = [String::new(), String::new(), String::new()];
        let [out, input, order] = &mut texts;
        for step in &self.steps {
            let (by, line) = match step {
                TapeStep::Line { by, line } => (by, Some(line)),
                TapeStep::End(by) => (by, None),
            };
            let (file, word) = match by {
                Side::Host => (&mut *input, "in"),
                Side::Cli => (&mut *out, "out"),
            };
            order.push_str(word);
            match line {
                Some(line) => file.extend([line, "\n"]),
                None => order.push_str(" end"),
            }
            order.push('\n');
        }
        for (path, text) in files(path.as_ref()).into_iter().zip(texts) {
            fs::write(path, text)?;
        }
        Ok(())
    }

    /// Returns all steps in order.
    #[must_use]
    pub fn steps(&self) -> &[TapeStep] {
        &self.steps
    }

    /// Returns the lines of one side.
    pub fn lines(&self, of: Side) -> impl Iterator<Item = &str> {
        self.steps.iter().filter_map(move |step| match step {
            TapeStep::Line { by, line } if *by == of => Some(line.as_str()),
            _ => None,
        })
    }

    /// Changes every line, for example to remove secrets.
    #[must_use]
    pub fn map_lines(mut self, mut change: impl FnMut(Side, &str) -> String) -> Self {
        for step in &mut self.steps {
            if let TapeStep::Line { by, line } = step {
                *line = change(*by, line);
            }
        }
        self
    }
}

impl FromIterator<TapeStep> for Tape {
    fn from_iter<I: IntoIterator<Item = TapeStep>>(steps: I) -> Self {
        Self {
            steps: steps.into_iter().collect(),
        }
    }
}

/// Takes the lines of both sides and their ends; times, stderr and the exit are not in a fixture.
impl From<&Recording> for Tape {
    fn from(recording: &Recording) -> Self {
        let line = |by, line: &str| {
            let line = line.to_owned();
            Some(TapeStep::Line { by, line })
        };
        let entries = recording.entries().iter();
        let steps = entries.filter_map(|entry| match &entry.event {
            RecordedEvent::Host(text) => line(Side::Host, text),
            RecordedEvent::Cli(text) | RecordedEvent::CliText(text) => line(Side::Cli, text),
            RecordedEvent::End(side) => Some(TapeStep::End(*side)),
            _ => None,
        });
        steps.collect()
    }
}

/// Gives every step the time 0.
impl From<&Tape> for Recording {
    fn from(tape: &Tape) -> Self {
        let header = r#"{"inhouse_recording":1,"started":"1970-01-01T00:00:00Z"}"#;
        let mut text = format!("{header}\n");
        for step in &tape.steps {
            let event = match step {
                TapeStep::Line {
                    by: Side::Host,
                    line,
                } => format!("\"host\":{line}"),
                TapeStep::Line {
                    by: Side::Cli,
                    line,
                } if line.starts_with('{') => format!("\"cli\":{line}"),
                TapeStep::Line { line, .. } => {
                    format!("\"cli_text\":{}", serde_json::Value::from(line.as_str()))
                }
                TapeStep::End(Side::Host) => "\"end\":\"host\"".to_owned(),
                TapeStep::End(Side::Cli) => "\"end\":\"cli\"".to_owned(),
            };
            text.push_str(&format!("{{\"t\":0,{event}}}\n"));
        }
        Self::parse(&text).expect("the lines of a fixture are JSON")
    }
}

/// Returns the paths of a recording: lines of the CLI, lines of the host, order.
fn files(path: &Path) -> [PathBuf; 3] {
    // Appended, because `with_extension` would replace everything after a dot in the name.
    [".out.jsonl", ".in.jsonl", ".order"].map(|end| {
        let mut path = path.as_os_str().to_owned();
        path.push(end);
        path.into()
    })
}

fn read(path: PathBuf) -> io::Result<String> {
    fs::read_to_string(&path)
        .map_err(|cause| io::Error::new(cause.kind(), format!("{}: {cause}", path.display())))
}

/// Splits at line feeds alone, as the wire does.
fn lines(text: &str) -> impl Iterator<Item = &str> {
    text.split_inclusive('\n')
        .map(|line| line.strip_suffix('\n').unwrap_or(line))
}

fn invalid(reason: impl Into<String>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, reason.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line(by: Side, line: &str) -> TapeStep {
        let line = line.to_owned();
        TapeStep::Line { by, line }
    }

    fn sample() -> Tape {
        Tape::from_iter([
            line(Side::Host, "{}"),
            line(Side::Cli, "not\rJSON"),
            line(Side::Cli, ""),
            TapeStep::End(Side::Host),
            line(Side::Cli, "last"),
            TapeStep::End(Side::Cli),
        ])
    }

    #[test]
    fn saved_recording_is_loaded() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("v1.2");
        sample().save(&path).unwrap();
        assert_eq!(Tape::load(&path).unwrap(), sample());
        let order = fs::read_to_string(directory.path().join("v1.2.order")).unwrap();
        assert_eq!(order, "in\nout\nout\nin end\nout\nout end\n");
    }

    #[test]
    fn inconsistent_files_are_refused() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("a");
        for order in ["out\nout\nin\n", "out\nin\nout\nout\nout\n", "out\nup\n"] {
            sample().save(&path).unwrap();
            fs::write(directory.path().join("a.order"), order).unwrap();
            let error = Tape::load(&path).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::InvalidData, "{order:?}");
        }
        let missing = Tape::load(directory.path().join("b")).unwrap_err();
        assert!(missing.to_string().contains("b.out.jsonl"), "{missing}");
    }
}
