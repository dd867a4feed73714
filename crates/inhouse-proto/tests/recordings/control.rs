//! The typed form of control lines: what the engine and the types of requests and replies read of them.

use std::collections::HashMap;
use std::fmt::Debug;
use std::fs;
use std::path::Path;
use std::time::Instant;

use inhouse_proto::control::ControlRequest;
use inhouse_proto::control::incoming::{CanUseTool, IncomingRequest, RequestKind};
use inhouse_proto::control::outgoing::{
    ApplyFlagSettings, BackgroundTasks, CancelAsyncMessage, EndSession, FileSuggestions,
    GetBinaryVersion, GetContextUsage, GetHooksListing, GetSessionCost, GetSettings, GetUsage,
    Initialize, Interrupt, ListModels, ListPermissionRules, McpSetServers, McpStatus, ReadFile,
    ReloadOutputStyles, ReloadPlugins, ReloadSkills, RenameSession, SetMaxThinkingTokens, SetModel,
    SetPermissionMode, StopTask,
};
use inhouse_proto::engine::{Config, Engine, Event, Outcome};
use inhouse_proto::mcp::Rpc;
use serde_json::Value;

/// Reads the requests of the host from the other half of a recording: the subtypes by their ids.
pub(crate) fn subtypes_of_requests(recording: &Path) -> HashMap<String, String> {
    let host = recording.to_string_lossy().replace(".out.", ".in.");
    let lines = fs::read_to_string(host).expect("a recording has two halves");
    lines
        .lines()
        .filter_map(|line| {
            let line: Value = serde_json::from_str(line).ok()?;
            let id = line["request_id"].as_str()?;
            Some((
                id.to_owned(),
                line["request"]["subtype"].as_str()?.to_owned(),
            ))
        })
        .collect()
}

/// Passes a control line to an engine, and renders what typed fields hold of it.
///
/// `subtype` is that of the host's request, for the reply to one.
///
/// # Errors
/// The reason, if a request or a reply does not have the shape of its type.
pub(crate) fn typed(line: &Value, subtype: Option<&str>) -> Result<String, String> {
    let mut engine = Engine::new(Config {
        max_line: usize::MAX,
        ceiling: None,
    });
    // The engine accepts replies only to requests that are open. It numbers them as in the recording.
    let mut id = String::new();
    while subtype.is_some() && id != line["response"]["request_id"] && id != "h999" {
        id = engine.request("{}", None).to_string();
    }
    engine
        .space()
        .extend_from_slice(format!("{line}\n").as_bytes());
    engine.receive(Instant::now());
    std::iter::from_fn(|| engine.poll_event())
        .map(|event| match event {
            Event::Request(ticket, request) => Ok(format!(
                "{} {}",
                ticket.request_id(),
                render_request(&request)?
            )),
            Event::Reply { outcome, .. } => render_reply(subtype.unwrap_or_default(), outcome),
            other => Ok(format!("{other:?}")),
        })
        .collect()
}

fn render_request(request: &IncomingRequest) -> Result<String, String> {
    Ok(match &request.kind {
        RequestKind::CanUseTool => {
            let request: CanUseTool = request.decode().map_err(|error| error.to_string())?;
            format!("{request:?}")
        }
        RequestKind::ToolCall {
            server_name,
            id,
            call,
            ..
        } => format!("{server_name:?} {id:?} {call:?}"),
        // The parameters of other methods are for the server.
        RequestKind::Mcp {
            server_name,
            message,
        } => format!("{server_name:?} {:?}", Rpc::parse(message)),
        other => return Err(format!("this test does not decode {other:?}")),
    })
}

fn render_reply(subtype: &str, outcome: Outcome) -> Result<String, String> {
    let Outcome::Success(payload) = outcome else {
        return Ok(format!("{outcome:?}"));
    };
    let payload = payload.map(|payload| String::from_utf8(payload.into()).expect("UTF-8"));
    match DECODERS.iter().find(|(decoded, _)| *decoded == subtype) {
        Some((_, decode)) => decode(payload.as_deref()),
        // There is no type for the reply to this request.
        None => Ok("success".to_owned()),
    }
}

type Decode = fn(Option<&str>) -> Result<String, String>;

const DECODERS: &[(&str, Decode)] = &[
    decoder::<ApplyFlagSettings>(),
    decoder::<BackgroundTasks>(),
    decoder::<CancelAsyncMessage>(),
    decoder::<EndSession>(),
    decoder::<FileSuggestions>(),
    decoder::<GetBinaryVersion>(),
    decoder::<GetContextUsage>(),
    decoder::<GetHooksListing>(),
    decoder::<GetSessionCost>(),
    decoder::<GetSettings>(),
    decoder::<GetUsage>(),
    decoder::<Initialize>(),
    decoder::<Interrupt>(),
    decoder::<ListModels>(),
    decoder::<ListPermissionRules>(),
    decoder::<McpSetServers>(),
    decoder::<McpStatus>(),
    decoder::<ReadFile>(),
    decoder::<ReloadOutputStyles>(),
    decoder::<ReloadPlugins>(),
    decoder::<ReloadSkills>(),
    decoder::<RenameSession>(),
    decoder::<SetMaxThinkingTokens>(),
    decoder::<SetModel>(),
    decoder::<SetPermissionMode>(),
    decoder::<StopTask>(),
];

const fn decoder<R: ControlRequest<Reply: Debug>>() -> (&'static str, Decode) {
    (R::SUBTYPE, |payload| {
        let reply = R::reply(payload).map_err(|error| error.to_string())?;
        Ok(format!("{reply:?}"))
    })
}
