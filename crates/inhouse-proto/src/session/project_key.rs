/// Length in UTF-16 units above which a key is shortened.
const MAX_KEY: usize = 200;

/// Returns the name of the directory in which the CLI keeps the sessions of a working directory.
///
/// `path` is the absolute path of the working directory with symbolic links resolved. The CLI replaces every UTF-16
/// unit that is not an ASCII letter or digit with a hyphen, so a character outside of the BMP becomes two hyphens. A
/// longer name than 200 units is cut there, and a hash of the path follows.
///
/// Different paths can have the same key, such as `/a/b` and `/a-b`.
///
/// ```
/// use inhouse_proto::session::project_key;
///
/// assert_eq!(project_key("/home/me/my.app"), "-home-me-my-app");
/// assert_eq!(project_key("/😀"), "---");
/// ```
#[must_use]
pub fn project_key(path: &str) -> String {
    let mut key = replace_units(path);
    if key.len() > MAX_KEY {
        key.truncate(MAX_KEY);
        key.push('-');
        key.push_str(&base_36(hash(path)));
    }
    key
}

/// Returns the first 200 units of the key and a hyphen if the key of the path is shortened; `None` for other paths.
///
/// Some versions of the CLI use another hash for long paths, so every directory whose name has this prefix may belong
/// to the path.
#[must_use]
pub fn project_key_prefix(path: &str) -> Option<String> {
    let mut key = replace_units(path);
    if key.len() <= MAX_KEY {
        return None;
    }
    key.truncate(MAX_KEY);
    key.push('-');
    Some(key)
}

fn replace_units(path: &str) -> String {
    path.encode_utf16()
        .map(|unit| match u8::try_from(unit) {
            Ok(byte) if byte.is_ascii_alphanumeric() => char::from(byte),
            _ => '-',
        })
        .collect()
}

/// Returns the 32-bit hash of Java strings, without its sign.
fn hash(path: &str) -> u32 {
    path.encode_utf16()
        .fold(0_i32, |hash, unit| {
            hash.wrapping_mul(31).wrapping_add(i32::from(unit))
        })
        .unsigned_abs()
}

fn base_36(mut number: u32) -> String {
    let mut digits = Vec::new();
    loop {
        let digit = char::from_digit(number % 36, 36).expect("a remainder below the base");
        digits.push(digit);
        number /= 36;
        if number == 0 {
            return digits.into_iter().rev().collect();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_that_is_not_alphanumeric_becomes_a_hyphen() {
        for (path, key) in [
            ("/a/b.c", "-a-b-c"),
            ("/a_b c", "-a-b-c"),
            ("C:\\Users\\me", "C--Users-me"),
            ("/é", "--"),
            ("/a😀b", "-a--b"),
            ("", ""),
        ] {
            assert_eq!(project_key(path), key, "{path}");
        }
    }

    #[test]
    fn key_of_200_units_is_not_shortened() {
        let path = format!("/{}", "a".repeat(199));
        assert_eq!(project_key(&path), format!("-{}", "a".repeat(199)));
        assert_eq!(project_key_prefix(&path), None);
    }

    #[test]
    fn longer_key_ends_with_a_hash_of_the_path() {
        let path = format!("/{}", "a".repeat(200));
        let prefix = format!("-{}-", "a".repeat(199));
        assert_eq!(project_key_prefix(&path), Some(prefix.clone()));
        let hash = project_key(&path).strip_prefix(&prefix).map(str::to_owned);
        assert_eq!(hash, Some(base_36(super::hash(&path))));
    }

    #[test]
    fn hash_counts_utf_16_units_and_wraps() {
        // The values of `String.hashCode` in Java.
        assert_eq!(hash("hello"), 99_162_322);
        assert_eq!(hash("😀"), 0xd83d * 31 + 0xde00);
        assert_eq!(hash("polygenelubricants"), 1 << 31);
        assert_eq!(base_36(0), "0");
        assert_eq!(base_36(99_162_322), "1n1e4y");
    }
}
