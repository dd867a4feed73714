//! Programs that compile without a warning. They are modules of this test, which saves a separate
//! build of each.

mod crate_names_taken;
mod many_extractors;
mod public_api;
mod strict_lints;
