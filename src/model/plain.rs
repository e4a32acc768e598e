//! Output of a run made harmless (S9.2): text, line ends, tabs, and colours where they are wanted. Everything else that a terminal would obey
//! is taken out.

/// After so many characters a control string that does not end is taken for text again (BUGS B47).
const MAX_STRING: usize = 64 * 1024;

/// The longest sequence of colours that is passed on.
const MAX_SGR: usize = 64;

/// The most colour sequences that are remembered from one chunk to the next.
const MAX_ACTIVE: usize = 256;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Text,
    Escape,
    /// Inside `CSI`.
    Sequence,
    /// Inside a string that BEL or ST ends.
    String,
    /// Inside a string, behind an ESC.
    StringEscape,
}

/// Takes a stream of bytes in chunks.
#[derive(Debug)]
pub struct Plain {
    colors: bool,
    state: State,
    /// The beginning of a character that is not whole yet.
    held: Vec<u8>,
    /// The parameters of the sequence so far.
    parameters: String,
    string_length: usize,
    has_text_in_line: bool,
    pending_return: bool,
    /// The colours in force, as sequences.
    active: String,
}

impl Plain {
    /// Makes one that passes on colours or not.
    pub fn new(colors: bool) -> Plain {
        Plain {
            colors,
            state: State::Text,
            held: Vec::new(),
            parameters: String::new(),
            string_length: 0,
            has_text_in_line: false,
            pending_return: false,
            active: String::new(),
        }
    }

    /// Takes the next bytes; returns what can be shown of them. Colours that are in force are ended with each chunk and taken up with the next.
    pub fn admit(&mut self, bytes: &[u8]) -> String {
        let mut out = self.active.clone();
        let mut all = std::mem::take(&mut self.held);
        all.extend_from_slice(bytes);
        let mut rest = &all[..];
        while !rest.is_empty() {
            match std::str::from_utf8(rest) {
                Ok(text) => {
                    self.text(text, &mut out);
                    rest = &[];
                }
                Err(error) => {
                    let (valid, after) = rest.split_at(error.valid_up_to());
                    self.text(std::str::from_utf8(valid).expect("checked just now"), &mut out);
                    match error.error_len() {
                        Some(wrong) => {
                            self.character('\u{fffd}', &mut out);
                            rest = &after[wrong..];
                        }
                        None => {
                            self.held = after.to_vec();
                            rest = &[];
                        }
                    }
                }
            }
        }
        self.settle(out)
    }

    /// Ends the stream; returns what was held back.
    pub fn finish(&mut self) -> String {
        let mut out = self.active.clone();
        if !std::mem::take(&mut self.held).is_empty() {
            self.character('\u{fffd}', &mut out);
        }
        self.settle(out)
    }

    fn settle(&self, mut out: String) -> String {
        if out == self.active {
            return String::new();
        }
        if !self.active.is_empty() {
            out.push_str("\x1b[0m");
        }
        out
    }

    fn text(&mut self, text: &str, out: &mut String) {
        text.chars().for_each(|c| self.character(c, out));
    }

    fn character(&mut self, c: char, out: &mut String) {
        match self.state {
            State::Text => self.plain(c, out),
            State::Escape => self.escape(c),
            State::Sequence => self.sequence(c, out),
            State::String => {
                self.string_length += 1;
                match c {
                    '\x07' | '\u{9c}' | '\x18' | '\x1a' => self.state = State::Text,
                    '\x1b' => self.state = State::StringEscape,
                    _ if self.string_length > MAX_STRING => self.state = State::Text,
                    _ => {}
                }
            }
            State::StringEscape => match c {
                '\\' => self.state = State::Text,
                _ => self.escape(c),
            },
        }
    }

    fn plain(&mut self, c: char, out: &mut String) {
        match c {
            '\n' => {
                (self.has_text_in_line, self.pending_return) = (false, false);
                out.push('\n');
            }
            // A return goes back to the start of the line: what it writes there is shown as a line of its own.
            '\r' => self.pending_return = true,
            '\x1b' => self.state = State::Escape,
            '\u{9b}' => self.begin_sequence(),
            '\u{90}' | '\u{98}' | '\u{9d}' | '\u{9e}' | '\u{9f}' => self.begin_string(),
            '\t' => out.push('\t'),
            c if c.is_control() => {}
            // What would turn the direction of writing.
            '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => {}
            c => {
                if std::mem::take(&mut self.pending_return) && self.has_text_in_line {
                    out.push('\n');
                }
                self.has_text_in_line = true;
                out.push(c);
            }
        }
    }

    fn begin_sequence(&mut self) {
        self.parameters.clear();
        self.state = State::Sequence;
    }

    fn begin_string(&mut self) {
        self.string_length = 0;
        self.state = State::String;
    }

