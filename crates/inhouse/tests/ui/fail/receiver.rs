#![allow(unused)]

use inhouse::tool;

struct Calc;

impl Calc {
    /// Add.
    #[tool]
    async fn add(&self, a: f64, b: f64) -> f64 {
        a + b
    }
}

fn main() {}
