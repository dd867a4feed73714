//! The database of a fleet.

use anyhow::{Context as _, Result, bail};
use inhouse_fleet::postgres::Fleet;
use inhouse_store::postgres::PostgresStore;

/// A fleet that can be asked.
pub(super) struct Database {
    pub(super) fleet: Fleet,
    /// The host and the database, without user and password.
    pub(super) name: String,
}

/// Opens the database of a URL. No error contains the URL, which may have a password.
///
/// # Errors
/// Returns an error if there is no URL, or the database cannot be reached.
pub(super) async fn open(url: Option<&str>) -> Result<Database> {
    let Some(url) = url else {
        bail!(
            "name the database of the fleet: --store postgres://<user>@<host>/<database>, or the same in the variable INHOUSE_STORE"
        );
    };
    if !url.starts_with("postgres://") && !url.starts_with("postgresql://") {
        bail!(
            "a fleet is in a PostgreSQL database: --store (or INHOUSE_STORE) is postgres://<user>@<host>/<database>"
        );
    }
    let store = PostgresStore::connect(url).await.context(
        "cannot open the database that --store (or INHOUSE_STORE) names; check that its server runs, and the user and the password",
    )?;
    let options = store.pool().connect_options();
    let database = options.get_database().unwrap_or(options.get_username());
    Ok(Database {
        name: format!("{}/{database}", options.get_host()),
        fleet: Fleet::postgres(&store),
    })
}
