//! What `vt100` alone gets wrong, one case a gap.

use shtask::model::{Attributes, Color, Style, Underline};

use super::{cursor, fed, history, rows};

/// Checks the text and the cursor of small screens.
fn check(cols: u16, height: u16, cases: &[(&str, &[&str], (u16, u16))]) {
    for (bytes, expected, place) in cases {
        let mut screen = fed(cols, height, bytes);
        let shown = rows(&mut screen);
        let wanted: Vec<&str> = expected.iter().copied().chain(std::iter::repeat("")).take(height.into()).collect();
        assert_eq!(shown, wanted, "{bytes:?}");
        assert_eq!(cursor(&mut screen), *place, "cursor after {bytes:?}");
    }
}

fn style_at(bytes: &str, row: usize, col: usize) -> Style {
    fed(20, 4, bytes).frame().rows[row].cells[col].style
}

#[test]
fn line_drawing_is_drawn() {
    check(
        10,
        2,
        &[
            ("\x1b(0lqk\x1b(Bx", &["┌─┐x"], (0, 4)),
            ("\x1b)0\x0exa\x0fx", &["│▒x"], (0, 3)),
            ("\x1b(A#\x1b(B#", &["£#"], (0, 2)),
            ("\x1b*0\x1bNqq", &["─q"], (0, 2)),
        ],
    );
}

#[test]
fn index_and_next_line_move_as_in_a_vt100() {
    check(
        5,
        3,
        &[
            ("a\x1bDb", &["a", " b"], (1, 2)),
            ("a\x1bEb", &["a", "b"], (1, 1)),
            ("\x1b[3;2Ha\x1bDb", &["", " a", "  b"], (2, 3)),
            ("1\r\n2\x1bMx", &["1x", "2"], (0, 2)),
            ("1\r\n2\x1b[H\x1bMx", &["x", "1", "2"], (0, 1)),
        ],
    );
}

#[test]
fn reverse_index_above_the_region_does_not_scroll() {
    check(5, 4, &[("1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[1;1H\x1bM", &["1", "2", "3", "4"], (0, 0))]);
}

#[test]
fn margins_home_the_cursor_and_keep_scrolling_inside() {
    check(
        5,
        4,
        &[
            ("1\r\n2\r\n3\r\n4\x1b[2;3r", &["1", "2", "3", "4"], (0, 0)),
            ("1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[3;1H\n", &["1", "3", "", "4"], (2, 0)),
            ("1\r\n2\r\n3\r\n4\x1b[2;3r\x1b[4;1H\n", &["1", "2", "3", "4"], (3, 0)),
            ("1\r\n2\x1b[3;2r", &["1", "2"], (1, 1)),
            ("\x1b[2;3r\x1b[?6h\x1b[9;2Hx", &["", "", " x"], (2, 2)),
            ("\x1b[2;3r\x1b[2;2H\x1b[9eX", &["", "", "", " X"], (3, 2)),
            ("\x1b[2;3r\x1b[?6h\x1b[9eX", &["", "", "X"], (2, 1)),
            ("\x1b[2;3r\x1b[?6h\x1b[2dx\x1b[?6ly", &["y", "", "x"], (0, 1)),
        ],
    );
}

#[test]
fn tab_stops_can_be_set_and_cleared() {
    check(
        20,
        2,
        &[
            ("a\tb", &["a       b"], (0, 9)),
            ("\x1b[3g\x1b[1;4H\x1bH\x1b[1;1Ha\tb\tc", &["a  b               c"], (0, 19)),
            ("\x1b[1;9H\x1b[g\ra\tb", &["a               b"], (0, 17)),
            ("\x1b[2Ix\x1b[2Zy", &["        y       x"], (0, 9)),
            ("01234567890123456789\tx", &["01234567890123456789", "x"], (1, 1)),
        ],
    );
}

