//! Keys as data: presets, the user's own keys, keys in a row, and what is wrong with them.

use std::path::Path;

use super::stage::{Stage, id};
use crate::settings::{KeyPreset, LoadRequest, Settings, SettingsError, load};
use crate::tui::cmd::Cmd;
use crate::tui::keymap::Keymap;
use crate::tui::keys::{Intent, Part, TABLES};
use crate::tui::model::{Focus, Overlay};

fn settings(text: &str) -> Result<Settings, SettingsError> {
    let home = tempfile::tempdir().expect("tempdir");
    std::fs::create_dir_all(home.path().join(".config/shtask")).expect("folder");
    std::fs::write(home.path().join(".config/shtask/config.toml"), text).expect("file");
    let env = |name: &str| (name == "HOME").then(|| home.path().into());
    load(LoadRequest { start_dir: Path::new("/"), env: &env, config: None })
}

pub(super) fn keymap(text: &str) -> Keymap {
    Keymap::of(&settings(text).expect("sound")).expect("a keymap")
}

/// The faults of `[keys]` as `LINE:COLUMN: MESSAGE [HINT]`.
fn faults(text: &str) -> Vec<String> {
    let problems = match settings(text) {
        Err(error) => error.problems().cloned().collect(),
        Ok(settings) => Keymap::of(&settings).expect_err("a keymap that is wrong"),
    };
    let shown = |problem: &crate::settings::Problem| {
        let text = problem.to_string();
        let text = text.split_once("config.toml:").map_or(text.as_str(), |(_, rest)| rest).to_owned();
        problem.hint.as_ref().map_or(text.clone(), |hint| format!("{text} [{hint}]"))
    };
    problems.iter().map(shown).collect()
}

fn with_keys(text: &str) -> Stage {
    let mut stage = Stage::demo((80, 24));
    stage.model.setup.keys = std::sync::Arc::new(keymap(text));
    let settings = settings(text).expect("sound");
    stage.model.setup.attach_key = settings.tui.attach_key;
    stage.asked();
    stage
}

#[test]
fn a_key_of_the_user_takes_the_place_of_the_default_ones() {
    let mut stage = with_keys("[keys.list]\nstop = ['C-k', 'f5']\nkill = false\n");
    stage.press("x X");
    assert_eq!(stage.asked(), []);
    stage.press("C-k f5");
    assert_eq!(stage.asked(), [Cmd::Stop { run: id(1), kill: false }, Cmd::Stop { run: id(1), kill: false }]);
    assert!(stage.text().contains("C-k stop"), "{}", stage.text());
    stage.press("?");
    let help = stage.text();
    assert!(help.contains("C-k F5") && !help.contains("kill the run and all"), "{help}");
}

#[test]
fn messages_name_the_keys_that_are_in_force() {
    let mut stage = with_keys("[keys.list]\nrestart = 'f9'\n");
    stage.press("s");
    assert!(stage.notice().contains("f9") || stage.notice().contains("F9"), "{}", stage.notice());
}

#[test]
fn keys_in_a_row_wait_in_the_status_line_and_esc_gives_them_up() {
    let mut stage = with_keys("[keys.list]\nstop = ', s x'\n");
    stage.press(", s");
    assert!(stage.text().lines().last().expect("a line").starts_with(" , s …"), "{}", stage.text());
    stage.press("escape x");
    assert_eq!(stage.asked(), []);
    stage.press(", s x");
    assert_eq!(stage.asked(), [Cmd::Stop { run: id(1), kill: false }]);
    stage.press(", y");
    assert_eq!(stage.notice(), ", y means nothing here");
    stage.press("j");
    assert_eq!(stage.model.list.selected_index(), Some(1), "the next key is one of its own again");
}

#[test]
fn a_key_with_two_meanings_is_an_error_with_both_names() {
    assert_eq!(
        faults("[keys.list]\nstop = 'r'\n"),
        [
            "2:8: \"r\" in [keys.list] is both `stop` and `restart` [`restart` has it by default: give it another key, or \
         `restart = false`]"
        ]
    );
    let both = faults("[keys.list]\nstop = 'f7'\nkill = ['X', 'f7']\n");
    assert_eq!(both.len(), 1, "{both:?}");
    assert!(
        both[0].starts_with("3:14: \"f7\" in [keys.list] is both `kill` and `stop` [the other one is at"),
        "{both:?}"
    );
    assert!(both[0].ends_with(":2:8]"), "{both:?}");
    let begin = faults("[keys.list]\nstop = 'g s'\n");
    assert!(begin[0].starts_with("2:8: \"g s\" (`stop`) and \"g\" (`first`) in [keys.list] begin alike"), "{begin:?}");
    assert_eq!(faults("[keys.list]\nstop = 'C-a'\n").len(), 1, "the attach key");
    keymap("[keys.list]\nstop = 'r'\nrestart = 'x'\n");
    keymap("[keys.scroll]\nup = 'r'\n");
}

