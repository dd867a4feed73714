//! Turns of hosts with the real CLI and a scripted model, checked in the host and at the model.

mod questions;
mod turns;
mod world;
