//! The programs of `inhouse-bench`, built with the profile `measured` of the workspace.

use std::path::PathBuf;

use anyhow::Result;
use cargo_metadata::MetadataCommand;

use crate::command::{cargo, run};
use crate::workspace::Workspace;

pub(crate) struct Programs {
    root: PathBuf,
    target: PathBuf,
}

impl Programs {
    pub(crate) fn build(workspace: &Workspace) -> Result<Self> {
        let arguments = [
            "build",
            "--profile=measured",
            "--package=inhouse-bench",
            "--bins",
        ];
        run(&mut cargo(workspace.root(), arguments))?;
        let metadata = MetadataCommand::new()
            .current_dir(workspace.root())
            .no_deps()
            .exec()?;
        let programs = Self {
            root: workspace.root().to_owned(),
            target: metadata.target_directory.into(),
        };
        std::fs::create_dir_all(programs.directory())?;
        Ok(programs)
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.target.join("measured").join(name)
    }

    /// Builds an example of `inhouse-bench`, which is not measured itself, and returns its path.
    pub(crate) fn example(&self, name: &str) -> Result<PathBuf> {
        let mut build = cargo(
            &self.root,
            ["build", "--package=inhouse-bench", "--example"],
        );
        run(build.arg(name))?;
        Ok(self.target.join("debug/examples").join(name))
    }

    /// Returns the directory for installed SDKs and temporary files.
    pub(crate) fn directory(&self) -> PathBuf {
        self.target.join("bench")
    }
}
