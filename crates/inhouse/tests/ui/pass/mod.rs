//! Programs that compile without a warning. They are modules of this test, so that they cost no
//! build of their own.

mod crate_names_taken;
mod many_extractors;
mod public_api;
mod strict_lints;
