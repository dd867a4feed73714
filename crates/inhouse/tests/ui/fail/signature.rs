#![allow(unused)]

use inhouse::tool;

/// Echo.
#[tool]
async fn generic<T: Default>(value: T) {}

/// Borrow.
#[tool]
async fn lifetime<'a>(value: std::borrow::Cow<'a, str>) {}

/// Bound.
#[tool]
async fn bound(value: u8)
where
    u8: Copy,
{
}

/// Trust.
#[tool]
unsafe fn trust() {}

/// Two at once.
#[tool(blocking)]
async fn blocking() {}

/// Measure.
#[tool]
async fn größe() {}

fn main() {}
