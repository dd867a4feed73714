//! A fake CLI that plays a script; see `inhouse_testkit::fake`.

fn main() -> std::process::ExitCode {
    inhouse_testkit::fake::child_main()
}
