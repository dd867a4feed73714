//! Serves the tools of the ring `foreign` over stdio.

mod tools;

#[tokio::main(flavor = "current_thread")]
async fn main() -> inhouse::Result<()> {
    tools::server().serve_stdio().await
}
