use std::fmt;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Error, Result};

/// Where a session is recorded, and what is redacted; for [`Options::record`](crate::Options::record).
///
/// ```
/// use inhouse::Options;
/// use inhouse::record::Record;
///
/// let record = Record::file("trace.jsonl").redact("the name of the customer");
/// let options = Options::new().record(record);
/// # let _ = options;
/// ```
#[derive(Clone)]
#[must_use = "add it with `Options::record`"]
pub struct Record {
    target: Target,
    pub(crate) values: Vec<String>,
    pub(crate) keeps_secrets: bool,
}

#[derive(Clone)]
enum Target {
    File(PathBuf),
    /// Taken by the first session.
    Writer(Arc<Mutex<Option<Box<dyn Write + Send>>>>),
}

/// An open target.
pub(super) enum OpenTarget {
    File(std::fs::File),
    Writer(Box<dyn Write + Send>),
}

impl Record {
    /// Records to a file, which only its owner can read (mode 0600). An existing file is replaced.
    ///
    /// Each session needs a file to itself: two sessions that record to the same file overwrite each other's lines. A named pipe
    /// needs a reader before the session connects.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::record::Record;
    ///
    /// // A path alone has the same meaning.
    /// let options = Options::new().record(Record::file("trace.jsonl"));
    /// let same = Options::new().record("trace.jsonl");
    /// # let _ = (options, same);
    /// ```
    pub fn file(path: impl Into<PathBuf>) -> Self {
        Self::new(Target::File(path.into()))
    }

    /// Records to a writer, such as a pipe or a compressor, on a separate thread.
    ///
    /// The first session with the options takes the writer; a second one is an error.
    ///
    /// ```
    /// use std::io::sink;
    ///
    /// use inhouse::Options;
    /// use inhouse::record::Record;
    ///
    /// let options = Options::new().record(Record::writer(sink()));
    /// # let _ = options;
    /// ```
    pub fn writer(writer: impl Write + Send + 'static) -> Self {
        let writer: Box<dyn Write + Send> = Box::new(writer);
        Self::new(Target::Writer(Arc::new(Mutex::new(Some(writer)))))
    }

    /// Redacts a value wherever it occurs, in addition to the secrets that are [found](super#secrets).
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::record::Record;
    /// # use inhouse_testkit::{FakeCli, run};
    ///
    /// # let directory = tempfile::tempdir()?;
    /// # let path = directory.path().join("trace.jsonl");
    /// let options = Options::new().record(Record::file(&path).redact("Ada Lovelace"));
    /// # run(FakeCli::play(options, async |client| {
    /// client.send("Write to Ada Lovelace.").await?.finish().await?;
    /// # Ok(()) }, async |cli| {
    /// #     cli.expect_prompt().await;
    /// #     cli.turn("Done.").await;
    /// # }));
    ///
    /// let text = std::fs::read_to_string(&path)?;
    /// assert!(!text.contains("Lovelace") && text.contains("Write to [redacted]."));
    /// # Ok::<(), std::io::Error>(())
    /// ```
    pub fn redact(mut self, value: impl Into<String>) -> Self {
        self.values.push(value.into());
        self
    }

    /// Records every byte as it is, with all secrets.
    ///
    /// For recordings of sessions without secrets that must be exact, such as those of a scripted model.
    ///
    /// ```
    /// use inhouse::Options;
    /// use inhouse::record::Record;
    ///
    /// let options = Options::new().record(Record::file("trace.jsonl").keep_secrets());
    /// # let _ = options;
    /// ```
    pub fn keep_secrets(mut self) -> Self {
        self.keeps_secrets = true;
        self
    }

    fn new(target: Target) -> Self {
        Self {
            target,
            values: Vec::new(),
            keeps_secrets: false,
        }
    }

    pub(crate) fn path(&self) -> Option<&Path> {
        match &self.target {
            Target::File(path) => Some(path),
            Target::Writer(_) => None,
        }
    }

    /// Opens the file, or takes the writer.
    pub(super) fn open(&self) -> Result<OpenTarget> {
        match &self.target {
            Target::File(path) => create(path).map(OpenTarget::File).map_err(|error| {
                let path = path.display();
                let text = match is_pipe_without_reader(&error) {
                    true => format!(
                        "the recording {path} is a pipe that no process reads; start its reader first"
                    ),
                    false => format!("the recording {path} cannot be created"),
                };
                Error::config(text).with_source(error)
            }),
            Target::Writer(writer) => {
                let writer = writer.lock().unwrap_or_else(PoisonError::into_inner).take();
                writer.map(OpenTarget::Writer).ok_or_else(|| {
                    Error::config(
                        "the writer of the recording was used by another session; \
                         give each session a writer",
                    )
                })
            }
        }
    }
}

#[cfg(unix)]
fn create(path: &Path) -> std::io::Result<std::fs::File> {
    use std::os::unix::fs::{OpenOptionsExt as _, PermissionsExt as _};

    use rustix::fs::{OFlags, fcntl_getfl, fcntl_setfl};

    let mut options = std::fs::OpenOptions::new();
    options.write(true).create(true).truncate(true).mode(0o600);
    // Otherwise opening a pipe waits for its reader.
    options.custom_flags(OFlags::NONBLOCK.bits().cast_signed());
    let file = options.open(path)?;
    // The thread that writes may wait.
    fcntl_setfl(&file, fcntl_getfl(&file)? - OFlags::NONBLOCK)?;
    // `mode` has no effect on a file that exists.
    if file.metadata()?.is_file() {
        file.set_permissions(std::fs::Permissions::from_mode(0o600))?;
    }
    Ok(file)
}

#[cfg(not(unix))]
fn create(path: &Path) -> std::io::Result<std::fs::File> {
    std::fs::File::create(path)
}

/// Returns whether this is the error of a named pipe that no process has open for reading.
fn is_pipe_without_reader(error: &std::io::Error) -> bool {
    #[cfg(unix)]
    return rustix::io::Errno::from_io_error(error) == Some(rustix::io::Errno::NXIO);
    #[cfg(not(unix))]
    {
        let _ = error;
        false
    }
}

impl From<&str> for Record {
    fn from(path: &str) -> Self {
        Self::file(path)
    }
}

impl From<String> for Record {
    fn from(path: String) -> Self {
        Self::file(path)
    }
}

impl From<&Path> for Record {
    fn from(path: &Path) -> Self {
        Self::file(path)
    }
}

impl From<PathBuf> for Record {
    fn from(path: PathBuf) -> Self {
        Self::file(path)
    }
}

impl From<&PathBuf> for Record {
    fn from(path: &PathBuf) -> Self {
        Self::file(path)
    }
}

/// Shows the path, and not the values to redact.
impl fmt::Debug for Record {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Record")
            .field("path", &self.path())
            .field("values", &self.values.len())
            .field("keeps_secrets", &self.keeps_secrets)
            .finish()
    }
}