#[test]
fn insert_mode_and_lines_without_wrapping() {
    check(
        5,
        2,
        &[
            ("abc\r\x1b[4hX\x1b[4lY", &["XYbc"], (0, 2)),
            ("\x1b[?7labcdefg", &["abcdg"], (0, 4)),
            ("\x1b[?7labcd漢", &["abc漢"], (0, 4)),
            ("\x1b[20hab\nc", &["ab", "c"], (1, 1)),
        ],
    );
}

#[test]
fn backspace_and_moves_at_a_pending_wrap_start_from_the_last_column() {
    check(
        5,
        2,
        &[
            ("abcde\x08X", &["abcXe"], (0, 4)),
            ("abcde\x1b[DX", &["abcXe"], (0, 4)),
            ("abcde\nX", &["abcde", "    X"], (1, 4)),
            ("abcde\x1b[BX", &["abcde", "    X"], (1, 4)),
            ("abcde\x1b[CX", &["abcdX"], (0, 4)),
            ("abcde\x1b[1dX", &["abcdX"], (0, 4)),
            ("abcde\x1b[@X", &["abcdX"], (0, 4)),
            ("abcde\x1b[PX", &["abcdX"], (0, 4)),
            ("abcde\x1b[XX", &["abcdX"], (0, 4)),
        ],
    );
}

#[test]
fn a_back_tab_at_a_pending_wrap_leaves_it_pending() {
    check(10, 2, &[("abcdefghij\x1b[ZX", &["abcdefghij", "X"], (1, 1)), ("abcdefghi\x1b[ZX", &["abcdefghX"], (0, 9))]);
}

#[test]
fn erasing_what_is_behind_a_pending_wrap_takes_no_character() {
    check(5, 2, &[("abcde\x1b[KX", &["abcde", "X"], (1, 1)), ("abcde\x1b[JX", &["abcde", "X"], (1, 1))]);
}

#[test]
fn the_cursor_is_saved_with_its_look_and_its_pending_wrap() {
    check(
        5,
        2,
        &[
            ("ab\x1b[sXY\x1b[uZ", &["abZY"], (0, 3)),
            ("abcde\x1b7\x1b[2;1H\x1b8X", &["abcde", "X"], (1, 1)),
            ("\x1b(0\x1b7\x1b(B\x1b8q", &["─"], (0, 1)),
            ("ab\x1b[?1048h\x1b[2;2H\x1b[?1048lc", &["abc"], (0, 3)),
        ],
    );
    assert_eq!(style_at("\x1b[31m\x1b7\x1b[0m\x1b8x", 0, 0).foreground, Color::Indexed(1));
}

#[test]
fn relative_and_absolute_positions() {
    check(
        9,
        3,
        &[
            ("a\x1b[2ab", &["a  b"], (0, 4)),
            ("a\x1b[2eb", &["a", "", " b"], (2, 2)),
            ("\x1b[5`a\x1b[2d\x1b[Gb", &["    a", "b"], (1, 1)),
        ],
    );
}

#[test]
fn sequences_that_xterm_does_not_know_do_nothing() {
    check(9, 3, &[("a\r\nbc\x1b[2jX\x1b[1kY", &["a", "bcXY"], (1, 4))]);
}

#[test]
fn only_a_character_that_has_just_been_written_is_repeated() {
    check(
        12,
        3,
        &[
            ("x\x1b[5by\x1b[b", &["xxxxxxyy"], (0, 8)),
            ("x\x1b[2b\x1b[b", &["xxxx"], (0, 4)),
            ("ab\r\n\x1b[3bc", &["ab", "c"], (1, 1)),
            ("abcd\x1b[2D\x1b[bX", &["abXd"], (0, 3)),
            ("ab\x1b[31m\x1b[3bc", &["abc"], (0, 3)),
            ("ab\x1b7\x1b[3bc", &["abc"], (0, 3)),
            ("ab\x1b]0;title\x07\x1b[3bc", &["abc"], (0, 3)),
        ],
    );
    // Also when what came before was not drawn at all.
    let mut screen = fed(12, 3, "a line\r\n".repeat(1000) + "\x1b[2b|");
    assert_eq!(rows(&mut screen), ["a line", "a line", "|"]);
}

