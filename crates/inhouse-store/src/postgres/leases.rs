//! `Leases` for PostgreSQL.

use std::time::Duration;

use async_trait::async_trait;
use sqlx::Row as _;

use super::PostgresStore;
use crate::{Lease, Leases, Result, SessionKey, StoreError, sql};

#[async_trait]
impl Leases for PostgresStore {
    async fn acquire(&self, session: &SessionKey, owner: &str, ttl: Duration) -> Result<Lease> {
        // Conditions and values of the update are computed when the row is locked.
        let row = sqlx::query(
            "insert into inhouse_session as s (project, session, epoch, owner, until, owned)
             values ($1, $2, nextval('inhouse_epoch'), $3, inhouse_now() + $4, inhouse_now())
             on conflict (project, session) do update
             set epoch = greatest(nextval('inhouse_epoch'), s.epoch + 1), owner = excluded.owner,
                 until = inhouse_now() + $4, owned = inhouse_now()
             where s.owner is null or s.owner = excluded.owner or s.until <= inhouse_now()
             returning epoch, until",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .bind(owner)
        .bind(sql::to_microseconds(ttl))
        .fetch_optional(&self.pool)
        .await?;
        let row = row.ok_or_else(|| sql::held(session))?;
        let epoch = sql::to_epoch(row.try_get(0)?)?;
        let until = sql::to_time(row.try_get(1)?)?;
        Ok(Lease::new(session.clone(), owner, epoch, until))
    }

    async fn renew(&self, lease: &Lease, ttl: Duration) -> Result<Lease> {
        let until: Option<i64> = sqlx::query_scalar(
            "update inhouse_session set until = inhouse_now() + $5
             where project = $1 and session = $2 and epoch = $3 and owner = $4 returning until",
        )
        .bind(lease.session.project().as_str())
        .bind(lease.session.session())
        .bind(sql::to_i64(lease.epoch.get())?)
        .bind(&lease.owner)
        .bind(sql::to_microseconds(ttl))
        .fetch_optional(&self.pool)
        .await?;
        let until = until.ok_or_else(|| StoreError::fenced(&lease.session, lease.epoch))?;
        let mut lease = lease.clone();
        lease.until = sql::to_time(until)?;
        Ok(lease)
    }

    async fn release(&self, lease: &Lease) -> Result<()> {
        sqlx::query(
            "update inhouse_session set owner = null, until = 0
             where project = $1 and session = $2 and epoch = $3 and owner = $4",
        )
        .bind(lease.session.project().as_str())
        .bind(lease.session.session())
        .bind(sql::to_i64(lease.epoch.get())?)
        .bind(&lease.owner)
        .execute(&self.pool)
        .await?;
        Ok(())
    }

    async fn holder(&self, session: &SessionKey) -> Result<Option<Lease>> {
        let row = sqlx::query(
            "select owner, epoch, until from inhouse_session
             where project = $1 and session = $2 and owner is not null",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .fetch_optional(&self.pool)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let owner: String = row.try_get(0)?;
        let epoch = sql::to_epoch(row.try_get(1)?)?;
        let until = sql::to_time(row.try_get(2)?)?;
        Ok(Some(Lease::new(session.clone(), owner, epoch, until)))
    }
}
