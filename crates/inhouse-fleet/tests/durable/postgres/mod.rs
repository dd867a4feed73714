//! PostgreSQL.

mod battery;
mod broken_hosts;
mod claims;
mod connections;
mod example;
mod health;
mod hosts;
mod locks;
mod managing;
#[cfg(feature = "opentelemetry")]
mod metrics;
mod notifications;
mod order;
mod outages;
mod questions;
mod schema;
mod simulation;
mod status;
mod support;
mod takeovers;
mod tenants;
mod watching;
