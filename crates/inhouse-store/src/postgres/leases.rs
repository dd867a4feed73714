//! `Leases` for PostgreSQL.

use std::time::Duration;

use async_trait::async_trait;
use sqlx::Row as _;

use super::PostgresStore;
use crate::{Lease, Leases, Result, SessionKey, StoreError, sql};

#[async_trait]
impl Leases for PostgresStore {
    async fn acquire(&self, session: &SessionKey, owner: &str, ttl: Duration) -> Result<Lease> {
        loop {
            let epoch = self.next_epoch(session).await?;
            // The conditions of the update are computed when the row is locked.
            let until: Option<i64> = sqlx::query_scalar(
                "with limits as materialized (select set_config('lock_timeout', '5s', true))
                 insert into inhouse_session as s (project, session, epoch, owner, until, owned)
                 select $1, $2, $3, $4, inhouse_now() + $5, inhouse_now() from limits
                 on conflict (project, session) do update
                 set epoch = excluded.epoch, owner = excluded.owner, until = inhouse_now() + $5, owned = inhouse_now()
                 where s.epoch < excluded.epoch
                 and (s.owner is null or s.owner = excluded.owner or s.until <= inhouse_now())
                 returning until",
            )
            .bind(session.project().as_str())
            .bind(session.session())
            .bind(epoch)
            .bind(owner)
            .bind(sql::to_microseconds(ttl))
            .fetch_optional(&self.pool)
            .await?;
            if let Some(until) = until {
                let (epoch, until) = (sql::to_epoch(epoch)?, sql::to_time(until)?);
                return Ok(Lease::new(session.clone(), owner, epoch, until));
            }
            let is_held: Option<bool> = sqlx::query_scalar(
                "select owner <> $3 and until > inhouse_now() from inhouse_session
                 where project = $1 and session = $2 and owner is not null",
            )
            .bind(session.project().as_str())
            .bind(session.session())
            .bind(owner)
            .fetch_optional(&self.pool)
            .await?;
            if is_held == Some(true) {
                return Err(sql::held(session));
            }
            // Another owner took a greater epoch in between, and has no lease or none any more.
        }
    }

    async fn renew(&self, lease: &Lease, ttl: Duration) -> Result<Lease> {
        let until: Option<i64> = sqlx::query_scalar(
            "with limits as materialized (select set_config('lock_timeout', '1s', true))
             update inhouse_session set until = inhouse_now() + $5 from limits
             where project = $1 and session = $2 and epoch = $3 and owner = $4 returning until",
        )
        .bind(lease.session.project().as_str())
        .bind(lease.session.session())
        .bind(sql::to_i64(lease.epoch.get())?)
        .bind(&lease.owner)
        .bind(sql::to_microseconds(ttl))
        .fetch_optional(&self.lease_pool)
        .await?;
        let until = until.ok_or_else(|| StoreError::fenced(&lease.session, lease.epoch))?;
        let mut lease = lease.clone();
        lease.until = sql::to_time(until)?;
        Ok(lease)
    }

    async fn release(&self, lease: &Lease) -> Result<()> {
        sqlx::query(
            "with limits as materialized (select set_config('lock_timeout', '1s', true))
             update inhouse_session set owner = null, until = 0 from limits
             where project = $1 and session = $2 and epoch = $3 and owner = $4",
        )
        .bind(lease.session.project().as_str())
        .bind(lease.session.session())
        .bind(sql::to_i64(lease.epoch.get())?)
        .bind(&lease.owner)
        .execute(&self.lease_pool)
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
