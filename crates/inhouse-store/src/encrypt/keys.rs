//! Keys, and the form of an encrypted record.

use std::fmt;

use bytes::{Bytes, BytesMut};
use chacha20poly1305::aead::{AeadInOut as _, Generate as _, KeyInit as _};
use chacha20poly1305::{Tag, XChaCha20Poly1305, XNonce};

use crate::{Result, StoreError, StoreErrorKind};

/// The first byte of a record.
const VERSION: u8 = 1;
const FINGERPRINT: usize = 8;
const NONCE: usize = 24;
const TAG: usize = 16;
/// The bytes before the ciphertext: version, fingerprint of the key, nonce.
const HEADER: usize = 1 + FINGERPRINT + NONCE;
/// The bytes by which a record is longer than its content.
pub(super) const OVERHEAD: usize = HEADER + TAG;

/// The keys of an [`EncryptedStore`](super::EncryptedStore): one that writes, and any number of older ones that only read.
///
/// A key is 32 random bytes, from a key management service or another secret of the deployment. Every record names its key by a
/// fingerprint, so keys need no names and no order.
///
/// # Rotation
///
/// Give a new key to all hosts as one that reads, then make it the one that writes. Records of the old key stay as they are: the old key
/// is needed until its sessions are erased.
///
/// ```
/// use inhouse_store::encrypt::EncryptionKeys;
///
/// # let (new, old) = ([1; 32], [2; 32]);
/// let keys = EncryptionKeys::new(new).also_read_with(old);
/// # let debug = format!("{keys:?}");
/// # assert!(debug.starts_with("EncryptionKeys"), "{debug}");
/// ```
#[derive(Clone)]
pub struct EncryptionKeys {
    /// The key that writes comes first.
    keys: Vec<Key>,
}

#[derive(Clone)]
struct Key {
    fingerprint: [u8; FINGERPRINT],
    // Overwrites its key on drop.
    cipher: XChaCha20Poly1305,
}

impl EncryptionKeys {
    /// Creates keys of which `key` writes and reads.
    pub fn new(key: [u8; 32]) -> Self {
        Self {
            keys: vec![Key::new(key)],
        }
    }

    /// Adds a key that only reads.
    #[must_use]
    pub fn also_read_with(mut self, key: [u8; 32]) -> Self {
        self.keys.push(Key::new(key));
        self
    }

    /// Encrypts the content of a place.
    pub(super) fn seal(&self, place: &[u8], content: &[u8]) -> Result<Bytes> {
        let key = &self.keys[0];
        let nonce = XNonce::try_generate().map_err(|error| {
            let text = "the system has no random numbers";
            StoreError::new(StoreErrorKind::Unavailable, text).with_source(error.to_string())
        })?;
        let mut record = BytesMut::with_capacity(content.len() + OVERHEAD);
        record.extend_from_slice(&[VERSION]);
        record.extend_from_slice(&key.fingerprint);
        record.extend_from_slice(&nonce);
        record.extend_from_slice(content);
        let buffer = (&mut record[HEADER..]).into();
        let tag = key.cipher.encrypt_inout_detached(&nonce, place, buffer);
        let tag = tag.map_err(|_| StoreError::new(StoreErrorKind::Invalid, "content too long"))?;
        record.extend_from_slice(&tag);
        Ok(record.freeze())
    }

