//! Keeps `not_modelled.txt` in step with the code.
//!
//! Values that the CLI sends are decoded: samples of every shape of the committed surface, and the same samples without each of
//! their members. A member without which the decoded value is the same is not modelled. What the host sends, and flags, variables and
//! options, are searched in the sources.

use std::collections::BTreeSet;
use std::fmt::Debug;
use std::fs;
use std::path::{Path, PathBuf};

use inhouse_proto::builtin::{AskUserQuestion, ExitPlanMode};
use inhouse_proto::control::ControlRequest;
use inhouse_proto::control::incoming::{
    CanUseTool, DialogRequest, ElicitationRequest, IncomingRequest,
};
use inhouse_proto::control::outgoing::*;
use inhouse_proto::hook::*;
use inhouse_proto::message::Message;
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::items::{Item, items};
use super::samples_tests::{Sample, samples};
use super::shape::Shape;
use super::surface::{Area, Surface};
use super::{pinned, rust_name::snake_case};

/// Decodes a value and renders the result; `None` if there is no type for it.
type Decode = fn(&Value) -> Option<String>;

#[test]
fn list_of_what_is_not_modelled_is_current() {
    let pinned = pinned();
    let mut found = String::new();
    for area in Area::ALL {
        let mut gaps = in_area(&pinned, area);
        if is_mostly_foreign(area) {
            let gaps: BTreeSet<_> = gaps.iter().map(|gap| gap.path.as_str()).collect();
            let names = pinned.area(area).map(|(name, _)| name.as_str());
            let modelled: Vec<_> = names.filter(|name| !gaps.contains(name)).collect();
            found += &format!("{} * except {}\n", area.name(), modelled.join(" "));
            continue;
        }
        gaps.sort();
        let mut topmost: Vec<Item> = Vec::new();
        for gap in gaps {
            if !topmost
                .iter()
                .any(|whole| gap == *whole || gap.is_in(whole))
            {
                topmost.push(gap);
            }
        }
        found.extend(topmost.iter().map(|gap| format!("{gap}\n")));
    }

    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/drift/not_modelled.txt");
    if std::env::var_os("INHOUSE_WRITE_NOT_MODELLED").is_some() {
        fs::write(&path, format!("{HEADER}{found}")).unwrap();
    }
    let committed = fs::read_to_string(&path).unwrap();
    let lines = |text: &str| -> BTreeSet<String> {
        let lines = text.lines().filter(|line| !line.starts_with('#'));
        lines.map(str::to_owned).collect()
    };
    let (committed, found) = (lines(&committed), lines(&found));
    let modelled: Vec<_> = committed.difference(&found).collect();
    let missing: Vec<_> = found.difference(&committed).collect();
    assert!(
        modelled.is_empty() && missing.is_empty(),
        "not_modelled.txt differs from the code. In the list, but modelled: {modelled:#?}. Not modelled, but not in the list: \
         {missing:#?}. Run this test with INHOUSE_WRITE_NOT_MODELLED=1 to write the list, and review it."
    );
}

const HEADER: &str = "\
# What the version of surface.json has and inhouse does not model. A line includes the parts of what it names. Of areas that are
# mostly for other programs, the line names what is modelled.
# A unit test compares the list with the code, and writes it if INHOUSE_WRITE_NOT_MODELLED is set.
";

/// Returns whether inhouse models only a few things of an area, so that the list names these.
fn is_mostly_foreign(area: Area) -> bool {
    matches!(area, Area::CliFlag | Area::Variable)
}

