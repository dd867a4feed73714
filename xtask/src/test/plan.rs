//! What the command line asks for.

use super::ring::Ring;

#[derive(Debug, PartialEq)]
pub(crate) struct Plan {
    pub(crate) rings: Vec<Ring>,
    /// What libtest gets: a filter, or options of its own.
    pub(crate) arguments: Vec<String>,
}

impl Plan {
    /// Without `--ring` all rings run. They run in their own order, however they are given.
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        let mut words = arguments.iter();
        let mut asked = Vec::new();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--" => break,
                "--ring" => asked.push(
                    words
                        .next()
                        .ok_or("--ring needs the name of a ring")?
                        .parse()?,
                ),
                word => match word.strip_prefix("--ring=") {
                    Some(ring) => asked.push(ring.parse()?),
                    None => {
                        return Err(format!(
                            "`{word}` is no option; a filter stands behind `--`"
                        ));
                    }
                },
            }
        }
        let all = asked.is_empty();
        let rings = Ring::ALL
            .into_iter()
            .filter(|ring| all || asked.contains(ring))
            .collect();
        Ok(Self {
            rings,
            arguments: words.cloned().collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Plan, String> {
        Plan::parse(
            &line
                .split_whitespace()
                .map(str::to_owned)
                .collect::<Vec<_>>(),
        )
    }

    #[test]
    fn all_rings_run_unless_some_are_named() {
        assert_eq!(parse("").unwrap().rings, Ring::ALL);
        assert_eq!(
            parse("--ring real --ring=pure").unwrap().rings,
            [Ring::Pure, Ring::Real]
        );
    }

    #[test]
    fn what_follows_the_dashes_is_passed_on() {
        let plan = parse("--ring doc -- --nocapture name").unwrap();
        assert_eq!(
            (plan.rings, plan.arguments),
            (
                vec![Ring::Doc],
                vec!["--nocapture".to_owned(), "name".to_owned()]
            )
        );
    }

    #[test]
    fn everything_else_is_refused() {
        for line in ["--ring", "--ring all", "name", "--ring=", "--release"] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
