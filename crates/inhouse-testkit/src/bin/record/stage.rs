use std::{io, path::Path};

use inhouse::{Client, Options, Result, transport::ChildTransport};
use inhouse_testkit::{
    Isolation, RealCli, ScriptedModel,
    recording::{Recording, Tape},
};
use tempfile::TempDir;

use crate::sanitise::Secrets;

/// Where a scenario is played: a model to be scripted, a world for the CLI, and a recorder.
pub(crate) struct Stage {
    pub(crate) model: ScriptedModel,
    pub(crate) world: Isolation,
    recordings: TempDir,
}

impl Stage {
    pub(crate) async fn set(cli: &RealCli) -> io::Result<Self> {
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

    /// Begins the session that is recorded.
    pub(crate) async fn connect(&self, options: Options) -> Result<Client> {
        let recording = Recording::create(self.recording(), ChildTransport)
            .expect("a fresh temporary directory can be written to");
        Client::connect_with(options, recording).await
    }

    pub(crate) fn tape(&self) -> io::Result<Tape> {
        Tape::load(self.recording())
    }

    /// What may not appear in a fixture, and what is to stand there instead.
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
