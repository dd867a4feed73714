//! The programs of `inhouse-bench`, all of them built the same way: see the profile in the workspace's manifest.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::cargo::cargo;
use crate::workspace::Workspace;

const PROFILE: &str = "--profile=measured";

pub(crate) struct Programs {
    target: PathBuf,
}

impl Programs {
    pub(crate) fn build(workspace: &Workspace) -> Result<Self, String> {
        let mut build = cargo(
            workspace.root(),
            ["build", PROFILE, "--package=inhouse-bench", "--bins"],
        );
        let status = build
            .status()
            .map_err(|cause| format!("cargo build: {cause}"))?;
        if !status.success() {
            return Err("the programs of the benchmark do not build".to_owned());
        }
        let target = target_directory(workspace.root())?;
        std::fs::create_dir_all(target.join("bench")).map_err(|cause| cause.to_string())?;
        Ok(Self { target })
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.target.join("measured").join(name)
    }

    /// A directory for what the benchmark installs and writes on the way.
    pub(crate) fn workshop(&self) -> PathBuf {
        self.target.join("bench")
    }
}

fn target_directory(root: &Path) -> Result<PathBuf, String> {
    #[derive(Deserialize)]
    struct Metadata {
        target_directory: PathBuf,
    }
    let output = cargo(root, ["metadata", "--format-version=1", "--no-deps"])
        .output()
        .map_err(|cause| format!("cargo metadata: {cause}"))?;
    let metadata: Metadata = serde_json::from_slice(&output.stdout)
        .map_err(|cause| format!("cargo metadata: {cause}"))?;
    Ok(metadata.target_directory)
}
