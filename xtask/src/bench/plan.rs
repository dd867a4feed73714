/// What to do.
#[derive(Debug, PartialEq)]
pub(crate) enum Plan {
    Measure(Measure),
    /// Writes the chart, the tables and README's lines from the committed figures.
    Pages,
    /// Compares instructions and allocations with the budget.
    Check,
    UpdateBudget,
}

/// What to measure.
#[derive(Debug, PartialEq)]
pub(crate) struct Measure {
    /// Whether to try everything once and briefly, for the sake of trying.
    pub(crate) quick: bool,
    pub(crate) rounds: usize,
    /// Scenarios whose names begin so; all if empty.
    pub(crate) only: Vec<String>,
    /// Names of hosts; all if empty.
    pub(crate) hosts: Vec<String>,
}

const ROUNDS: usize = 3;

impl Plan {
    pub(crate) fn parse(arguments: &[String]) -> Result<Self, String> {
        match arguments {
            [single] if single == "--pages" => return Ok(Self::Pages),
            [single] if single == "--check" => return Ok(Self::Check),
            [single] if single == "--update-budget" => return Ok(Self::UpdateBudget),
            _ => {}
        }
        let mut measure = Measure {
            quick: false,
            rounds: ROUNDS,
            only: Vec::new(),
            hosts: Vec::new(),
        };
        let mut words = arguments.iter();
        while let Some(word) = words.next() {
            let mut list = || {
                let value = words
                    .next()
                    .ok_or_else(|| format!("{word} names nothing"))?;
                Ok::<_, String>(value.split(',').map(str::to_owned))
            };
            match word.as_str() {
                "--quick" => measure.quick = true,
                "--only" => measure.only.extend(list()?),
                "--hosts" => measure.hosts.extend(list()?),
                "--rounds" => {
                    let given: String = list()?.collect();
                    let rounds = given.parse().ok().filter(|rounds| *rounds > 0);
                    measure.rounds = rounds.ok_or_else(|| format!("`{given}` rounds?"))?;
                }
                _ => return Err(format!("bench does not know `{word}`")),
            }
        }
        Ok(Self::Measure(measure))
    }
}

impl Measure {
    pub(crate) fn includes(&self, name: &str) -> bool {
        self.only.is_empty() || self.only.iter().any(|only| name.starts_with(only.as_str()))
    }

    /// Whether its figures may stand for all.
    pub(crate) fn is_complete(&self) -> bool {
        !self.quick && self.only.is_empty() && self.hosts.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Plan, String> {
        let words: Vec<String> = line.split_whitespace().map(str::to_owned).collect();
        Plan::parse(&words)
    }

    fn measure(line: &str) -> Measure {
        match parse(line) {
            Ok(Plan::Measure(measure)) => measure,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn everything_is_measured_unless_told_otherwise() {
        assert!(measure("").is_complete());
        assert!(measure("").includes("sequential"));
        assert!(!measure("--quick").is_complete());
        assert_eq!(measure("--rounds 7").rounds, 7);
    }

    #[test]
    fn a_part_can_be_chosen() {
        let part = measure("--only echo,hook --hosts floor,closure --quick");
        assert!(part.includes("echo-1k") && part.includes("hook") && !part.includes("sequential"));
        assert_eq!(part.hosts, ["floor", "closure"]);
        assert!(part.quick && !part.is_complete());
    }

    #[test]
    fn chores_beside_measuring() {
        assert_eq!(parse("--check"), Ok(Plan::Check));
        assert_eq!(parse("--update-budget"), Ok(Plan::UpdateBudget));
        assert_eq!(parse("--pages"), Ok(Plan::Pages));
    }

    #[test]
    fn everything_else_is_refused() {
        for line in [
            "--only",
            "--rounds 0",
            "--rounds many",
            "fast",
            "--check --quick",
        ] {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
