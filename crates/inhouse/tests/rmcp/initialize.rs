//! Manifests and handshakes of mounted servers.

use std::future::{pending, ready};
use std::sync::Arc;

use inhouse::Options;
use inhouse::rmcp::model::{
    ErrorData, InitializeRequestParams, InitializeResult, JsonObject, ListToolsResult,
    PaginatedRequestParams, ProtocolVersion, ServerCapabilities, ServerConfig, Tool,
};
use inhouse::rmcp::service::RequestContext;
use inhouse::rmcp::{RoleServer, ServerHandler};
use serde_json::{Value, json};

use crate::notes::Notes;
use crate::support::play;

#[tokio::test]
async fn manifest_is_sent_with_initialize() {
    let (factory, mut journal) = Notes::factory();
    let options = Options::new().rmcp_server("notes", factory);
    play(options, async |cli| {
        assert_eq!(cli.initialize()["sdkMcpServers"], json!(["notes"]));
        assert_eq!(cli.initialize()["sdkMcpServerConfigs"], Value::Null);
        let manifest = cli.initialize()["sdkMcpServerManifests"]["notes"].clone();
        let result = &manifest["initializeResult"];
        assert_eq!(result["protocolVersion"], "2025-11-25");
        assert_eq!(result["instructions"], "Write everything down.");
        assert_eq!(
            result["capabilities"]["tools"],
            json!({"listChanged": true})
        );
        assert_eq!(manifest["toolsListResult"]["tools"][0]["name"], "count");
        // The CLI uses the manifest and makes no handshake.
        assert_eq!(journal.next().await, "initialized");
        assert_eq!(cli.call(2, "who").await, r#"claude-code 2 "toolu_2""#);
    })
    .await;
}

#[tokio::test]
async fn cli_without_manifests_makes_the_handshake() {
    let options = Options::new().rmcp_server("notes", Notes::factory().0);
    play(options, async |cli| {
        let manifest = cli.initialize()["sdkMcpServerManifests"]["notes"].clone();
        for (requested, version) in [
            ("2025-11-25", "2025-11-25"),
            ("2024-11-05", "2024-11-05"),
            ("2099-01-01", "2025-11-25"),
        ] {
            let client = json!({
                "protocolVersion": requested,
                "capabilities": {},
                "clientInfo": {"name": "claude-code", "version": "2.1.197"},
            });
            let answer = cli.request(json!(0), "initialize", client).await;
            assert_eq!(answer["result"]["protocolVersion"], version, "{requested}");
            let mut expected = manifest["initializeResult"].clone();
            expected["protocolVersion"] = json!(version);
            assert_eq!(answer["result"], expected);
        }
        cli.notify("notifications/initialized", json!({})).await;
        let listed = cli.request(json!(1), "tools/list", json!({})).await;
        assert_eq!(listed["result"], manifest["toolsListResult"]);
    })
    .await;
}

/// Servers with one unusual start each.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Beginning {
    WithoutTools,
    ManyPages,
    ToolsThatChange,
    Refused,
    Never,
    Panic,
    OwnAnswer,
}

impl ServerHandler for Beginning {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder();
        match self {
            Self::WithoutTools => ServerConfig::new(capabilities.enable_resources().build()),
            _ => ServerConfig::new(capabilities.enable_tools().build()),
        }
    }

    async fn initialize(
        &self,
        request: InitializeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<InitializeResult, ErrorData> {
        match self {
            Self::Refused => Err(ErrorData::internal_error("not today", None)),
            Self::Never => pending().await,
            Self::Panic => panic!("not today"),
            // Many servers do this.
            Self::OwnAnswer => Ok(self.get_info()),
            _ => self.negotiate_initialize(&request),
        }
    }

    async fn list_tools(
        &self,
        _: Option<PaginatedRequestParams>,
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        if *self == Self::ToolsThatChange {
            let sent = context.peer.notify_tool_list_changed().await;
            sent.expect("the session is alive");
        }
        let mut schema = JsonObject::new();
        schema.insert("type".to_owned(), json!("object"));
        let tool = Tool::new("one", "A tool.", Arc::new(schema));
        let mut list = ListToolsResult::with_all_items(vec![tool]);
        if *self == Self::ManyPages {
            list.next_cursor = Some("2".to_owned());
        }
        ready(Ok(list)).await
    }
}

async fn manifest(beginning: Beginning) -> Value {
    let mut manifest = Value::Null;
    let options = Options::new().rmcp_server("notes", move || beginning);
    play(options, async |cli| {
        manifest = cli.initialize()["sdkMcpServerManifests"]["notes"].clone();
    })
    .await;
    manifest
}

#[tokio::test]
async fn manifest_omits_incomplete_tool_lists() {
    for beginning in [Beginning::WithoutTools, Beginning::ManyPages] {
        let manifest = manifest(beginning).await;
        assert_eq!(
            manifest["initializeResult"]["protocolVersion"],
            "2025-11-25"
        );
        assert_eq!(manifest["toolsListResult"], Value::Null);
    }
}

#[tokio::test]
async fn manifest_omits_tools_that_change_while_listed() {
    let options = Options::new().rmcp_server("notes", || Beginning::ToolsThatChange);
    play(options, async |cli| {
        let manifest = &cli.initialize()["sdkMcpServerManifests"]["notes"];
        assert_eq!(
            manifest["initializeResult"]["protocolVersion"],
            "2025-11-25"
        );
        assert_eq!(manifest["toolsListResult"], Value::Null);
        assert_eq!(
            cli.server_message().await["method"],
            "notifications/tools/list_changed"
        );
    })
    .await;
}

#[tokio::test]
async fn server_that_fails_to_start_is_left_to_the_cli() {
    for beginning in [Beginning::Refused, Beginning::Panic] {
        assert_eq!(manifest(beginning).await, Value::Null);
    }
}

#[tokio::test]
async fn slow_server_does_not_delay_the_session() {
    assert_eq!(manifest(Beginning::Never).await, Value::Null);
}

#[tokio::test]
async fn unrequested_protocol_version_is_corrected() {
    assert_eq!(
        ServerConfig::default().protocol_version,
        ProtocolVersion::LATEST,
        "which the CLI does not know"
    );
    let manifest = manifest(Beginning::OwnAnswer).await;
    assert_eq!(
        manifest["initializeResult"]["protocolVersion"],
        "2025-11-25"
    );
    assert_eq!(manifest["toolsListResult"]["tools"][0]["name"], "one");
}
