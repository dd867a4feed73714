//! One installer at a time, also among processes.

use std::{
    fs::{self, File},
    io,
    path::{Path, PathBuf},
    time::{Duration, SystemTime},
};

/// A file that exists while somebody installs.
///
/// It spares a second download and is not needed for correctness, so a holder that died must not block anybody: the
/// holder shows that it lives by [`beat`](Turnstile::beat), and a file that has not been touched for a while counts as left behind.
pub(super) struct Turnstile {
    path: PathBuf,
    file: File,
}

impl Turnstile {
    pub(super) const BEAT: Duration = Duration::from_millis(100);
    const LEFT_BEHIND_AFTER: Duration = Duration::from_secs(15);

    /// Passes if nobody else is inside.
    pub(super) fn try_pass(path: &Path) -> io::Result<Option<Self>> {
        match File::create_new(path) {
            Ok(file) => Ok(Some(Self {
                path: path.to_owned(),
                file,
            })),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                if is_left_behind(path) {
                    // If another process does the same at the same time, both get in, which is harmless.
                    remove_if_there(path)?;
                }
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    /// Shows that the holder is alive.
    pub(super) fn beat(&self) {
        // Failing to do so only lets somebody else in.
        let _ = self.file.set_modified(SystemTime::now());
    }
}

impl Drop for Turnstile {
    fn drop(&mut self) {
        let _ = remove_if_there(&self.path);
    }
}

fn is_left_behind(path: &Path) -> bool {
    let touched = fs::metadata(path).and_then(|metadata| metadata.modified());
    touched.is_ok_and(|touched| {
        touched
            .elapsed()
            .is_ok_and(|silence| silence > Turnstile::LEFT_BEHIND_AFTER)
    })
}

fn remove_if_there(path: &Path) -> io::Result<()> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != io::ErrorKind::NotFound => Err(error),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time_and_the_dead_do_not_count() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("lock");
        let first = Turnstile::try_pass(&path)
            .unwrap()
            .expect("nobody is inside");
        assert!(
            Turnstile::try_pass(&path).unwrap().is_none(),
            "the first is inside"
        );
        drop(first);
        let second = Turnstile::try_pass(&path)
            .unwrap()
            .expect("the first is out");
        let long_ago = SystemTime::now() - 2 * Turnstile::LEFT_BEHIND_AFTER;
        second.file.set_modified(long_ago).unwrap();
        assert!(
            Turnstile::try_pass(&path).unwrap().is_none(),
            "cleared away first"
        );
        assert!(Turnstile::try_pass(&path).unwrap().is_some(), "then free");
    }
}