    /// Decrypts the content of a place.
    ///
    /// # Errors
    /// `UnknownKey` if none of the keys has written it; `Corrupt` if it is not encrypted, was changed, or is of another place.
    pub(super) fn open(&self, place: &[u8], record: Bytes) -> Result<Bytes> {
        if record.len() < OVERHEAD || record[0] != VERSION {
            return Err(corrupt("a record is not encrypted"));
        }
        let mut record = BytesMut::from(record);
        let header = record.split_to(HEADER);
        let (fingerprint, nonce) = header[1..].split_at(FINGERPRINT);
        let Some(key) = self.keys.iter().find(|key| key.fingerprint == fingerprint) else {
            let message = format!("the record has the key {}", hex(fingerprint));
            return Err(StoreError::new(StoreErrorKind::UnknownKey, message));
        };
        let tag = record.split_off(record.len() - TAG);
        let (Ok(nonce), Ok(tag)) = (XNonce::try_from(nonce), Tag::try_from(&*tag)) else {
            return Err(corrupt("a record is cut off"));
        };
        let buffer = (&mut *record).into();
        let opened = key
            .cipher
            .decrypt_inout_detached(&nonce, place, buffer, &tag);
        opened.map_err(|_| corrupt("an encrypted record was changed, or belongs elsewhere"))?;
        Ok(record.freeze())
    }
}

impl Key {
    fn new(key: [u8; 32]) -> Self {
        let cipher = XChaCha20Poly1305::new(&key.into());
        // The tag of a fixed message. Records have random nonces, so none of them uses this one.
        let tag = cipher
            .encrypt_inout_detached(
                &XNonce::default(),
                b"inhouse fingerprint",
                (&mut [][..]).into(),
            )
            .expect("an empty message is not too long");
        let mut fingerprint = [0; FINGERPRINT];
        fingerprint.copy_from_slice(&tag[..FINGERPRINT]);
        Self {
            fingerprint,
            cipher,
        }
    }
}

impl fmt::Debug for EncryptionKeys {
    /// Shows the fingerprints of the keys.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let fingerprints = self.keys.iter().map(|key| hex(&key.fingerprint));
        f.write_str("EncryptionKeys ")?;
        f.debug_list().entries(fingerprints).finish()
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn corrupt(message: &str) -> StoreError {
    StoreError::new(StoreErrorKind::Corrupt, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    const OLD: [u8; 32] = [1; 32];
    const NEW: [u8; 32] = [2; 32];

    #[test]
    fn records_of_older_keys_are_read_and_new_ones_have_the_first_key() {
        let old = EncryptionKeys::new(OLD).seal(b"p", b"text").unwrap();
        let keys = EncryptionKeys::new(NEW).also_read_with(OLD);
        assert_eq!(keys.open(b"p", old.clone()).unwrap(), "text");
        let new = keys.seal(b"p", b"text").unwrap();
        let only_new = EncryptionKeys::new(NEW);
        assert_eq!(only_new.open(b"p", new).unwrap(), "text");
        let error = only_new.open(b"p", old).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::UnknownKey, "{error}");
    }

    #[test]
    fn nonces_differ() {
        let keys = EncryptionKeys::new(NEW);
        let seal = || keys.seal(b"p", b"text").unwrap();
        assert_ne!(seal(), seal());
    }

    #[test]
    fn every_changed_bit_and_every_cut_is_an_error() {
        let keys = EncryptionKeys::new(NEW);
        let record = keys.seal(b"p", b"text").unwrap();
        assert_eq!(record.len(), "text".len() + OVERHEAD);
        for index in 0..record.len() {
            let mut changed = record.to_vec();
            changed[index] ^= 1;
            keys.open(b"p", changed.into()).unwrap_err();
            keys.open(b"p", record.slice(..index)).unwrap_err();
        }
        let error = keys.open(b"other", record).unwrap_err();
        assert_eq!(error.kind(), StoreErrorKind::Corrupt, "{error}");
        let plain = Bytes::from_static(
            b"{\"type\":\"user\",\"uuid\":\"u1\",\"message\":{\"content\":\"Hello\"}}",
        );
        let error = keys.open(b"p", plain).unwrap_err();
        assert!(error.to_string().contains("not encrypted"), "{error}");
    }

    #[test]
    fn debug_shows_no_key() {
        let debug = format!("{:?}", EncryptionKeys::new([7; 32]));
        assert!(
            !debug.contains("0707") && !debug.contains("7, 7"),
            "{debug}"
        );
    }
}
