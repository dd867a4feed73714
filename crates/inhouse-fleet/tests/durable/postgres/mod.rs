//! PostgreSQL.

mod battery;
mod claims;
mod example;
mod hosts;
mod managing;
mod notifications;
mod order;
mod questions;
mod schema;
mod support;
mod tenants;
mod watching;
