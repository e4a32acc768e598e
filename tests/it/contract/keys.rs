//! Keys and the mouse are encoded from the modes at the cut (S4.3).

use std::sync::Arc;

use shtask::model::{
    Action, ErrorCode, Key, Modifiers, Mouse, MouseButton, MouseKind, NamedKey, RunId, Size, WriteStdin,
};

use super::ground::{Ground, live_frame, on_every_ground};

on_every_ground!(
    cursor_keys_follow_the_mode_that_the_program_set,
    a_mouse_that_nobody_asked_for_is_refused_and_changes_nothing,
    a_mouse_that_was_asked_for_is_reported_at_its_cell,
    a_paste_is_framed_only_for_a_program_that_asked_and_cannot_leave_its_frame,
);

/// A program that shows what is typed as `cat -v` does, after it set its modes.
async fn shows_keys(ground: &Ground, modes: &str) -> RunId {
    let run = ground.start(ground.pty(format!("stty -echo -icanon; printf '{modes}ready\\r\\n'; exec cat -v"))).await;
    ground.until_shown(run, "ready").await;
    run
}

fn key(named: NamedKey) -> Action {
    Action::Key(Key::Named(named), Modifiers::default())
}

fn click(x: u16, y: u16) -> Action {
    Action::Mouse(Mouse { kind: MouseKind::Click, button: MouseButton::Left, x, y, modifiers: Modifiers::default() })
}

/// S4.3.
async fn cursor_keys_follow_the_mode_that_the_program_set(ground: Arc<Ground>) {
    for (modes, expected) in [("", "^[[A^[OP"), (r"\033[?1h", "^[OA^[OP")] {
        let run = shows_keys(&ground, modes).await;
        let keys = WriteStdin::actions(vec![key(NamedKey::Up), key(NamedKey::F(1)), key(NamedKey::Enter)]);
        ground.control(run, keys).await.expect("a cut");
        ground.until_shown(run, expected).await;
        ground.kill(run).await;
    }
}

/// S4.3.
async fn a_mouse_that_nobody_asked_for_is_refused_and_changes_nothing(ground: Arc<Ground>) {
    let run = shows_keys(&ground, "").await;
    let refused = WriteStdin {
        size: Some(Size::new(44, 11).expect("a size")),
        ..WriteStdin::actions(vec![Action::Text("before".into()), click(3, 4), Action::Text("after".into())])
    };
    let cut = ground.control(run, refused).await.expect("a cut");
    assert_eq!(cut.outcome.failed.as_ref().map(|f| f.code), Some(ErrorCode::Unsupported), "{cut:?}");
    assert_eq!(cut.outcome.input.map(|input| input.queued), Some(false));
    assert_eq!(cut.outcome.resize.map(|resize| resize.applied), Some(false));
    assert_eq!(live_frame(&cut).size, Size::DEFAULT);
    ground.type_text(run, "typed\r").await;
    let frame = ground.until_shown(run, "typed").await;
    assert!(!frame.text().contains("before"), "all or nothing: {}", frame.text());
}

/// S4.3.
async fn a_mouse_that_was_asked_for_is_reported_at_its_cell(ground: Arc<Ground>) {
    let run = shows_keys(&ground, r"\033[?1000h\033[?1006h").await;
    ground.control(run, WriteStdin::actions(vec![click(3, 4), key(NamedKey::Enter)])).await.expect("a cut");
    ground.until_shown(run, "^[[<0;4;5M^[[<0;4;5m").await;
}

/// S4.3, BUGS B36.
async fn a_paste_is_framed_only_for_a_program_that_asked_and_cannot_leave_its_frame(ground: Arc<Ground>) {
    let evil = "a\u{1b}[20\u{1b}[201~1~b";
    let run = shows_keys(&ground, r"\033[?2004h").await;
    ground
        .control(run, WriteStdin::actions(vec![Action::Paste(evil.into()), key(NamedKey::Enter)]))
        .await
        .expect("cut");
    let frame = ground.until_shown(run, "^[[201~").await;
    let text = frame.text();
    assert_eq!((text.matches("^[[200~").count(), text.matches("^[[201~").count()), (1, 1), "{text}");
    let run = shows_keys(&ground, "").await;
    ground
        .control(run, WriteStdin::actions(vec![Action::Paste("ab".into()), key(NamedKey::Enter)]))
        .await
        .expect("cut");
    let text = ground.until_shown(run, "ab").await.text();
    assert!(!text.contains("200~"), "{text}");
}
