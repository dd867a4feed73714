//! Compares the escaping of tool results with `serde_json`.
//!
//! ```text
//! cargo run --release -p inhouse-bench --example escape_speed
//! ```

#![expect(clippy::print_stdout, reason = "the program prints its result")]

use std::hint::black_box;
use std::time::Instant;

use inhouse_proto::mcp::{CallToolResult, result_payload};

const PROSE: &str =
    "It is a truth universally acknowledged, that a benchmark must be in want of.\n";
const CODE: &str = "        let value = map.get(\"name\").copied().unwrap_or_default();\n";

/// Lengths of the texts in bytes.
const LENGTHS: [usize; 3] = [100, 4 * 1024, 1024 * 1024];

/// Number of bytes that one measurement escapes.
const BYTES: usize = 50_000_000;

const ROUNDS: usize = 5;

fn main() {
    for (name, line) in [("prose", PROSE), ("code", CODE)] {
        for length in LENGTHS {
            let text: String = line.chars().cycle().take(length).collect();
            let result = CallToolResult::text(text);
            let own = best_time(length, || {
                black_box(result_payload("7", result.clone()).expect("JSON"));
            });
            let serde = best_time(length, || {
                black_box(serde_json::to_vec(&result.clone()).expect("JSON"));
            });
            println!(
                "{name:<6} {length:>6} bytes: {own:>7.2} µs, serde_json {serde:>7.2} µs, {:.1} ×",
                serde / own
            );
        }
    }
}

/// Returns the microseconds of one call in the fastest round, because other work on the machine only adds to a time.
fn best_time(length: usize, call: impl Fn()) -> f64 {
    let calls = BYTES / length;
    let rounds = (0..ROUNDS).map(|_| {
        let begin = Instant::now();
        for _ in 0..calls {
            call();
        }
        begin.elapsed().as_secs_f64() * 1e6 / calls as f64
    });
    rounds.fold(f64::INFINITY, f64::min)
}
