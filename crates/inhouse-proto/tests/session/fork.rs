//! Copies of sessions with new ids.

use std::collections::BTreeMap;
use std::time::SystemTime;

use inhouse_proto::session::{Entry, ForkError, ForkScan, SessionId};
use serde_json::{Value, json};

use crate::support::{SOURCE, assistant, entry, user};

const TARGET: &str = "00000000-0000-0000-0000-000000000008";

/// Returns the text of a UUID.
fn id(number: u128) -> String {
    SessionId::from_u128(number).into()
}

/// Forks a transcript. New ids begin at 1000, in the order of the entries.
fn fork(lines: &[String], up_to: Option<&str>) -> Result<Vec<Value>, ForkError> {
    let texts = fork_texts(lines, up_to)?.into_iter();
    Ok(texts
        .map(|line| serde_json::from_str(&line).unwrap())
        .collect())
}

fn fork_texts(lines: &[String], up_to: Option<&str>) -> Result<Vec<String>, ForkError> {
    let mut ids = 0x1000..;
    let mut scan = ForkScan::new(SOURCE.parse().unwrap(), TARGET.parse().unwrap(), up_to);
    for entry in lines.iter().filter_map(|line| Entry::read(line)) {
        scan.push(&entry, || ids.next().unwrap());
    }
    let mut fork = scan.finish()?;
    let copies = lines
        .iter()
        .filter_map(|line| fork.rewrite(line, SystemTime::UNIX_EPOCH));
    Ok(copies.collect())
}

fn links(copies: &[Value]) -> Vec<(String, Option<String>)> {
    let text = |value: &Value| value.as_str().map(str::to_owned);
    copies
        .iter()
        .map(|copy| (text(&copy["uuid"]).unwrap(), text(&copy["parentUuid"])))
        .collect()
}

#[test]
fn copies_have_new_ids_and_the_same_links() {
    let lines = [
        user(&id(1), ""),
        assistant(&id(2), &id(1)),
        user(&id(3), &id(2)),
    ];
    let copies = fork(&lines, None).unwrap();
    assert_eq!(
        links(&copies),
        [
            (id(0x1000), None),
            (id(0x1001), Some(id(0x1000))),
            (id(0x1002), Some(id(0x1001))),
        ]
    );
    for (number, copy) in copies.iter().enumerate() {
        assert_eq!(copy["sessionId"], TARGET);
        let from = json!({"sessionId": SOURCE, "messageUuid": id(number as u128 + 1)});
        assert_eq!(copy["forkedFrom"], from);
    }
}

