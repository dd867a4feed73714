//! Stores for sessions that outlive the machine they ran on.
//!
//! The transcript of a session is a list of entries, one line of JSON each. A [`SessionStore`] keeps these lists, with the
//! files that belong to them. [`Leases`] say which host may run a session, and a [`Journal`] records tool calls before they
//! run and before they are answered. The traits are small and object-safe, so an application can bring its own store; the battery
//! `inhouse_testkit::store_battery` checks one.
//!
//! This crate is for applications that keep the sessions of `inhouse` outside of the machine, and for authors of stores. The traits, their
//! types and the stores follow semantic versioning. The layout of the data is internal: a newer version may change it, and an older one refuses
//! to open it then. `inhouse` uses the leases and the journal of a store that has them.
//!
//! # Adapters
//!
//! Each adapter is behind a feature. Without features this crate has only the traits and their types.
//!
//! | feature | type | [`SessionStore`] | [`Leases`] | [`Journal`] | for |
//! |---|---|---|---|---|---|
//! | `memory` | `MemoryStore` | yes | yes | yes | tests |
//! | `sqlite` | `SqliteStore` | yes | yes | yes | one machine: a file, no server |
//! | `postgres` | `PostgresStore` | yes | yes | yes | many hosts |
//! | `object` | `ObjectStore` | yes | no | no | S3, Azure, GCS or a directory, through the crate `object_store` |
//! | `encrypt` | `EncryptedStore` | yes | if the store inside has them | if the store inside has it | encryption: a wrapper around any of these, or around your own |
//!
//! Object stores have no clock and no transaction over several objects, so leases and journal need SQL. The two can be combined:
//! leases and journal in PostgreSQL, entries in an object store, under the same epochs (see [`SessionStore::fence`]).
//!
//! The features `sqlite` and `postgres` need Rust 1.94, which sqlx requires; everything else needs Rust 1.89.
//!
//! # One writer, and a fence against all others
//!
//! A session has one writer at a time. The writer holds an [`Epoch`], a number that grows with every new owner, and every write names it.
//! A store checks the epoch and writes in one atomic step, so a host that was stopped, lost its lease and wakes up again cannot write: it gets
//! [`StoreErrorKind::Fenced`].
//!
//! The writer numbers the entries of each stream. An append that is repeated because its acknowledgement was lost finds its positions
//! taken and changes nothing, also for entries without an id. An append that would leave a gap fails.
//!
#![cfg_attr(feature = "memory", doc = "```")]
#![cfg_attr(not(feature = "memory"), doc = "```text")]
//! use inhouse_store::memory::MemoryStore;
//! use inhouse_store::{Append, Position, SessionKey, SessionStore, StoreErrorKind};
//!
//! # #[tokio::main(flavor = "current_thread")]
//! # async fn main() -> inhouse_store::Result<()> {
//! let store = MemoryStore::new();
//! let session = SessionKey::new("-srv-agent", "7f6c2a4e-3c1f-4f0a-9d57-0a4b8f1c2d3e")?;
//! let main = session.main();
//!
//! let epoch = store.fence(&session, None).await?;
//! let append = Append::new(epoch, Position::START, [r#"{"type":"user"}"#, r#"{"type":"assistant"}"#]);
//! assert_eq!(store.append(&main, &append).await?, Position::new(2));
//! assert_eq!(store.append(&main, &append).await?, Position::new(2)); // a retry changes nothing
//! assert_eq!(store.read(&main).await?.len(), 2);
//!
//! store.fence(&session, None).await?; // a new owner
//! let late = Append::new(epoch, Position::new(2), [r#"{"type":"user"}"#]);
//! let error = store.append(&main, &late).await.unwrap_err();
//! assert_eq!(error.kind(), StoreErrorKind::Fenced);
//! # Ok(()) }
//! ```
//!
//! # Cancellation
//!
//! Every future of these traits may be dropped at any time. The call happens completely or not at all, perhaps later, when a server comes to
//! it. An erasure of a [project](Erase::Project) is the exception: each of its sessions is erased completely or not at all. Calls that write are
//! idempotent, so the caller repeats the call to find out. A [`fence`](SessionStore::fence) or an
//! [`acquire`](Leases::acquire) that takes effect after its repetition does not take the session from it.

#![cfg_attr(docsrs, feature(doc_cfg))]

mod append;
mod erase;
mod error;
mod journal;
mod key;
mod lease;
mod list;
mod store;

#[cfg(any(feature = "sqlite", feature = "object"))]
mod compress;
#[cfg(feature = "encrypt")]
pub mod encrypt;
#[cfg(feature = "memory")]
pub mod memory;
#[cfg(feature = "object")]
pub mod object;
#[cfg(feature = "postgres")]
pub mod postgres;
#[cfg(any(feature = "sqlite", feature = "postgres"))]
mod sql;
#[cfg(feature = "sqlite")]
pub mod sqlite;

pub use append::{Append, Epoch, Position};
pub use erase::Erase;
pub use error::{Result, StoreError, StoreErrorKind};
pub use journal::{Intent, Journal, JournaledCall};
pub use key::{FilePath, ProjectKey, SessionKey, StreamKey};
pub use lease::{Lease, Leases};
pub use list::{FileInfo, Page, PageToken, SessionInfo, SessionPage};
pub use store::{EntryStream, ErasedStream, SessionStore};

pub use async_trait::async_trait;
pub use bytes::Bytes;
