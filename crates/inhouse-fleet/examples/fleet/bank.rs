//! A tool with state: it charges a customer, and knows by the id of a call whether that charge was made.

use std::time::Duration;

use inhouse::tool;
use inhouse::tool::{CallId, Interrupted, Repair, State, ToolError, ToolServer};
use sqlx::PgPool;
use tokio::time::sleep;

/// How long the bank takes to confirm a charge.
const CONFIRMATION: Duration = Duration::from_millis(700);

/// The account of one customer.
#[derive(Clone)]
pub(crate) struct Bank {
    pool: PgPool,
    customer: String,
}

impl Bank {
    pub(crate) fn new(pool: PgPool, customer: &str) -> Self {
        Self {
            pool,
            customer: customer.to_owned(),
        }
    }

    pub(crate) fn server(self) -> ToolServer<Self> {
        let charge =
            charge::tool().on_interrupted(async |State(bank): State<Self>, call: Interrupted| {
                bank.complete(&call).await
            });
        ToolServer::with_state("bank", self).tool(charge)
    }

    /// Charges the customer, once for each call.
    async fn charge(&self, call: &str, dollars: i32) -> Result<(), ToolError> {
        let statement = "insert into charge (call, customer, dollars) values ($1, $2, $3) on conflict (call) do nothing";
        let query = sqlx::query(statement).bind(call).bind(&self.customer);
        query
            .bind(dollars)
            .execute(&self.pool)
            .await
            .map_err(failed)?;
        Ok(())
    }

    /// Completes a call that was cut off with its host: the id of the call is the key, so a charge that was made is not made again.
    async fn complete(&self, call: &Interrupted) -> Result<Repair, ToolError> {
        let made = self.charged(&call.id).await?;
        let dollars = match made {
            Some(dollars) => dollars,
            None => {
                let dollars = call.input["dollars"].as_i64().unwrap_or_default();
                let dollars = i32::try_from(dollars).map_err(|_| ToolError::new("too much"))?;
                self.charge(&call.id, dollars).await?;
                dollars
            }
        };
        let when = if made.is_some() { "before" } else { "after" };
        println!(
            "{}: {dollars} dollars were charged {when} the call was cut off",
            self.customer
        );
        Ok(Repair::result(format!(
            "charged {dollars} dollars, according to the books"
        )))
    }

    /// Returns what a call has charged.
    async fn charged(&self, call: &str) -> Result<Option<i32>, ToolError> {
        let query = sqlx::query_scalar("select dollars from charge where call = $1").bind(call);
        query.fetch_optional(&self.pool).await.map_err(failed)
    }
}

/// Charge the customer.
#[tool]
async fn charge(
    /** The amount */
    dollars: i32,
    State(bank): State<Bank>,
    CallId(call): CallId,
) -> Result<String, ToolError> {
    bank.charge(&call, dollars).await?;
    println!("{}: the tool charges {dollars} dollars", bank.customer);
    sleep(CONFIRMATION).await;
    Ok(format!("charged {dollars} dollars"))
}

/// Creates the books of the bank.
pub(crate) async fn open(pool: &PgPool) -> sqlx::Result<()> {
    let statement = "create table charge (
        number bigint generated always as identity primary key,
        call text not null unique, customer text not null, dollars integer not null)";
    sqlx::query(statement).execute(pool).await?;
    Ok(())
}

/// Returns the amounts that a customer was charged, in order.
pub(crate) async fn charges(pool: &PgPool, customer: &str) -> sqlx::Result<Vec<i32>> {
    let statement = "select dollars from charge where customer = $1 order by number";
    let query = sqlx::query_scalar(statement).bind(customer);
    query.fetch_all(pool).await
}

fn failed(error: sqlx::Error) -> ToolError {
    ToolError::new(format!("the bank does not answer: {error}"))
}
