//! `Journal` for PostgreSQL.

use async_trait::async_trait;
use bytes::Bytes;
use sqlx::Row as _;

use super::PostgresStore;
use crate::{Epoch, Intent, Journal, JournaledCall, Result, SessionKey, StoreError, sql};

#[async_trait]
impl Journal for PostgresStore {
    async fn intend(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        intent: &Intent,
    ) -> Result<Option<Bytes>> {
        // The assignment without effect makes `returning` give the row of a call that has finished.
        let row = sqlx::query(
            "with limits as materialized (select set_config('lock_timeout', '5s', true)), held as (
                 select 1 from inhouse_session, limits
                 where project = $1 and session = $2 and epoch = $3 for share of inhouse_session
             )
             insert into inhouse_journal as j (project, session, call, epoch, tool, message, input)
             select $1, $2, $4, $3, $5, $6, $7 from held
             on conflict (project, session, call) do update
             set epoch = case when j.result is null then excluded.epoch else j.epoch end
             returning result",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .bind(sql::to_i64(epoch.get())?)
        .bind(&intent.call)
        .bind(&intent.tool)
        .bind(&*intent.messages)
        .bind(&*intent.input)
        .fetch_optional(&self.pool)
        .await?;
        let row = row.ok_or_else(|| StoreError::fenced(session, epoch))?;
        Ok(row.try_get::<Option<Vec<u8>>, _>(0)?.map(Bytes::from))
    }

    async fn finish(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        call: &str,
        result: Bytes,
    ) -> Result<()> {
        let row = sqlx::query(
            "with limits as materialized (select set_config('lock_timeout', '5s', true)), held as (
                 select 1 from inhouse_session, limits
                 where project = $1 and session = $2 and epoch = $3 for share of inhouse_session
             ), finished as (
                 update inhouse_journal set result = coalesce(result, $5) from held
                 where project = $1 and session = $2 and call = $4
                 returning 1
             )
             select (select count(*) from held), (select count(*) from finished)",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .bind(sql::to_i64(epoch.get())?)
        .bind(call)
        .bind(&*result)
        .fetch_one(&self.pool)
        .await?;
        if row.try_get::<i64, _>(0)? == 0 {
            Err(StoreError::fenced(session, epoch))
        } else if row.try_get::<i64, _>(1)? == 0 {
            Err(sql::no_call(session, call))
        } else {
            Ok(())
        }
    }

    async fn calls(&self, session: &SessionKey) -> Result<Vec<JournaledCall>> {
        let rows = sqlx::query(
            "select call, tool, message, input, epoch, result from inhouse_journal
             where project = $1 and session = $2 order by id",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .fetch_all(&self.pool)
        .await?;
        let mut calls = Vec::new();
        for row in rows {
            let call: String = row.try_get(0)?;
            let tool: String = row.try_get(1)?;
            let (message, input): (Vec<u8>, Vec<u8>) = (row.try_get(2)?, row.try_get(3)?);
            let result: Option<Vec<u8>> = row.try_get(5)?;
            let intent = Intent::new(call, tool, message, input);
            let epoch = sql::to_epoch(row.try_get(4)?)?;
            calls.push(JournaledCall::new(intent, epoch, result.map(Bytes::from)));
        }
        Ok(calls)
    }

    async fn forget(&self, session: &SessionKey, epoch: Epoch, calls: &[String]) -> Result<()> {
        let held: i64 = sqlx::query_scalar(
            "with limits as materialized (select set_config('lock_timeout', '5s', true)), held as (
                 select 1 from inhouse_session, limits
                 where project = $1 and session = $2 and epoch = $3 for share of inhouse_session
             ), forgotten as (
                 delete from inhouse_journal using held
                 where project = $1 and session = $2 and call = any($4)
             )
             select count(*) from held",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .bind(sql::to_i64(epoch.get())?)
        .bind(calls)
        .fetch_one(&self.pool)
        .await?;
        match held {
            0 => Err(StoreError::fenced(session, epoch)),
            _ => Ok(()),
        }
    }
}
