//! Starts a PostgreSQL server on loopback, prints its URL and the directory of its programs, and stops it at the end of input.
//!
//! A separate program, because the test kit turns on features of tokio that would slow down what is measured.

#![expect(clippy::print_stdout, reason = "the program prints its result")]

use std::error::Error;
use std::io;

use inhouse_testkit::servers::PostgresServer;

fn main() -> Result<(), Box<dyn Error>> {
    let server = PostgresServer::start()?;
    println!("{}\n{}", server.url(), server.programs().display());
    io::copy(&mut io::stdin(), &mut io::sink())?;
    Ok(())
}
