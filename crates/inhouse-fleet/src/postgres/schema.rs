//! The schema `inhouse` of the database.

use sqlx::SqlSafeStr as _;
use sqlx::error::DatabaseError;
use sqlx::migrate::{MigrateError, Migration, MigrationType, Migrator};
use sqlx::postgres::PgPool;

use super::{FleetError, FleetErrorKind};

/// The changes of the schema in order. A text that was released never changes: databases have its checksum.
const MIGRATIONS: &[(&str, &str)] = &[
    ("tables", include_str!("1_tables.sql")),
    ("enqueue", include_str!("2_enqueue.sql")),
    ("deliver", include_str!("3_deliver.sql")),
    ("manage", include_str!("4_manage.sql")),
    ("status", include_str!("5_status.sql")),
];

/// Brings the schema up to date.
pub(super) async fn migrate(pool: &PgPool) -> Result<(), FleetError> {
    let migrations = MIGRATIONS.iter().zip(1..).map(|((name, sql), version)| {
        let sql = sql.into_sql_str();
        Migration::new(version, (*name).into(), MigrationType::Simple, sql, false)
    });
    let mut migrator = Migrator::with_migrations(migrations.collect());
    migrator.create_schema("inhouse");
    migrator.dangerous_set_table_name("inhouse.migrations");
    // A migration that fails leaves its advisory lock with the connection, so that connection is closed.
    let mut connection = pool.acquire().await?.detach();
    // For the advisory lock of the migrator, and for tables that are in use.
    sqlx::query("set lock_timeout = '30s'")
        .execute(&mut connection)
        .await?;
    let migrated = migrator.run_direct(None, &mut connection, false).await;
    sqlx::Connection::close(connection).await?;
    migrated.map_err(|error| match is_lock_timeout(&error) {
        true => {
            let text = "the schema was locked for 30 s: another process changes it, or a transaction uses its tables";
            FleetError::new(FleetErrorKind::Unavailable, text).with_source(error)
        }
        false => error.into(),
    })
}

fn is_lock_timeout(error: &MigrateError) -> bool {
    let (MigrateError::Execute(error) | MigrateError::ExecuteMigration(error, _)) = error else {
        return false;
    };
    let error = error.as_database_error();
    let code = error.and_then(DatabaseError::code);
    code.as_deref() == Some("55P03")
}
