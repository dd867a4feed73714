use std::path::PathBuf;

/// Returns the path of an example of this package; `cargo test` builds the examples along with the tests.
pub(crate) fn example(name: &str) -> PathBuf {
    let test = std::env::current_exe().expect("the path of this test");
    let profile = test
        .ancestors()
        .nth(2)
        .expect("target/<profile>/deps/<test>");
    let path = profile.join("examples").join(name);
    assert!(
        path.is_file(),
        "{} is missing: run `cargo build -p inhouse --example {name}`",
        path.display()
    );
    path
}
