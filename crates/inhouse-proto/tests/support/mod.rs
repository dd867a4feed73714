//! What several test binaries share.

use serde_json::Value;

/// Whether two values say the same, with numbers compared by value: `0` is `0.0`.
pub(crate) fn deep_equal(left: &Value, right: &Value) -> bool {
    match (left, right) {
        (Value::Number(left), Value::Number(right)) => {
            left == right || left.as_f64() == right.as_f64()
        }
        (Value::Array(left), Value::Array(right)) => {
            left.len() == right.len()
                && left
                    .iter()
                    .zip(right)
                    .all(|(left, right)| deep_equal(left, right))
        }
        (Value::Object(left), Value::Object(right)) => {
            left.len() == right.len()
                && left.iter().all(|(name, left)| {
                    right.get(name).is_some_and(|right| deep_equal(left, right))
                })
        }
        (left, right) => left == right,
    }
}

/// Fails with both values when they do not say the same.
#[track_caller]
pub(crate) fn assert_deep_equal(left: &Value, right: &Value) {
    assert!(
        deep_equal(left, right),
        "not the same:\n  {left}\n  {right}"
    );
}
