//! Both ends of a session whose hosts are processes: the model and the store.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use inhouse_store::{Bytes, SessionKey, SessionStore};
use inhouse_testkit::host::HostProcess;
use inhouse_testkit::{Isolation, ModelRequest, RealCli, ScriptedModel, Turn};
use serde_json::{Value, json};
use uuid::Uuid;

use crate::stored_host::{Plan, PlannedFlush, open_store};

/// Where the sessions are kept.
#[derive(Clone)]
pub(crate) enum StoreKind {
    /// A file for each scene.
    Sqlite,
    /// The server at this URL.
    Postgres(String),
}

/// The model, the store and the directories of one session.
pub(crate) struct Scene {
    pub(crate) model: ScriptedModel,
    pub(crate) isolation: Isolation,
    pub(crate) store: Arc<dyn SessionStore>,
    pub(crate) session: SessionKey,
    address: String,
}

impl Scene {
    pub(crate) async fn new(cli: &RealCli, kind: &StoreKind) -> Self {
        let model = ScriptedModel::start().await.expect("a loopback port");
        let isolation = cli.isolated(&model).expect("a temporary directory");
        let address = match kind {
            StoreKind::Sqlite => path_text(&isolation.root().join("agents.db")),
            StoreKind::Postgres(url) => url.clone(),
        };
        let store = open_store(&address).await.expect("the store is there");
        let project = inhouse_proto::session::project_key(&path_text(isolation.cwd()));
        let session = SessionKey::new(project, Uuid::new_v4().to_string()).expect("a safe key");
        Self {
            model,
            isolation,
            store,
            session,
            address,
        }
    }

    /// Returns a plan with these prompts for one client, which stays open.
    pub(crate) fn plan(&self, prompts: &[&str]) -> Plan {
        let prompts = prompts.iter();
        Plan {
            store: self.address.clone(),
            session: self.session.session().to_owned(),
            root: self.isolation.root().join("sessions"),
            prompts: prompts
                .map(|text| (Uuid::new_v4().to_string(), (*text).to_owned()))
                .collect(),
            queries: false,
            closes: false,
            lease: Duration::from_secs(2),
            flush: PlannedFlush::EachFrame,
            call_time: Duration::ZERO,
            asks_to_read: false,
            finds_out: false,
            effects: self.isolation.root().join("effects"),
            append_faults: Vec::new(),
            other_faults: Vec::new(),
            files: None,
            hangs_after_call: false,
            recording: None,
        }
    }

    pub(crate) fn start(&self, plan: &Plan) -> HostProcess {
        plan.start(&self.isolation)
    }

    /// Has the model call the tool once for each prompt `Note <number>.`, and then answer `Noted <number>.`.
    pub(crate) fn script_notes(&self) {
        self.model.otherwise(|request| {
            let number = last_note(request);
            let call = format!("toolu_{number}");
            let results = request.tool_results();
            match results.iter().any(|result| result.id == call) {
                true => Turn::new().text(format!("Noted {number}.")),
                false => Turn::new().tool_use_with_id(call, "mcp__s__note", json!({})),
            }
        });
    }

    /// Returns the directory in which the CLI would keep results that are too long for an entry.
    pub(crate) fn tool_results(&self) -> PathBuf {
        let (project, id) = (self.session.project(), self.session.session());
        let directory = self.isolation.root().join("sessions").join(id);
        let directory = directory.join("projects").join(project.as_str());
        directory.join(id).join("tool-results")
    }

    /// Returns the entries of the main stream.
    pub(crate) async fn entries(&self) -> Vec<Bytes> {
        let entries = self.store.read(&self.session.main()).await;
        entries.expect("the store is there")
    }

    /// Returns how often the tool took effect.
    pub(crate) fn effects(&self) -> usize {
        let lines = std::fs::read_to_string(self.isolation.root().join("effects"));
        lines.unwrap_or_default().lines().count()
    }

    /// Returns the messages of a request without what differs between two runs: ids, paths and marks for the cache.
    pub(crate) fn history(&self, request: &ModelRequest) -> Vec<Value> {
        let text = Value::from(request.messages()).to_string();
        let text = text.replace(&path_text(self.isolation.root()), "<root>");
        let text = without_uuids(&text.replace(&self.model.base_url(), "<model>"));
        let mut messages: Vec<Value> = serde_json::from_str(&text).expect("it was JSON before");
        messages.iter_mut().for_each(remove_cache_marks);
        messages
    }
}

/// Returns the greatest number of a prompt `Note <number>.`; 0 without one.
fn last_note(request: &ModelRequest) -> u32 {
    let text = Value::from(request.messages()).to_string();
    let notes = text.split("Note ").skip(1).filter_map(|rest| {
        let (number, _) = rest.split_once('.')?;
        number.parse().ok()
    });
    notes.max().unwrap_or(0)
}

fn remove_cache_marks(value: &mut Value) {
    match value {
        Value::Array(values) => values.iter_mut().for_each(remove_cache_marks),
        Value::Object(members) => {
            members.remove("cache_control");
            members.values_mut().for_each(remove_cache_marks);
        }
        _ => {}
    }
}

fn without_uuids(text: &str) -> String {
    let mut rest = text;
    let mut replaced = String::new();
    while let Some(first) = rest.chars().next() {
        let uuid = rest.get(..36).filter(|uuid| Uuid::try_parse(uuid).is_ok());
        let (kept, length) = match uuid {
            Some(uuid) => ("<uuid>", uuid.len()),
            None => (&rest[..first.len_utf8()], first.len_utf8()),
        };
        replaced.push_str(kept);
        rest = &rest[length..];
    }
    replaced
}

fn path_text(path: &Path) -> String {
    path.to_str().expect("a temporary path is text").to_owned()
}
