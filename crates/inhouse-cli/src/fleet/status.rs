//! The state of a fleet as tables.

use std::time::{Duration, SystemTime};

use anyhow::Result;
use inhouse_fleet::postgres::{
    FleetStatus, HostStatus, OpenQuestion, ParkedWork, QueueStatus, SessionStatus,
};

use super::database::Database;
use crate::output::{bold, dim, one_line, print_json, print_line, print_table, red};

/// Prints the state, with at most `limit` rows in each table.
pub(super) async fn print(database: &Database, limit: usize, json: bool) -> Result<()> {
    let status = database.fleet.status().await?;
    if json {
        return print_json(&status);
    }
    let FleetStatus {
        now,
        queue,
        hosts,
        sessions,
        parked,
        questions,
        ..
    } = &status;
    print_line(format!(
        "{}  {}",
        bold(&database.name),
        dim(counts_of(queue))
    ))?;
    match &queue.oldest {
        Some(oldest) => print_line(format!(
            "The oldest unanswered prompt has waited for {}: session {}, work {}",
            bold(since(oldest.created, *now)),
            one_line(&oldest.session, 60),
            oldest.work
        ))?,
        None => print_line("No prompt waits for an answer.")?,
    }
    if hosts.is_empty() {
        let text = "No host serves this fleet: prompts wait until a program calls `Fleet::serve`.";
        print_line(red(text))?;
    }
    let rows: Vec<_> = hosts.iter().map(|host| host_row(host, *now)).collect();
    print_part(
        "hosts",
        ["HOST", "SLOTS", "STATE", "SERVING FOR"],
        &rows,
        hosts.len() as u64,
    )?;
    let rows: Vec<_> = sessions
        .iter()
        .take(limit)
        .map(|session| session_row(session, *now))
        .collect();
    let headings = [
        "SESSION", "STATE", "WAITING", "FAILED", "HOST", "WORK", "PROMPT",
    ];
    print_part("sessions", headings, &rows, queue.sessions)?;
    let rows: Vec<_> = parked
        .iter()
        .take(limit)
        .map(|work| parked_row(work, *now))
        .collect();
    let headings = ["PARKED WORK", "SESSION", "FAILED", "PARKED FOR", "REASON"];
    print_part("parked prompts", headings, &rows, queue.parked)?;
    let rows: Vec<_> = questions
        .iter()
        .take(limit)
        .map(|open| question_row(open, *now))
        .collect();
    let headings = ["QUESTION", "SESSION", "WAITING", "TOOL", "INPUT"];
    print_part("questions", headings, &rows, queue.questions)
}

/// Prints a table unless it is empty, and how many rows it does not have.
fn print_part<const N: usize>(
    name: &str,
    headings: [&str; N],
    rows: &[[String; N]],
    total: u64,
) -> Result<()> {
    if rows.is_empty() {
        return Ok(());
    }
    print_line("")?;
    print_table(headings, rows)?;
    let shown = rows.len() as u64;
    if shown < total {
        let rest = total - shown;
        print_line(dim(format!("and {rest} more {name}; show more with -n")))?;
    }
    Ok(())
}

fn counts_of(queue: &QueueStatus) -> String {
    let QueueStatus {
        queued,
        running,
        deferred,
        delayed,
        parked,
        questions,
        ..
    } = queue;
    format!(
        "{queued} queued, {running} running, {delayed} delayed, {deferred} deferred, {parked} parked, {questions} questions"
    )
}

fn host_row(host: &HostStatus, now: SystemTime) -> [String; 4] {
    let state = if host.alive_until < now {
        format!("silent for {}", since(host.alive_until, now))
    } else if host.draining {
        "draining".to_owned()
    } else {
        "alive".to_owned()
    };
    [
        one_line(&host.name, 40),
        format!("{}/{}", host.active, host.slots),
        state,
        since(host.since, now),
    ]
}

fn session_row(session: &SessionStatus, now: SystemTime) -> [String; 7] {
    let state = match session.stopping {
        true => "stopping".to_owned(),
        false => session.state.to_string(),
    };
    [
        one_line(&session.name, 40),
        state,
        since(session.created, now),
        number(session.attempts),
        one_line(session.host.as_deref().unwrap_or_default(), 30),
        session.work.to_string(),
        one_line(&session.prompt, 50),
    ]
}

fn parked_row(parked: &ParkedWork, now: SystemTime) -> [String; 5] {
    [
        parked.work.to_string(),
        one_line(&parked.session, 40),
        number(parked.attempts),
        since(parked.parked, now),
        one_line(parked.reason.as_deref().unwrap_or_default(), 80),
    ]
}

fn question_row(open: &OpenQuestion, now: SystemTime) -> [String; 5] {
    let question = &open.question;
    [
        question.id.to_string(),
        one_line(&question.session, 40),
        since(open.asked, now),
        one_line(&question.tool, 40),
        one_line(question.input.get(), 60),
    ]
}

/// Formats a count, and zero as nothing.
fn number(count: u32) -> String {
    match count {
        0 => String::new(),
        count => count.to_string(),
    }
}

/// Formats the time from `begin` to `now` with one or two units.
fn since(begin: SystemTime, now: SystemTime) -> String {
    let elapsed = now.duration_since(begin).unwrap_or(Duration::ZERO);
    let seconds = elapsed.as_secs();
    match seconds {
        0..60 => format!("{seconds} s"),
        60..3600 => format!("{} min {:02} s", seconds / 60, seconds % 60),
        3600..86_400 => format!("{} h {:02} min", seconds / 3600, seconds / 60 % 60),
        _ => format!("{} d {} h", seconds / 86_400, seconds / 3600 % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_have_at_most_two_units() {
        let begin = SystemTime::UNIX_EPOCH;
        let after = |seconds| since(begin, begin + Duration::from_secs(seconds));
        assert_eq!(after(5), "5 s");
        assert_eq!(after(125), "2 min 05 s");
        assert_eq!(after(3700), "1 h 01 min");
        assert_eq!(after(90_000), "1 d 1 h");
        assert_eq!(since(begin + Duration::from_secs(1), begin), "0 s");
    }
}
