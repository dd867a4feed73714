//! `Leases` for SQLite.

use std::time::Duration;

use async_trait::async_trait;
use sqlx::Row as _;

use super::{SqliteStore, now, own};
use crate::{Lease, Leases, Result, SessionKey, StoreError, sql};

#[async_trait]
impl Leases for SqliteStore {
    async fn acquire(&self, session: &SessionKey, owner: &str, ttl: Duration) -> Result<Lease> {
        let mut transaction = self.begin().await?;
        let now = now();
        let is_held: bool = sqlx::query_scalar(
            "select exists (select 1 from inhouse_session
             where project = ? and session = ? and owner <> ? and until > ?)",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .bind(owner)
        .bind(now)
        .fetch_one(&mut *transaction)
        .await?;
        if is_held {
            return Err(sql::held(session));
        }
        let until = now + sql::to_microseconds(ttl);
        let epoch = own(&mut transaction, session, None, Some((owner, until))).await?;
        transaction.commit().await?;
        Ok(Lease::new(
            session.clone(),
            owner,
            epoch,
            sql::to_time(until)?,
        ))
    }

    async fn renew(&self, lease: &Lease, ttl: Duration) -> Result<Lease> {
        let until: Option<i64> = sqlx::query_scalar(
            "update inhouse_session set until = ? where project = ? and session = ? and epoch = ? and owner = ?
             returning until",
        )
        .bind(now() + sql::to_microseconds(ttl))
        .bind(lease.session.project().as_str())
        .bind(lease.session.session())
        .bind(sql::to_i64(lease.epoch.get())?)
        .bind(&lease.owner)
        .fetch_optional(&self.writer)
        .await?;
        let until = until.ok_or_else(|| StoreError::fenced(&lease.session, lease.epoch))?;
        let mut lease = lease.clone();
        lease.until = sql::to_time(until)?;
        Ok(lease)
    }

    async fn release(&self, lease: &Lease) -> Result<()> {
        sqlx::query(
            "update inhouse_session set owner = null, until = 0
             where project = ? and session = ? and epoch = ? and owner = ?",
        )
        .bind(lease.session.project().as_str())
        .bind(lease.session.session())
        .bind(sql::to_i64(lease.epoch.get())?)
        .bind(&lease.owner)
        .execute(&self.writer)
        .await?;
        Ok(())
    }

    async fn holder(&self, session: &SessionKey) -> Result<Option<Lease>> {
        let row = sqlx::query(
            "select owner, epoch, until from inhouse_session
             where project = ? and session = ? and owner is not null",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .fetch_optional(&self.readers)
        .await?;
        let Some(row) = row else { return Ok(None) };
        let owner: String = row.try_get(0)?;
        let epoch = sql::to_epoch(row.try_get(1)?)?;
        let until = sql::to_time(row.try_get(2)?)?;
        Ok(Some(Lease::new(session.clone(), owner, epoch, until)))
    }
}
