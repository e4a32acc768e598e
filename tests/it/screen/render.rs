//! `shtask render`: from the command line to the picture.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use proptest::prelude::*;
use shtask::screen::{Screen, html, render, render_stream, svg, text};

use super::replay;
use shtask::model::Size;

/// Runs the program on `input`.
fn shtask(arguments: &[&str], input: &[u8]) -> Output {
    let home = tempfile::tempdir().expect("a folder");
    let mut command = Command::new(env!("CARGO_BIN_EXE_shtask"));
    command.arg("render").args(arguments).current_dir(home.path());
    command.env_clear().env("HOME", home.path()).env("PATH", std::env::var_os("PATH").unwrap_or_default());
    command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().expect("shtask starts");
    let mut stdin = child.stdin.take().expect("a pipe");
    std::thread::scope(|scope| {
        // It does not read what it refuses.
        scope.spawn(move || stdin.write_all(input).is_ok());
        child.wait_with_output().expect("shtask ends")
    })
}

fn printed(arguments: &[&str], input: &[u8]) -> String {
    let output = shtask(arguments, input);
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).expect("text")
}

/// Returns the exit code and what was said.
fn refused(arguments: &[&str], input: &[u8]) -> (Option<i32>, String) {
    let output = shtask(arguments, input);
    assert!(output.stdout.is_empty(), "nothing is printed beside an error");
    (output.status.code(), String::from_utf8(output.stderr).expect("text"))
}

#[test]
fn bytes_become_the_screen_that_they_draw() {
    let printed_text = printed(&["--size", "10x3"], "one\r\n\x1b[31m漢字\x1b[0m".as_bytes());
    assert_eq!(printed_text, "one\n漢字\n\n");
    let json = printed(&["-", "--size", "2x1", "--format", "json"], b"\x1b[1;31ma");
    assert_eq!(json, "{\"cells\":[[[\"a\",\"1\",\"\",\"b\",0],[\"\",\"\",\"\",\"\",0]]],\"cursor\":[0,1]}\n");
    assert_eq!(printed(&[], b"").lines().count(), 24, "without a size it is 80x24");
}

#[test]
fn a_recording_of_either_version_has_its_own_size_and_resizes() {
    let second = "{\"version\": 2, \"width\": 6, \"height\": 2}\n[0.1, \"o\", \"abcdefgh\"]\n[0.2, \"i\", \"x\"]\n[0.3, \"r\", \"10x3\"]\n";
    assert_eq!(printed(&[], second.as_bytes()), "abcdefgh\n\n\n");
    let third = "{\"version\":3,\"term\":{\"cols\":6,\"rows\":2}}\n# a remark\n[0.1,\"o\",\"\\u001b[2;1Hx\"]\n[0.5,\"x\",\"0\"]\n";
    assert_eq!(printed(&[], third.as_bytes()), "\nx\n");
    assert_eq!(printed(&["--size", "4x2"], second.as_bytes()), "abcd\nefgh\n", "--size holds throughout");
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.cast");
    std::fs::write(&file, third).expect("written");
    assert_eq!(printed(&[file.to_str().expect("text")], b""), "\nx\n");
}

#[test]
fn what_cannot_be_rendered_is_refused_with_a_hint() {
    let (code, said) = refused(&["--size", "0x0"], b"");
    assert_eq!(code, Some(2));
    assert!(said.contains("out of range"), "{said}");
    let (code, said) = refused(&["--size", "big"], b"");
    assert_eq!(code, Some(2));
    assert!(said.contains("COLSxROWS"), "{said}");
    assert_eq!(refused(&["--format", "bmp"], b"").0, Some(2));
    let (code, said) = refused(&["/no/such/file"], b"");
    assert_eq!(code, Some(2));
    assert!(said.contains("/no/such/file") && said.contains("hint:"), "{said}");
    let (code, said) = refused(&["/"], b"");
    assert_eq!(code, Some(2));
    assert!(said.contains("cannot be read") && said.contains("hint:"), "{said}");
}

#[test]
fn a_broken_recording_is_refused_with_its_line() {
    let cases: [(&str, &str); 8] = [
        ("{\"version\": 2, \"width\": 80", "line 1"),
        ("{\"version\": 1, \"width\": 80, \"height\": 24}\n", "version 1"),
        ("{\"version\": 2}\n", "no width and height"),
        ("{\"version\": 3}\n", "no term"),
        ("{\"version\": 2, \"width\": 9999, \"height\": 24}\n", "out of range"),
        ("{\"version\": 2, \"width\": 80, \"height\": 24}\n[0.1, \"o\"\n", "line 2"),
        ("{\"version\": 2, \"width\": 80, \"height\": 24}\n\n[0.1, \"r\", \"wide\"]\n", "line 3"),
        ("{\"version\": 2, \"width\": 80, \"height\": 24}\n[0.1, \"o\", 5]\n", "without text"),
    ];
    for (cast, expected) in cases {
        let (code, said) = refused(&[], cast.as_bytes());
        assert_eq!(code, Some(2), "{cast}");
        assert!(said.contains(expected) && said.contains("hint:"), "{cast}: {said}");
    }
}

/// A stream without an end, as long as it is asked.
struct Endless {
    start: &'static [u8],
    left: usize,
}

impl std::io::Read for Endless {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let start = self.start.len().min(buffer.len());
        buffer[..start].copy_from_slice(&self.start[..start]);
        self.start = &self.start[start..];
        let more = (buffer.len() - start).min(self.left);
        buffer[start..start + more].fill(b'x');
        self.left -= more;
        Ok(start + more)
    }
}

