//! The session functions on disk.

use std::error::Error;
use std::path::Path;
use std::time::Instant;

use inhouse::sessions::Sessions;

use super::Transcript;
use crate::report::Report;

/// Lists all sessions below a configuration directory.
///
/// # Errors
/// Returns an error if they cannot be listed.
pub async fn list(config: &Path) -> Result<Report, Box<dyn Error>> {
    let begin = Instant::now();
    let sessions = Sessions::new().config_dir(config).list().await?;
    let mut report = Report::default();
    report.set("wall_ms", begin.elapsed().as_secs_f64() * 1e3);
    report.count("sessions", sessions.len() as u64);
    report.add_process()?;
    Ok(report)
}

/// Reads the information about the first session below a configuration directory.
///
/// # Errors
/// Returns an error if there is no such session.
pub async fn info(config: &Path) -> Result<Report, Box<dyn Error>> {
    let begin = Instant::now();
    let sessions = Sessions::new().config_dir(config);
    let info = sessions.info(&Transcript::session_id(0)).await?;
    let mut report = Report::default();
    report.set("wall_ms", begin.elapsed().as_secs_f64() * 1e3);
    report.count("bytes", info.file_size.unwrap_or_default());
    report.add_process()?;
    Ok(report)
}

/// Streams the messages of the first session below a configuration directory.
///
/// # Errors
/// Returns an error if they cannot be read.
pub async fn messages(config: &Path) -> Result<Report, Box<dyn Error>> {
    let begin = Instant::now();
    let sessions = Sessions::new().config_dir(config);
    let mut messages = sessions.messages(&Transcript::session_id(0)).stream();
    let (mut count, mut text) = (0, 0);
    while let Some(message) = messages.next().await {
        count += 1;
        text += message?.text().len() as u64;
    }
    let mut report = Report::default();
    report.set("wall_ms", begin.elapsed().as_secs_f64() * 1e3);
    report.count("messages", count);
    report.count("text_bytes", text);
    report.add_process()?;
    Ok(report)
}