#[test]
fn alignment_and_soft_reset() {
    check(
        3,
        2,
        &[("\x1b[2;2Hx\x1b#8", &["EEE", "EEE"], (1, 2)), ("\x1b[4h\x1b[?7l\x1b[!pabcd", &["abc", "d"], (1, 1))],
    );
}

#[test]
fn the_alternate_screens_of_every_kind() {
    check(
        6,
        2,
        &[
            ("ab\x1b[?1049hX\x1b[?1049lc", &["abc"], (0, 3)),
            ("ab\x1b[?47hX\x1b[?47lc", &["ab c"], (0, 4)),
            ("ab\x1b[?1047hX\x1b[?1047l\x1b[?1047h", &[], (0, 3)),
            ("ab\x1b[?47hX\x1b[?47l\x1b[?47h", &["  X"], (0, 3)),
            ("abcdef\x1b[?1049hX", &["", "X"], (1, 1)),
        ],
    );
}

#[test]
fn every_attribute_is_kept() {
    let style = style_at("\x1b[1;2;3;5;7;8;9;4:3;58:2::1:2:3;38:2::9:8:7;48:5:200mx", 0, 0);
    let all = [
        Attributes::BOLD,
        Attributes::DIM,
        Attributes::ITALIC,
        Attributes::BLINK,
        Attributes::REVERSE,
        Attributes::HIDDEN,
        Attributes::STRIKE,
    ];
    assert_eq!(style.attributes, all.iter().fold(Attributes::NONE, |set, one| set.with(*one)));
    assert_eq!(style.underline, Underline::Curly);
    assert_eq!(style.underline_color, Color::Rgb(1, 2, 3));
    assert_eq!(style.foreground, Color::Rgb(9, 8, 7));
    assert_eq!(style.background, Color::Indexed(200));
    assert_eq!(style_at("\x1b[1;2;9m\x1b[22;29mx", 0, 0), Style::default());
}

#[test]
fn links_are_kept_beside_the_cells() {
    let mut screen = fed(20, 2, "\x1b]8;;http://a\x1b\\one\x1b]8;;\x1b\\ \x1b]8;id=1;http://b\x07two\x1b[0m!");
    let frame = screen.frame();
    let link = |col: usize| frame.links.get(&frame.rows[0].cells[col].style.link).map(|link| link.to_string());
    assert_eq!((link(0), link(3), link(4)), (Some("http://a".into()), None, Some("http://b".into())));
    assert_eq!(link(7), Some("http://b".into()), "a reset of colours does not end a link");
}

#[test]
fn blanks_that_come_in_have_the_current_background_and_nothing_else() {
    let blank = |bytes: &str, row, col| style_at(&format!("\x1b[4;7;44m{bytes}"), row, col);
    let blue = Style { background: Color::Indexed(4), ..Style::default() };
    for (bytes, row, col) in [
        ("\x1b[K", 0, 3),
        ("\x1b[2J", 2, 3),
        ("\x1b[3X", 0, 2),
        ("\x1b[2@", 0, 1),
        ("\x1b[2P", 0, 19),
        ("\x1b[L", 0, 3),
        ("\x1b[M", 3, 3),
        ("\x1b[S", 3, 3),
        ("\x1b[T", 0, 3),
        ("\x1b[4;1H\n", 3, 5),
        ("\x1b[1;1H\x1bM", 0, 5),
        ("\x1b[4;20Hxyz", 3, 5),
    ] {
        assert_eq!(blank(bytes, row, col), blue, "{bytes:?}");
    }
}

