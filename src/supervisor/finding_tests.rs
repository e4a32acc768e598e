//! Refs without a disk: what wins over what.

use super::*;
use crate::launch::{Resolved, RunIdentity};
use crate::model::{CommandSpec, Mode, RunSpec};
use jiff::Timestamp;

fn record(bits: [u8; 10], name: Option<&str>, generation: u64) -> Arc<Record> {
    let identity = RunIdentity {
        id: RunId::from_bits(bits),
        session: "test".parse().expect("a name"),
        name: name.map(|name| name.parse().expect("a name")),
        generation,
    };
    let spec = RunSpec::new(CommandSpec::Argv(vec!["true".into()]), Mode::Pipes, "/");
    let resolved = Resolved {
        program: "/bin/true".into(),
        argv: vec!["true".into()],
        env: vec![],
        cwd: "/".into(),
        shell: None,
        command_line: "true".into(),
    };
    super::super::records::starting(&identity, &spec, &resolved, Timestamp::UNIX_EPOCH)
}

fn chosen(wanted: &str, among: &[Arc<Record>]) -> Result<RunId, Failure> {
    let wanted: RunRef = wanted.parse().expect("a ref");
    let matches = among.iter().filter(|record| may_mean(&wanted, record)).cloned().collect();
    choose(&wanted, matches).map(|record| record.id)
}

#[test]
fn a_name_is_its_newest_generation_and_wins_over_the_beginning_of_an_id() {
    let id = RunId::from_bits([7; 10]);
    let prefix = &id.as_str()[..5];
    let runs = [record([7; 10], None, 1), record([1; 10], Some(prefix), 1), record([2; 10], Some(prefix), 2)];
    assert_eq!(chosen(prefix, &runs), Ok(runs[2].id));
    assert_eq!(chosen(&format!("{prefix}:1"), &runs), Ok(runs[1].id));
    assert_eq!(chosen(prefix, &runs[..1]), Ok(id));
    assert_eq!(chosen(id.as_str(), &runs), Ok(id));
    assert_eq!(chosen(&format!("shtask://test/{id}"), &runs), Ok(id));
    for wanted in [&prefix[..3], "nobody", &format!("{prefix}:3"), &format!("shtask://other/{id}")] {
        assert_eq!(chosen(wanted, &runs).expect_err("none").code, ErrorCode::NotFound, "{wanted}");
    }
}

#[test]
fn an_ambiguous_beginning_is_answered_with_what_it_fits() {
    let bits = |last| [7, 7, 7, 7, 7, 7, 7, 7, 7, last];
    let runs: Vec<_> = (0..3).map(|last| record(bits(last), (last == 1).then_some("web"), 4)).collect();
    let prefix = &runs[0].id.as_str()[..6];
    let failure = chosen(prefix, &runs).expect_err("three");
    assert_eq!(failure.code, ErrorCode::Ambiguous);
    assert!(runs.iter().all(|run| failure.message.contains(run.id.as_str())), "{failure}");
    assert!(failure.message.contains("(web:4, starting)"), "{failure}");
    let many: Vec<_> = (0..20).map(|last| record(bits(last), None, 1)).collect();
    let failure = chosen(prefix, &many).expect_err("twenty");
    assert!(failure.message.ends_with("and more"), "{failure}");
}

#[test]
fn pages_of_a_list_join_without_a_gap_and_skip_what_is_not_wanted() {
    let runs: Vec<_> = (0..5u8).map(|at| record([at; 10], (at % 2 == 0).then_some("web"), u64::from(at) + 1)).collect();
    let listed = Listed(runs.iter().map(|record| (record.id, Arc::clone(record))).collect());
    let places: Vec<RunId> = runs.iter().map(|record| record.id).collect();
    for limit in 1..6 {
        for name in [None, Some("web".parse().expect("a name"))] {
            let mut request = RecordsRequest { name, ..RecordsRequest::newest(limit) };
            let mut all = Vec::new();
            loop {
                let page = page_of_list(&places, &listed, &request);
                assert!(page.records.len() <= limit);
                all.extend(page.records.iter().map(|record| record.id));
                match page.next {
                    Some(next) => request.before = Some(next),
                    None => break,
                }
            }
            let wanted = runs.iter().rev().filter(|record| request.takes(record)).map(|record| record.id);
            assert_eq!(all, wanted.collect::<Vec<_>>());
        }
    }
}
