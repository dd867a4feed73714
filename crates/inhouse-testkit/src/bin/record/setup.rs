use std::{io, path::Path};

use inhouse::{
    Client, Options, Result,
    record::{Record, Recording, RecordingError},
};
use inhouse_testkit::{Isolation, RealCli, ScriptedModel, recording::Tape};
use tempfile::TempDir;

use crate::sanitize::Replacements;

/// The environment of a scenario: a scripted model, an isolated CLI and a recording.
pub(crate) struct RecordingSetup {
    pub(crate) model: ScriptedModel,
    pub(crate) isolation: Isolation,
    recordings: TempDir,
}

impl RecordingSetup {
    pub(crate) async fn new(cli: &RealCli) -> io::Result<Self> {
        let model = ScriptedModel::start().await?;
        let isolation = cli.isolated(&model)?;
        Ok(Self {
            model,
            isolation,
            recordings: tempfile::tempdir()?,
        })
    }

    pub(crate) fn options(&self) -> Options {
        self.isolation.options().model("claude-sonnet-4-5")
    }

    /// Connects the recorded session.
    pub(crate) async fn connect(&self, options: Options) -> Result<Client> {
        let record = Record::file(self.recording()).keep_secrets();
        Client::connect(options.record(record)).await
    }

    pub(crate) fn tape(&self) -> std::result::Result<Tape, RecordingError> {
        Ok((&Recording::load(self.recording())?).into())
    }

    /// Returns the replacements for machine-specific values.
    pub(crate) fn replacements(&self) -> Replacements {
        let isolation = &self.isolation;
        let temp = Path::new(&isolation.env()["TMPDIR"]);
        let directories = [
            (isolation.cwd(), "/work/project"),
            (isolation.config_dir(), "/work/config"),
            (isolation.home(), "/work/home"),
            (temp, "/work/tmp"),
            (isolation.program(), "/work/claude"),
        ];
        Replacements::new(directories, &self.model.base_url())
    }

    fn recording(&self) -> std::path::PathBuf {
        self.recordings.path().join("recording")
    }
}
