//! Azure Blob Storage, with the emulator Azurite.

use std::process::Command;
use std::sync::Arc;

use hyper::Request;
use inhouse_store::object::ObjectStore;
use inhouse_testkit::store_battery;
use object_store::azure::{AzureAuthorizer, MicrosoftAzure, MicrosoftAzureBuilder};
use object_store::client::{HttpConnector as _, HttpRequestBody};
use tempfile::tempdir;

use crate::http::PlainHttp;
use crate::server::{Server, free_port, variable};

const ACCOUNT: &str = "agents";
/// Any text in Base64; the emulator gets the same.
const KEY: &str = "a2V5";

#[tokio::test(flavor = "multi_thread")]
async fn azure_passes_the_battery() {
    let directory = tempdir().unwrap();
    let port = free_port();
    let mut command = Command::new("node");
    command
        .arg(variable("INHOUSE_AZURITE"))
        .args(["--blobHost", "127.0.0.1", "--blobPort", &port.to_string()])
        .args(["--silent", "--skipApiVersionCheck", "--disableTelemetry"])
        .arg("--location")
        .arg(directory.path())
        .env("AZURITE_ACCOUNTS", format!("{ACCOUNT}:{KEY}"));
    let mut server = Server::spawn(&mut command);
    create_container(&mut server, port).await;
    let open = async || ObjectStore::new(Arc::new(backend(port))).prefix("sessions");
    store_battery::run(open).await;
}

fn backend(port: u16) -> MicrosoftAzure {
    MicrosoftAzureBuilder::new()
        .with_http_connector(PlainHttp::default())
        .with_endpoint(format!("http://127.0.0.1:{port}/{ACCOUNT}"))
        .with_allow_http(true)
        .with_account(ACCOUNT)
        .with_access_key(KEY)
        .with_container_name("agents")
        .build()
        .unwrap()
}

/// Creates the container, which `object_store` has no call for, as soon as the server listens.
async fn create_container(server: &mut Server, port: u16) {
    let credential = backend(port).credentials().get_credential().await.unwrap();
    let client = PlainHttp::default().connect(&Default::default()).unwrap();
    loop {
        let url = format!("http://127.0.0.1:{port}/{ACCOUNT}/agents?restype=container");
        let request = Request::put(url).header("content-length", "0");
        let mut request = request.body(HttpRequestBody::empty()).unwrap();
        let authorizer = AzureAuthorizer::new(&credential, ACCOUNT);
        authorizer.try_authorize(&mut request).unwrap();
        match client.execute(request).await {
            Ok(response) => {
                let status = response.status();
                assert!(status.is_success(), "{status}");
                return;
            }
            Err(_) => {
                server.assert_running();
                tokio::task::yield_now().await;
            }
        }
    }
}
