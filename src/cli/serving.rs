//! `server` and `session ls`: the server itself.

use std::time::{Duration, Instant};

use serde_json::json;

use super::console::Console;
use super::exit::{Exit, Fault};
use super::facts::{short_span, time};
use super::table::{Table, TableCell};
use crate::api::{RunsAtStop, Server, ServerStatus, StopServer};
use crate::model::{ErrorCode, shown};

/// How long the next server may take to come.
const UPGRADE_TIMEOUT: Duration = Duration::from_secs(30);

/// The pause between two looks whether it is there.
const LOOK_INTERVAL: Duration = Duration::from_millis(20);

/// Tells how the server is.
///
/// # Errors
/// There is none, or it does not answer.
pub async fn server_status(server: &dyn Server, console: &mut Console) -> Result<Exit, Fault> {
    let status = server.status().await?;
    if console.look.json {
        let mut document = json!(status);
        document["started_at"] = time(status.started_at).into();
        document["uptime_ms"] = u64::try_from(status.uptime.as_millis()).unwrap_or(u64::MAX).into();
        if let Some(object) = document.as_object_mut() {
            object.remove("uptime");
        }
        console.json(&document)?;
        return Ok(Exit::DONE);
    }
    let ServerStatus {
        pid,
        version,
        protocol,
        started_at,
        uptime,
        socket,
        state_dir,
        connections,
        live_runs,
        sessions,
    } = status;
    let mut table = Table::new(["", ""]);
    for (key, value) in [
        ("version", format!("{version}, protocol {protocol}")),
        ("process", pid.to_string()),
        ("started", format!("{}, {} ago", time(started_at), short_span(uptime))),
        ("socket", shown(socket)),
        ("state", shown(state_dir)),
        ("clients", connections.to_string()),
        ("live runs", live_runs.to_string()),
        ("sessions", sessions.len().to_string()),
    ] {
        table.row([key.into(), value.into()]);
    }
    console.table(&table)?;
    Ok(Exit::DONE)
}

/// Lists the sessions that the server knows.
///
/// # Errors
/// There is none, or it does not answer.
pub async fn session_list(server: &dyn Server, console: &mut Console) -> Result<Exit, Fault> {
    let sessions = server.status().await?.sessions;
    if console.look.json {
        console.json(&json!({ "sessions": sessions }))?;
        return Ok(Exit::DONE);
    }
    let mut table = Table::new(["SESSION", "LIVE", "RUNS"]);
    for found in &sessions {
        let cells = [found.session.to_string(), found.live_runs.to_string(), found.runs.to_string()];
        table.row(cells.map(TableCell::from));
    }
    console.table(&table)?;
    Ok(Exit::DONE)
}

/// Ends the server and has the next one take its runs up. The client makes its connection anew, to a server that is started for it.
///
/// # Errors
/// There is none, or the next one does not come.
pub async fn server_upgrade(server: &dyn Server, console: &mut Console) -> Result<Exit, Fault> {
    let before = server.status().await?;
    let left_running = match server.stop_server(StopServer { runs: RunsAtStop::Leave }).await {
        Ok(stopped) => stopped.left_running,
        // It ended before its answer was out: whether the next one comes shows below.
        Err(failure) if failure.code == ErrorCode::Unavailable => before.live_runs,
        Err(failure) => return Err(failure.into()),
    };
    let end = Instant::now() + UPGRADE_TIMEOUT;
    let after = loop {
        match server.status().await {
            Ok(status) if status.pid != before.pid => break status,
            Err(failure) if !failure.retryable || Instant::now() > end => return Err(failure.into()),
            // It says its last words, or the next one is on its way.
            Ok(_) | Err(_) => tokio::time::sleep(LOOK_INTERVAL).await,
        }
    };
    if console.look.json {
        console.json(&json!({ "before": before, "after": after, "left_running": left_running }))?;
    } else {
        let noun = if left_running == 1 { "run goes" } else { "runs go" };
        let (old, new) = (shown(&before.version), shown(&after.version));
        let text =
            format!("server {new} (process {}) has taken the place of {old} (process {})", after.pid, before.pid);
        console.line(&format!("{text}; {left_running} {noun} on"))?;
    }
    Ok(Exit::DONE)
}

/// Ends all runs and the server.
///
/// # Errors
/// There is none, or it does not answer.
pub async fn server_stop(server: &dyn Server, console: &mut Console) -> Result<Exit, Fault> {
    let stopped = server.stop_server(StopServer { runs: RunsAtStop::End }).await?;
    let report = &stopped.report;
    if console.look.json {
        console.json(&json!({ "ended": report.ended, "left": report.left }))?;
    } else {
        let runs = match report.ended {
            0 => "; nothing was running".to_owned(),
            1 => ", and 1 run with it".to_owned(),
            count => format!(", and {count} runs with it"),
        };
        console.line(&format!("the server has ended{runs}"))?;
        for (run, left) in &report.left {
            console.line(&format!("{}: process {} is left: {}", run.short(), left.pid, shown(&left.why)))?;
        }
    }
    Ok(if report.left.is_empty() { Exit::DONE } else { Exit::FAILED })
}
