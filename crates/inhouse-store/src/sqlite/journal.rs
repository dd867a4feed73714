//! `Journal` for SQLite.

use async_trait::async_trait;
use bytes::Bytes;
use sqlx::Row as _;

use super::SqliteStore;
use crate::{Epoch, Intent, Journal, JournaledCall, Result, SessionKey, sql};

#[async_trait]
impl Journal for SqliteStore {
    async fn intend(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        intent: &Intent,
    ) -> Result<Option<Bytes>> {
        let mut transaction = self.begin_held(session, epoch).await?;
        // With `do nothing`, `returning` would return no row for a call that has finished; this assignment has no effect.
        let result: Option<Vec<u8>> = sqlx::query_scalar(
            "insert into inhouse_journal (project, session, call, epoch, tool, message, input)
             values (?, ?, ?, ?, ?, ?, ?)
             on conflict (project, session, call) do update
             set epoch = case when result is null then excluded.epoch else epoch end
             returning result",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .bind(&intent.call)
        .bind(sql::to_i64(epoch.get())?)
        .bind(&intent.tool)
        .bind(&*intent.messages)
        .bind(&*intent.input)
        .fetch_one(&mut *transaction)
        .await?;
        transaction.commit().await?;
        Ok(result.map(Bytes::from))
    }

    async fn finish(
        &self,
        session: &SessionKey,
        epoch: Epoch,
        call: &str,
        result: Bytes,
    ) -> Result<()> {
        let mut transaction = self.begin_held(session, epoch).await?;
        let updated = sqlx::query(
            "update inhouse_journal set result = coalesce(result, ?) where project = ? and session = ? and call = ?",
        )
        .bind(&*result)
        .bind(session.project().as_str())
        .bind(session.session())
        .bind(call)
        .execute(&mut *transaction)
        .await?;
        if updated.rows_affected() == 0 {
            return Err(sql::no_call(session, call));
        }
        Ok(transaction.commit().await?)
    }

    async fn calls(&self, session: &SessionKey) -> Result<Vec<JournaledCall>> {
        let rows = sqlx::query(
            "select call, tool, message, input, epoch, result from inhouse_journal
             where project = ? and session = ? order by id",
        )
        .bind(session.project().as_str())
        .bind(session.session())
        .fetch_all(&self.readers)
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
        let mut transaction = self.begin_held(session, epoch).await?;
        for call in calls {
            sqlx::query(
                "delete from inhouse_journal where project = ? and session = ? and call = ?",
            )
            .bind(session.project().as_str())
            .bind(session.session())
            .bind(call)
            .execute(&mut *transaction)
            .await?;
        }
        Ok(transaction.commit().await?)
    }
}
