use crate::wire::Scanner;

/// The decision about a member of a rewritten object.
pub(super) enum Member {
    /// Copies the member byte for byte.
    Keep,
    /// Omits the member.
    Drop,
    /// Replaces the value with this JSON text.
    Replace(String),
}

/// Copies a JSON object without line breaks, and lets `decide` change its members. Kept members keep their bytes.
///
/// `added` is JSON text of members to append. Returns `None` if the text is not an object.
pub(super) fn rewrite_object(
    json: &str,
    added: &[String],
    mut decide: impl FnMut(&str, &str) -> Member,
) -> Option<String> {
    let mut members: Vec<String> = Vec::new();
    let mut end = 0;
    let mut scanner = Scanner::new(json);
    scanner.object(|scanner, name| {
        let value = scanner.value()?;
        let start = value.as_ptr() as usize - json.as_ptr() as usize;
        // From the end of the last member to the value: a separator, the name and a colon.
        let name_text = json[end..start].trim_start().trim_start_matches(['{', ',']);
        end = start + value.len();
        match decide(name, value) {
            Member::Keep => members.push(format!("{}{value}", name_text.trim_start())),
            Member::Drop => {}
            Member::Replace(value) => members.push(format!("{}{value}", name_text.trim_start())),
        }
        Some(())
    })?;
    scanner.end()?;
    members.extend_from_slice(added);
    Some(format!("{{{}}}", members.join(",")))
}

/// Copies JSON text, and replaces each string for which `replacement` returns a text, which must need no escapes.
pub(super) fn replace_strings(
    json: &str,
    mut replacement: impl FnMut(&str) -> Option<String>,
) -> String {
    let mut replaced = String::with_capacity(json.len());
    let mut rest = json;
    while let Some(open) = rest.find('"') {
        let inner = &rest[open + 1..];
        let Some(length) = string_length(inner) else {
            break;
        };
        replaced.push_str(&rest[..=open]);
        match replacement(&inner[..length]) {
            Some(text) => replaced.push_str(&text),
            None => replaced.push_str(&inner[..length]),
        }
        replaced.push('"');
        rest = &inner[length + 1..];
    }
    replaced + rest
}

/// Returns the length of a string without its opening quotation mark, up to the closing one.
fn string_length(text: &str) -> Option<usize> {
    let mut at = 0;
    loop {
        at += memchr::memchr2(b'"', b'\\', text.as_bytes().get(at..)?)?;
        match text.as_bytes()[at] {
            b'"' => return Some(at),
            _ => at += 2,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kept_members_keep_their_bytes() {
        let json = r#"{"a":1.50,"b\u0041":{"x": [1, 2]},"c":"\ud83d","d":null}"#;
        let same = rewrite_object(json, &[], |_, _| Member::Keep);
        assert_eq!(same.as_deref(), Some(json));
    }

    #[test]
    fn members_are_dropped_replaced_and_added() {
        let json = "{ \"a\" : 1 , \"b\":2,\n\"c\":3}";
        for (dropped, expected) in [
            ("a", r#"{"b":9,"c":3,"e":5}"#),
            ("c", r#"{"a" : 1,"b":9,"e":5}"#),
        ] {
            let rewritten = rewrite_object(json, &[r#""e":5"#.to_owned()], |name, _| match name {
                "b" => Member::Replace("9".to_owned()),
                name if name == dropped => Member::Drop,
                _ => Member::Keep,
            });
            assert_eq!(rewritten.as_deref(), Some(expected));
        }
        assert_eq!(
            rewrite_object("{}", &[], |_, _| Member::Keep).as_deref(),
            Some("{}")
        );
        assert_eq!(rewrite_object("[]", &[], |_, _| Member::Keep), None);
    }

    #[test]
    fn strings_are_replaced_and_escapes_are_not_ends() {
        let replaced = replace_strings(r#"["x","\"x","a\\","x",{"x":7}]"#, |text| {
            (text == "x").then(|| "new".to_owned())
        });
        assert_eq!(replaced, r#"["new","\"x","a\\","new",{"new":7}]"#);
        assert_eq!(replace_strings("\"cut", |_| None), "\"cut");
    }
}
