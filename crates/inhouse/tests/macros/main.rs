//! `#[tool]` on functions, parameters and impl blocks.

mod blocking;
mod extractors;
mod functions;
mod parameters;
mod scopes;
mod servers;
mod settings;
