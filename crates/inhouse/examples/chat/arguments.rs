use std::path::PathBuf;

pub(crate) const USAGE: &str =
    "usage: chat [--continue | --resume <session>] [--plan] [--cli <path>]";

/// What the command line asks for.
#[derive(Default)]
pub(crate) struct Arguments {
    pub(crate) cli: Option<PathBuf>,
    pub(crate) resume: Option<String>,
    pub(crate) continue_latest: bool,
    pub(crate) plan: bool,
}

impl Arguments {
    pub(crate) fn parse(mut words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut arguments = Self::default();
        while let Some(word) = words.next() {
            let mut value = || words.next().ok_or(format!("{word} needs a value"));
            match word.as_str() {
                "--cli" => arguments.cli = Some(value()?.into()),
                "--resume" => arguments.resume = Some(value()?),
                "--continue" => arguments.continue_latest = true,
                "--plan" => arguments.plan = true,
                _ => return Err(format!("{word} is not known")),
            }
        }
        Ok(arguments)
    }
}
