//! Looking back.

use super::super::cmd::Cmd;
use super::super::keys::Intent;
use super::super::model::{Focus, Model};
use super::{menus, reading, show};

/// Freezes the view where it is, and gives the keys to it.
pub(super) fn enter(model: &mut Model) {
    if model.pane.run.is_none() {
        let name = model.selected_name();
        return model.inform(if name.is_empty() {
            format!("there is no output yet; {} starts a new run", model.key(Intent::NewRun))
        } else {
            format!("{name} was not started yet: there is no output")
        });
    }
    model.inspect = None;
    model.focus = Focus::Scroll;
    model.pane.stop_view(height(model));
}

pub(super) fn act(model: &mut Model, intent: Intent, cmds: &mut Vec<Cmd>) {
    if model.is_replay() {
        return show::play(model, intent, cmds);
    }
    if reading::act(model, intent, cmds) {
        return;
    }
    let page = i64::from(height(model));
    match intent {
        Intent::Up => by(model, -1),
        Intent::Down => by(model, 1),
        Intent::PageUp | Intent::Scrollback => by(model, -(page - 1).max(1)),
        Intent::PageDown => by(model, (page - 1).max(1)),
        Intent::HalfUp => by(model, -(page / 2).max(1)),
        Intent::HalfDown => by(model, (page / 2).max(1)),
        Intent::First => by(model, -i64::from(u32::MAX)),
        Intent::Last => by(model, i64::from(u32::MAX)),
        Intent::Back if model.show.is_some() => show::back(model),
        Intent::Back => leave(model),
        Intent::Zoom => model.zoom = !model.zoom,
        Intent::Help => menus::open_help(model),
        Intent::Palette => super::palette::open(model),
        Intent::Suspend => cmds.push(Cmd::Suspend),
        Intent::Redraw => cmds.push(Cmd::Redraw),
        Intent::Attach
        | Intent::Inspect
        | Intent::NewRun
        | Intent::Duplicate
        | Intent::Pager
        | Intent::Editor
        | Intent::Export
        | Intent::Complete
        | Intent::Older
        | Intent::Newer
        | Intent::Start
        | Intent::Stop
        | Intent::Kill
        | Intent::Restart
        | Intent::KillRestart
        | Intent::Clear
        | Intent::Signal
        | Intent::Extend
        | Intent::Rename
        | Intent::Group
        | Intent::Keyboard
        | Intent::Detach
        | Intent::Leave
        | Intent::Accept
        | Intent::NextField
        | Intent::PreviousField
        | Intent::Yes
        | Intent::No
        | Intent::Hurry
        | Intent::Split
        | Intent::NextPane
        | Intent::PreviousPane
        | Intent::MoveList
        | Intent::Search
        | Intent::NextHit
        | Intent::PreviousHit
        | Intent::ToggleRegex
        | Intent::ToggleCase
        | Intent::Filter
        | Intent::Follow
        | Intent::Select
        | Intent::SelectLines
        | Intent::SelectBlock
        | Intent::OtherEnd
        | Intent::Copy
        | Intent::CopyAsShown
        | Intent::Left
        | Intent::Right
        | Intent::WordForward
        | Intent::WordBack
        | Intent::WordEnd
        | Intent::LineStart
        | Intent::FirstText
        | Intent::LineEnd
        | Intent::ParagraphBack
        | Intent::ParagraphForward
        | Intent::FindAll
        | Intent::HistoryBrowser
        | Intent::Mark
        | Intent::MergedLog
        | Intent::OpenLog
        | Intent::Replay
        | Intent::PlayPause
        | Intent::Faster
        | Intent::Slower
        | Intent::Sort
        | Intent::Fold
        | Intent::Attention
        | Intent::StopOthers => {}
    }
}

/// Moves by rows; the end of the output leads back to live.
pub(super) fn by(model: &mut Model, rows: i64) {
    let height = height(model);
    show::pass_an_end(model, rows);
    if !model.pane.scroll_shown(rows, height) && model.focus == Focus::Scroll && !reading::stays(model) {
        leave(model);
    }
}

/// Goes back to live.
pub(super) fn leave(model: &mut Model) {
    show::close(model);
    model.pane.scroll = None;
    reading::end(model);
    if model.focus == Focus::Scroll {
        model.focus = Focus::List;
    }
}

pub(super) fn height(model: &Model) -> u16 {
    model.pane_size().rows()
}
