//! Serves the tools of the ring `foreign` over stdio.

mod client_tools;
mod tools;

#[tokio::main(flavor = "current_thread")]
async fn main() -> inhouse::Result<()> {
    tools::server().serve_stdio().await
}
