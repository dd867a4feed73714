//! Hashes in the form of `dist.integrity`: `sha512-` and the hash in Base64 (Subresource Integrity).

use std::{fs::File, io, path::Path};

use base64::{Engine as _, engine::general_purpose::STANDARD};
use sha2::{Digest as _, Sha512};

/// Returns the SHA-512 hash of a file.
pub(crate) fn of_file(path: &Path) -> io::Result<String> {
    let mut hash = Sha512::new();
    let mut file = File::open(path)?;
    let mut buffer = vec![0; 1 << 16];
    loop {
        match io::Read::read(&mut file, &mut buffer)? {
            0 => break,
            count => hash.update(&buffer[..count]),
        }
    }
    Ok(format!("sha512-{}", STANDARD.encode(hash.finalize())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hash_has_the_form_of_npm() {
        let directory = tempfile::tempdir().unwrap();
        let path = directory.path().join("abc");
        std::fs::write(&path, "abc").unwrap();
        // The example of FIPS 180-4.
        assert_eq!(
            of_file(&path).unwrap(),
            "sha512-3a81oZNherrMQXNJriBBMRLm+k6JqX6iCp7u5ktV05ohkpkqJ0/BqDa6PCOj/uu9RU1EI2Q86A4qmslPpUyknw=="
        );
    }
}
