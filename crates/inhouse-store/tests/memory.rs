//! The battery on the store in memory.
#![cfg(feature = "memory")]

use inhouse_store::memory::MemoryStore;
use inhouse_testkit::store_battery;

#[tokio::test]
async fn memory_store_passes_the_battery() {
    let store = MemoryStore::new();
    store_battery::run(async || store.clone()).await;
    store_battery::run_leases(async || store.clone()).await;
    store_battery::run_journal(async || store.clone()).await;
}
