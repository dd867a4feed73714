use std::future::Future;
use std::io;

use inhouse::ExitStatus;
use serde_json::Value;

use super::{Script, Step};
use crate::fake::conversation::{Conversation, Failure, kind};

/// The process of a CLI that plays a script: a real one, or a simulated one.
pub(in crate::fake) trait Process {
    fn write_stderr(&mut self, text: &str) -> io::Result<()>;

    fn ignore_terminate(&mut self) -> io::Result<()>;

    /// Starts a process that keeps stdout open.
    fn leave_grandchild(&mut self, stubborn: bool) -> io::Result<()>;

    /// Called after the conversation has closed stdout.
    fn stdout_closed(&mut self);

    /// Never resolves, or when the host has ended the process.
    fn hang(&mut self) -> impl Future<Output = ()> + Send;
}

/// Plays a script; returns the status with which the CLI has to exit.
pub(in crate::fake) async fn play(
    script: &Script,
    conversation: &mut Conversation,
    process: &mut impl Process,
) -> Result<ExitStatus, Failure> {
    for step in script.steps() {
        if let Some(status) = play_step(step, conversation, process).await? {
            return Ok(status);
        }
    }
    conversation.end_of_input().await?;
    Ok(ExitStatus::with_code(0))
}

async fn play_step(
    step: &Step,
    conversation: &mut Conversation,
    process: &mut impl Process,
) -> Result<Option<ExitStatus>, Failure> {
    match step {
        Step::Accept => drop(conversation.accept().await?),
        Step::ExpectPrompt => drop(conversation.prompt().await?),
        Step::Answer { subtype, payload } => {
            let request = conversation.request(subtype).await?;
            request.try_succeed(payload.clone()).await?;
        }
        Step::Refuse {
            subtype,
            error,
            code,
        } => {
            let request = conversation.request(subtype).await?;
            request.try_refuse(error, code.as_deref()).await?;
        }
        Step::LeaveOpen { subtype } => drop(conversation.request(subtype).await?),
        Step::Ask { request } => {
            let id = conversation.ask(request).await?;
            conversation.answer(&id).await?;
        }
        Step::Send { line } => conversation.send(line).await?,
        Step::Repeat { line, times } => {
            for _ in 0..*times {
                conversation.send(line).await?;
            }
        }
        Step::LineOf { bytes } => {
            let line = conversation.session().line_of(*bytes);
            conversation.send(&line).await?;
        }
        Step::Bytes { bytes } => conversation.output().bytes(bytes).await?,
        Step::State { state } => {
            let line = conversation.session().state(state);
            conversation.send(&line).await?;
        }
        Step::Init => {
            let line = conversation.session().init();
            conversation.send(&line).await?;
        }
        Step::Assistant { text } => {
            let line = conversation.session().assistant(text);
            conversation.send(&line).await?;
        }
        Step::Result { text } => {
            let line = conversation.session().result(text);
            conversation.send(&line).await?;
        }
        Step::ErrorResult { subtype, errors } => {
            let line = conversation.session().error_result(subtype, errors);
            conversation.send(&line).await?;
        }
        Step::Turn { text } => conversation.turn(text).await?,
        Step::Echo => echo(conversation).await?,
        Step::Stderr { text } => checked(process.write_stderr(text))?,
        Step::StderrFlood { bytes } => flood(*bytes, process)?,
        Step::Grandchild { stubborn } => checked(process.leave_grandchild(*stubborn))?,
        Step::IgnoreTerminate => checked(process.ignore_terminate())?,
        Step::CloseStdin => conversation.close_input(),
        Step::CloseStdout => {
            conversation.output().close().await;
            process.stdout_closed();
        }
        Step::ExpectEndOfInput => conversation.end_of_input().await?,
        Step::IgnoreEndOfInput => {
            while conversation.next_unlimited().await?.is_some() {}
            return hang(process).await;
        }
        Step::Hang => return hang(process).await,
        Step::Exit { code } => return Ok(Some(ExitStatus::with_code(*code))),
        Step::Kill { signal } => return Ok(Some(ExitStatus::with_signal(*signal))),
    }
    Ok(None)
}

async fn echo(conversation: &mut Conversation) -> Result<(), Failure> {
    while let Some(line) = conversation.next_unlimited().await? {
        match line["type"].as_str() {
            Some("user") => {
                let prompt = conversation.take_prompt(line);
                conversation.turn(&prompt.text()).await?;
            }
            Some("control_request") => answer_request(conversation, line).await?,
            _ => {}
        }
    }
    Ok(())
}

async fn answer_request(conversation: &mut Conversation, line: Value) -> Result<(), Failure> {
    let is_initialize = kind(&line) == "initialize";
    let request = conversation.take_request(line, "a request")?;
    if is_initialize {
        conversation.accept_request(request).await
    } else {
        request.try_succeed(None).await
    }
}

fn flood(bytes: usize, process: &mut impl Process) -> Result<(), Failure> {
    const LINE: &str = "a line on stderr that is repeated until the requested size is reached\n";
    let mut left = bytes;
    while left > 0 {
        let piece = &LINE[..left.min(LINE.len())];
        checked(process.write_stderr(piece))?;
        left -= piece.len();
    }
    Ok(())
}

async fn hang(process: &mut impl Process) -> Result<Option<ExitStatus>, Failure> {
    process.hang().await;
    Err(Failure::killed("the host ended the CLI".to_owned()))
}

fn checked(outcome: io::Result<()>) -> Result<(), Failure> {
    outcome.map_err(|error| Failure::new(format!("the fake CLI could not play a step: {error}")))
}