fn in_area(pinned: &Surface, area: Area) -> Vec<Item> {
    let launch = source("inhouse/src/launch");
    let inhouse = source("inhouse/src");
    let options = source("inhouse/src/options/mod.rs");
    let shapes = pinned.area(area);
    let gaps = shapes.flat_map(|(name, shape)| match (area, name.as_str()) {
        (Area::Message, _) => decoded(name, shape, message),
        (Area::HookInput, event) => decoded(name, shape, hook(event)),
        (Area::Reply, "can_use_tool") => {
            let decision = "inhouse-proto/src/control/incoming/permission_decision.rs";
            written(name, shape, decision, &[PERMISSION_UPDATE])
        }
        (Area::Reply, subtype) => decoded(name, shape, reply(subtype)),
        (Area::Request, subtype) => match incoming(subtype) {
            Some(decode) => decoded(name, shape, decode),
            None => request(name, shape),
        },
        (Area::HookOutput, _) => {
            let output = "inhouse-proto/src/hook/output";
            written(name, shape, output, &[PERMISSION_UPDATE])
        }
        (Area::Option, _) => missing(name, options.contains(&format!("//! | `{name}` |"))),
        (Area::Tool, "AskUserQuestion") => decoded(name, shape, as_type::<AskUserQuestion>),
        (Area::Tool, "ExitPlanMode") => decoded(name, shape, as_type::<ExitPlanMode>),
        // The other inputs are generated from the same shapes.
        (Area::Tool, _) => missing(name, matches!(shape, Shape::Object(_))),
        (Area::SdkFlag | Area::CliFlag, _) => {
            let flag = name.trim_start_matches("--");
            missing(name, launch.contains(&format!("\"{flag}\"")))
        }
        (Area::Variable, _) => missing(name, inhouse.contains(&format!("\"{name}\""))),
    });
    gaps.map(|path| Item { area, path }).collect()
}

fn missing(name: &str, is_modelled: bool) -> Vec<String> {
    match is_modelled {
        true => Vec::new(),
        false => vec![name.to_owned()],
    }
}

/// Returns the parts of a shape that are lost when a sample is decoded.
fn decoded(name: &str, shape: &Shape, decode: Decode) -> Vec<String> {
    let (mut read, mut lost) = (BTreeSet::new(), BTreeSet::new());
    for Sample {
        value,
        members,
        alternatives,
    } in samples(name, shape)
    {
        let Some(whole) = decode(&value) else {
            return vec![name.to_owned()];
        };
        assert!(!whole.starts_with("error: "), "{name}: {whole}\n{value}");
        for member in members {
            // These members of the whole select its decoder.
            let is_tag = member.object.is_empty()
                && matches!(member.name.as_str(), "hook_event_name" | "subtype");
            if is_tag || read.contains(&member.path) {
                continue;
            }
            let mut without = value.clone();
            let object = without
                .pointer_mut(&member.object)
                .and_then(Value::as_object_mut);
            object
                .expect("the pointer leads to an object")
                .remove(&member.name);
            match decode(&without) == Some(whole.clone()) {
                true => lost.insert(member.path),
                false => read.insert(member.path),
            };
        }
        for alternative in alternatives {
            let value = &alternative.value;
            let is_unknown = whole.contains(&format!("Unknown(\"{value}\")"))
                || whole.contains(&format!("Unknown(Unknown {{ tag: \"{value}\""));
            if is_unknown {
                lost.insert(alternative.path);
            }
        }
    }
    lost.difference(&read).cloned().collect()
}

fn message(value: &Value) -> Option<String> {
    match Message::decode(value.to_string().as_bytes()) {
        Ok(Message::Unknown(unknown)) if unknown.reason.is_none() => None,
        Ok(message) => Some(format!("{message:?}")),
        Err(error) => Some(format!("error: {error}")),
    }
}

fn as_type<T: DeserializeOwned + Debug>(value: &Value) -> Option<String> {
    Some(shown(serde_json::from_value::<T>(value.clone())))
}

fn shown<T: Debug>(result: serde_json::Result<T>) -> String {
    match result {
        Ok(value) => format!("{value:?}"),
        Err(error) => format!("error: {error}"),
    }
}

/// Returns the decoder of an event.
fn hook(event: &str) -> Decode {
    macro_rules! decoders {
        ($( $event:ident )+) => {
            match event {
                $( <$event as HookEvent>::NAME => |value| Some(shown($event::decode(&value.to_string()))), )+
                _ => |_| None,
            }
        };
    }
    decoders! {
        PreToolUse PostToolUse PostToolUseFailure PostToolBatch Notification UserPromptSubmit UserPromptExpansion SessionStart
        SessionEnd Stop StopFailure SubagentStart SubagentStop PreCompact PostCompact PreModelSwitch PostModelSwitch
        PermissionRequest PermissionDenied Setup TeammateIdle TaskCreated TaskCompleted Elicitation ElicitationResult ConfigChange
        WorktreeCreate WorktreeRemove InstructionsLoaded CwdChanged FileChanged DirectoryAdded MessageDisplay
    }
}

