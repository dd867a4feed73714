//! `#[tool(server = "…")]` on an impl block.

use std::sync::Arc;
use std::sync::atomic::{AtomicI64, Ordering};
use std::time::Duration;

use inhouse::tool;
use inhouse::tool::{CallId, State, ToolError};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

#[derive(Default)]
struct Account {
    cents: AtomicI64,
}

#[tool(
    server = "bank",
    version = env!("CARGO_PKG_VERSION"),
    instructions = "Amounts are in cents.",
    timeout = Duration::from_secs(5),
    concurrency = 8,
)]
impl Account {
    const SMALL: i64 = 5;

    /// Get the balance.
    #[tool(read_only)]
    async fn balance(&self) -> i64 {
        self.cents.load(Ordering::Relaxed)
    }

    /// Put money in.
    #[tool(name = "put-in")]
    async fn deposit(
        &self,
        CallId(_id): CallId,
        /// How much
        #[default = Self::SMALL]
        cents: i64,
    ) -> i64 {
        self.change(cents)
    }

    /// Take money out.
    #[inhouse::tool(destructive, blocking, timeout = Duration::from_secs(Self::SMALL as u64))]
    fn withdraw(&self, State(account): State<Arc<Account>>, cents: i64) -> Result<i64, ToolError> {
        assert!(std::ptr::eq(self, &*account));
        if self.cents.load(Ordering::Relaxed) < cents {
            return Err(ToolError::new("the balance is too low"));
        }
        Ok(self.change(-cents))
    }

    /// Get the name of the bank.
    #[tool]
    fn name() -> &'static str {
        "First"
    }

    /// Not compiled in tests.
    #[tool]
    #[cfg(not(test))]
    async fn elsewhere(&self) {}

    fn change(&self, cents: i64) -> i64 {
        self.cents.fetch_add(cents, Ordering::Relaxed) + cents
    }
}

/// Give the money back.
#[tool]
async fn close(State(account): State<Arc<Account>>) -> i64 {
    account.cents.swap(0, Ordering::Relaxed)
}

#[derive(Clone, Debug, Serialize, Deserialize, JsonSchema)]
struct Move {
    dx: i32,
}

#[tool(server = "moves")]
impl Move {
    /// Add up moves.
    #[tool]
    async fn join(&self, other: Self, more: Option<Vec<Self>>) -> i32 {
        let more = more.unwrap_or_default();
        self.dx + other.dx + more.iter().map(|step| step.dx).sum::<i32>()
    }
}

#[tokio::test]
async fn methods_are_tools_that_share_the_value() {
    let bank = Account::tool_server(Account::default());
    assert_eq!(
        bank.call("put-in", json!({"cents": 500})).await.all_text(),
        "500"
    );
    assert_eq!(
        bank.call("withdraw", json!({"cents": 80})).await.all_text(),
        "420"
    );
    assert_eq!(bank.call("balance", json!({})).await.all_text(), "420");
    let refused = bank.call("withdraw", json!({"cents": 1000})).await;
    assert!(refused.is_error);
    assert_eq!(refused.all_text(), "the balance is too low");
}

#[tokio::test]
async fn value_can_be_shared_with_the_program() {
    let account = Arc::new(Account::default());
    let bank = Account::tool_server(Arc::clone(&account));
    account.change(7);
    assert_eq!(bank.call("balance", json!({})).await.all_text(), "7");
    bank.call("put-in", json!({"cents": 3})).await;
    assert_eq!(account.balance().await, 10);
}

#[tokio::test]
async fn defaults_and_types_can_use_self() {
    let bank = Account::tool_server(Account::default());
    assert_eq!(bank.call("put-in", json!({})).await.all_text(), "5");
    let moves = Move::tool_server(Move { dx: 1 });
    let arguments = json!({"other": {"dx": 2}, "more": [{"dx": 3}]});
    assert_eq!(moves.call("join", arguments).await.all_text(), "6");
}

#[tokio::test]
async fn associated_function_is_a_tool() {
    let bank = Account::tool_server(Account::default());
    assert_eq!(bank.call("name", json!({})).await.all_text(), "First");
}

#[tokio::test]
async fn only_marked_and_compiled_methods_are_tools() {
    let bank = Account::tool_server(Account::default());
    for tool in ["change", "elsewhere", "deposit", "tool_server"] {
        let result = bank.call(tool, json!({})).await;
        assert!(result.all_text().contains("there is no tool"), "{tool}");
    }
}

#[tokio::test]
async fn functions_can_be_added_to_the_server() {
    let bank = Account::tool_server(Account::default()).tool(close::tool());
    bank.call("put-in", json!({"cents": 9})).await;
    assert_eq!(bank.call("close", json!({})).await.all_text(), "9");
}
