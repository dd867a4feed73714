use std::collections::VecDeque;
use std::io::{self, SeekFrom};

use tokio::fs::File;
use tokio::io::{AsyncBufReadExt as _, AsyncSeekExt as _, AsyncWriteExt as _, BufReader};

use super::frame::{Entries, TranscriptHome};
use super::{Input, Mark, TurnResult};

/// Inputs that are not stored yet, in order.
///
/// Above [`MEMORY`] bytes, inputs go to a temporary file without a name, until everything before them is taken. If that file
/// cannot be written, they stay in memory: nothing is dropped.
pub(super) struct Queue {
    home: TranscriptHome,
    memory: VecDeque<Queued>,
    /// The size of the inputs in `memory`.
    bytes: usize,
    /// Inputs behind those in `memory`.
    spill: Option<Spill>,
    turn_ends: usize,
    /// How many inputs were taken.
    taken: Mark,
    /// Why the next input cannot be taken.
    broken: Option<io::Error>,
    /// Whether an input was lost. Those behind it are dropped: the transcript would have a hole.
    has_hole: bool,
}

/// How many bytes of frames are kept in memory.
const MEMORY: usize = 8 << 20;

/// How many bytes of frames are stored together.
const BATCH: usize = 1 << 20;

enum Queued {
    Frame(Box<str>),
    Result(TurnResult),
    Lost,
}

/// The next inputs to store.
#[derive(Default)]
pub(super) struct Batch {
    pub(super) frames: Vec<Entries>,
    /// The results of the turns that ended within this batch.
    pub(super) results: Vec<TurnResult>,
    /// The number of inputs up to the end of this batch.
    pub(super) mark: Mark,
}

impl Queue {
    pub(super) fn new(home: TranscriptHome) -> Self {
        Self {
            home,
            memory: VecDeque::new(),
            bytes: 0,
            spill: None,
            turn_ends: 0,
            taken: 0,
            broken: None,
            has_hole: false,
        }
    }

    pub(super) async fn push(&mut self, input: Input) {
        let queued = match input {
            Input::Frame(frame) => Queued::Frame(frame.line().into()),
            Input::Result(result) => Queued::Result(result),
            Input::Lost => Queued::Lost,
        };
        self.add(queued).await;
    }

    async fn add(&mut self, queued: Queued) {
        if self.has_hole {
            return;
        }
        self.turn_ends += usize::from(matches!(queued, Queued::Result(_)));
        if self.spill.is_none() && self.bytes > MEMORY {
            match Spill::create().await {
                Ok(spill) => self.spill = Some(spill),
                Err(error) => {
                    tracing::warn!(%error, "no temporary file for unsent transcript entries");
                }
            }
        }
        match &mut self.spill {
            Some(spill) => spill.push(queued).await,
            None => self.remember(queued),
        }
    }

    pub(super) fn is_empty(&self) -> bool {
        self.memory.is_empty() && self.spill.is_none() && self.broken.is_none()
    }

    /// Returns whether the end of a turn waits in this queue, or more than one batch.
    pub(super) fn is_due(&self) -> bool {
        self.turn_ends > 0 || self.bytes > BATCH || self.broken.is_some()
    }

    /// Takes the next inputs, at most one batch of them.
    ///
    /// # Errors
    /// If the next input cannot be read. Everything before it was taken, and everything behind it is lost.
    pub(super) async fn take(&mut self) -> io::Result<Batch> {
        let mut batch = Batch::default();
        let mut bytes = 0;
        while bytes < BATCH && self.broken.is_none() {
            let queued = match self.pop().await {
                Ok(Some(queued)) => queued,
                Ok(None) => break,
                Err(error) => {
                    self.broken = Some(error);
                    break;
                }
            };
            self.taken += 1;
            bytes += queued.len();
            match queued {
                Queued::Result(result) => {
                    self.turn_ends -= 1;
                    batch.results.push(result);
                }
                Queued::Frame(line) => match Entries::read(&line, &self.home) {
                    Ok(entries) => batch.frames.extend(entries),
                    Err(error) => self.broken = Some(error),
                },
                Queued::Lost => self.broken = Some(io::Error::other("a line was skipped")),
            }
        }
        batch.mark = self.taken;
        let is_empty = batch.frames.is_empty() && batch.results.is_empty();
        if is_empty && let Some(error) = self.broken.take() {
            *self = Self {
                has_hole: true,
                ..Self::new(self.home.clone())
            };
            return Err(error);
        }
        Ok(batch)
    }

    async fn pop(&mut self) -> io::Result<Option<Queued>> {
        if self.memory.is_empty()
            && let Some(mut spill) = self.spill.take()
        {
            while self.bytes <= MEMORY
                && let Some(queued) = spill.pop().await?
            {
                self.remember(queued);
            }
            if !spill.is_empty() {
                self.spill = Some(spill);
            }
        }
        let next = self.memory.pop_front();
        self.bytes -= next.as_ref().map_or(0, Queued::len);
        Ok(next)
    }