#[test]
fn what_is_unknown_gets_the_nearest_name() {
    let fault = |text| faults(text).into_iter().next().expect("a fault");
    assert_eq!(fault("[keys.list]\nsotp = 'f5'\n"), "2:1: `sotp` is no action of [keys.list] [did you mean `stop`?]");
    assert_eq!(fault("[keys.lst]\nstop = 'f5'\n"), "1:7: `lst` is no part of the interface [did you mean `list`?]");
    assert!(fault("[keys.list]\nstop = 'C-pageupp'\n").ends_with("[did you mean \"C-pageup\"?]"));
    assert!(fault("[keys.list]\nstop = 'C-m'\n").contains("cannot be told from \"enter\""));
    assert!(fault("[keys]\npreset = 'emacs'\n").contains("default, mprocs, tmux and vim"));
    assert!(fault("[keys]\npresett = 'vim'\n").contains("did you mean `preset`?"));
    assert!(fault("[keys.list]\nstop = true\n").contains("or false for none"));
    assert!(fault("[keys.new-run]\naccept = 'a'\n").contains("it is typed there"));
    assert!(fault("[keys.list]\nstop = ''\n").contains("is no key"));
}

#[test]
fn every_preset_is_sound_and_leaves_no_way_closed() {
    for preset in KeyPreset::ALL {
        let text = format!("[keys]\npreset = '{preset}'\n");
        keymap(&text);
        let keymap = Keymap::preset(preset);
        for (part, intent) in [
            (Part::List, Intent::Leave),
            (Part::List, Intent::Help),
            (Part::List, Intent::Attach),
            (Part::List, Intent::NewRun),
            (Part::List, Intent::Stop),
            (Part::List, Intent::Detach),
            (Part::Scroll, Intent::Back),
        ] {
            assert!(keymap.label(part, intent).is_some(), "{preset}: {intent:?}");
        }
        for change in crate::tui::presets::changes(preset) {
            let table = crate::tui::keys::table_of(change.part);
            assert!(table.bindings.iter().any(|binding| binding.intent == change.intent), "{preset}: {change:?}");
            assert_eq!(keymap.labels(change.part, change.intent).len(), change.keys.len(), "{preset}: {change:?}");
        }
        // Keys that are given to two actions would hide one of them.
        for table in TABLES {
            let all: Vec<String> =
                table.bindings.iter().flat_map(|binding| keymap.labels(table.part, binding.intent)).collect();
            let mut once = all.clone();
            once.sort();
            once.dedup();
            assert_eq!(once.len(), all.len(), "{preset} in {}", table.title);
        }
    }
}

#[test]
fn vim_goes_to_the_ends_and_clears_by_two_keys() {
    let mut stage = with_keys("[keys]\npreset = 'vim'\n");
    stage.press("G");
    assert_eq!(stage.model.list.selected_index(), Some(5));
    stage.press("d d");
    assert!(stage.asked().contains(&Cmd::Forget(id(5))));
    stage.press("g g");
    assert_eq!(stage.model.list.selected_index(), Some(0));
    stage.press("i");
    assert_eq!(stage.model.focus, Focus::Attached);
}

#[test]
fn the_prefix_of_tmux_works_in_the_list_and_as_the_attach_key_in_runs() {
    let mut stage = with_keys("[keys]\npreset = 'tmux'\n");
    stage.press("C-b c");
    assert!(matches!(stage.model.overlay, Some(Overlay::Prompt(_))));

    let mut stage = with_keys("[keys]\npreset = 'tmux'\n[tui]\nattach_key = 'C-b'\n");
    stage.press("enter");
    stage.press("C-b n");
    assert_eq!((stage.model.focus, stage.model.list.selected_index()), (Focus::List, Some(1)));
    stage.press("enter");
    stage.asked();
    stage.press("C-b C-b");
    assert_eq!(stage.model.focus, Focus::Attached);
    assert!(stage.asked().iter().any(|cmd| matches!(cmd, Cmd::Control { run, .. } if *run == id(2))));
    stage.press("C-b k");
    assert_eq!(stage.model.list.selected_index(), Some(0), "a key that the prefix does not know is one of the list's");
    stage.pass(std::time::Duration::from_secs(5)).press("C-b C-b");
    assert_eq!(stage.model.focus, Focus::Attached, "twice in the list it attaches");
}
