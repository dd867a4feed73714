//! Every package has a licence that `deny.toml` allows.

use super::dependencies::Dependencies;
use super::finding::{Finding, Outcome};
use super::spdx::is_allowed;

pub(crate) fn check(dependencies: &Dependencies) -> Outcome {
    let packages = &dependencies.metadata.packages;
    let findings: Vec<Finding> = packages
        .iter()
        .filter_map(|package| {
            let objection = objection(package.license.as_deref(), &dependencies.deny.licences)?;
            Some(Finding::new(
                format!("{} {}", package.name, package.version),
                objection,
            ))
        })
        .collect();
    let scope = if dependencies.metadata.host_only {
        " of this platform, offline"
    } else {
        ""
    };
    Outcome::from(findings).note(format!("{} crates{scope}", packages.len()))
}

fn objection(licence: Option<&str>, allowed: &[String]) -> Option<String> {
    let Some(expression) = licence else {
        return Some("names no licence".to_owned());
    };
    match is_allowed(expression, allowed) {
        Ok(true) => None,
        Ok(false) => Some(format!("`{expression}` is not allowed by deny.toml")),
        Err(cause) => Some(format!(
            "`{expression}` is not a licence expression: {cause}"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::super::dependencies::sample;
    use super::*;

    #[test]
    fn unknown_missing_and_broken_licences_are_found() {
        let packages = [
            "good 1.0.0 GPL-3.0_OR_MIT -",
            "copyleft 1.0.0 GPL-3.0 -",
            "silent 1.0.0 - -",
            "broken 1.0.0 MIT_OR -",
        ];
        let found: Vec<String> = check(&sample::dependencies(&packages, &[]))
            .findings
            .iter()
            .map(ToString::to_string)
            .collect();
        assert_eq!(
            found,
            [
                "copyleft 1.0.0: `GPL-3.0` is not allowed by deny.toml",
                "silent 1.0.0: names no licence",
                "broken 1.0.0: `MIT OR` is not a licence expression: a name is missing at the end",
            ]
        );
    }
}