    fn remember(&mut self, queued: Queued) {
        self.bytes += queued.len();
        self.memory.push_back(queued);
    }
}

impl Queued {
    fn len(&self) -> usize {
        match self {
            Self::Frame(line) => line.len(),
            Self::Result(result) => result.line.len(),
            Self::Lost => 0,
        }
    }
}

/// Begins the line with the prompts of a result. No frame does: frames are JSON objects.
const PROMPTS: &str = "prompts ";

/// Inputs in a temporary file: a frame is a line, a result two of them, its prompts in the first one, and a lost frame an
/// empty one.
struct Spill {
    file: BufReader<File>,
    read: u64,
    written: u64,
    /// Inputs behind those in the file, once it could not be written.
    tail: VecDeque<Queued>,
}

impl Spill {
    async fn create() -> io::Result<Self> {
        let file = tokio::task::spawn_blocking(tempfile::tempfile).await??;
        Ok(Self {
            file: BufReader::new(File::from_std(file)),
            read: 0,
            written: 0,
            tail: VecDeque::new(),
        })
    }

    async fn push(&mut self, queued: Queued) {
        if self.tail.is_empty() {
            match self.write(&queued).await {
                Ok(()) => return,
                Err(error) => tracing::warn!(%error, "unsent transcript entries stay in memory"),
            }
        }
        self.tail.push_back(queued);
    }

    async fn write(&mut self, queued: &Queued) -> io::Result<()> {
        let line = match queued {
            Queued::Frame(line) => format!("{line}\n"),
            Queued::Result(result) => {
                format!("{PROMPTS}{}\n{}\n", result.prompts.join(" "), result.line)
            }
            Queued::Lost => "\n".to_owned(),
        };
        self.file.seek(SeekFrom::Start(self.written)).await?;
        self.file.get_mut().write_all(line.as_bytes()).await?;
        self.file.get_mut().flush().await?;
        // Only after the whole line is written, so that a part of one is overwritten and never read.
        self.written += line.len() as u64;
        Ok(())
    }

    async fn pop(&mut self) -> io::Result<Option<Queued>> {
        match self.read < self.written {
            true => self.read_line().await.map(Some),
            false => Ok(self.tail.pop_front()),
        }
    }

    async fn read_line(&mut self) -> io::Result<Queued> {
        self.file.seek(SeekFrom::Start(self.read)).await?;
        let line = self.next_line().await?;
        if line.is_empty() {
            return Ok(Queued::Lost);
        }
        let Some(prompts) = line.strip_prefix(PROMPTS) else {
            return Ok(Queued::Frame(line.into()));
        };
        let prompts = prompts.split_whitespace().map(str::to_owned).collect();
        let line = self.next_line().await?;
        Ok(Queued::Result(TurnResult { line, prompts }))
    }

    async fn next_line(&mut self) -> io::Result<String> {
        let mut line = String::new();
        self.file.read_line(&mut line).await?;
        self.read += line.len() as u64;
        line.pop();
        Ok(line)
    }

    fn is_empty(&self) -> bool {
        self.read == self.written && self.tail.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use std::path::PathBuf;

    use inhouse_store::ProjectKey;

    use super::*;

    fn frame(number: usize, size: usize) -> Queued {
        let padding = "x".repeat(size);
        let line = format!(
            r#"{{"filePath":"/c/projects/p/s.jsonl","entries":[{{"number":{number},"padding":"{padding}"}}]}}"#
        );
        Queued::Frame(line.into())
    }

    #[tokio::test]
    async fn inputs_above_the_memory_limit_are_in_a_file_and_keep_their_order() {
        const FRAMES: usize = 40;
        const SIZE: usize = 1 << 20;
        let mut queue = Queue::new(TranscriptHome {
            project: ProjectKey::new("p").unwrap(),
            config: PathBuf::from("/c"),
        });
        for number in 0..FRAMES {
            queue.add(frame(number, SIZE)).await;
        }
        let largest = frame(FRAMES, SIZE).len();
        let in_memory: usize = queue.memory.iter().map(Queued::len).sum();
        assert_eq!(in_memory, queue.bytes);
        assert!(in_memory <= MEMORY + largest, "{in_memory} bytes in memory");
        let spill = queue.spill.as_ref().expect("the rest is in a file");
        assert!(spill.tail.is_empty());
        assert!(spill.written as usize + in_memory >= FRAMES * SIZE);

        let mut taken = 0;
        while !queue.is_empty() {
            for frame in queue.take().await.unwrap().frames {
                for entry in frame.entries {
                    let number = format!(r#"{{"number":{taken},"#);
                    assert!(entry.starts_with(number.as_bytes()), "{taken}");
                    taken += 1;
                }
            }
            assert!(queue.bytes <= MEMORY + largest);
        }
        assert_eq!(taken, FRAMES);
        assert_eq!(queue.bytes, 0);
    }
}
