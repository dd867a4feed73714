//! A conformance battery for stores: the adapters of `inhouse-store`, and your own.
//!
//! A battery opens the store several times, as several hosts do, and checks each contract in a project of a random name. So it can run against
//! a shared server, and it leaves nothing behind but what a failed contract wrote. A contract that is not checked within five minutes is broken.
//!
//! No contract covers unsafe keys and paths, such as `..`: the types of keys cannot hold one, so that no store gets one.
//!
//! ```
//! use inhouse_store::memory::MemoryStore;
//! use inhouse_testkit::store_battery;
//!
//! # #[tokio::main]
//! # async fn main() {
//! let store = MemoryStore::new();
//! store_battery::run(async || store.clone()).await;
//! store_battery::run_leases(async || store.clone()).await;
//! store_battery::run_journal(async || store.clone()).await;
//! # }
//! ```

/// Checks the contracts with these names, which are functions of the calling module.
macro_rules! contracts {
    ($battery:ident, $hosts:ident: $($contract:ident),+ $(,)?) => {
        $($battery.contract(stringify!($contract), $hosts, $contract).await;)+
    };
}

mod bytes_exact;
mod cancel;
mod concurrent;
mod erasing;
mod fences;
mod files;
mod journal;
mod leases;
mod lists;
mod streams;

use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::time::Duration;

use futures_util::{FutureExt as _, TryStreamExt as _};
use inhouse_store::{
    Append, Epoch, Journal, Leases, Position, ProjectKey, Result, SessionKey, SessionStore,
    StoreErrorKind, StreamKey,
};
use tokio::time::timeout;
use uuid::Uuid;

/// How long a contract may take. A call that never ends is a broken contract.
const DEADLINE: Duration = Duration::from_secs(300);

/// Checks every contract of [`SessionStore`].
///
/// `open` opens the store, each time as another host does: all of the opened stores have the same data. Needs a tokio runtime with time and I/O.
///
/// # Panics
/// Panics if the store breaks a contract, after all of them were checked, with the name of each broken one.
pub async fn run<S: SessionStore + 'static>(open: impl AsyncFn() -> S) {
    let hosts = Hosts {
        // Through `dyn`, because that is how `inhouse` holds a store.
        first: Arc::new(open().await) as Arc<dyn SessionStore>,
        second: Arc::new(open().await),
    };
    let mut battery = Battery::default();
    streams::check(&mut battery, &hosts).await;
    bytes_exact::check(&mut battery, &hosts).await;
    fences::check(&mut battery, &hosts).await;
    concurrent::check(&mut battery, &hosts).await;
    lists::check(&mut battery, &hosts).await;
    files::check(&mut battery, &hosts).await;
    erasing::check(&mut battery, &hosts).await;
    cancel::check(&mut battery, &hosts).await;
    battery.finish();
}

/// Checks every contract of [`Leases`], and that leases fence the appends of the same store.
///
/// # Panics
/// Panics if the store breaks a contract, after all of them were checked, with the name of each broken one.
pub async fn run_leases<S: Leases + SessionStore + 'static>(open: impl AsyncFn() -> S) {
    let hosts = Hosts {
        first: Arc::new(open().await),
        second: Arc::new(open().await),
    };
    let mut battery = Battery::default();
    leases::check(&mut battery, &hosts).await;
    battery.finish();
}

/// Checks every contract of [`Journal`], and that fences and erasure of the same store apply to it.
///
/// # Panics
/// Panics if the store breaks a contract, after all of them were checked, with the name of each broken one.
pub async fn run_journal<S: Journal + SessionStore + 'static>(open: impl AsyncFn() -> S) {
    let hosts = Hosts {
        first: Arc::new(open().await),
        second: Arc::new(open().await),
    };
    let mut battery = Battery::default();
    journal::check(&mut battery, &hosts).await;
    battery.finish();
}

/// One store, opened by two hosts.
struct Hosts<S: ?Sized> {
    first: Arc<S>,
    second: Arc<S>,
}

/// The result of the contracts so far.
#[derive(Default)]
struct Battery {
    checked: usize,
    broken: Vec<String>,
}

impl Battery {
    /// Checks a contract in a new project, and erases the project if the contract holds.
    async fn contract<'a, S: SessionStore + ?Sized>(
        &mut self,
        name: &str,
        hosts: &'a Hosts<S>,
        check: impl AsyncFnOnce(&'a Hosts<S>, ProjectKey) -> Result<()>,
    ) {
        let project = ProjectKey::new(format!("battery-{}", Uuid::new_v4())).expect("a safe name");
        let check = async {
            check(hosts, project.clone()).await?;
            hosts.first.erase(&project.into()).await
        };
        let outcome = AssertUnwindSafe(check).catch_unwind();
        let problem = match timeout(DEADLINE, outcome).await {
            Err(_) => Some(format!("not checked within {} s", DEADLINE.as_secs())),
            Ok(Ok(outcome)) => outcome.err().map(|error| error.to_string()),
            Ok(Err(panic)) => {
                let text = panic.downcast_ref::<String>().map(String::as_str);
                let text = text.or_else(|| panic.downcast_ref::<&str>().copied());
                Some(text.unwrap_or("panicked").to_owned())
            }
        };
        self.checked += 1;
        self.broken
            .extend(problem.map(|problem| format!("{name}: {problem}")));
    }

    fn finish(self) {
        assert!(
            self.broken.is_empty(),
            "{} of {} contracts are broken:\n{}",
            self.broken.len(),
            self.checked,
            self.broken.join("\n")
        );
    }
}

fn session(project: &ProjectKey, name: &str) -> SessionKey {
    project.session(name).expect("a safe name")
}

/// Returns a new session in which `entries` are the main stream, and its epoch.
async fn written<S: SessionStore + ?Sized>(
    store: &S,
    project: &ProjectKey,
    name: &str,
    entries: &[&'static str],
) -> Result<(SessionKey, Epoch)> {
    let session = session(project, name);
    let epoch = store.fence(&session, None).await?;
    append(store, &session.main(), epoch, 0, entries).await?;
    Ok((session, epoch))
}

async fn append<S: SessionStore + ?Sized>(
    store: &S,
    stream: &StreamKey,
    epoch: Epoch,
    position: u64,
    entries: &[&'static str],
) -> Result<Position> {
    let entries = entries.iter().copied();
    let append = Append::new(epoch, Position::new(position), entries);
    store.append(stream, &append).await
}

/// Erases the idle sessions of a project, and returns them in the order of their keys.
async fn erase_idle<S: SessionStore + ?Sized>(
    store: &S,
    idle: Duration,
    project: &ProjectKey,
) -> Result<Vec<SessionKey>> {
    let erased = store.erase_idle(idle, Some(project));
    let mut erased: Vec<SessionKey> = erased.try_collect().await?;
    erased.sort();
    Ok(erased)
}

/// Returns the kind of the error of a call that must fail.
#[track_caller]
fn kind<T: std::fmt::Debug>(result: Result<T>) -> StoreErrorKind {
    match result {
        Ok(value) => panic!("expected an error, but the call returned {value:?}"),
        Err(error) => error.kind(),
    }
}
