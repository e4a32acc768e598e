//! Who holds the keyboard of a run (S4.4).

use std::sync::Arc;

use shtask::api::{Client, Feed, RunView, Update};
use shtask::model::{ErrorCode, Guard, HeldNote, RunId, Size, Status, TypistKind, WriteStdin};

use super::ground::{Ground, SECRET, on_every_ground, within};

on_every_ground!(
    while_a_person_holds_the_keyboard_nobody_else_types_or_resizes,
    the_person_who_takes_it_last_has_it_and_all_see_who_that_is,
    an_agent_that_types_holds_it_until_somebody_types_or_it_leaves,
    an_agent_that_reads_is_told_once_of_the_time_a_person_held_it,
    nothing_is_told_of_what_was_typed_without_echo_and_no_secret,
    what_a_client_holds_is_handed_back_when_it_is_gone,
    a_run_without_a_terminal_and_one_that_has_ended_have_no_keyboard,
    with_a_fence_the_keyboard_is_taken_only_with_its_token,
);

/// Echoes what is typed, by its terminal.
const CAT: &str = "echo ready; exec cat >/dev/null";

async fn cat(ground: &Ground) -> RunId {
    let run = ground.start(ground.pty(CAT)).await;
    ground.until_shown(run, "ready").await;
    run
}

fn person(ground: &Ground, name: &str) -> Arc<dyn Client> {
    ground.client_as(TypistKind::Person, name)
}

fn agent(ground: &Ground, name: &str) -> Arc<dyn Client> {
    ground.client_as(TypistKind::Agent, name)
}

async fn take(client: &Arc<dyn Client>, run: RunId) {
    within("the keyboard", client.take_keyboard(run)).await.expect("taken");
}

async fn hand_back(client: &Arc<dyn Client>, run: RunId) -> bool {
    within("a hand-back", client.hand_back_keyboard(run)).await.expect("an answer")
}

async fn write(client: &Arc<dyn Client>, run: RunId, text: &str) -> Result<(), ErrorCode> {
    within("a cut", client.control(run, WriteStdin::text(text))).await.map(drop).map_err(|failure| failure.code)
}

async fn owner(client: &Arc<dyn Client>, run: RunId) -> Option<String> {
    let view = within("a look", client.inspect(run)).await.expect("a look").view;
    view.keyboard.map(|owner| owner.who.name)
}

async fn note(client: &Arc<dyn Client>, run: RunId) -> Option<HeldNote> {
    within("a reading", client.read(run, 1000)).await.expect("a reading").note
}

async fn sees(feed: &mut Feed, run: RunId, wanted: Option<&str>) -> Arc<RunView> {
    let looking = async {
        loop {
            let views = match feed.next().await.expect("the other side lives") {
                Update::Run(view) => vec![view],
                Update::Resync(views) => views,
                Update::Removed(_) => continue,
            };
            let found = views.into_iter().find(|view| view.id() == run);
            let name = |view: &Arc<RunView>| view.keyboard.as_ref().map(|owner| owner.who.name.clone());
            if let Some(view) = found.filter(|view| name(view).as_deref() == wanted) {
                return view;
            }
        }
    };
    within(&format!("{wanted:?} in the list"), looking).await
}

/// S4.4.
async fn while_a_person_holds_the_keyboard_nobody_else_types_or_resizes(ground: Arc<Ground>) {
    let run = cat(&ground).await;
    let (ann, bot) = (person(&ground, "ann on pts/1"), agent(&ground, "bot"));
    take(&ann, run).await;
    for other in [&bot, &ground.client] {
        let refused = within("a cut", other.control(run, WriteStdin::text("no"))).await.expect_err("held");
        assert_eq!((refused.code, refused.retryable), (ErrorCode::Held, true));
        assert!(refused.message.contains("ann on pts/1 has the keyboard"), "{refused}");
        let size = WriteStdin::resize(Size::new(40, 10).expect("a size"));
        assert_eq!(within("a cut", other.control(run, size)).await.expect_err("held").code, ErrorCode::Held);
    }
    write(&ann, run, "yes").await.expect("she has it");
    within("a cut", ann.control(run, WriteStdin::resize(Size::new(50, 12).expect("a size")))).await.expect("a cut");
    let frame = ground.until_shown(run, "yes").await;
    assert_eq!((frame.size.cols(), frame.text().contains("no")), (50, false));
    assert!(hand_back(&ann, run).await && !hand_back(&ann, run).await);
    write(&bot, run, "now").await.expect("nobody has it");
    ground.until_shown(run, "now").await;
}

/// S4.4.
async fn the_person_who_takes_it_last_has_it_and_all_see_who_that_is(ground: Arc<Ground>) {
    let run = cat(&ground).await;
    let (ann, ben) = (person(&ground, "ann"), person(&ground, "ben"));
    let mut feed = ground.client.subscribe();
    sees(&mut feed, run, None).await;
    take(&ann, run).await;
    let first = sees(&mut feed, run, Some("ann")).await;
    take(&ben, run).await;
    let second = sees(&mut feed, run, Some("ben")).await;
    assert_eq!(first.record.revision, second.record.revision, "the record does not know");
    assert_eq!(write(&ann, run, "x").await, Err(ErrorCode::Held));
    assert!(!hand_back(&ann, run).await, "it is not hers");
    write(&ben, run, "x").await.expect("he has it");
    hand_back(&ben, run).await;
    sees(&mut feed, run, None).await;
}

