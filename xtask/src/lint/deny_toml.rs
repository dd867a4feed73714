//! The lists of `deny.toml`, which the checks of this tool share with cargo-deny.

/// What is allowed, and which crates may stand in the tree twice.
pub(crate) struct DenyToml {
    /// `licenses.allow`
    pub(crate) licences: Vec<String>,
    /// `bans.skip`, as `name@version`
    pub(crate) duplicates: Vec<String>,
    /// `sources.allow-registry`
    pub(crate) registries: Vec<String>,
}

impl DenyToml {
    /// Reads the three arrays. An entry stands on a line of its own, or the whole array on one line.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let array = |section, key| {
            array_lines(text, section, key)
                .ok_or_else(|| format!("deny.toml: no array `{key}` in [{section}]"))
        };
        Ok(Self {
            licences: array("licenses", "allow")?
                .into_iter()
                .flat_map(quoted)
                .collect(),
            duplicates: array("bans", "skip")?
                .into_iter()
                .filter_map(crate_of_entry)
                .collect(),
            registries: array("sources", "allow-registry")?
                .into_iter()
                .flat_map(quoted)
                .collect(),
        })
    }
}

fn array_lines<'a>(text: &'a str, section: &str, key: &str) -> Option<Vec<&'a str>> {
    let mut lines = text
        .lines()
        .filter(|line| !line.trim_start().starts_with('#'));
    lines.find(|line| line.trim() == format!("[{section}]"))?;
    let mut lines = lines.take_while(|line| !line.starts_with('['));
    let first = lines.find_map(|line| {
        line.strip_prefix(key)?
            .trim_start()
            .strip_prefix('=')?
            .trim()
            .strip_prefix('[')
    })?;
    let mut array = vec![first];
    if !first.ends_with(']') {
        array.extend(lines.take_while(|line| line.trim() != "]"));
    }
    Some(array)
}

fn quoted(line: &str) -> impl Iterator<Item = String> {
    line.split('"').skip(1).step_by(2).map(str::to_owned)
}

fn crate_of_entry(line: &str) -> Option<String> {
    let (_, entry) = line.split_once("crate")?;
    quoted(entry).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arrays_are_read_from_their_own_section() {
        let deny = DenyToml::parse(
            "[licenses]\n# \"GPL\"\nallow = [\n    \"MIT\",\n    # \"LGPL\",\n    \"ISC\",\n]\nother = [\"BSL\"]\n\n\
             [bans]\nallow = [\"x\"]\nskip = [\n    { crate = \"syn@2\", reason = \"why\" },\n]\n\n\
             [sources]\nallow-registry = [\"https://one\", \"https://two\"]\n",
        )
        .unwrap();
        assert_eq!(deny.licences, ["MIT", "ISC"]);
        assert_eq!(deny.duplicates, ["syn@2"]);
        assert_eq!(deny.registries, ["https://one", "https://two"]);
    }

    #[test]
    fn a_missing_array_is_an_error() {
        assert!(DenyToml::parse("[licenses]\nallow = []\n").is_err());
    }

    #[test]
    fn the_file_of_this_workspace_is_understood() {
        let deny = DenyToml::parse(include_str!("../../../deny.toml")).unwrap();
        assert!(deny.licences.iter().any(|licence| licence == "MIT"));
        assert!(!deny.registries.is_empty());
    }
}
