//! A server program that runs as long as its value.

use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command, Stdio};

/// A child process that is killed and reaped when it is dropped.
pub(crate) struct Server(Child);

impl Server {
    pub(crate) fn spawn(command: &mut Command) -> Self {
        let command = command.stdin(Stdio::null()).stdout(Stdio::null());
        Self(command.stderr(Stdio::null()).spawn().unwrap())
    }

    pub(crate) fn assert_running(&mut self) {
        let status = self.0.try_wait().unwrap();
        assert!(status.is_none(), "the server exited: {status:?}");
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Returns a port of loopback that was free just now.
pub(crate) fn free_port() -> u16 {
    let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap();
    listener.local_addr().unwrap().port()
}

/// Returns a variable with the path of a program, which `cargo xtask test --ring durable` sets.
pub(crate) fn variable(name: &str) -> String {
    std::env::var(name)
        .unwrap_or_else(|_| panic!("{name} is not set; run `cargo xtask test --ring durable`"))
}
