//! S3, with the server `s3s-fs`.
//!
//! `s3s-fs` (0.14.1, and 0.17.0 as well) looks whether the object exists and renames a file over it later, so of several conditional creates at
//! the same time more than one succeeds. The test sends them one after the other. So it checks the requests and answers of S3, but not
//! that creates of two hosts exclude each other, which S3 itself guarantees.

use std::process::Command;
use std::sync::Arc;

use inhouse_store::object::ObjectStore;
use inhouse_testkit::store_battery;
use object_store::aws::AmazonS3Builder;
use tempfile::tempdir;

use crate::http::PlainHttp;
use crate::server::{Server, free_port, variable};

#[tokio::test(flavor = "multi_thread")]
async fn s3_passes_the_battery() {
    let directory = tempdir().unwrap();
    // A bucket is a directory.
    std::fs::create_dir(directory.path().join("agents")).unwrap();
    let port = free_port();
    let mut command = Command::new(variable("INHOUSE_S3S_FS"));
    command
        .args(["--host", "127.0.0.1", "--port", &port.to_string()])
        .args(["--access-key", "key", "--secret-key", "secret"])
        .arg(directory.path());
    let _server = Server::spawn(&mut command);

    let http = PlainHttp::with_serialised_creates();
    let open = async || {
        let backend = AmazonS3Builder::new()
            .with_http_connector(http.clone())
            .with_endpoint(format!("http://127.0.0.1:{port}"))
            .with_allow_http(true)
            .with_access_key_id("key")
            .with_secret_access_key("secret")
            .with_region("us-east-1")
            .with_bucket_name("agents")
            .build()
            .unwrap();
        ObjectStore::new(Arc::new(backend)).prefix("sessions")
    };
    store_battery::run(open).await;
}
