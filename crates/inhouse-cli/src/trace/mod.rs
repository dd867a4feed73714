//! `inhouse trace`: a recording as a page.

mod embed;
mod follow;
mod header;

use std::io::Write as _;
use std::path::{Path, PathBuf};

use anstream::eprintln;
use anyhow::{Context as _, Result, bail};
use serde::Serialize;

use crate::file::{is_same_file, private_file};
use crate::output::{bold, dim, print_json, print_line};
use embed::Written;

/// Options of `inhouse trace`.
#[derive(clap::Args)]
#[command(after_help = "\
A recording is written by a session with `Options::record(\"trace.jsonl\")`.
The page is one file without links to other servers; it contains the recording, so share both alike.")]
pub(crate) struct Arguments {
    /// The recording, a file of JSON lines
    file: PathBuf,
    /// Where to write the page; beside the recording by default, `-` for standard output
    #[arg(short, long, value_name = "FILE", conflicts_with = "follow")]
    output: Option<PathBuf>,
    /// Serve the page on 127.0.0.1, and show what the session adds to the recording
    #[arg(short, long)]
    follow: bool,
    /// The port to serve on; a free one by default
    #[arg(
        long,
        requires = "follow",
        default_value_t = 0,
        hide_default_value = true
    )]
    port: u16,
    /// Do not open a browser
    #[arg(long)]
    no_open: bool,
    /// Print the path or the address of the page as JSON
    #[arg(long)]
    json: bool,
}

/// The output of `inhouse trace --json`.
#[derive(Serialize)]
struct Report<'a> {
    #[serde(skip_serializing_if = "Option::is_none")]
    page: Option<&'a Path>,
    #[serde(skip_serializing_if = "Option::is_none")]
    url: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    events: Option<u64>,
}

pub(crate) async fn run(arguments: Arguments) -> Result<()> {
    if arguments.follow {
        return follow(&arguments).await;
    }
    if arguments
        .output
        .as_deref()
        .is_some_and(|path| path == Path::new("-"))
    {
        let mut stdout = std::io::stdout().lock();
        warn(&embed::write(&arguments.file, &mut stdout)?);
        return stdout.flush().map_err(Into::into);
    }
    let (page, written) = write(&arguments)?;
    warn(&written);
    if arguments.json {
        print_json(&Report {
            page: Some(&page),
            url: None,
            events: Some(written.events),
        })?;
    } else {
        let count = dim(events(written.events));
        print_line(format!("{} {count}", bold(page.display())))?;
    }
    show(&arguments, &page.to_string_lossy());
    Ok(())
}

async fn follow(arguments: &Arguments) -> Result<()> {
    let server = follow::Server::bind(&arguments.file, arguments.port).await?;
    let url = server.url();
    if arguments.json {
        print_json(&Report {
            page: None,
            url: Some(&url),
            events: None,
        })?;
    } else {
        print_line(format!("{} {}", bold(&url), dim("press Ctrl+C to stop")))?;
        if !arguments.file.exists() {
            let file = arguments.file.display();
            print_line(format!("{file} does not exist yet: waiting"))?;
        }
    }
    show(arguments, &url);
    server.run().await
}

/// Writes the page to the path that was given, beside the recording, or to a temporary file if that is not possible.
fn write(arguments: &Arguments) -> Result<(PathBuf, Written)> {
    // Read and checked before anything is written.
    let mut page = Vec::new();
    let written = embed::write(&arguments.file, &mut page)?;
    let target = match &arguments.output {
        Some(output) => output.clone(),
        None => arguments.file.with_extension("html"),
    };
    if is_same_file(&target, &arguments.file) {
        bail!("the page would replace the recording; name another file with `--output`");
    }
    match private_file(&target).and_then(|mut file| file.write_all(&page)) {
        Ok(()) => Ok((std::path::absolute(&target)?, written)),
        Err(error) if arguments.output.is_some() => {
            Err(error).with_context(|| format!("cannot write {}", target.display()))
        }
        Err(_) => {
            let mut file = tempfile::Builder::new()
                .prefix("inhouse-trace-")
                .suffix(".html")
                .tempfile()
                .context("cannot write the page; name a file with `--output`")?;
            file.write_all(&page)?;
            Ok((file.into_temp_path().keep()?, written))
        }
    }
}

fn warn(written: &Written) {
    if let Some(line) = written.torn {
        eprintln!(
            "warning: line {line} is incomplete and is ignored; the recording has no end yet, or its host was killed"
        );
    }
}

/// Opens the page in a browser. Without one, the printed path is enough.
fn show(arguments: &Arguments, page: &str) {
    if arguments.no_open {
        return;
    }
    if let Err(error) = open::that_detached(page) {
        eprintln!("cannot open a browser ({error}): open {page} yourself");
    }
}

fn events(count: u64) -> String {
    match count {
        1 => "1 event".to_owned(),
        count => format!("{count} events"),
    }
}
