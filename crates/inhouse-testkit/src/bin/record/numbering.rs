//! Random ids, replaced by numbers in the order of their appearance.

use std::collections::HashMap;

/// The ids that were seen, each with what stands for it.
#[derive(Default)]
pub(crate) struct Numbering {
    stand_ins: HashMap<String, String>,
}

impl Numbering {
    /// Replaces every UUID in the text; one that comes again gets the same number again.
    pub(crate) fn apply(&mut self, text: &str) -> String {
        let mut numbered = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = find_uuid(rest) {
            let (before, after) = rest.split_at(at);
            let (uuid, after) = after.split_at(UUID.len());
            numbered.push_str(before);
            numbered.push_str(self.stand_in(uuid));
            rest = after;
        }
        numbered.push_str(rest);
        numbered
    }

    fn stand_in(&mut self, uuid: &str) -> &str {
        let next = self.stand_ins.len() + 1;
        self.stand_ins
            .entry(uuid.to_owned())
            .or_insert_with(|| format!("00000000-0000-4000-8000-{next:012}"))
    }
}

const UUID: &str = "xxxxxxxx-xxxx-xxxx-xxxx-xxxxxxxxxxxx";

fn find_uuid(text: &str) -> Option<usize> {
    let windows = text.as_bytes().windows(UUID.len());
    windows.into_iter().position(|window| {
        window.iter().zip(UUID.bytes()).all(|(letter, wanted)| {
            if wanted == b'-' {
                *letter == b'-'
            } else {
                letter.is_ascii_hexdigit()
            }
        })
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_id_gets_the_same_number() {
        let (a, b) = (
            "0b7b9a0e-6f36-4b8e-9c59-0a7f0a4dd7a1",
            "1b7b9a0e-6f36-4b8e-9c59-0a7f0a4dd7a1",
        );
        let mut numbering = Numbering::default();
        let (one, two) = (
            "00000000-0000-4000-8000-000000000001",
            "00000000-0000-4000-8000-000000000002",
        );
        assert_eq!(numbering.apply(&format!("{a}, é {b}")), format!("{one}, é {two}"));
        assert_eq!(numbering.apply(&format!("x{b}x")), format!("x{two}x"));
        assert_eq!(numbering.apply("0b7b9a0e-6f36"), "0b7b9a0e-6f36");
    }
}
