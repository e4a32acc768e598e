//! Which runs wait for somebody (S6.7, S6.9).

use std::sync::Arc;

use shtask::api::{Feed, RunView, Update};
use shtask::model::{Mode, Need, Notification, RunId, RunSpec};

use super::ground::{Ground, SECRET, on_every_ground, within};

on_every_ground!(
    a_program_that_reads_its_terminal_waits_for_input_until_somebody_types,
    a_program_that_hides_what_is_typed_waits_for_a_password,
    a_shell_at_its_prompt_is_no_question,
    a_program_that_waits_for_several_things_asks_by_its_open_line,
    a_program_that_works_or_sleeps_in_silence_waits_for_nobody,
    a_bell_calls_until_somebody_types,
    what_waits_comes_first_in_the_summary_and_is_said_by_why,
    what_a_program_wants_somebody_to_be_told_is_in_the_list_without_secrets,
    of_a_flood_of_notifications_the_newest_is_in_the_list,
);

async fn sees(feed: &mut Feed, run: RunId, wanted: Option<Need>) -> Arc<RunView> {
    let looking = async {
        loop {
            let views = match feed.next().await.expect("the other side lives") {
                Update::Run(view) => vec![view],
                Update::Resync(views) => views,
                Update::Removed(_) => continue,
            };
            let need = |view: &Arc<RunView>| view.attention.map(|attention| attention.need);
            if let Some(view) = views.into_iter().find(|view| view.id() == run && need(view) == wanted) {
                return view;
            }
        }
    };
    within(&format!("{wanted:?} in the list"), looking).await
}

async fn says(feed: &mut Feed, run: RunId, wanted: &str) -> Notification {
    let looking = async {
        loop {
            let views = match feed.next().await.expect("the other side lives") {
                Update::Run(view) => vec![view],
                Update::Resync(views) => views,
                Update::Removed(_) => continue,
            };
            let said = views.into_iter().filter(|view| view.id() == run).filter_map(|view| view.notification.clone());
            if let Some(said) = said.into_iter().find(|said| said.words() == wanted) {
                return said;
            }
        }
    };
    within(&format!("{wanted} in the list"), looking).await
}

/// S9.2, S9.4.
async fn what_a_program_wants_somebody_to_be_told_is_in_the_list_without_secrets(ground: Arc<Ground>) {
    let mut feed = ground.client.subscribe();
    let line = format!(
        "printf '\\033]777;notify;Tests;all green\\033\\\\'; read -r a; printf '\\033]9;it is {SECRET} now\\007'; \
         read -r b; printf '\\033]99;d=0:i=1;by\\033\\\\\\033]99;i=1;e\\007'"
    );
    let run = ground.start(ground.pty(line)).await;
    assert_eq!(says(&mut feed, run, "Tests: all green").await.number, 1);
    ground.type_text(run, "\r").await;
    assert_eq!(says(&mut feed, run, "it is [redacted] now").await.number, 2);
    ground.type_text(run, "\r").await;
    // What is said at the very end is said, too.
    assert_eq!(says(&mut feed, run, "bye").await.number, 3);
}

async fn of_a_flood_of_notifications_the_newest_is_in_the_list(ground: Arc<Ground>) {
    let mut feed = ground.client.subscribe();
    let line = "i=0; while [ $i -lt 3000 ]; do i=$((i+1)); printf '\\033]9;number %d\\007' $i; done; exec sleep 100";
    let run = ground.start(ground.pty(line)).await;
    says(&mut feed, run, "number 3000").await;
}

/// S6.7.
async fn a_program_that_reads_its_terminal_waits_for_input_until_somebody_types(ground: Arc<Ground>) {
    let mut feed = ground.client.subscribe();
    let run = ground.start(ground.pty("printf 'no question'; read -r a; echo got $a; exec cat >/dev/null")).await;
    let waiting = sees(&mut feed, run, Some(Need::Input)).await;
    ground.type_text(run, "x\r").await;
    let over = sees(&mut feed, run, None).await;
    assert_eq!(waiting.record.revision, over.record.revision, "the record does not know");
    // What reads on waits on.
    let again = sees(&mut feed, run, Some(Need::Input)).await;
    assert!(again.attention.expect("it waits").since > waiting.attention.expect("it waited").since);
    ground.kill(run).await;
    sees(&mut feed, run, None).await;
}

