//! The environment of a scenario: a scripted model, an isolated CLI, a database, and hosts.

use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use inhouse::question::QuestionRequest;
use inhouse::schemars::JsonSchema;
use inhouse::tool::{Input, Tool, ToolServer};
use inhouse::{Asked, HandlerError, Options};
use inhouse_fleet::{Host, HostError, Outcome, Reply, SharedVolume, Work};
use inhouse_store::sqlite::SqliteStore;
use inhouse_testkit::{Isolation, ModelRequest, RealCli, ScriptedModel};
use serde::Deserialize;
use serde_json::Value;
use tokio::sync::mpsc;

/// Far more than any scenario needs.
const DEADLINE: Duration = Duration::from_secs(90);

pub(crate) struct World {
    pub(crate) model: ScriptedModel,
    pub(crate) isolation: Isolation,
    pub(crate) store: SqliteStore,
    pub(crate) bank: Bank,
}

#[derive(Deserialize, JsonSchema)]
#[schemars(crate = "inhouse::schemars")]
struct Charge {
    cents: u64,
}

/// A bank, whose tool notes each charge.
#[derive(Clone)]
pub(crate) struct Bank {
    charges: Arc<Mutex<Vec<u64>>>,
    /// The charges that never end.
    hanging: mpsc::UnboundedSender<u64>,
    hung: Arc<tokio::sync::Mutex<mpsc::UnboundedReceiver<u64>>>,
}

/// Runs a scenario with the pinned CLI.
pub(crate) async fn pinned(scenario: impl AsyncFnOnce(&World)) {
    let cli = RealCli::pinned().unwrap_or_else(|error| panic!("{error}"));
    let model = ScriptedModel::start().await.expect("a loopback port");
    let isolation = cli.isolated(&model).expect("a temporary directory");
    let store = SqliteStore::open(isolation.root().join("sessions.db")).await;
    let world = World {
        model,
        isolation,
        store: store.expect("a database"),
        bank: Bank::new(),
    };
    let played = tokio::time::timeout(DEADLINE, scenario(&world)).await;
    assert!(
        played.is_ok(),
        "the scenario did not end: {:?}",
        world.seen()
    );
}

impl World {
    /// Returns a host with the bank's tools, on a volume that all hosts have.
    pub(crate) fn host(&self) -> Host {
        self.host_with(|options| options)
    }

    /// Returns such a host with other options.
    pub(crate) fn host_with(&self, change: impl FnOnce(Options) -> Options) -> Host {
        let options = change(self.isolation.options());
        let root = self.isolation.root().join("session-directories");
        let options = options.session_root(root).tool_server(self.bank.server());
        let options = options.allow_tools(["mcp__bank", "Read", "Write", "Edit"]);
        // Without a handler the CLI does not offer `AskUserQuestion`.
        let options = options.on_question(async |_: Asked<QuestionRequest>| {
            Err(HandlerError::new("the question is answered by a hook"))
        });
        let host = Host::new(self.store.clone(), async move |_: &Work| Ok(options));
        host.workspace(SharedVolume::new(self.directory("volume")))
    }

    pub(crate) fn directory(&self, name: &str) -> PathBuf {
        self.isolation.root().join(name)
    }

    /// Returns what the model saw with each request: prompts, calls and results in order.
    pub(crate) fn seen(&self) -> Vec<Vec<String>> {
        self.model.conversation().iter().map(blocks).collect()
    }

    /// Returns what the model saw last.
    pub(crate) fn last_seen(&self) -> Vec<String> {
        self.seen().pop().unwrap_or_default()
    }
}

impl Bank {
    fn new() -> Self {
        let (hanging, hung) = mpsc::unbounded_channel();
        Self {
            charges: Arc::default(),
            hanging,
            hung: Arc::new(tokio::sync::Mutex::new(hung)),
        }
    }

    fn server(&self) -> ToolServer {
        let bank = self.clone();
        let charge = Tool::new(
            "charge",
            "Charges the card",
            async move |Input(Charge { cents }): Input<Charge>| {
                bank.charges.lock().unwrap().push(cents);
                if cents == 666 {
                    bank.hanging.send(cents).unwrap();
                    std::future::pending::<()>().await;
                }
                format!("charged {cents}")
            },
        );
        ToolServer::new("bank").tool(charge)
    }

    /// Returns the charges so far.
    pub(crate) fn charges(&self) -> Vec<u64> {
        self.charges.lock().unwrap().clone()
    }

    /// Waits for a charge of 666, which does not end.
    pub(crate) async fn hangs(&self) {
        self.hung
            .lock()
            .await
            .recv()
            .await
            .expect("the bank exists");
    }
}

pub(crate) fn done(outcome: Result<Outcome, HostError>) -> Reply {
    match outcome {
        Ok(Outcome::Done(reply)) => reply,
        other => panic!("the turn is not done: {other:?}"),
    }
}

/// Returns the blocks of the conversation in a request. Reminders of the CLI are left out.
fn blocks(request: &ModelRequest) -> Vec<String> {
    let contents = request.messages().iter().flat_map(|message| {
        let role = message["role"].as_str().unwrap_or_default();
        let blocks = match &message["content"] {
            Value::Array(blocks) => blocks.clone(),
            text => vec![serde_json::json!({"type": "text", "text": text})],
        };
        blocks
            .into_iter()
            .map(move |block| (role.to_owned(), block))
    });
    let described = contents.filter_map(|(role, block)| match block["type"].as_str()? {
        "tool_use" => Some(format!("call {}", block["id"].as_str()?)),
        "tool_result" => {
            let text = match &block["content"] {
                Value::Array(blocks) => blocks[0]["text"].clone(),
                text => text.clone(),
            };
            Some(format!("result {}", text.as_str()?))
        }
        "text" => {
            let text = block["text"].as_str()?;
            let is_reminder = text.trim_start().starts_with("<system-reminder>");
            (!is_reminder && role != "system").then(|| text.to_owned())
        }
        _ => None,
    });
    described.collect()
}
