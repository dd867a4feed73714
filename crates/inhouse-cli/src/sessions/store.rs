//! Stores, by their addresses.

use std::path::Path;
use std::sync::Arc;

use anyhow::{Result, bail};
use inhouse_store::SessionStore;

/// Opens `sqlite:<file>` or `postgres://…`.
///
/// # Errors
/// Returns an error if the store cannot be opened, or this program was built without it.
pub(super) async fn open(address: &str) -> Result<Arc<dyn SessionStore>> {
    match address.split_once(':') {
        Some(("sqlite", file)) => sqlite(Path::new(file)).await,
        Some(("postgres" | "postgresql", _)) => postgres(address).await,
        _ => bail!(
            "{address:?} is not a store: use sqlite:<file> or postgres://<user>@<host>/<database>"
        ),
    }
}

#[cfg(feature = "sqlite")]
async fn sqlite(file: &Path) -> Result<Arc<dyn SessionStore>> {
    // Opening would create an empty database.
    if !file.exists() {
        bail!("there is no file {}", file.display());
    }
    Ok(Arc::new(
        inhouse_store::sqlite::SqliteStore::open(file).await?,
    ))
}

#[cfg(not(feature = "sqlite"))]
async fn sqlite(_: &Path) -> Result<Arc<dyn SessionStore>> {
    bail!(
        "this program was built without SQLite: cargo install --git https://github.com/inhouse-rs/inhouse inhouse-cli --features sqlite"
    )
}

#[cfg(feature = "postgres")]
async fn postgres(url: &str) -> Result<Arc<dyn SessionStore>> {
    Ok(Arc::new(
        inhouse_store::postgres::PostgresStore::connect(url).await?,
    ))
}

#[cfg(not(feature = "postgres"))]
async fn postgres(_: &str) -> Result<Arc<dyn SessionStore>> {
    bail!(
        "this program was built without PostgreSQL: cargo install --git https://github.com/inhouse-rs/inhouse inhouse-cli --features postgres"
    )
}
