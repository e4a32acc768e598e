//! What can be taken elsewhere (S10.8, S2.5).

use std::sync::Arc;
use std::time::Duration;

use shtask::api::{Export, ExportFormat, ExportedLine, LinePlace, LogRequest, SearchRequest, SearchScope, Stream};
use shtask::model::{ErrorCode, Failure, Limits, Record, RunId};

use super::ground::{Ground, on_every_ground, within};

on_every_ground!(
    a_cast_has_the_bytes_and_the_size,
    an_export_as_text_has_every_line_without_control_sequences,
    an_export_as_lines_has_the_place_and_time_of_each,
    the_lines_from_a_place_on_are_exported,
    an_export_as_json_is_the_record_with_its_output,
    a_large_export_comes_in_chunks_and_waits_for_its_reader,
    what_has_left_the_list_is_exported_too,
    what_is_on_the_screen_is_in_the_log_for_every_reader,
);

async fn export(ground: &Ground, run: RunId, format: ExportFormat) -> Result<String, Failure> {
    let Export { mut chunks_rx, outcome } = ground.client.export(run, format);
    let mut bytes = Vec::new();
    while let Some(chunk) = within("a chunk", chunks_rx.recv()).await {
        assert!(!chunk.is_empty() && chunk.len() <= Export::MAX_CHUNK_BYTES);
        bytes.extend(chunk);
    }
    within("the outcome", outcome).await.map(|()| String::from_utf8(bytes).expect("text"))
}

/// S2.5, S10.8.
async fn a_cast_has_the_bytes_and_the_size(ground: Arc<Ground>) {
    let run = ground.outcome(ground.pty(r"printf 'a \033[1mcast\033[0m\n'")).await.id;
    let cast = export(&ground, run, ExportFormat::Cast).await.expect("a cast");
    assert!(cast.starts_with("{\"version\":2,"), "readers look for it there: {cast}");
    let mut lines = cast.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("json"));
    let head = lines.next().expect("a head");
    assert_eq!((&head["version"], &head["width"], &head["height"]), (&2.into(), &80.into(), &24.into()));
    let printed: String =
        lines.filter(|event| event[1] == "o").map(|event| event[2].as_str().expect("text").to_owned()).collect();
    assert_eq!(printed, "a \u{1b}[1mcast\u{1b}[0m\r\n");
}

/// S10.8, S9.2.
async fn an_export_as_text_has_every_line_without_control_sequences(ground: Arc<Ground>) {
    let run = ground.outcome(ground.pty(r"printf '\033[1mone\033[0m\ntwo\n'")).await.id;
    assert_eq!(export(&ground, run, ExportFormat::Text).await.expect("a text"), "one\ntwo\n");
    let run = ground.outcome(ground.sh("echo out; sleep 0.05; echo err >&2; sleep 0.05; printf last")).await.id;
    assert_eq!(export(&ground, run, ExportFormat::Text).await.expect("a text"), "out\nerr\nlast\n");
}

/// S6.6, S10.3.
async fn an_export_as_lines_has_the_place_and_time_of_each(ground: Arc<Ground>) {
    let run = ground.outcome(ground.sh("echo out; sleep 0.05; echo err >&2; sleep 0.05; printf last")).await;
    let lines = export(&ground, run.id, ExportFormat::Lines).await.expect("lines");
    let lines: Vec<ExportedLine> = lines.lines().map(|line| serde_json::from_str(line).expect("a line")).collect();
    let told: Vec<_> = lines.iter().map(|line| (line.stream, line.line, line.offset, line.text.as_str())).collect();
    assert_eq!(told, [(Stream::Stdout, 1, 0, "out"), (Stream::Stderr, 1, 0, "err"), (Stream::Stdout, 2, 4, "last")]);
    let started = run.started_at.expect("it was started");
    assert!(lines.is_sorted_by_key(|line| line.at) && lines[0].at >= started - Duration::from_secs(1), "{lines:?}");
}

