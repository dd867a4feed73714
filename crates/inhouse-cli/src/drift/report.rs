//! What drift has found.

use std::collections::{BTreeMap, BTreeSet};

use anyhow::Result;
use serde::Serialize;

use super::items::{Change, Difference, Item, differences, items};
use super::surface::{Area, Surface};
use crate::output::{bold, dim, green, print_line, print_table, red};

/// The differences between what inhouse models and a version of the CLI.
#[derive(Debug, Serialize)]
pub(super) struct Report {
    /// The version of the official SDK that was examined.
    sdk: String,
    /// The version that inhouse models.
    pinned: String,
    /// Things that inhouse models and that are gone or have another shape.
    breaks: Vec<Difference>,
    /// Everything else that differs.
    news: Vec<Difference>,
    /// Things that both versions have, and that inhouse does not model.
    not_modelled: Vec<Item>,
    /// Areas that were not examined.
    unchecked: Vec<Area>,
}

/// The things of the pinned version that inhouse does not model. A thing in it includes its parts.
#[derive(Clone, Debug, Default)]
pub(super) struct NotModelled {
    things: BTreeSet<String>,
    /// Areas of which only a few things are modelled, by their names.
    modelled: BTreeMap<String, BTreeSet<String>>,
}

impl NotModelled {
    /// Reads the committed list: one thing in a line, or `<area> * except <names>`.
    pub(super) fn read(text: &str) -> Self {
        let mut list = Self::default();
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        for line in lines.filter(|line| !line.is_empty()) {
            match line.split_once(" * except ") {
                Some((area, names)) => {
                    let names = names.split(' ').map(str::to_owned).collect();
                    list.modelled.insert(area.to_owned(), names);
                }
                None => drop(list.things.insert(line.to_owned())),
            }
        }
        list
    }

    fn contains(&self, item: &Item) -> bool {
        match self.modelled.get(item.area.name()) {
            Some(names) => !names.contains(&item.path),
            None => self.things.contains(&item.to_string()),
        }
    }
}

impl Report {
    pub(super) fn new(pinned: &Surface, newer: &Surface, not_modelled: &NotModelled) -> Self {
        let before: Vec<_> = items(pinned).into_keys().collect();
        let gaps: Vec<_> = before
            .iter()
            .filter(|item| not_modelled.contains(item))
            .collect();
        let is_gap = |item: &Item| gaps.iter().any(|gap| item == *gap || item.is_in(gap));
        let is_break = |difference: &Difference| {
            difference.change != Change::Added && !is_gap(&difference.item)
        };
        let (breaks, news) = differences(pinned, newer).into_iter().partition(is_break);
        let after = items(newer);
        let is_unchecked =
            |area: &Area| !newer.areas.contains_key(area) || !pinned.areas.contains_key(area);
        Self {
            sdk: newer.sdk.clone(),
            pinned: pinned.sdk.clone(),
            breaks,
            news,
            not_modelled: gaps
                .into_iter()
                .filter(|gap| after.contains_key(gap))
                .cloned()
                .collect(),
            unchecked: Area::ALL.into_iter().filter(is_unchecked).collect(),
        }
    }

    /// Returns the number of things that inhouse models and that are gone or have another shape.
    pub(super) fn breaks(&self) -> usize {
        self.breaks.len()
    }

    /// Prints a table. The things that are not modelled in any version are in it only if `all` is set.
    pub(super) fn print(&self, all: bool) -> Result<()> {
        let Self { sdk, pinned, .. } = self;
        print_line(bold(format!(
            "The official SDK {sdk}, compared with {pinned}, which inhouse models"
        )))?;
        let mut rows = Vec::new();
        for (differences, is_break) in [(&self.breaks, true), (&self.news, false)] {
            rows.extend(
                differences
                    .iter()
                    .map(|difference| row(difference, is_break)),
            );
        }
        for item in self.not_modelled.iter().filter(|_| all) {
            let area = item.area.name().to_owned();
            rows.push([
                "not modelled".to_owned(),
                area,
                item.path.clone(),
                String::new(),
            ]);
        }
        if !rows.is_empty() {
            print_table(["FINDING", "AREA", "NAME", "DETAIL"], &rows)?;
        }
        if !self.unchecked.is_empty() {
            let names: Vec<_> = self.unchecked.iter().map(|area| area.name()).collect();
            print_line(dim(format!("not examined: {}", names.join(", "))))?;
        }
        let breaks = match self.breaks.len() {
            0 => green("no break"),
            count => red(format!("breaks: {count}")),
        };
        let (news, gaps) = (self.news.len(), self.not_modelled.len());
        print_line(format!(
            "{breaks}, other differences: {news}, known and not modelled: {gaps}"
        ))
    }
}

fn row(difference: &Difference, is_break: bool) -> [String; 4] {
    let Difference {
        item,
        change,
        was,
        is,
    } = difference;
    let word = match change {
        Change::Added => "new",
        Change::Gone => "gone",
        Change::Changed => "changed",
    };
    let finding = match is_break {
        true => format!("BREAK: {word}"),
        false => word.to_owned(),
    };
    let detail = match (was, is) {
        (Some(was), Some(is)) => format!("{was} → {is}"),
        (was, is) => was.as_ref().or(is.as_ref()).cloned().unwrap_or_default(),
    };
    [
        finding,
        item.area.name().to_owned(),
        item.path.clone(),
        detail,
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn surface(messages: Value) -> Surface {
        serde_json::from_value(json!({"sdk": "0", "areas": {"message": messages}})).unwrap()
    }

    #[test]
    fn only_what_is_modelled_can_break() {
        let pinned = surface(json!({"a": {"b": "string", "c": {"d": "string"}}, "e": {}, "g": {}}));
        let newer = surface(json!({"a": {"b": "number", "c": {"d": "number"}}, "f": {}, "g": {}}));
        let not_modelled = NotModelled::read("# a comment\nmessage a.c\n\nmessage g\n");
        let report = Report::new(&pinned, &newer, &not_modelled);
        let paths = |differences: &[Difference]| {
            let paths = differences
                .iter()
                .map(|difference| difference.item.path.clone());
            paths.collect::<Vec<_>>()
        };
        assert_eq!(paths(&report.breaks), ["a.b", "e"]);
        assert_eq!(paths(&report.news), ["a.c.d", "f"]);
        let gaps: Vec<_> = report
            .not_modelled
            .iter()
            .map(|item| item.path.as_str())
            .collect();
        assert_eq!(gaps, ["a.c", "g"]);
        assert_eq!(report.unchecked.len(), Area::ALL.len() - 1);
    }

    #[test]
    fn list_can_name_the_few_modelled_things_of_an_area() {
        let pinned = surface(json!({"a": {}, "b": {}, "c": {}}));
        let newer = surface(json!({"c": {}}));
        let not_modelled = NotModelled::read("message * except a c\n");
        let report = Report::new(&pinned, &newer, &not_modelled);
        assert_eq!(report.breaks.len(), 1);
        assert_eq!(report.breaks[0].item.path, "a");
        assert_eq!(report.news[0].item.path, "b");
        assert!(report.not_modelled.is_empty());
    }
}