/// S4.4.
async fn an_agent_that_types_holds_it_until_somebody_types_or_it_leaves(ground: Arc<Ground>) {
    let run = cat(&ground).await;
    let (bot, other, ann) = (agent(&ground, "bot"), agent(&ground, "other"), person(&ground, "ann"));
    let mut feed = ground.client.subscribe();
    write(&bot, run, "x").await.expect("a cut");
    sees(&mut feed, run, Some("bot")).await;
    write(&other, run, "x").await.expect("agents do not shut each other out");
    sees(&mut feed, run, Some("other")).await;
    write(&ground.client, run, "x").await.expect("nor persons who type once");
    take(&ann, run).await;
    assert_eq!(within("the keyboard", bot.take_keyboard(run)).await.expect_err("held").code, ErrorCode::Held);
    hand_back(&ann, run).await;
    within("the keyboard", bot.take_keyboard(run)).await.expect("nobody has it");
    sees(&mut feed, run, Some("bot")).await;
    drop(bot);
    sees(&mut feed, run, None).await;
}

/// S4.4.
async fn an_agent_that_reads_is_told_once_of_the_time_a_person_held_it(ground: Arc<Ground>) {
    let run = cat(&ground).await;
    let (ann, bot) = (person(&ground, "ann"), agent(&ground, "bot"));
    assert_eq!(note(&bot, run).await, None, "nobody held it");
    take(&ann, run).await;
    write(&ann, run, "make deploy\r").await.expect("a cut");
    let held = note(&bot, run).await.expect("a note");
    assert_eq!((held.by.as_str(), held.is_held, held.typed.as_str()), ("ann", true, "make deploy\n"));
    assert_eq!(note(&ann, run).await, None, "a person is not told");
    write(&ann, run, "q").await.expect("a cut");
    hand_back(&ann, run).await;
    let told = note(&bot, run).await.expect("a note");
    assert_eq!((told.is_held, told.typed.as_str(), told.is_cut), (false, "make deploy\nq", false));
    assert!(told.held >= held.held);
    assert_eq!(note(&bot, run).await, None, "once");
}

/// S4.4, S9.4.
async fn nothing_is_told_of_what_was_typed_without_echo_and_no_secret(ground: Arc<Ground>) {
    let line = "stty -echo; echo ready; read -r password; stty echo; echo thanks; exec cat >/dev/null";
    let run = ground.start(ground.pty(line)).await;
    ground.until_shown(run, "ready").await;
    let (ann, bot) = (person(&ground, "ann"), agent(&ground, "bot"));
    take(&ann, run).await;
    write(&ann, run, "open sesame\r").await.expect("a cut");
    ground.until_shown(run, "thanks").await;
    write(&ann, run, &format!("see {SECRET}\r")).await.expect("a cut");
    hand_back(&ann, run).await;
    let told = note(&bot, run).await.expect("a note");
    assert!(told.typed.starts_with("see ") && !told.typed.contains(SECRET), "{told:?}");
    assert!(!told.typed.contains("sesame") && told.is_cut, "{told:?}");
}

/// S4.4.
async fn what_a_client_holds_is_handed_back_when_it_is_gone(ground: Arc<Ground>) {
    let (one, two) = (cat(&ground).await, cat(&ground).await);
    let (ann, bot) = (person(&ground, "ann"), agent(&ground, "bot"));
    take(&ann, one).await;
    take(&ann, two).await;
    let guarded = ann.guarded(Guard::default());
    drop(ann);
    write(&guarded, one, "x").await.expect("it is the same client");
    let mut feed = ground.client.subscribe();
    drop(guarded);
    sees(&mut feed, one, None).await;
    let mut feed = ground.client.subscribe();
    sees(&mut feed, two, None).await;
    write(&bot, one, "x").await.expect("nobody has it");
    assert!(note(&bot, two).await.is_some_and(|note| !note.is_held));
}

/// S4.4, S4.5.
async fn a_run_without_a_terminal_and_one_that_has_ended_have_no_keyboard(ground: Arc<Ground>) {
    let (pipes, run) = (ground.start(ground.sh("exec sleep 100")).await, cat(&ground).await);
    let ann = person(&ground, "ann");
    let refused = within("the keyboard", ann.take_keyboard(pipes)).await.expect_err("no terminal");
    assert_eq!(refused.code, ErrorCode::Unsupported);
    take(&ann, run).await;
    ground.kill(run).await;
    assert_eq!(owner(&ground.client, run).await, None);
    let refused = within("the keyboard", ann.take_keyboard(run)).await.expect_err("over");
    assert_eq!(refused.code, ErrorCode::ControlClosed);
    assert_eq!(ground.ended(run).await.status, Status::Cancelled);
}

/// S4.4, S7.5.
async fn with_a_fence_the_keyboard_is_taken_only_with_its_token(ground: Arc<Ground>) {
    let run = cat(&ground).await;
    let ann = person(&ground, "ann");
    take(&ann, run).await;
    ground.client.set_fence(Some("token".parse().expect("a token"))).await.expect("set");
    assert_eq!(within("the keyboard", ann.take_keyboard(run)).await.expect_err("fenced").code, ErrorCode::Stale);
    let fenced = ann.guarded(Guard { fence: Some("token".parse().expect("a token")), generation: None });
    within("the keyboard", fenced.take_keyboard(run)).await.expect("it has the token");
    assert!(hand_back(&ann, run).await, "what is one's own can always be given up");
    fenced.set_fence(None).await.expect("removed");
}
