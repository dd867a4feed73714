//! Entries come back byte for byte.

use inhouse_store::{Append, Bytes, Page, Position, ProjectKey, Result, SessionStore};

use super::{Battery, Hosts, session};

pub(super) async fn check(battery: &mut Battery, hosts: &Hosts<dyn SessionStore>) {
    for (name, entry) in [
        ("escaped_nul_is_kept", &br#"{"text":"a\u0000b"}"#[..]),
        ("raw_nul_is_kept", b"{\"text\":\"a\0b\"}\0"),
        (
            "escaped_lone_surrogates_are_kept",
            br#"{"text":"\ud83d and \udc00"}"#,
        ),
        (
            "raw_lone_surrogates_are_kept",
            b"{\"text\":\"\xed\xa0\xbd\"}",
        ),
        ("invalid_utf8_is_kept", b"\xff\xfe\x80"),
        (
            "order_and_repetition_of_keys_are_kept",
            br#"{"z":1,"a":2,"z":3,"\u0061":4}"#,
        ),
        (
            "forms_of_numbers_are_kept",
            br#"{"n":[1.0,1e2,-0,12345678901234567890123,0.1000]}"#,
        ),
        ("white_space_is_kept", b" {\t\"a\" : 1 }\r\n\n"),
        (
            "byte_order_mark_and_emoji_are_kept",
            "\u{feff}\u{1f600}\u{2028}".as_bytes(),
        ),
        ("empty_entry_is_kept", b""),
    ] {
        let entry = Bytes::from_static(entry);
        let contract = async |hosts, project| exact(hosts, project, entry).await;
        battery.contract(name, hosts, contract).await;
    }
    contracts!(battery, hosts: long_repetitive_entry_is_kept, entry_of_32_mib_is_kept);
}

async fn long_repetitive_entry_is_kept(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    let words = r#"{"type":"prompt_snapshot","text":"the same words again and again"}"#;
    exact(hosts, project, words.repeat(800).into()).await
}

async fn entry_of_32_mib_is_kept(
    hosts: &Hosts<dyn SessionStore>,
    project: ProjectKey,
) -> Result<()> {
    // A pseudorandom sequence, which does not compress.
    let mut state = 1_u32;
    let random = std::iter::repeat_with(|| {
        state ^= state << 13;
        state ^= state >> 17;
        state ^= state << 5;
        state as u8
    });
    exact(hosts, project, random.take(32 << 20).collect()).await
}

async fn exact(hosts: &Hosts<dyn SessionStore>, project: ProjectKey, entry: Bytes) -> Result<()> {
    let session = session(&project, "s");
    let epoch = hosts.first.fence(&session, None).await?;
    let append = Append::new(epoch, Position::START, [entry.clone(), Bytes::from("{}")]);
    let append = append.summary(entry.slice(..entry.len().min(100_000)));
    hosts.first.append(&session.main(), &append).await?;
    for store in [&hosts.first, &hosts.second] {
        let entries = store.read(&session.main()).await?;
        // Not `assert_eq!`: the entry may have 32 MiB.
        assert!(entries == append.entries, "the entries differ");
        let page = store.list(&project, &Page::first()).await?;
        assert!(
            page.sessions[0].summary == append.summary,
            "the summary differs"
        );
    }
    Ok(())
}