/// Returns the decoder of the reply to a request.
fn reply(subtype: &str) -> Decode {
    macro_rules! decoders {
        ($( $request:ident )+) => {
            match subtype {
                $( $request::SUBTYPE => |value| Some(shown($request::reply(Some(&value.to_string())))), )+
                _ => |_| None,
            }
        };
    }
    decoders! {
        SeedReadState ReadFile FileSuggestions SetModel SetMaxThinkingTokens ListModels GetContextUsage GetUsage GetSessionCost
        SetPermissionMode ListPermissionRules GetHooksListing Initialize RewindFiles GetSettings ApplyFlagSettings UpdateSettings
        RenameSession SetColor SetHasSubscribers RegisterRepoRoot GetBinaryVersion ReloadPlugins ReloadSkills ReloadOutputStyles
        McpSetServers McpReconnect McpToggle McpCall McpStatus McpReadResource StopTask BackgroundTasks GetTaskOutput Interrupt
        CancelAsyncMessage
    }
}

/// Returns the decoder of a request of the CLI; `None` for a request of the host.
fn incoming(subtype: &str) -> Option<Decode> {
    match subtype {
        "can_use_tool" => Some(as_type::<CanUseTool>),
        "elicitation" => Some(as_type::<ElicitationRequest>),
        "request_user_dialog" => Some(as_type::<DialogRequest>),
        "hook_callback" | "mcp_message" => Some(|value| {
            let request = IncomingRequest::read(value.to_string().into());
            Some(format!("{:?}", request.kind))
        }),
        _ => None,
    }
}

/// Returns the members of a request of the host that its source does not name.
fn request(name: &str, shape: &Shape) -> Vec<String> {
    let outgoing = crates().join("inhouse-proto/src/control/outgoing");
    let subtype = format!("SUBTYPE: &'static str = \"{name}\"");
    let file = rust_files(&outgoing)
        .into_iter()
        .find(|file| fs::read_to_string(file).unwrap().contains(&subtype));
    let Some(file) = file else {
        return vec![name.to_owned()];
    };
    let parent = file.parent().unwrap();
    let place = if parent == outgoing { &file } else { parent };
    let types = [
        "inhouse-proto/src/control/outgoing/initialize",
        "inhouse/src/options/mcp.rs",
        "inhouse/src/launch/mcp.rs",
    ];
    written(name, shape, place.to_str().unwrap(), &types)
}

const PERMISSION_UPDATE: &str = "inhouse-proto/src/control/permission_update.rs";

/// Returns the members of a shape whose names are not in the sources at a path. Members of members may also be in `types`.
fn written(name: &str, shape: &Shape, path: &str, types: &[&str]) -> Vec<String> {
    let own = words(path);
    let nested: BTreeSet<_> = types.iter().flat_map(|path| words(path)).collect();
    let surface = Surface {
        areas: [(Area::Request, [(name.to_owned(), shape.clone())].into())].into(),
        ..Surface::default()
    };
    let paths = items(&surface).into_keys().map(|item| item.path);
    let is_missing = |path: &String| {
        // Values are names of variants, which have another case, and alternatives are tested by their members.
        if path == name || path.ends_with(['\'', ')']) {
            return false;
        }
        let (whole, member) = path.rsplit_once('.').expect("everything else is a member");
        let has = |words: &BTreeSet<String>| {
            words.contains(member) || words.contains(&snake_case(member))
        };
        let is_nested = whole.contains(['.', '[', '{']);
        let is_tag = matches!(member, "subtype" | "hookEventName");
        let is_written = has(&own) || is_nested && has(&nested);
        !is_tag && !is_written
    };
    paths.filter(is_missing).collect()
}

/// Returns the words in the sources at a path.
fn words(path: &str) -> BTreeSet<String> {
    let source = source(path);
    let words = source.split(|c: char| !c.is_ascii_alphanumeric() && c != '_');
    words.map(str::to_owned).collect()
}

fn crates() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Returns the text of a file, or of all Rust files below a directory.
fn source(path: &str) -> String {
    let files = rust_files(&crates().join(path));
    files
        .iter()
        .map(|file| fs::read_to_string(file).unwrap())
        .collect()
}

fn rust_files(path: &Path) -> Vec<PathBuf> {
    if path.is_file() {
        return vec![path.to_owned()];
    }
    let entries = fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    let entries = entries.map(|entry| entry.unwrap().path());
    let files = entries.flat_map(|path| match path.is_dir() {
        true => rust_files(&path),
        false => vec![path],
    });
    files
        .filter(|path| path.extension().is_some_and(|it| it == "rs"))
        .collect()
}
