//! Prompts `Note <number>.`: their turns read all files, write one, call the tool `note`, and answer `Noted <number>.`.

use inhouse::sessions::recent_results;
use inhouse_fleet::WorkId;
use inhouse_testkit::model::ToolResult;
use inhouse_testkit::soak::check_transcript;
use inhouse_testkit::{ModelRequest, Turn};
use serde_json::{Value, json};

use crate::scene::{Scene, text};

/// Plays the turns of notes, and answers `Say <number>.` at once with `Said <number>.`.
pub(crate) fn script(request: &ModelRequest) -> Turn {
    let (verb, number) = last_prompt(request);
    if verb == Verb::Say {
        return Turn::new().text(format!("Said {number}."));
    }
    let results = request.tool_results();
    if read_files(&results, number).is_none() {
        // A command that was cut off is run again, as another call.
        let prefix = file_calls(number);
        let calls = results
            .iter()
            .filter(|result| result.id.starts_with(&prefix));
        let call = format!("{prefix}{}", calls.count());
        let command = format!("cat *.txt; echo line-{number} > {number}.txt");
        return Turn::new().tool_use_with_id(call, "Bash", json!({ "command": command }));
    }
    let call = note_call(number);
    match results.iter().any(|result| result.id == call) {
        true => Turn::new().text(format!("Noted {number}.")),
        false => Turn::new().tool_use_with_id(call, "mcp__s__note", json!({})),
    }
}

/// Returns the prompt with a number.
pub(crate) fn note(number: u32) -> String {
    format!("Note {number}.")
}

/// Returns the id of the call of the tool in the turn of a note.
pub(crate) fn note_call(number: u32) -> String {
    format!("toolu_note_{number}")
}

/// Returns the beginning of the ids of the commands in the turn of a note.
fn file_calls(number: u32) -> String {
    format!("toolu_file_{number}_")
}

/// Returns what the command in the turn of a note has read.
fn read_files(results: &[ToolResult], number: u32) -> Option<&str> {
    let prefix = file_calls(number);
    let mut results = results.iter();
    let complete = results.find(|result| result.id.starts_with(&prefix) && !result.is_error);
    complete.map(|result| result.text.as_str())
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Verb {
    Note,
    Say,
}

/// Returns the last prompt of a request that is a note, or is to be answered at once.
pub(crate) fn last_prompt(request: &ModelRequest) -> (Verb, u32) {
    let messages = Value::from(request.messages()).to_string();
    let find = |verb: Verb, word: &str| {
        let prompts = messages.match_indices(word).filter_map(|(place, _)| {
            let (number, _) = messages[place + word.len()..].split_once('.')?;
            Some((place, verb, number.parse::<u32>().ok()?))
        });
        prompts.last()
    };
    let last = find(Verb::Note, "Note ").max(find(Verb::Say, "Say "));
    last.map_or((Verb::Note, 0), |(_, verb, number)| (verb, number))
}

/// Returns whether a request has the result of a note's call.
pub(crate) fn has_result(request: &ModelRequest, number: u32) -> bool {
    let call = note_call(number);
    let results = request.tool_results();
    results.iter().any(|result| result.id == call)
}

/// Waits for the answers to the notes of a session.
pub(crate) async fn answered(scene: &Scene, notes: &[(u32, WorkId)]) -> Result<(), String> {
    for &(number, id) in notes {
        let answer = scene.answer(id).await?;
        if answer != format!("Noted {number}.") {
            return Err(format!("the answer to note {number} is {answer:?}"));
        }
    }
    Ok(())
}

/// Checks notes of a session that are answered: nothing was lost, repeated or hidden from the model, and the files of each note were there for
/// the next one.
pub(crate) async fn check(
    scene: &Scene,
    session: &str,
    notes: &[(u32, WorkId)],
) -> Result<(), String> {
    check_transcript(&scene.entries(session).await?)?;
    check_results(scene, session, notes).await?;
    let &(last, _) = notes.last().expect("there is a note");
    let requests = scene.model.conversation();
    let request = requests
        .iter()
        .rev()
        .find(|request| last_prompt(request) == (Verb::Note, last) && has_result(request, last));
    let request = request.ok_or("the model has not seen the last note")?;
    let seen = Value::from(request.messages()).to_string();
    let all = request.tool_results();
    let mut place = 0;
    let mut lines = Vec::new();
    for &(number, _) in notes {
        let prompt = note(number);
        let places: Vec<_> = seen.match_indices(&prompt).map(|found| found.0).collect();
        match places[..] {
            [found] if found >= place => place = found,
            _ => return Err(format!("{prompt:?} is at {places:?} of {seen}")),
        }
        let call = format!("\"id\":\"{}\"", note_call(number));
        let calls = seen.matches(&call).count();
        let results: Vec<_> = all
            .iter()
            .filter(|result| result.id == note_call(number))
            .collect();
        let ([result], 1) = (&results[..], calls) else {
            return Err(format!("note {number} has {calls} calls and {results:?}"));
        };
        let effects = scene.effects(&prompt);
        let is_cut_off = result.is_error && result.text.contains("outcome is unknown");
        if effects > 1 || (effects == 0 && !is_cut_off) {
            return Err(format!(
                "note {number} has {effects} effects and {result:?}"
            ));
        }
        let read = read_files(&all, number);
        let read = read.ok_or_else(|| format!("note {number} has read no files: {seen}"))?;
        if let Some(missing) = lines.iter().find(|line| !read.contains(*line)) {
            return Err(format!("note {number} has not read {missing}: {seen}"));
        }
        lines.push(format!("line-{number}"));
    }
    Ok(())
}

/// Checks that the store has one result for each prompt.
async fn check_results(
    scene: &Scene,
    session: &str,
    notes: &[(u32, WorkId)],
) -> Result<(), String> {
    let results = recent_results(&scene.store, &scene.key(session), usize::MAX).await;
    let results = results.map_err(text)?;
    for (number, id) in notes {
        let id = id.to_string();
        let count = results
            .iter()
            .filter(|result| result.prompts.contains(&id))
            .count();
        if count != 1 {
            return Err(format!("note {number} has {count} results: {results:?}"));
        }
    }
    Ok(())
}
