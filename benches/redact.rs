//! Speed of the redactor: clean logs, coloured logs, text with secrets; as a whole and as a stream.
//!
//! `cargo bench --bench redact [WORD]`.

use std::hint::black_box;

use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use shtask::redact::{Redactor, Stream};

const BYTES: usize = 1024 * 1024;
/// What one read of a pipe brings at most.
const CHUNK_BYTES: usize = 64 * 1024;

/// Repeats lines, numbered so that no two are alike, up to a size.
fn lines(templates: &[&str]) -> String {
    let mut text = String::with_capacity(BYTES + 200);
    for number in 0.. {
        if text.len() >= BYTES {
            break;
        }
        text.push_str(&templates[number % templates.len()].replace("{n}", &number.to_string()));
        text.push('\n');
    }
    text
}

fn kinds() -> [(&'static str, String); 5] {
    [
        (
            "clean log",
            lines(&[
                "2026-11-29T12:00:00.{n}Z INFO server: GET /api/v1/users/{n} 200 in 12 ms, 4312 bytes",
                "2026-11-29T12:00:00.{n}Z DEBUG pool: connection {n} reused, 7 idle, 3 busy",
                "   Compiling serde_json v1.0.{n}",
            ]),
        ),
        (
            "clean log with names",
            lines(&[
                "2026-11-29T12:00:00.{n}Z INFO auth: session of user {n} started, token refreshed",
                "2026-11-29T12:00:00.{n}Z WARN cache: key user:{n} missed at http://cache:6379/",
                "test parser::tokens::keyword_{n} ... ok",
            ]),
        ),
        (
            "coloured log",
            lines(&[
                "\x1b[2m2026-11-29T12:00:00.{n}Z\x1b[0m \x1b[32m INFO\x1b[0m \x1b[1mserver\x1b[0m: GET /users/{n} \x1b[33m200\x1b[0m",
                "\x1b[1m\x1b[32m   Compiling\x1b[0m serde_json v1.0.{n}",
            ]),
        ),
        (
            "a secret a line",
            lines(&[
                "INFO login user=bob password=hunter{n} host=db",
                "> Authorization: Bearer abcdef{n}",
                "postgres://bob:hunter{n}@db:5432/x",
                "id ghp_0123456789abcdefghijABCDEFGHIJ{n}",
            ]),
        ),
        ("one line", lines(&["x{n} "]).replace('\n', "")),
    ]
}

fn redacting(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("redact");
    group.sample_size(20);
    let redactor = Redactor::new(&[]).expect("no patterns");
    let with_pattern = Redactor::new(&["EMP-[0-9]{4}".to_owned()]).expect("a pattern");
    for (kind, text) in kinds() {
        group.throughput(Throughput::Bytes(text.len() as u64));
        group.bench_with_input(BenchmarkId::new("whole", kind), &text, |bencher, text| {
            bencher.iter(|| redactor.redact(black_box(text)).found);
        });
        group.bench_with_input(BenchmarkId::new("whole, a user pattern", kind), &text, |bencher, text| {
            bencher.iter(|| with_pattern.redact(black_box(text)).found);
        });
        group.bench_with_input(BenchmarkId::new("stream", kind), &text, |bencher, text| {
            bencher.iter(|| {
                let mut stream = Stream::new(&redactor);
                let passed: usize = text.as_bytes().chunks(CHUNK_BYTES).map(|chunk| stream.push(chunk).len()).sum();
                passed + stream.finish().len()
            });
        });
    }
    group.finish();
    criterion.bench_function("make a redactor", |bencher| bencher.iter(|| Redactor::new(black_box(&[]))));
}

criterion_group!(benches, redacting);
criterion_main!(benches);
