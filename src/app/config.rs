//! `config`: whether the configuration can be used, and what is in force.

use serde_json::{Value, json};

use super::surroundings::{interface, present_dir, settings, tell_misconfigured};
use crate::cli::{ConfigVerb, Console, Exit, Fault, Global};
use crate::model::{CommandSpec, Mode, RunSpec, show_span, shown};
use crate::settings::{Notify, Settings, default_toml, schema, show_bytes};
use crate::tui;

/// Does what a verb about the configuration says.
///
/// # Errors
/// The present folder cannot be used, or the output not be written.
pub(super) fn perform(verb: ConfigVerb, global: &Global, console: &mut Console) -> Result<Exit, Fault> {
    if verb == ConfigVerb::Default {
        console.bytes(default_toml().as_bytes())?;
        return Ok(Exit::DONE);
    }
    if verb == ConfigVerb::Schema {
        console.bytes(format!("{:#}\n", schema(&tui::names())).as_bytes())?;
        return Ok(Exit::DONE);
    }
    let found = match settings(global, &present_dir()?) {
        Ok(found) => found,
        Err(error) => return Ok(tell_misconfigured(&error, console)),
    };
    if let Err(error) = interface(&found) {
        return Ok(tell_misconfigured(&error, console));
    }
    match verb {
        ConfigVerb::Check => check(&found, console)?,
        ConfigVerb::Show => show(&found, console)?,
        ConfigVerb::Path | ConfigVerb::Default | ConfigVerb::Schema => path(&found, console)?,
    }
    Ok(Exit::DONE)
}

fn files(found: &Settings) -> Vec<String> {
    found.files.iter().map(shown).collect()
}

fn check(found: &Settings, console: &mut Console) -> Result<(), Fault> {
    if console.look.json {
        return console.json(&json!({ "ok": true, "files": files(found), "tasks": found.tasks.len() }));
    }
    let from = match files(found) {
        files if files.is_empty() => "no file, the defaults".to_owned(),
        files => files.join(", "),
    };
    let noun = if found.tasks.len() == 1 { "task" } else { "tasks" };
    console.line(&format!("ok: {from}; {} {noun}", found.tasks.len()))
}

fn path(found: &Settings, console: &mut Console) -> Result<(), Fault> {
    if console.look.json {
        return console.json(&json!({ "files": files(found), "project_dir": shown(&found.project_dir) }));
    }
    if found.files.is_empty() {
        console.note("no file was read: the defaults are in force");
    }
    files(found).iter().try_for_each(|file| console.line(file))
}

fn show(found: &Settings, console: &mut Console) -> Result<(), Fault> {
    let document = in_force(found);
    if console.look.json {
        return console.json(&document);
    }
    let Value::Object(sections) = &document else { return Ok(()) };
    for (section, keys) in sections {
        let Value::Object(keys) = keys else { continue };
        if section == "tasks" {
            for (name, task) in keys {
                console.line(&format!("\n[tasks.\"{name}\"]"))?;
                task.as_object()
                    .into_iter()
                    .flatten()
                    .try_for_each(|(key, value)| console.line(&format!("{key} = {value}")))?;
            }
            continue;
        }
        console.line(&format!("[{section}]"))?;
        keys.iter()
            .filter(|(_, value)| !value.is_null())
            .try_for_each(|(key, value)| console.line(&format!("{key} = {value}")))?;
        console.line("")?;
    }
    Ok(())
}

/// Returns what is in force, with the keys of the file. The values of variables are left out: they may be secrets.
fn in_force(found: &Settings) -> Value {
    let Settings { limits, defaults, output, redact, store, retention, tui, keys, theme, tasks, .. } = found;
    let tasks: serde_json::Map<_, _> = tasks
        .iter()
        .map(|task| (task.name.to_string(), task_json(&task.spec, task.autostart, &task.place.to_string())))
        .collect();
    json!({
        "limits": {
            "runs": limits.runs, "pty_runs": limits.pty_runs, "scrollback_lines": limits.scrollback_lines,
            "output_drain": show_span(limits.output_drain), "kept_runs": limits.kept_runs,
        },
        "defaults": {
            "mode": mode(defaults.mode), "shell": defaults.shell.as_ref().map(shown),
            "size": defaults.size.to_string(), "grace": show_span(defaults.grace),
        },
        "output": {
            "max_log_bytes": show_bytes(output.max_log_bytes), "flush_interval": show_span(output.flush_interval),
            "redact_logs": output.redact_logs,
        },
        "redact": { "patterns": redact.patterns },
        "store": { "strict": store.strict },
        "retention": {
            "runs": retention.runs, "days": retention.days, "log_bytes": show_bytes(retention.log_bytes),
        },
        "tui": {
            "attach_key": tui.attach_key.to_string(), "mouse": tui.mouse, "layout": tui.layout.word(),
            "usage": tui.usage, "notify": tui.notify.iter().map(Notify::word).collect::<Vec<_>>(),
            "hold": show_span(tui.hold.unwrap_or_default()),
        },
        "keys": { "preset": keys.preset.word() },
        "theme": { "name": theme.name.word() },
        "tasks": tasks,
    })
}

fn mode(mode: Mode) -> &'static str {
    match mode {
        Mode::Pipes => "pipes",
        Mode::Pty => "pty",
    }
}

fn task_json(spec: &RunSpec, autostart: bool, place: &str) -> Value {
    let mut task = json!({
        "mode": mode(spec.mode), "cwd": shown(&spec.cwd), "autostart": autostart, "defined": place,
        "grace": show_span(spec.stop.grace),
    });
    match &spec.command {
        CommandSpec::Shell { line, .. } => task["run"] = shown(line).into(),
        CommandSpec::Argv(argv) => task["argv"] = argv.iter().map(shown).collect::<Vec<_>>().into(),
    }
    if let Some(timeout) = spec.timeouts.wall {
        task["timeout"] = show_span(timeout).into();
    }
    if let Some(idle) = spec.timeouts.idle {
        task["idle_timeout"] = show_span(idle).into();
    }
    let names: Vec<String> = spec.env.set.iter().map(|(name, _)| shown(name)).collect();
    if !names.is_empty() {
        task["env"] = names.into();
    }
    task
}
