//! Which names say that their value is a secret.

/// What a name says about its value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A password or a passphrase: any text at all.
    Password,
    /// A secret, a key, a token of something: hardly ever anything else.
    Strong,
    /// A word that stands in ordinary text and code, too: the value must look like a secret where the form is loose.
    Weak,
    /// `pwd`: a password, or a folder.
    Pwd,
    /// The credentials of an HTTP request, with a scheme before them.
    Authorization,
    /// The cookies of an HTTP message.
    Cookie,
}

/// The bytes of a name that are looked at; a longer one is cut.
const MAX_BYTES: usize = 160;
const MAX_PARTS: usize = 16;

/// Endings of the last part of a name, the longer first: `PGPASSWORD`, `authtoken`.
const ENDINGS: [(&[u8], Kind); 19] = [
    (b"password", Kind::Password),
    (b"passphrase", Kind::Password),
    (b"passwd", Kind::Password),
    (b"passcode", Kind::Password),
    (b"secret", Kind::Strong),
    (b"apikey", Kind::Strong),
    (b"secretkey", Kind::Strong),
    (b"accesskey", Kind::Strong),
    (b"privatekey", Kind::Strong),
    (b"accountkey", Kind::Strong),
    (b"credential", Kind::Weak),
    (b"credentials", Kind::Weak),
    (b"proxyauthorization", Kind::Authorization),
    (b"authorization", Kind::Authorization),
    (b"cookie", Kind::Cookie),
    (b"sessionid", Kind::Weak),
    (b"sessid", Kind::Weak),
    (b"token", Kind::Weak),
    (b"pwd", Kind::Pwd),
];

/// Last parts that count only as a whole.
const WHOLE: [(&[u8], Kind); 14] = [
    (b"pass", Kind::Weak),
    (b"storepass", Kind::Password),
    (b"keypass", Kind::Password),
    (b"userpass", Kind::Password),
    (b"dbpass", Kind::Password),
    (b"sshpass", Kind::Password),
    (b"rootpass", Kind::Password),
    (b"auth", Kind::Weak),
    (b"jwt", Kind::Weak),
    (b"bearer", Kind::Weak),
    (b"passin", Kind::Weak),
    (b"passout", Kind::Weak),
    (b"sig", Kind::Weak),
    (b"signature", Kind::Weak),
];

/// What a key must be called to be a secret: `key` alone is what every table has.
const KEYS: [&[u8]; 18] = [
    b"api",
    b"access",
    b"private",
    b"secret",
    b"encryption",
    b"signing",
    b"account",
    b"master",
    b"auth",
    b"shared",
    b"storage",
    b"service",
    b"license",
    b"deploy",
    b"session",
    b"app",
    b"subscription",
    b"priv",
];

/// What before `token` says that it is one of a parser or of a model's text.
const PARSED: [&[u8]; 19] = [
    b"next",
    b"current",
    b"cur",
    b"peek",
    b"unexpected",
    b"expected",
    b"cancel",
    b"cancellation",
    b"end",
    b"start",
    b"first",
    b"last",
    b"stop",
    b"eos",
    b"bos",
    b"pad",
    b"unk",
    b"prev",
    b"per",
];

/// Last parts that say the value is about a secret and not one. `…_id` is one only of sessions and of secrets.
const ABOUT: [&[u8]; 99] = [
    b"age",
    b"alg",
    b"algorithm",
    b"at",
    b"attempts",
    b"audience",
    b"budget",
    b"cache",
    b"changed",
    b"char",
    b"chars",
    b"check",
    b"class",
    b"cmd",
    b"command",
    b"count",
    b"counter",
    b"counts",
    b"date",
    b"dir",
    b"directory",
    b"disabled",
    b"domain",
    b"enabled",
    b"endpoint",
    b"env",
    b"error",
    b"errors",
    b"expired",
    b"expires",
    b"expiration",
    b"expiry",
    b"exists",
    b"field",
    b"file",
    b"filename",
    b"files",
    b"format",
    b"header",
    b"help",
    b"hint",
    b"host",
    b"id",
    b"ids",
    b"in",
    b"index",
    b"input",
    b"is",
    b"issuer",
    b"kind",
    b"label",
    b"length",
    b"len",
    b"level",
    b"limit",
    b"list",
    b"lifetime",
    b"manager",
    b"max",
    b"message",
    b"method",
    b"min",
    b"mode",
    b"name",
    b"names",
    b"on",
    b"path",
    b"pattern",
    b"policy",
    b"port",
    b"prefix",
    b"prompt",
    b"provider",
    b"ref",
    b"regex",
    b"required",
    b"reset",
    b"rotation",
    b"rules",
    b"scope",
    b"scopes",
    b"size",
    b"source",
    b"state",
    b"status",
    b"store",
    b"strength",
    b"suffix",
    b"time",
    b"timeout",
    b"ttl",
    b"type",
    b"types",
    b"uri",
    b"url",
    b"used",
    b"user",
    b"valid",
    b"version",
];

