//! Programs with `#[tool]` that compile, and programs that do not and are told why.

mod pass;

/// What the compiler says is written in the file beside each program. `TRYBUILD=overwrite` writes it
/// anew.
#[test]
fn mistakes_are_explained() {
    trybuild::TestCases::new().compile_fail("tests/ui/fail/*.rs");
}
