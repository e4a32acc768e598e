//! Search in output (S6.6).

use std::sync::Arc;

use futures_util::FutureExt;
use shtask::api::{Found, LinePlace, Newest, SearchHit, SearchRequest, SearchResults, SearchScope, Stream};
use shtask::model::{ErrorCode, Limits, RunId};

use super::ground::{Ground, SECRET, on_every_ground, within};

on_every_ground!(
    a_hit_names_run_stream_line_time_and_place,
    a_search_is_plain_or_a_regular_expression_with_or_without_case,
    the_output_of_a_terminal_is_searched_as_text,
    a_search_is_of_one_run_of_all_live_ones_or_of_all_on_record,
    a_search_stops_at_its_limit_and_says_so,
    a_search_goes_on_page_by_page_and_finds_every_line_once,
    a_log_that_cannot_be_read_is_counted_once_over_all_pages,
    the_newest_hits_of_a_run_are_found_from_its_end_or_from_a_line,
    hits_are_told_while_the_search_goes_on_and_whoever_leaves_ends_it,
    a_search_confirms_no_secret,
    a_bad_search_is_answered,
);

fn plain(pattern: &str, scope: SearchScope) -> SearchRequest {
    SearchRequest {
        pattern: pattern.into(),
        is_regex: false,
        ignore_case: false,
        scope,
        limit: 100,
        after: None,
        newest: None,
    }
}

async fn search(ground: &Ground, request: SearchRequest) -> SearchResults {
    within("results", ground.client.search(request).whole()).await.expect("results")
}

fn texts(results: &SearchResults) -> Vec<&str> {
    results.hits.iter().map(|hit| hit.text.as_str()).collect()
}

/// S6.6.
async fn a_hit_names_run_stream_line_time_and_place(ground: Arc<Ground>) {
    let record = ground.outcome(ground.sh("seq 1 500; echo needle 1; echo x >&2; echo needle 2 >&2")).await;
    let results = search(&ground, plain("needle", SearchScope::Run(record.id))).await;
    let [first, second] = &results.hits[..] else { panic!("two hits: {results:?}") };
    let expected = SearchHit {
        run: record.id,
        stream: Stream::Stdout,
        line: 501,
        offset: (1..=500).map(|number: u32| number.to_string().len() as u64 + 1).sum(),
        at: first.at,
        text: "needle 1".into(),
    };
    assert_eq!(first, &expected);
    assert_eq!((second.stream, second.line, second.offset), (Stream::Stderr, 2, 2));
    let at = first.at.expect("a time");
    let (from, to) = (record.started_at.expect("started"), record.completed_at.expect("ended"));
    let margin = jiff::SignedDuration::from_secs(2);
    assert!(at >= from - margin && at <= to + margin, "{at} lies between {from} and {to}");
    assert_eq!((results.has_more, results.runs, results.unreadable), (false, 1, 0));
}