#[test]
fn a_line_of_a_recording_that_does_not_end_is_refused_before_it_fills_the_memory() {
    let start = b"{\"version\":2,\"width\":80,\"height\":24}\n[0.1,\"o\",\"";
    let endless = Endless { start, left: 1 << 40 };
    let error = render_stream(std::io::BufReader::new(endless), None).err().expect("too long");
    assert!(error.to_string().contains("line 2") && error.to_string().contains("longer"), "{error}");
    let header = Endless { start: b"{\"version\":", left: 1 << 40 };
    assert!(render_stream(std::io::BufReader::new(header), None).is_err());
}

#[test]
fn a_picture_has_every_look_on_the_grid() {
    let mut screen = render(
        "\x1b[1;38;2;1;2;3mbold\x1b[0m \x1b[3;4mit\x1b[0m \x1b[41m漢\x1b[0m <&\r\n\x1b[4:3;58;5;196mw\x1b[0m\x1b[9ms\x1b[0m─╭\x1b[8mno"
            .as_bytes(),
        Size::clamped(20, 3),
    );
    let picture = svg(&screen.frame());
    assert_well_formed(&picture);
    for expected in [
        "viewBox=\"0 0 160 51\"",
        "class=\"b\" fill=\"#010203\">bold</text>",
        "class=\"i\">it</text>",
        ">漢</text>",
        "x=\"64\" y=\"0\" width=\"16\" height=\"17\" fill=\"#cd0000\"",
        "&lt;&amp;",
        "stroke=\"#ff0000\"",
        "<path d=\"M16 25.5L24 25.5\"",
    ] {
        assert!(picture.contains(expected), "{expected} is not in\n{picture}");
    }
    assert!(!picture.contains(">no<"), "hidden text is not drawn");
}

#[test]
fn a_page_has_the_text_in_its_colours_and_nothing_that_runs() {
    let bytes = "\x1b]0;<b>\x07\x1b[1;31mred\x1b[0m<script>\r\n\x1b]8;;https://a.example/?a=\"b\x07link\x1b]8;;\x07\x1b]8;;javascript:alert(1)\x07x\x1b]8;;\x07漢";
    let page = html(&render(bytes.as_bytes(), Size::clamped(20, 2)).frame());
    for expected in [
        "<title>&lt;b&gt;</title>",
        "<span style=\"color:#cd0000;font-weight:bold\">red</span>&lt;script&gt;",
        "<a href=\"https://a.example/?a=&quot;b\">link</a>",
        "<span class=\"w\">漢</span>",
    ] {
        assert!(page.contains(expected), "{expected} is not in\n{page}");
    }
    assert!(!page.contains("javascript"), "an address that runs is left out");
}

#[test]
fn pixels_are_drawn_where_the_program_for_it_is_installed() {
    if Command::new("rsvg-convert").arg("--version").output().is_err() {
        eprintln!("rsvg-convert is not installed: left out");
        return;
    }
    let output = shtask(&["--size", "10x2", "--format", "png"], b"\x1b[7mhello");
    assert_eq!(output.status.code(), Some(0), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stdout.starts_with(b"\x89PNG\r\n"));
    let sizes = [&output.stdout[16..20], &output.stdout[20..24]];
    assert_eq!(sizes, [80_u32.to_be_bytes(), 34_u32.to_be_bytes()], "width and height of the header");
}

#[test]
fn a_stream_is_drawn_as_its_bytes_at_once() {
    for recording in super::recordings::all() {
        let mut streamed = render_stream(&*recording.bytes, Some(recording.size)).expect("readable");
        let mut whole = render(&recording.bytes, recording.size);
        assert_eq!(text(&streamed.frame()), text(&whole.frame()), "{}", recording.name);
    }
}

/// Fails unless every element ends where it should, and every text and attribute is escaped.
fn assert_well_formed(xml: &str) {
    let mut open = Vec::new();
    let mut rest = xml;
    while let Some(at) = rest.find('<') {
        assert_escaped(&rest[..at]);
        let end = at + rest[at..].find('>').expect("a tag ends");
        let tag = &rest[at + 1..end];
        rest = &rest[end + 1..];
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        assert!(!tag.contains('<') && tag.matches('"').count().is_multiple_of(2), "{tag}");
        assert_escaped(tag);
        if !tag.ends_with('/') {
            open.push(tag.split(' ').next().expect("a name"));
        }
    }
    assert_eq!(rest, "\n", "nothing after the picture");
    assert!(open.is_empty(), "{open:?} are not ended");
}

fn assert_escaped(text: &str) {
    let is_allowed = |c: char| c == '\n' || !c.is_control() && !matches!(c, '\u{fffe}' | '\u{ffff}');
    assert!(text.chars().all(is_allowed), "{text:?} has a character that XML does not take");
    for (at, _) in text.match_indices('&') {
        let entity = ["&amp;", "&lt;", "&gt;", "&quot;"].iter().any(|entity| text[at..].starts_with(entity));
        assert!(entity, "{text:?} has a sign that is not escaped");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn every_screen_is_a_well_formed_picture(size in replay::size(), bytes in replay::output()) {
        let mut screen = Screen::new(size, 10);
        screen.admit(&bytes);
        assert_well_formed(&svg(&screen.frame()));
        let page = html(&screen.frame());
        prop_assert_eq!(page.matches("<span").count(), page.matches("</span>").count());
    }
}
