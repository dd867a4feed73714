//! `#[tool]`: what it makes of functions, of their parameters, and of impl blocks.

mod blocking;
mod extractors;
mod functions;
mod parameters;
mod scopes;
mod servers;
mod settings;