#[test]
fn wide_characters_and_marks_keep_borders_straight() {
    check(
        8,
        2,
        &[
            ("|漢字|", &["|漢字|"], (0, 6)),
            ("|\u{26a0}\u{fe0f}|", &["|\u{26a0}|"], (0, 3)),
            ("|e\u{301}|", &["|e\u{301}|"], (0, 3)),
            ("1234567漢", &["1234567", "漢"], (1, 2)),
            ("漢\rx", &["x"], (0, 1)),
            ("漢\x08x", &[" x"], (0, 2)),
        ],
    );
    let marks = "e".to_owned() + &"\u{301}".repeat(100) + "|";
    let mut screen = fed(8, 2, marks);
    assert_eq!(cursor(&mut screen), (0, 2));
    assert!(screen.frame().rows[0].cells[0].text.len() < 32, "a run of marks is cut");
}

#[test]
fn a_family_is_drawn_in_cells_that_do_not_join_what_follows() {
    let mut screen = fed(12, 2, "👩\u{200d}👩\u{200d}👧|");
    assert_eq!(cursor(&mut screen), (0, 7));
    assert!(screen.frame().rows[0].cells.iter().all(|cell| !cell.text.ends_with('\u{200d}')));
}

#[test]
fn rows_scrolled_off_a_region_at_the_top_go_to_the_history() {
    let mut screen = fed(5, 4, "1\r\n2\r\n3\r\n4\x1b[1;3r\x1b[3;1H\n\n");
    assert_eq!(history(&mut screen), ["1", "2"]);
    assert_eq!(rows(&mut screen), ["3", "", "", "4"]);
}

#[test]
fn eight_bit_controls_work_as_characters() {
    check(6, 2, &[("a\u{9b}31mb\u{85}c", &["ab", "c"], (1, 1)), ("a\u{9d}0;t\u{9c}b", &["ab"], (0, 2))]);
}

#[test]
fn selective_erasing_is_not_taken_for_erasing() {
    check(8, 2, &[("ab\x1b[1\"qcd\x1b[0\"q\x1b[?2J", &["abcd"], (0, 4)), ("ab\r\x1b[?K", &["ab"], (0, 0))]);
}

#[test]
fn columns_can_be_shifted() {
    check(
        6,
        3,
        &[
            ("abcd\r\nefgh\x1b[ @", &["bcd", "fgh"], (1, 4)),
            ("abcd\r\nefgh\x1b[2 A", &["  abcd", "  efgh"], (1, 4)),
            ("abcd\r\nefgh\x1b[1;2H\x1b['}", &["a bcd", "e fgh"], (0, 1)),
            ("abcd\r\nefgh\x1b[1;2H\x1b[2'~", &["ad", "eh"], (0, 1)),
        ],
    );
}

#[test]
fn a_switch_of_the_columns_clears_the_screen() {
    check(6, 3, &[("abc\x1b[2;3r\x1b[3;3H\x1b[?3hx\n\n", &["x"], (2, 1))]);
}

#[test]
fn a_line_that_wraps_before_a_wide_character_stays_one_line() {
    let mut screen = fed(5, 2, "ab漢字かな\r\n\r\n");
    assert_eq!(screen.output().scrollback, "ab漢字かな");
    screen = fed(5, 3, "ab漢字かな");
    assert_eq!(rows(&mut screen), ["ab漢", "字か", "な"]);
    screen.resize(shtask::model::Size::clamped(20, 3));
    assert_eq!(rows(&mut screen)[0], "ab漢字かな");
    screen.resize(shtask::model::Size::clamped(5, 3));
    assert_eq!(rows(&mut screen), ["ab漢", "字か", "な"]);
    screen.admit("\r\n\r\n\r\n".as_bytes());
    assert_eq!(screen.output().scrollback, "ab漢字かな");
}

