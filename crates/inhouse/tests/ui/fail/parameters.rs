#![allow(unused)]

use inhouse::tool;
use inhouse::tool::{CallId, Input, State};

/// Has attributes that say too little.
#[tool]
async fn attributes(
    #[default(1)] a: u8,
    #[rename] b: u8,
    #[rename = 1] c: u8,
    #[default] #[default = 1] d: u8,
    #[rename = "x"] #[rename = "y"] e: u8,
    #[cfg(unix)] f: u8,
    #[doc = concat!("g")] g: u8,
) {
}

/// Has attributes where they say nothing.
#[tool]
async fn extractors(
    /// The id of the call
    CallId(id): CallId,
    #[extract] State(state): State<u8>,
    #[extract] #[rename = "number"] more: State<u8>,
) {
}

/// Has one name twice.
#[tool]
async fn twice(a: u8, #[rename = "a"] b: u8) {}

/// Has its arguments in two places.
#[tool]
async fn both(Input(text): Input<String>, a: u8) {}

/// Has too much.
#[tool]
async fn too_much(
    _: CallId,
    _: CallId,
    _: CallId,
    _: CallId,
    _: CallId,
    _: CallId,
    _: CallId,
    _: CallId,
    a: u8,
) {
}

fn main() {}