#[test]
fn unknown_members_keep_their_bytes() {
    let line = format!(
        r#"{{"new":{{"n":1.50,"s":"\ud83d\u0000"}},"type":"user","uuid":"{}","message":{{"content":"é\/"}}}}"#,
        id(1)
    );
    let copy = fork_texts(&[line], None).unwrap().remove(0);
    assert!(
        copy.starts_with(r#"{"new":{"n":1.50,"s":"\ud83d\u0000"},"type":"user","#),
        "{copy}"
    );
    assert!(copy.contains(r#""message":{"content":"é\/"}"#), "{copy}");
}

#[test]
fn only_the_last_copy_has_a_new_time() {
    let old = "2026-01-01T00:00:00.000Z";
    let at = |uuid: u128, parent: &str| entry("user", &id(uuid), parent, json!({"timestamp": old}));
    let lines = [
        at(1, ""),
        at(2, &id(1)),
        r#"{"type":"last-prompt"}"#.to_owned(),
    ];
    let copies = fork(&lines, None).unwrap();
    assert_eq!(copies.len(), 2);
    assert_eq!(copies[0]["timestamp"], old);
    assert_eq!(copies[1]["timestamp"], "1970-01-01T00:00:00.000Z");
}

#[test]
fn members_of_the_original_session_are_dropped() {
    let members = json!({"slug": "s", "sessionKind": "k", "turnAttributionKey": id(1), "isSidechain": false,
        "forkedFrom": {"sessionId": "older"}, "kept": 1});
    let copy = fork(&[entry("user", &id(1), "", members)], None)
        .unwrap()
        .remove(0);
    for name in ["slug", "sessionKind", "turnAttributionKey"] {
        assert_eq!(copy.get(name), None, "{name}");
    }
    assert_eq!(copy["kept"], 1);
    assert_eq!(copy["forkedFrom"]["sessionId"], SOURCE);
}

#[test]
fn progress_and_sidechains_are_not_copied() {
    let lines = [
        user(&id(1), ""),
        entry("progress", &id(2), &id(1), json!({})),
        entry("progress", &id(3), &id(2), json!({})),
        entry("user", &id(4), &id(1), json!({"isSidechain": true})),
        assistant(&id(5), &id(3)),
    ];
    let copies = fork(&lines, None).unwrap();
    assert_eq!(copies.len(), 2);
    assert_eq!(copies[1]["parentUuid"], copies[0]["uuid"]);
}

#[test]
fn ids_inside_of_entries_are_replaced() {
    let metadata = json!({
        "preservedMessages": {"anchorUuid": id(3), "uuids": [id(1)], "allUuids": [id(1), id(99)]},
        "runningTurnSends": {"uuids": [id(1)]},
    });
    let boundary = json!({"subtype": "compact_boundary", "logicalParentUuid": id(1), "compactMetadata": metadata});
    let queued =
        json!({"attachment": {"type": "queued_command", "source_uuid": id(50), "after": id(3)}});
    let lines = [
        user(&id(1), ""),
        entry("system", &id(2), "", boundary),
        entry("user", &id(3), &id(2), json!({"isCompactSummary": true})),
        entry("attachment", &id(4), &id(3), queued),
    ];
    let copies = fork(&lines, None).unwrap();
    let new: BTreeMap<String, &Value> = copies
        .iter()
        .map(|copy| {
            (
                copy["forkedFrom"]["messageUuid"]
                    .as_str()
                    .unwrap()
                    .to_owned(),
                &copy["uuid"],
            )
        })
        .collect();
    let metadata = &copies[1]["compactMetadata"];
    assert_eq!(metadata["preservedMessages"]["anchorUuid"], *new[&id(3)]);
    assert_eq!(
        metadata["preservedMessages"]["allUuids"],
        json!([new[&id(1)], id(99)])
    );
    assert_eq!(metadata.get("runningTurnSends"), None);
    assert_eq!(copies[1]["logicalParentUuid"], *new[&id(1)]);
    assert_eq!(copies[3]["attachment"]["after"], *new[&id(3)]);
    assert_ne!(copies[3]["attachment"]["source_uuid"], id(50));
}

#[test]
fn metadata_of_the_session_is_carried() {
    let lines = [
        format!(
            r#"{{"type":"content-replacement","sessionId":"{SOURCE}","replacements":["{}"]}}"#,
            id(1)
        ),
        r#"{"type":"content-replacement","sessionId":"of-another","replacements":[]}"#.to_owned(),
        r#"{"type":"custom-title","customTitle":"x"}"#.to_owned(),
        user(&id(1), ""),
    ];
    let copies = fork(&lines, None).unwrap();
    assert_eq!(copies.len(), 2);
    assert_eq!(copies[0]["sessionId"], TARGET);
    assert_eq!(copies[0]["replacements"], json!([id(0x1000)]));
}

#[test]
fn copy_ends_with_the_given_message() {
    let lines = [
        user(&id(1), ""),
        assistant(&id(2), &id(1)),
        user(&id(3), &id(2)),
    ];
    let copies = fork(&lines, Some(&id(2))).unwrap();
    assert_eq!(copies.len(), 2);
    assert_eq!(copies[1]["timestamp"], Value::Null);
}

#[test]
fn cut_before_the_summary_of_a_compaction_drops_the_boundary() {
    let lines = [
        user(&id(1), ""),
        entry("system", &id(2), "", json!({"subtype": "compact_boundary"})),
        entry("attachment", &id(3), &id(2), json!({})),
        entry("user", &id(4), &id(3), json!({"isCompactSummary": true})),
    ];
    assert_eq!(fork(&lines, Some(&id(3))).unwrap().len(), 1);
    assert_eq!(fork(&lines, Some(&id(4))).unwrap().len(), 4);
    assert_eq!(fork(&lines[1..], Some(&id(3))), Err(ForkError::NoMessages));
}

#[test]
fn fork_without_messages_or_with_an_unknown_message_fails() {
    let title = r#"{"type":"custom-title","customTitle":"x"}"#.to_owned();
    assert_eq!(fork(&[title], None), Err(ForkError::NoMessages));
    let progress = entry("progress", &id(1), "", json!({}));
    assert_eq!(fork(&[progress], None), Err(ForkError::NoMessages));
    let lines = [user(&id(1), "")];
    assert_eq!(fork(&lines, Some(&id(2))), Err(ForkError::MessageNotFound));
}
