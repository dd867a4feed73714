//! Engines on real servers, which the tests start on loopback.
#![cfg(all(feature = "postgres", unix))]

mod postgres;
