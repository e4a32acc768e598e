//! The configuration files and examples of the repository: they are what the code says, and they work.

mod schema;

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use shtask::launch::{RunIdentity, local};
use shtask::model::{Mode, RunId};
use shtask::settings::{LoadRequest, Settings, SettingsError, default_toml, load, sections};

/// Set to make the generated files anew in place of comparing them (`just docs`).
const UPDATE: &str = "UPDATE_GENERATED";

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Loads a file with a home of its own, so that nothing of the machine's user is read.
fn load_file(path: &Path) -> Result<Settings, SettingsError> {
    let home = tempfile::tempdir().expect("tempdir");
    let env = |name: &str| (name == "HOME").then(|| home.path().into());
    load(LoadRequest { start_dir: root(), env: &env, config: Some(path) })
}

#[test]
fn the_committed_default_configuration_is_made_from_the_code() {
    let path = root().join("config/default.toml");
    if std::env::var_os(UPDATE).is_some() {
        std::fs::write(&path, default_toml()).expect("config/default.toml");
    }
    let committed = std::fs::read_to_string(&path).expect("config/default.toml");
    assert!(committed == default_toml(), "config/default.toml is out of date: run `just docs`");
}

#[test]
fn every_task_of_the_demo_can_be_started() {
    let settings = load_file(&root().join("config/demo.toml")).expect("config/demo.toml");
    let base: Arc<Vec<(OsString, OsString)>> = Arc::new(vec![("PATH".into(), "/usr/bin:/bin".into())]);
    let specs = settings.task_specs(&base);
    assert!(specs.len() >= 5);
    for (name, spec, _) in specs {
        let session = "demo".parse().expect("session");
        let identity = RunIdentity { id: RunId::from_bits([0; 10]), session, name: Some(name.clone()), generation: 1 };
        let run = local(&spec, &identity).unwrap_or_else(|failure| panic!("{name}: {failure}"));
        if let Some(script) =
            run.argv.iter().map(PathBuf::from).find(|word| word.extension().is_some_and(|end| end == "sh"))
        {
            let checked = Command::new("sh").arg("-n").arg(run.cwd.join(&script)).status().expect("sh");
            assert!(checked.success(), "{} is no script", script.display());
        }
    }
}

#[test]
fn the_demo_has_one_task_of_each_kind() {
    let tasks = load_file(&root().join("config/demo.toml")).expect("config/demo.toml").tasks;
    let is_limited = |mode| tasks.iter().any(|task| task.spec.mode == mode && task.spec.timeouts.wall.is_some());
    assert!(is_limited(Mode::Pipes), "a pipes job with a timeout");
    for name in ["shell", "logs", "comets", "stubborn"] {
        assert!(tasks.iter().any(|task| task.name.as_str() == name && task.autostart), "{name}");
    }
}

#[test]
fn the_documentation_has_every_key_and_every_default() {
    let text = std::fs::read_to_string(root().join("docs/configuration.md")).expect("docs/configuration.md");
    for section in sections() {
        let heading = format!("`[{}]`", section.heading);
        let part = text.split("\n## ").find(|part| part.starts_with(&heading));
        let part = part.unwrap_or_else(|| panic!("docs/configuration.md has no part {heading}"));
        for entry in section.entries {
            let start = format!("| `{}` |", entry.name);
            let line = part.lines().find(|line| line.starts_with(&start));
            let line =
                line.unwrap_or_else(|| panic!("docs/configuration.md does not have {} of {heading}", entry.name));
            if entry.is_default {
                assert!(
                    line.contains(&format!("| `{}` |", entry.value)),
                    "the default of {} is {}",
                    entry.name,
                    entry.value
                );
            }
        }
    }
}

#[test]
fn every_example_in_the_documentation_is_valid() {
    let folder = tempfile::tempdir().expect("tempdir");
    let mut count = 0;
    for name in ["README.md", "docs/configuration.md", "docs/running.md", "docs/tui.md"] {
        let text = std::fs::read_to_string(root().join(name)).expect(name);
        for (number, block) in text.split("```toml\n").skip(1).enumerate() {
            let example = block.split("```").next().expect("the end of the example");
            // What belongs into the user's own file would be refused in a project's.
            let is_own = example.contains("[tui]") || example.contains("[keys") || example.contains("[theme");
            let path = folder.path().join(if is_own { "shtask/config.toml" } else { "shtask.toml" });
            std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
            std::fs::write(&path, example).expect("the example");
            let env = |name: &str| (is_own && name == "XDG_CONFIG_HOME").then(|| folder.path().into());
            let config = (!is_own).then_some(path.as_path());
            let loaded = load(LoadRequest { start_dir: Path::new("/"), env: &env, config });
            assert!(loaded.is_ok(), "example {} of {name}: {}", number + 1, loaded.expect_err("a wrong example"));
            count += 1;
        }
    }
    assert!(count >= 3, "the documentation has examples");
}
