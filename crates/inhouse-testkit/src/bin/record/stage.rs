use std::{io, path::Path};

use inhouse::{
    Client, Options, Result,
    record::{Record, Recording, RecordingError},
};
use inhouse_testkit::{Isolation, RealCli, ScriptedModel, recording::Tape};
use tempfile::TempDir;

use crate::sanitize::Secrets;

/// The environment of a scenario: a scripted model, an isolated CLI and a recording.
pub(crate) struct Stage {
    pub(crate) model: ScriptedModel,
    pub(crate) world: Isolation,
    recordings: TempDir,
}

impl Stage {
    pub(crate) async fn new(cli: &RealCli) -> io::Result<Self> {
        let model = ScriptedModel::start().await?;
        let world = cli.isolated(&model)?;
        Ok(Self {
            model,
            world,
            recordings: tempfile::tempdir()?,
        })
    }

    pub(crate) fn options(&self) -> Options {
        self.world.options().model("claude-sonnet-4-5")
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
    pub(crate) fn secrets(&self) -> Secrets {
        let world = &self.world;
        let temp = Path::new(&world.env()["TMPDIR"]);
        let directories = [
            (world.cwd(), "/work/project"),
            (world.config_dir(), "/work/config"),
            (world.home(), "/work/home"),
            (temp, "/work/tmp"),
            (world.program(), "/work/claude"),
        ];
        Secrets::new(directories, &self.model.base_url())
    }

    fn recording(&self) -> std::path::PathBuf {
        self.recordings.path().join("recording")
    }
}
