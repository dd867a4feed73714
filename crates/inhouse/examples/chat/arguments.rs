use std::path::PathBuf;

pub(crate) const USAGE: &str =
    "usage: chat [--continue | --resume <session>] [--plan] [--cli <path>]";

/// The parsed command line.
#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) cli: Option<PathBuf>,
    pub(crate) resume: Option<String>,
    pub(crate) continue_latest: bool,
    pub(crate) plan: bool,
}

impl Arguments {
    pub(crate) fn parse(mut args: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut arguments = Self::default();
        while let Some(arg) = args.next() {
            let mut value = || args.next().ok_or(format!("{arg} needs a value"));
            match arg.as_str() {
                "--cli" => arguments.cli = Some(value()?.into()),
                "--resume" => arguments.resume = Some(value()?),
                "--continue" => arguments.continue_latest = true,
                "--plan" => arguments.plan = true,
                _ => return Err(format!("unknown argument {arg}")),
            }
        }
        Ok(arguments)
    }
}
