use std::ops::Range;

/// The bytes that end the scheme of a URL.
const SCHEME_ENDS: &[u8; 39] = b"abcdefghijklmnopqrstuvwxyz0123456789+-.";

/// Every scheme of a URL ends with one of these.
static NEEDLES: [[u8; 4]; SCHEME_ENDS.len()] = {
    let mut needles = [*b" ://"; SCHEME_ENDS.len()];
    let mut at = 0;
    while at < needles.len() {
        needles[at][0] = SCHEME_ENDS[at];
        at += 1;
    }
    needles
};

/// The bytes that a [filter](super::filter::Filter) has to find, so that no URL is missed.
pub(super) fn needles<'a>() -> impl Iterator<Item = &'a [u8]> {
    NEEDLES.iter().map(|needle| -> &'a [u8] { needle })
}

/// Calls `found` with each password of a URL, as in `scheme://user:password@host`.
pub(super) fn for_each_password(text: &str, mut found: impl FnMut(Range<usize>)) {
    for separator in memchr::memmem::find_iter(text.as_bytes(), "://") {
        let scheme = text.as_bytes()[..separator].last();
        if !scheme.is_some_and(|byte| SCHEME_ENDS.contains(&byte.to_ascii_lowercase())) {
            continue;
        }
        let start = separator + "://".len();
        let authority = text[start..].split(ends_authority).next();
        // A password with `@` in it is one, too.
        let user = authority.and_then(|authority| authority.rsplit_once('@'));
        if let Some((name, password)) = user.and_then(|(user, _)| user.split_once(':'))
            && !password.is_empty()
        {
            let start = start + name.len() + 1;
            found(start..start + password.len());
        }
    }
}

/// Neither blanks nor backslashes are in an authority, so it is the same in every escaping, and in one word.
fn ends_authority(character: char) -> bool {
    character.is_whitespace() || "/?#\"'`<>\\".contains(character)
}
