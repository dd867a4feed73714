use std::future::Future;
use std::io;

use inhouse::ExitStatus;
use serde_json::Value;

use super::{Script, Step};
use crate::fake::conversation::{Conversation, kind};
use crate::fake::failure::Failure;

/// What a player has besides two streams: a process, or something like one.
pub(in crate::fake) trait Body {
    fn write_stderr(&mut self, text: &str) -> io::Result<()>;

    fn ignore_terminate(&mut self) -> io::Result<()>;

    /// Starts something that keeps stdout open.
    fn leave_grandchild(&mut self, stubborn: bool) -> io::Result<()>;

    /// The conversation has closed its stdout.
    fn stdout_closed(&mut self);

    /// Resolves, if at all, when the host has ended it.
    fn hang(&mut self) -> impl Future<Output = ()> + Send;
}

/// Plays a script, and tells how the CLI has to end.
pub(in crate::fake) async fn play(
    script: &Script,
    conversation: &mut Conversation,
    body: &mut impl Body,
) -> Result<ExitStatus, Failure> {
    for step in script.steps() {
        if let Some(status) = take(step, conversation, body).await? {
            return Ok(status);
        }
    }
    conversation.end_of_input().await?;
    Ok(ExitStatus::with_code(0))
}

async fn take(
    step: &Step,
    conversation: &mut Conversation,
    body: &mut impl Body,
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
        Step::Stderr { text } => could(body.write_stderr(text))?,
        Step::StderrFlood { bytes } => flood(*bytes, body)?,
        Step::Grandchild { stubborn } => could(body.leave_grandchild(*stubborn))?,
        Step::IgnoreTerminate => could(body.ignore_terminate())?,
        Step::CloseStdin => conversation.close_input(),
        Step::CloseStdout => {
            conversation.output().close().await;
            body.stdout_closed();
        }
        Step::ExpectEndOfInput => conversation.end_of_input().await?,
        Step::IgnoreEndOfInput => {
            while conversation.patient_next().await?.is_some() {}
            return hang(body).await;
        }
        Step::Hang => return hang(body).await,
        Step::Exit { code } => return Ok(Some(ExitStatus::with_code(*code))),
        Step::Kill { signal } => return Ok(Some(ExitStatus::with_signal(*signal))),
    }
    Ok(None)
}

async fn echo(conversation: &mut Conversation) -> Result<(), Failure> {
    while let Some(line) = conversation.patient_next().await? {
        match line["type"].as_str() {
            Some("user") => {
                let prompt = conversation.take_prompt(line);
                conversation.turn(&prompt.text()).await?;
            }
            Some("control_request") => answer_anything(conversation, line).await?,
            _ => {}
        }
    }
    Ok(())
}

async fn answer_anything(conversation: &mut Conversation, line: Value) -> Result<(), Failure> {
    let is_first = kind(&line) == "initialize";
    let request = conversation.take_request(line, "a request")?;
    if is_first {
        conversation.accept_request(request).await
    } else {
        request.try_succeed(None).await
    }
}

fn flood(bytes: usize, body: &mut impl Body) -> Result<(), Failure> {
    const LINE: &str = "something that nobody wants to know, said over and over again, for ever\n";
    let mut left = bytes;
    while left > 0 {
        let piece = &LINE[..left.min(LINE.len())];
        could(body.write_stderr(piece))?;
        left -= piece.len();
    }
    Ok(())
}

async fn hang(body: &mut impl Body) -> Result<Option<ExitStatus>, Failure> {
    body.hang().await;
    Err(Failure::killed("the host ended the CLI".to_owned()))
}

fn could(outcome: io::Result<()>) -> Result<(), Failure> {
    outcome.map_err(|error| Failure::new(format!("the fake CLI could not take a step: {error}")))
}