    fn escape(&mut self, c: char) {
        match c {
            '[' => self.begin_sequence(),
            ']' | 'P' | 'X' | '^' | '_' => self.begin_string(),
            // Intermediates go on until a final character.
            ' '..='/' | '\x1b' => self.state = State::Escape,
            _ => self.state = State::Text,
        }
    }

    fn sequence(&mut self, c: char, out: &mut String) {
        match c {
            '\u{20}'..='\u{3f}' => {
                if self.parameters.len() <= MAX_SGR {
                    self.parameters.push(c);
                }
            }
            '\x1b' => self.state = State::Escape,
            '\x18' | '\x1a' => self.state = State::Text,
            c if c.is_control() => {}
            c => {
                self.state = State::Text;
                if c == 'm' {
                    self.color(out);
                }
            }
        }
    }

    fn color(&mut self, out: &mut String) {
        let is_plain = self.parameters.bytes().all(|byte| byte.is_ascii_digit() || matches!(byte, b';' | b':'));
        if !self.colors || !is_plain || self.parameters.len() > MAX_SGR {
            return;
        }
        let sequence = format!("\x1b[{}m", self.parameters);
        out.push_str(&sequence);
        if matches!(self.parameters.as_str(), "" | "0") || self.active.len() + sequence.len() > MAX_ACTIVE {
            self.active.clear();
        }
        if !matches!(self.parameters.as_str(), "" | "0") {
            self.active.push_str(&sequence);
        }
    }
}

/// Makes a whole text harmless.
pub fn plain_text(text: &str, colors: bool) -> String {
    let mut plain = Plain::new(colors);
    let mut out = plain.admit(text.as_bytes());
    out.push_str(&plain.finish());
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn all(colors: bool, bytes: &[u8]) -> String {
        let mut plain = Plain::new(colors);
        let mut out = plain.admit(bytes);
        out.push_str(&plain.finish());
        out
    }

    #[test]
    fn sequences_strings_and_controls_are_taken_out() {
        for (bytes, text) in [
            (&b"a\x1b[2Jb\x1b[10;5Hc"[..], "abc"),
            (b"a\x1b]0;title\x07b\x1b]52;c;aGk=\x1b\\c", "abc"),
            (b"\x1bPq#0;2;0;0;0\x1b\\x\x1b_Gi=1\x1b\\y", "xy"),
            (b"a\x07\x08\x0e\x7fb\x1b(0c\x1b=d", "abcd"),
            ("a\u{9b}31mb\u{9d}0;x\u{9c}c".as_bytes(), "abc"),
            (b"a\r\nb\rc\r\r\n", "a\nb\nc\n"),
            (b"\x1b[?2004l\rfirst\x1b[K\r\n", "first\n"),
            ("a\u{202e}b".as_bytes(), "ab"),
            (b"a\xffb\xc3", "a\u{fffd}b\u{fffd}"),
            (b"tab\there", "tab\there"),
            (b"\x1b[31mred\x1b[0m", "red"),
        ] {
            assert_eq!(all(false, bytes), text, "{bytes:?}");
        }
    }

    #[test]
    fn colours_pass_where_they_are_wanted_and_do_not_run_on() {
        assert_eq!(all(true, b"\x1b[1;31mred\x1b[m plain"), "\x1b[1;31mred\x1b[m plain");
        assert_eq!(all(true, b"\x1b[31mred"), "\x1b[31mred\x1b[0m");
        assert_eq!(all(true, b"\x1b[>4;2mno\x1b[?25hmode"), "nomode");
        let mut plain = Plain::new(true);
        assert_eq!(plain.admit(b"\x1b[31mone"), "\x1b[31mone\x1b[0m");
        assert_eq!(plain.admit(b"two"), "\x1b[31mtwo\x1b[0m");
        assert_eq!(plain.admit(b"\x1b[0m"), "\x1b[31m\x1b[0m");
        assert_eq!(plain.admit(b"three"), "three");
    }

    #[test]
    fn a_string_without_an_end_does_not_swallow_everything() {
        let text = all(false, format!("\x1b]0;{}after", "x".repeat(MAX_STRING)).as_bytes());
        assert!(text.ends_with("after"), "{}", text.len());
    }

    proptest! {
        #[test]
        fn nothing_a_terminal_obeys_comes_through_however_it_is_split(bytes: Vec<u8>, at: usize) {
            let mut plain = Plain::new(false);
            let (one, two) = bytes.split_at(at.checked_rem(bytes.len() + 1).unwrap_or(0));
            let mut out = plain.admit(one);
            out.push_str(&plain.admit(two));
            out.push_str(&plain.finish());
            prop_assert!(out.chars().all(|c| !c.is_control() || matches!(c, '\n' | '\t')));
            prop_assert_eq!(out, all(false, &bytes));
        }
    }
}
