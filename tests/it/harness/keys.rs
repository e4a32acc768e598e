//! Keys, pastes and the mouse as the bytes that a terminal would send.

/// Something done with the mouse; the button is the left one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Mouse {
    /// The button goes down.
    Press,
    /// The button goes up.
    Release,
    /// The pointer moves with the button held.
    Drag,
    /// The wheel turns away from the person.
    WheelUp,
    /// The wheel turns towards the person.
    WheelDown,
}

impl Mouse {
    /// The report in the SGR encoding (mode 1006) for a cell counted from zero.
    pub(crate) fn report(self, col: u16, row: u16) -> Vec<u8> {
        let (code, last) = match self {
            Mouse::Press => (0, 'M'),
            Mouse::Release => (0, 'm'),
            Mouse::Drag => (32, 'M'),
            Mouse::WheelUp => (64, 'M'),
            Mouse::WheelDown => (65, 'M'),
        };
        format!("\x1b[<{code};{};{}{last}", u32::from(col) + 1, u32::from(row) + 1).into_bytes()
    }
}

/// Turns `"ihello<Esc>:wq<Enter>"` into bytes. Names: `Enter Esc Tab BTab BS Del Ins Up Down Left Right Home End PgUp PgDn
/// Space lt`, `F1` to `F12`, `C-x` for Ctrl and `A-x` for Alt with a character.
///
/// With `application_cursor` the cursor keys are those of that mode (`ESC O A`).
pub(crate) fn encode(keys: &str, application_cursor: bool) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut rest = keys;
    while let Some(character) = rest.chars().next() {
        if character == '<' {
            let end = rest.find('>').unwrap_or_else(|| panic!("a key name in {keys:?} has no end; a `<` is `<lt>`"));
            bytes.extend(named(&rest[1..end], application_cursor));
            rest = &rest[end + 1..];
        } else {
            let width = character.len_utf8();
            bytes.extend_from_slice(&rest.as_bytes()[..width]);
            rest = &rest[width..];
        }
    }
    bytes
}

fn named(name: &str, application_cursor: bool) -> Vec<u8> {
    let cursor = |letter: char| if application_cursor { format!("\x1bO{letter}") } else { format!("\x1b[{letter}") };
    let text = match name {
        "Enter" => "\r".to_owned(),
        "Esc" => "\x1b".to_owned(),
        "Tab" => "\t".to_owned(),
        "BTab" => "\x1b[Z".to_owned(),
        "BS" => "\x7f".to_owned(),
        "Space" => " ".to_owned(),
        "lt" => "<".to_owned(),
        "Up" => cursor('A'),
        "Down" => cursor('B'),
        "Right" => cursor('C'),
        "Left" => cursor('D'),
        "Home" => cursor('H'),
        "End" => cursor('F'),
        "Ins" => "\x1b[2~".to_owned(),
        "Del" => "\x1b[3~".to_owned(),
        "PgUp" => "\x1b[5~".to_owned(),
        "PgDn" => "\x1b[6~".to_owned(),
        _ => modified(name).unwrap_or_else(|| panic!("no key is called {name:?}")),
    };
    text.into_bytes()
}

fn modified(name: &str) -> Option<String> {
    const FUNCTION_KEYS: [&str; 12] =
        ["OP", "OQ", "OR", "OS", "[15~", "[17~", "[18~", "[19~", "[20~", "[21~", "[23~", "[24~"];
    if let Some(character) = name.strip_prefix("A-") {
        return Some(format!("\x1b{character}"));
    }
    if let Some(character) = name.strip_prefix("C-") {
        let byte = *character.as_bytes().first()?;
        return Some(char::from(byte & 0x1f).to_string());
    }
    let number: usize = name.strip_prefix('F')?.parse().ok()?;
    FUNCTION_KEYS.get(number.checked_sub(1)?).map(|end| format!("\x1b{end}"))
}

/// A paste as a terminal sends it: framed when the program asked for frames (mode 2004).
pub(crate) fn paste(text: &str, framed: bool) -> Vec<u8> {
    let body = text.replace('\n', "\r");
    if framed { format!("\x1b[200~{body}\x1b[201~").into_bytes() } else { body.into_bytes() }
}
