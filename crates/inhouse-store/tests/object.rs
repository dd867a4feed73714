//! The battery on object stores that need no server.
#![cfg(feature = "object")]

use std::sync::Arc;

use inhouse_store::object::ObjectStore;
use inhouse_testkit::store_battery;
use object_store::local::LocalFileSystem;
use object_store::memory::InMemory;
use tempfile::tempdir;

#[tokio::test]
async fn object_store_in_memory_passes_the_battery() {
    let backend = Arc::new(InMemory::new());
    store_battery::run(async || ObjectStore::new(backend.clone())).await;
}

#[tokio::test]
async fn local_directory_passes_the_battery() {
    let directory = tempdir().unwrap();
    let open = async || {
        let backend = LocalFileSystem::new_with_prefix(directory.path()).unwrap();
        ObjectStore::new(Arc::new(backend)).prefix("agents/sessions")
    };
    store_battery::run(open).await;
}