#[test]
fn margins_at_the_sides_keep_text_and_scrolling_between_them() {
    check(
        8,
        3,
        &[
            ("\x1b[?69h\x1b[3;5sabcdef", &["abcde", "  f"], (1, 3)),
            ("\x1b[?69h\x1b[3;5s\x1b[1;3Habcdef", &["  abc", "  def"], (1, 4)),
            ("\x1b[?69h\x1b[3;5s\x1b[1;3Habc漢字x", &["  abc", "  漢", "  字x"], (2, 4)),
            ("\x1b[?69h\x1b[3;5s\x1b[1;3Hab\rX\x1b[1;2H\rY", &["Y Xb"], (0, 1)),
            ("\x1b[?69h\x1b[3;5s\x1b[1;3Habce\u{301}", &["  abc", "  e\u{301}"], (1, 3)),
            ("\x1b[?69h\x1b[3;5s\x1b[1;3Habc\u{301}d", &["  abc\u{301}", "  d"], (1, 3)),
            (
                "11111111\r\n22222222\r\n33333333\x1b[?69h\x1b[3;5s\x1b[3;4H\n",
                &["11222111", "22333222", "33   333"],
                (2, 3),
            ),
            (
                "11111111\r\n22222222\r\n33333333\x1b[?69h\x1b[3;5s\x1b[3;7H\n",
                &["11111111", "22222222", "33333333"],
                (2, 6),
            ),
            (
                "11111111\r\n22222222\r\n33333333\x1b[?69h\x1b[3;5s\x1b[1;3H\x1bM",
                &["11   111", "22111222", "33222333"],
                (0, 2),
            ),
            ("\x1b[?69h\x1b[3;5s\x1b[?7l\x1b[1;3Habcdef", &["  abf"], (0, 4)),
            ("\x1b[?69h\x1b[3;5s\x1b[?69labcdefgh", &["abcdefgh"], (0, 7)),
            ("ab\x1b[3;5scd\x1b[uX", &["abXd"], (0, 3)),
        ],
    );
}

#[test]
fn margins_at_the_sides_bound_moves_and_edits() {
    let page = "abcdefgh\r\nijklmnop\r\nqrstuvwx\x1b[?69h\x1b[3;5s";
    let cases: [(&str, &[&str], (u16, u16)); 13] = [
        ("\x1b[1;4H\x1b[9CX", &["abcdXfgh", "ijklmnop", "qrstuvwx"], (0, 4)),
        ("\x1b[1;4H\x1b[9DX", &["abXdefgh", "ijklmnop", "qrstuvwx"], (0, 3)),
        ("\x1b[1;7H\x1b[9DX", &["abXdefgh", "ijklmnop", "qrstuvwx"], (0, 3)),
        ("\x1b[1;4H\x1b[@", &["abc dfgh", "ijklmnop", "qrstuvwx"], (0, 3)),
        ("\x1b[1;4H\x1b[P", &["abce fgh", "ijklmnop", "qrstuvwx"], (0, 3)),
        ("\x1b[1;1H\x1b[P", &["abcdefgh", "ijklmnop", "qrstuvwx"], (0, 0)),
        ("\x1b[1;4H\x1b[L", &["ab   fgh", "ijcdenop", "qrklmvwx"], (0, 2)),
        ("\x1b[1;4H\x1b[M", &["abklmfgh", "ijstunop", "qr   vwx"], (0, 2)),
        ("\x1b[1;1H\x1b[M", &["abcdefgh", "ijklmnop", "qrstuvwx"], (0, 0)),
        ("\x1b[S", &["abklmfgh", "ijstunop", "qr   vwx"], (0, 0)),
        ("\x1b[T", &["ab   fgh", "ijcdenop", "qrklmvwx"], (0, 0)),
        ("\x1b[1;1H\x1b[ @", &["abde fgh", "ijlm nop", "qrtu vwx"], (0, 0)),
        ("\x1b[?6h\x1b[2;2HX\x1b[9;9HY", &["abcdefgh", "ijkXmnop", "qrstYvwx"], (2, 4)),
    ];
    let cases: Vec<(String, &[&str], (u16, u16))> =
        cases.into_iter().map(|(bytes, rows, place)| (format!("{page}{bytes}"), rows, place)).collect();
    let cases: Vec<(&str, &[&str], (u16, u16))> =
        cases.iter().map(|(bytes, rows, place)| (bytes.as_str(), *rows, *place)).collect();
    check(8, 3, &cases);
}
