use inhouse::Options;

use super::Isolation;

impl Isolation {
    /// Options that start the CLI in this world.
    ///
    /// Everything else is as [`Options::new`] has it, so that a test says what it is about.
    pub fn options(&self) -> Options {
        Options::new()
            .cli_path(self.program())
            .clean_env()
            .envs(self.env())
            .cwd(self.cwd())
    }
}
