//! Programs with `#[tool]` that compile, and programs that do not compile, with the expected errors.

mod pass;

/// Compares the compiler's output with the `.stderr` file next to each program.
/// `TRYBUILD=overwrite` updates these files.
#[test]
fn invalid_programs_fail_with_the_expected_errors() {
    trybuild::TestCases::new().compile_fail("tests/ui/fail/*.rs");
}