/// S10.8.
async fn the_lines_from_a_place_on_are_exported(ground: Arc<Ground>) {
    let script = "echo one; echo two; sleep 0.05; echo err >&2; sleep 0.05; echo three";
    let run = ground.outcome(ground.sh(script)).await;
    for (offset, wanted) in [(0, &["one", "two", "err", "three"][..]), (1, &["two", "err", "three"]), (9, &[])] {
        let Export { mut chunks_rx, outcome } =
            ground.client.export_lines(run.id, LinePlace { stream: Stream::Stdout, offset });
        let mut bytes = Vec::new();
        while let Some(chunk) = within("a chunk", chunks_rx.recv()).await {
            bytes.extend(chunk);
        }
        within("the outcome", outcome).await.expect("exported");
        let lines = String::from_utf8(bytes).expect("text");
        let lines: Vec<ExportedLine> = lines.lines().map(|line| serde_json::from_str(line).expect("a line")).collect();
        assert_eq!(lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), wanted);
    }
}

/// S10.8, S2.3.
async fn an_export_as_json_is_the_record_with_its_output(ground: Arc<Ground>) {
    let record = ground.outcome(ground.sh("echo out")).await;
    let json = export(&ground, record.id, ExportFormat::Json).await.expect("json");
    assert_eq!(serde_json::from_str::<Record>(&json).expect("a record"), *record);
}

/// S10.8.
async fn a_large_export_comes_in_chunks_and_waits_for_its_reader(ground: Arc<Ground>) {
    let run = ground.outcome(ground.sh("seq 1 200000")).await.id;
    let text = export(&ground, run, ExportFormat::Text).await.expect("a text");
    assert!(text.lines().map(|line| line.parse::<u32>().expect("a number")).eq(1..=200_000));
    // Nobody takes from these, and one that is dropped makes room: there is always an answer for the next.
    let idle: Vec<Export> = (0..20).map(|_| ground.client.export(run, ExportFormat::Text)).collect();
    let mut refused = 0;
    for Export { mut chunks_rx, outcome } in idle {
        if within("a chunk or none", chunks_rx.recv()).await.is_none() {
            assert_eq!(outcome.await.expect_err("too many at once").code, ErrorCode::Busy);
            refused += 1;
        }
    }
    assert!(refused <= 12, "{refused} of 20 were refused");
    let end = std::time::Instant::now() + super::ground::DEADLINE;
    while export(&ground, run, ExportFormat::Json).await.is_err() {
        assert!(std::time::Instant::now() < end, "those that were dropped are over");
    }
}

/// S2.8.
async fn what_has_left_the_list_is_exported_too(ground: Arc<Ground>) {
    let ground = ground.another(Limits { kept_runs: 0, ..Limits::default() });
    let record = ground.outcome(ground.sh("echo out")).await;
    for format in [ExportFormat::Cast, ExportFormat::Json, ExportFormat::Text] {
        assert!(export(&ground, record.id, format).await.expect("it is on record").contains("out"), "{format:?}");
    }
    ground.end().await;
}

/// S6.3, S6.6: the writer of logs is a little behind; readers do not see that.
async fn what_is_on_the_screen_is_in_the_log_for_every_reader(ground: Arc<Ground>) {
    let run = ground.start(ground.pty("stty -echo; exec cat")).await;
    for number in 0..10 {
        let [exported, read, found] = ["exported", "read", "found"].map(|word| format!("{word}-{number}"));
        ground.type_text(run, &format!("{exported}\n")).await;
        ground.until_shown(run, &exported).await;
        let text = export(&ground, run, ExportFormat::Text).await.expect("a text");
        assert!(text.contains(&exported), "{text}");
        ground.type_text(run, &format!("{read}\n")).await;
        ground.until_shown(run, &read).await;
        let request = LogRequest { stream: Stream::Stdout, offset: 0, limit_bytes: 10_000, wait: None };
        let log = within("the log", ground.client.read_log(run, request)).await.expect("a part");
        assert!(String::from_utf8_lossy(&log.bytes).contains(&read), "{log:?}");
        ground.type_text(run, &format!("{found}\n")).await;
        ground.until_shown(run, &found).await;
        let request = SearchRequest {
            pattern: found.clone(),
            is_regex: false,
            ignore_case: false,
            scope: SearchScope::Live,
            limit: 10,
            after: None,
            newest: None,
        };
        let results = within("hits", ground.client.search(request).whole()).await.expect("a search");
        assert_eq!(results.hits.len(), 1, "{found}: {results:?}");
    }
    ground.end().await;
}