/// S6.6.
async fn a_search_is_plain_or_a_regular_expression_with_or_without_case(ground: Arc<Ground>) {
    let run = ground.outcome(ground.sh("echo a.c; echo abc; echo ABC")).await.id;
    let found = async |is_regex, ignore_case| {
        let request = SearchRequest { is_regex, ignore_case, ..plain("a.c", SearchScope::Run(run)) };
        texts(&search(&ground, request).await).into_iter().map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(found(false, false).await, ["a.c"]);
    assert_eq!(found(true, false).await, ["a.c", "abc"]);
    assert_eq!(found(false, true).await, ["a.c"]);
    assert_eq!(found(true, true).await, ["a.c", "abc", "ABC"]);
}

/// S6.6, S9.2.
async fn the_output_of_a_terminal_is_searched_as_text(ground: Arc<Ground>) {
    let line = r"printf 'in \033[1;31mre\033[0;32md\033[0m and gr\033[Keen\n'; printf '\033]0;titled\007plain\n'";
    let run = ground.outcome(ground.pty(line)).await.id;
    let results = search(&ground, plain("in red and green", SearchScope::Run(run))).await;
    assert_eq!(texts(&results), ["in red and green"]);
    for nothing in ["titled", "[1;31m", "\u{1b}"] {
        assert_eq!(search(&ground, plain(nothing, SearchScope::Run(run))).await.hits, [], "{nothing:?}");
    }
}

/// S6.6.
async fn a_search_is_of_one_run_of_all_live_ones_or_of_all_on_record(ground: Arc<Ground>) {
    let ground = ground.another(Limits { kept_runs: 1, ..Limits::default() });
    let mut runs = Vec::new();
    for _ in 0..3 {
        runs.push(ground.outcome(ground.sh("echo needle")).await.id);
    }
    runs.push(ground.start(ground.sh("echo needle; exec sleep 100")).await);
    ground.until_shown(runs[3], "needle").await;
    let found = async |scope| -> Vec<RunId> {
        search(&ground, plain("needle", scope)).await.hits.iter().map(|hit| hit.run).collect()
    };
    assert_eq!(found(SearchScope::Live).await, runs[3..]);
    assert_eq!(found(SearchScope::Run(runs[0])).await, [runs[0]]);
    let newest_first: Vec<RunId> = runs.iter().rev().copied().collect();
    assert_eq!(found(SearchScope::All).await, newest_first);
    ground.end().await;
}

/// S6.6.
async fn a_search_stops_at_its_limit_and_says_so(ground: Arc<Ground>) {
    let run = ground.outcome(ground.sh("seq 1 100000")).await.id;
    for (limit, has_more) in [(3, true), (11, false)] {
        let request = SearchRequest { limit, ..plain("9999", SearchScope::Run(run)) };
        let results = search(&ground, SearchRequest { is_regex: true, pattern: "^9999.?$".into(), ..request }).await;
        assert_eq!((results.hits.len(), results.has_more), (limit, has_more), "{results:?}");
    }
}

/// S6.6: nothing is cut silently.
async fn a_search_goes_on_page_by_page_and_finds_every_line_once(ground: Arc<Ground>) {
    let ground = ground.another(Limits { kept_runs: 1, ..Limits::default() });
    let mut runs = Vec::new();
    for _ in 0..3 {
        runs.push(ground.outcome(ground.sh("seq 1 40 | sed s/^/needle-/; echo hay; echo needle-err >&2")).await.id);
    }
    runs.push(ground.start(ground.sh("seq 1 40 | sed s/^/needle-/; exec sleep 100")).await);
    ground.until_shown(runs[3], "needle-40").await;
    let whole = search(&ground, SearchRequest { limit: 1000, ..plain("needle-", SearchScope::All) }).await;
    assert_eq!((whole.hits.len(), whole.runs, whole.next), (163, 4, None));
    for scope in [SearchScope::All, SearchScope::Live, SearchScope::Run(runs[0])] {
        let place = |hit: &SearchHit| (hit.run, hit.stream, hit.line, hit.offset);
        let wanted = whole.hits.iter().filter(|hit| match scope {
            SearchScope::All => true,
            SearchScope::Live => hit.run == runs[3],
            SearchScope::Run(run) => hit.run == run,
        });
        let (mut found, mut after) = (Vec::new(), None);
        loop {
            let results = search(&ground, SearchRequest { limit: 7, after, ..plain("needle-", scope) }).await;
            found.extend(results.hits);
            assert_eq!(results.has_more, results.next.is_some());
            after = results.next;
            if after.is_none() {
                let searched = if scope == SearchScope::All { 4 } else { 1 };
                assert_eq!(results.runs, searched, "those of the pages before count");
                break;
            }
            if scope == SearchScope::All && found.len() == 14 {
                // Newer than all that is searched: it is no part of what was begun.
                ground.outcome(ground.sh("echo needle-new")).await;
            }
        }
        assert!(found.iter().map(place).eq(wanted.map(place)), "{scope:?}: {found:?}");
    }
    ground.end().await;
}

/// S6.6.
async fn a_log_that_cannot_be_read_is_counted_once_over_all_pages(ground: Arc<Ground>) {
    let ground = ground.another(Limits::default());
    let mut runs = Vec::new();
    for _ in 0..5 {
        runs.push(ground.outcome(ground.sh("echo needle")).await.id);
    }
    for unreadable in [runs[3], runs[1]] {
        let log = ground.state.join("logs").join(unreadable.as_str()).join("000001.stdout");
        std::fs::remove_file(log).expect("the log is there");
    }
    for limit in [1, 2, 3] {
        let (mut found, mut unreadable, mut after) = (Vec::new(), 0, None);
        loop {
            let results = search(&ground, SearchRequest { limit, after, ..plain("needle", SearchScope::All) }).await;
            found.extend(results.hits.iter().map(|hit| hit.run));
            unreadable += results.unreadable;
            after = results.next;
            if after.is_none() {
                break;
            }
        }
        assert_eq!((found, unreadable), (vec![runs[4], runs[2], runs[0]], 2), "by {limit}");
    }
    ground.end().await;
}

/// S6.6, S10.3.
async fn the_newest_hits_of_a_run_are_found_from_its_end_or_from_a_line(ground: Arc<Ground>) {
    let run = ground.outcome(ground.sh("seq 1 5000")).await.id;
    let newest = |before, limit| SearchRequest {
        is_regex: true,
        limit,
        newest: Some(Newest { before }),
        ..plain("7$", SearchScope::Run(run))
    };
    let results = search(&ground, newest(None, 3)).await;
    assert_eq!((texts(&results), results.has_more, results.next), (vec!["4977", "4987", "4997"], true, None));
    let place = |offset| Some(LinePlace { stream: Stream::Stdout, offset });
    let results = search(&ground, newest(place(results.hits[0].offset), 2)).await;
    assert_eq!((texts(&results), results.has_more), (vec!["4957", "4967"], true));
    let results = search(&ground, newest(place(30), 2)).await;
    assert_eq!((texts(&results), results.has_more, results.runs), (vec!["7"], false, 1));
    let all = SearchRequest { scope: SearchScope::All, ..newest(None, 2) };
    let failure = ground.client.search(all).whole().await.expect_err("refused");
    assert_eq!(failure.code, ErrorCode::Invalid, "{failure}");
}

/// S6.6.
async fn hits_are_told_while_the_search_goes_on_and_whoever_leaves_ends_it(ground: Arc<Ground>) {
    let endless = ground.outcome(ground.sh("echo endless")).await.id;
    let newer = ground.outcome(ground.sh("echo needle")).await.id;
    // Nobody has read that much by the end of the test, or of the day.
    let log = ground.state.join("logs").join(endless.as_str()).join("000001.stdout");
    let file = std::fs::File::options().write(true).open(&log).expect("the log");
    file.set_len(1 << 40).expect("a file with a hole");
    let mut searches = Vec::new();
    for _ in 0..8 {
        let mut search = ground.client.search(plain("needle", SearchScope::All));
        let Found { hits, of, .. } = within("the first hit", search.next()).await.expect("a hit");
        assert_eq!((hits.iter().map(|hit| hit.run).collect::<Vec<_>>(), of), (vec![newer], 2));
        assert!(search.outcome().now_or_never().is_none(), "it goes on");
        searches.push(search);
    }
    let further = within("how far it is", searches[0].next()).await.expect("it goes on");
    assert_eq!((further.hits, further.runs, further.of), (vec![], 1, 2));
    let request = plain("needle", SearchScope::Run(newer));
    let busy = within("an answer", ground.client.search(request.clone()).whole()).await.expect_err("too many");
    assert_eq!(busy.code, ErrorCode::Busy);
    drop(searches);
    let end = std::time::Instant::now() + super::ground::DEADLINE;
    while within("an answer", ground.client.search(request.clone()).whole()).await.is_err() {
        assert!(std::time::Instant::now() < end, "those that were left are over");
    }
    file.set_len(0).expect("short again");
}

/// S9.4.
async fn a_search_confirms_no_secret(ground: Arc<Ground>) {
    let run = ground.outcome(ground.sh(format!("echo the word is {SECRET} today"))).await.id;
    assert_eq!(search(&ground, plain(SECRET, SearchScope::Run(run))).await.hits, []);
    let results = search(&ground, plain("the word", SearchScope::Run(run))).await;
    assert_eq!(texts(&results), ["the word is [redacted] today"]);
}

/// Bad input is answered.
async fn a_bad_search_is_answered(ground: Arc<Ground>) {
    let regex = SearchRequest { is_regex: true, ..plain("a(b", SearchScope::All) };
    for request in [regex, plain("", SearchScope::All), SearchRequest { limit: 0, ..plain("x", SearchScope::All) }] {
        let failure = ground.client.search(request).whole().await.expect_err("refused");
        assert_eq!(failure.code, ErrorCode::Invalid, "{failure}");
    }
}