/// Last parts that say which of several secrets it is.
const WHICH: [&[u8]; 26] = [
    b"old",
    b"new",
    b"prod",
    b"production",
    b"dev",
    b"staging",
    b"test",
    b"current",
    b"previous",
    b"primary",
    b"secondary",
    b"value",
    b"val",
    b"plain",
    b"plaintext",
    b"hash",
    b"b64",
    b"base64",
    b"hex",
    b"raw",
    b"confirm",
    b"confirmation",
    b"again",
    b"admin",
    b"root",
    b"backup",
];

/// A name, cut into parts at `_`, `-`, `.` and at capitals, in lower case, without figures at the ends of parts.
struct Parts {
    lower: [u8; MAX_BYTES],
    ends: [(u8, u8); MAX_PARTS],
    count: usize,
}

impl Parts {
    fn new(name: &[u8]) -> Parts {
        let name = &name[..name.len().min(MAX_BYTES)];
        let mut parts = Parts { lower: [0; MAX_BYTES], ends: [(0, 0); MAX_PARTS], count: 0 };
        let mut start = 0;
        for at in 0..=name.len() {
            let here = name.get(at).copied().unwrap_or(b'_');
            if at < name.len() {
                parts.lower[at] = here.to_ascii_lowercase();
            }
            if !here.is_ascii_alphanumeric() {
                parts.add(start, at);
                start = at + 1;
            } else if at > start && here.is_ascii_uppercase() {
                let next_is_lower = name.get(at + 1).is_some_and(u8::is_ascii_lowercase);
                if !name[at - 1].is_ascii_uppercase() || next_is_lower {
                    parts.add(start, at);
                    start = at;
                }
            }
        }
        parts
    }

    fn add(&mut self, start: usize, end: usize) {
        let figures = self.lower[start..end].iter().rev().take_while(|byte| byte.is_ascii_digit()).count();
        // `b64` is a word, `64` is none.
        let is_word = self.lower[start..end] == *b"b64" || self.lower[start..end] == *b"base64";
        let end = if is_word { end } else { end - figures };
        if start < end && self.count < MAX_PARTS {
            self.ends[self.count] = (u8::try_from(start).unwrap_or(u8::MAX), u8::try_from(end).unwrap_or(u8::MAX));
            self.count += 1;
        }
    }

    /// Returns the part so many before the last, empty when there is none.
    fn nth_last(&self, back: usize) -> &[u8] {
        let Some(index) = self.count.checked_sub(back + 1) else { return b"" };
        let (start, end) = self.ends[index];
        &self.lower[usize::from(start)..usize::from(end)]
    }
}

/// Returns what a name says about its value, if it is that of a secret.
pub(super) fn classify(name: &[u8]) -> Option<Kind> {
    let parts = Parts::new(name);
    let (last, before) = (parts.nth_last(0), parts.nth_last(1));
    if last == b"id" && (before == b"secret" || before == b"session") {
        return Some(if before == b"secret" { Kind::Strong } else { Kind::Weak });
    }
    if let Some(kind) = core(&parts, 0) {
        return Some(kind);
    }
    if ABOUT.contains(&last) {
        return None;
    }
    // `PASSWORD_PROD`, `TOKEN_GITHUB`: a variable's name may go on; `password_reset` is about something else.
    let is_variable = name.iter().all(|byte| !byte.is_ascii_lowercase());
    if !is_variable && !WHICH.contains(&last) {
        return None;
    }
    (1..parts.count).find_map(|back| core(&parts, back)).filter(|kind| *kind != Kind::Cookie)
}

/// Returns what the part so many before the last says.
fn core(parts: &Parts, back: usize) -> Option<Kind> {
    let (part, before) = (parts.nth_last(back), parts.nth_last(back + 1));
    if part == b"key" || part == b"keyid" && before == b"secret" {
        return KEYS.contains(&before).then_some(Kind::Strong);
    }
    if part == b"oldpwd" {
        return None;
    }
    let whole = WHOLE.iter().find(|(word, _)| *word == part);
    let kind = whole.or_else(|| ENDINGS.iter().find(|(ending, _)| part.ends_with(ending)))?.1;
    let is_specific = !before.is_empty() || part.len() > b"token".len();
    match kind {
        Kind::Weak if part.ends_with(b"token") && is_specific => (!PARSED.contains(&before)).then_some(Kind::Strong),
        kind => Some(kind),
    }
}