/// S6.7.
async fn a_program_that_hides_what_is_typed_waits_for_a_password(ground: Arc<Ground>) {
    let mut feed = ground.client.subscribe();
    let run = ground.start(ground.pty("stty -echo; printf 'secret '; read -r a; stty echo; read -r b")).await;
    sees(&mut feed, run, Some(Need::Password)).await;
    ground.type_text(run, "x\r").await;
    sees(&mut feed, run, Some(Need::Input)).await;
}

/// S6.7.
async fn a_shell_at_its_prompt_is_no_question(ground: Arc<Ground>) {
    let mut feed = ground.client.subscribe();
    let shell = RunSpec { mode: Mode::Pty, ..ground.argv(&["/bin/bash", "--norc", "--noprofile", "-i"]) };
    let run = ground.start(shell).await;
    sees(&mut feed, run, Some(Need::Prompt)).await;
    assert!(ground.client.summary().await.expect("a summary").needs.is_empty());
    ground.type_text(run, "cat\r").await;
    sees(&mut feed, run, Some(Need::Input)).await;
}

/// S6.7.
async fn a_program_that_waits_for_several_things_asks_by_its_open_line(ground: Arc<Ground>) {
    let script = |prompt: &str| {
        format!("import select, sys; print({prompt:?}, end='', flush=True); select.select([sys.stdin], [], [], 1000)")
    };
    let python = |prompt: &str| {
        let argv = ["python3", "-c", &script(prompt)];
        RunSpec { mode: Mode::Pty, ..ground.argv(&argv) }
    };
    let mut feed = ground.client.subscribe();
    let serves = ground.start(python("listening\n")).await;
    let asks = ground.start(python("Go on? [y/N] ")).await;
    sees(&mut feed, asks, Some(Need::Input)).await;
    let serving = ground.client.inspect(serves).await.expect("a look").view;
    assert_eq!(serving.attention, None, "nothing of it asks");
}

/// S6.7.
async fn a_program_that_works_or_sleeps_in_silence_waits_for_nobody(ground: Arc<Ground>) {
    let sleeps = ground.start(ground.pty("printf 'Working: '; exec sleep 1000")).await;
    let works = ground.start(ground.pty("printf 'Working: '; while :; do :; done")).await;
    // By the time that this one is known to wait, the others have been looked at: they were quiet before.
    ground.until_shown(sleeps, "Working").await;
    ground.until_shown(works, "Working").await;
    let mut feed = ground.client.subscribe();
    let waits = ground.start(ground.pty("read -r a")).await;
    ground.type_text(waits, " ").await;
    sees(&mut feed, waits, Some(Need::Input)).await;
    for run in [sleeps, works] {
        assert_eq!(ground.client.inspect(run).await.expect("a look").view.attention, None);
    }
}

/// S6.7.
async fn a_bell_calls_until_somebody_types(ground: Arc<Ground>) {
    let mut feed = ground.client.subscribe();
    let run = ground.start(ground.pty("printf 'done\\a\\n'; echo more; exec sleep 1000")).await;
    sees(&mut feed, run, Some(Need::Bell)).await;
    ground.type_text(run, "x").await;
    sees(&mut feed, run, None).await;
}

/// S6.8, S6.9.
async fn what_waits_comes_first_in_the_summary_and_is_said_by_why(ground: Arc<Ground>) {
    for _ in 0..9 {
        ground.outcome(ground.sh("exit 1")).await;
    }
    let mut feed = ground.client.subscribe();
    let run = ground.start(ground.pty("stty -echo; read -r a")).await;
    ground.type_text(run, "x").await;
    sees(&mut feed, run, Some(Need::Password)).await;
    let summary = within("a summary", ground.client.summary()).await.expect("a summary");
    assert_eq!((summary.runs.len(), summary.runs[0].id, summary.rest), (8, run, 2));
    assert_eq!(summary.needs.iter().map(|(run, it)| (*run, it.need)).collect::<Vec<_>>(), [(run, Need::Password)]);
    let why = within("a word", ground.client.why(run)).await.expect("a word");
    assert!(why.contains("for a password"), "{why}");
}
