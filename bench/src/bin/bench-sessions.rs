//! Sessions on disk and in stores.
//!
//! ```text
//! bench-sessions write <directory> <sessions> <bytes>      writes sessions, and prints nothing
//! bench-sessions list|info|messages <directory>
//! bench-sessions mirror one-by-one|burst <entries> <bytes>
//! bench-sessions resume sqlite|<url of a PostgreSQL> <bytes> <rounds>
//! ```
//!
//! Prints the figures as one JSON object, with the processor time and the highest memory of the whole process.

#![expect(clippy::print_stdout, reason = "the program prints its result")]

use std::error::Error;
use std::path::Path;

use inhouse_bench::sessions::{self, Database};

#[tokio::main]
async fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let report = match *arguments {
        ["write", directory, count, bytes] => {
            sessions::write(Path::new(directory), count.parse()?, bytes.parse()?)?;
            return Ok(());
        }
        ["list", directory] => sessions::list(Path::new(directory)).await?,
        ["info", directory] => sessions::info(Path::new(directory)).await?,
        ["messages", directory] => sessions::messages(Path::new(directory)).await?,
        ["mirror", pace, entries, bytes] => {
            sessions::mirror(pace == "one-by-one", entries.parse()?, bytes.parse()?).await?
        }
        ["resume", database, bytes, rounds] => {
            let database = match database {
                "sqlite" => Database::Sqlite,
                url => Database::Postgres(url),
            };
            sessions::resume(database, bytes.parse()?, rounds.parse()?).await?
        }
        _ => return Err("usage: bench-sessions write|list|info|messages|mirror|resume …".into()),
    };
    println!("{report}");
    Ok(())
}
