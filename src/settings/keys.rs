//! Every key of the configuration with what it means: the one table that reading, hints, the default file and the docs' test go by.

/// A key of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct KeyEntry {
    /// Its name.
    pub name: &'static str,
    /// Its default as TOML, or an example where there is no default.
    pub value: &'static str,
    /// Whether `value` is the default; otherwise it is an example, and the key is unset by default.
    pub is_default: bool,
    /// What it means: one sentence, with units and range.
    pub about: &'static str,
    /// What a value can be.
    pub kind: Kind,
    /// Words that people try instead of it.
    pub(super) tried: &'static [&'static str],
}

/// What a value can be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// What the example is: text, a number, a truth value, a list, a table.
    AsExample,
    /// A whole number of this range.
    Count(usize, usize),
    /// A number of bytes, or a text such as `64MiB`.
    Bytes,
    /// One of these words.
    OneOf(&'static [&'static str]),
    /// A text or a list of texts.
    Texts,
    /// A text, a list of texts, or false.
    TextsOrFalse,
    /// A text, a number, or the table of this heading.
    TextOrTable(&'static str),
}

/// A table of the configuration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Section {
    /// Its heading, without brackets; a part in capitals stands for a name.
    pub heading: &'static str,
    /// What it is about: one sentence.
    pub about: &'static str,
    /// Its keys.
    pub entries: &'static [KeyEntry],
}

const fn default(name: &'static str, value: &'static str, about: &'static str) -> KeyEntry {
    KeyEntry { name, value, is_default: true, about, kind: Kind::AsExample, tried: &[] }
}

const fn example(name: &'static str, value: &'static str, about: &'static str) -> KeyEntry {
    KeyEntry { name, value, is_default: false, about, kind: Kind::AsExample, tried: &[] }
}

impl KeyEntry {
    const fn kind(self, kind: Kind) -> KeyEntry {
        KeyEntry { kind, ..self }
    }

    const fn count(self, least: usize, most: usize) -> KeyEntry {
        self.kind(Kind::Count(least, most))
    }

    const fn one_of(self, words: &'static [&'static str]) -> KeyEntry {
        self.kind(Kind::OneOf(words))
    }

    const fn tried(self, tried: &'static [&'static str]) -> KeyEntry {
        KeyEntry { tried, ..self }
    }
}

/// The tables of a file.
pub(super) const ROOT: Section = Section {
    heading: "",
    about: "The whole file.",
    entries: &[
        example("limits", "{}", "Limits."),
        example("defaults", "{}", "Defaults.").tried(&["default"]),
        example("output", "{}", "Output.").tried(&["logs", "log"]),
        example("redact", "{}", "Redaction.").tried(&["redaction", "secrets", "mask"]),
        example("store", "{}", "Store.").tried(&["storage", "records"]),
        example("retention", "{}", "Retention.").tried(&["history", "prune"]),
        example("tui", "{}", "Terminal interface.").tried(&["ui"]),
        example("keys", "{}", "Keys.").tried(&["keymap", "bindings", "key", "shortcuts"]),
        example("theme", "{}", "Theme.").tried(&["colors", "colours", "themes", "looks"]),
        example("tasks", "{}", "Tasks.").tried(&["task", "procs", "processes", "services", "daemons", "commands"]),
    ],
};

pub(super) const LIMITS: Section = Section {
    heading: "limits",
    about: "How much shtask takes on.",
    entries: &[
        default("runs", "64", "How many runs may be live at once, 1 to 10000.").count(1, 10_000),
        default("pty_runs", "32", "How many of them may have a PTY, 1 to 10000.").count(1, 10_000),
        default("scrollback_lines", "10_000", "Rows of scrollback that a PTY run keeps in memory, 0 to 1000000.")
            .count(0, 1_000_000)
            .tried(&["scrollback", "history"]),
        default(
            "output_drain",
            "\"2s\"",
            "How long the rest of the output may take once the command itself has ended, 1ms to 1h.",
        ),
        default("kept_runs", "500", "How many ended runs stay in the list, 0 to 100000; older ones leave first.")
            .count(0, 100_000),
    ],
};

pub(super) const DEFAULTS: Section = Section {
    heading: "defaults",
    about: "What a run gets that does not say otherwise.",
    entries: &[
        default("mode", "\"pty\"", "`pty` (a terminal of its own) or `pipes` (stdout and stderr apart).")
            .one_of(&["pty", "pipes"]),
        example(
            "shell",
            "\"/bin/bash\"",
            "The shell for `run` lines; unset: $SHELL of the run's environment, else /bin/sh.",
        ),
        default("size", "\"80x24\"", "Columns x rows of a PTY that nobody looks at, 2x1 to 1000x500."),
        default("grace", "\"2s\"", "From the stop signal to SIGKILL, 0s to 1h.").tried(&["stop_timeout"]),
    ],
};

pub(super) const OUTPUT: Section = Section {
    heading: "output",
    about: "What is kept of the output of runs.",
    entries: &[
        default(
            "max_log_bytes",
            "\"64MiB\"",
            "How large the raw log of one run may become, 64KiB to 1TiB; its oldest parts leave first.",
        )
        .kind(Kind::Bytes)
        .tried(&["max_bytes", "log_size", "max_log_size"]),
        default(
            "flush_interval",
            "\"1s\"",
            "How often the newest output of a live run is written to its record at most, 100ms to 1h.",
        ),
        default(
            "redact_logs",
            "false",
            "Whether secrets are taken out of the raw logs, too; then these are no longer what came, byte for byte.",
        )
        .tried(&["redact", "redact_log"]),
    ],
};

pub(super) const REDACT: Section = Section {
    heading: "redact",
    about: "What is taken out of all that is stored or shown, besides what is known to be a secret.",
    entries: &[default(
        "patterns",
        "[]",
        "Regular expressions; the group `secret`, else the first group, else the whole match is taken out. Those of both files count.",
    )
    .tried(&["pattern", "regex", "regexes", "rules", "words"])],
};

pub(super) const STORE: Section = Section {
    heading: "store",
    about: "How records are kept.",
    entries: &[default(
        "strict",
        "false",
        "Whether a run is ended when its record or log cannot be written; otherwise it goes on and is marked.",
    )],
};

pub(super) const RETENTION: Section = Section {
    heading: "retention",
    about: "How long ended runs stay on record. Only in your own file: the records of all your projects are in one place.",
    entries: &[
        default("runs", "500", "How many ended runs of each session are kept, 0 to 1000000.")
            .count(0, 1_000_000)
            .tried(&["count", "max_runs"]),
        default("days", "30", "For how many days after their end, 0 to 36500.")
            .count(0, 36_500)
            .tried(&["age", "max_age"]),
        default(
            "log_bytes",
            "\"2GiB\"",
            "How large the logs of all runs may be together, 1MiB to 1TiB; those of the oldest leave first.",
        )
        .kind(Kind::Bytes)
        .tried(&["max_log_bytes", "max_total_log_bytes"]),
    ],
};

pub(super) const TUI: Section = Section {
    heading: "tui",
    about: "The terminal interface. Only in your own file: a project cannot rebind your keys.",
    entries: &[
        default(
            "attach_key",
            "\"C-a\"",
            "The key that leaves an attached run; pressed twice it reaches the run. It has Ctrl or Alt, or is a function key.",
        )
        .tried(&["prefix", "detach_key", "leader"]),
        default("mouse", "true", "Whether the mouse selects and scrolls."),
        default("layout", "\"left\"", "Where the list of runs stands: `left`, `top` or `hidden`.")
            .one_of(&["left", "top", "hidden"])
            .tried(&["list", "list_position"]),
        example(
            "clipboard",
            "[\"xclip\", \"-selection\", \"clipboard\"]",
            "The program that takes copies at its standard input; unset: the one of the system, [] for none. The terminal gets them, too (OSC 52).",
        )
        .tried(&["copy", "copy_command", "clipboard_command"]),
        default("copy_on_release", "true", "Whether a selection with the mouse is copied when the button is let go.")
            .tried(&["copy_on_select", "autocopy"]),
        default("usage", "false", "Whether the list shows processor and memory of runs where it is 52 columns wide; asked every 2 s while shown."),
        default(
            "notify",
            "[]",
            "How you are told that a run has failed, waits for you, rings its bell or notifies you while you do not look at it: bell, osc9, osc777, osc99, or { command = [\"notify-send\"] }.",
        )
        .tried(&["notifications", "notification"]),
        default(
            "hold",
            "\"0s\"",
            "After how long without a key the keyboard of an attached run is handed back, up to 24h; 0s for when it is left.",
        ),
    ],
};

pub(super) const KEYS: Section = Section {
    heading: "keys",
    about: "The keys of the terminal interface. Only in your own file: a project cannot rebind your keys.",
    entries: &[default("preset", "\"default\"", "The keys to start from: `default`, `mprocs`, `tmux` or `vim`.")
        .one_of(&["default", "mprocs", "tmux", "vim"])
        .tried(&["scheme", "style", "base"])],
};

pub(super) const KEYS_OF_PART: Section = Section {
    heading: "keys.PART",
    about: "Keys of your own in a part of the interface: list, scroll, ... docs/tui.md has every part and action.",
    entries: &[example(
        "stop",
        "[\"x\", \"C-k\", \"g s\"]",
        "From an action to its key, a list of keys, or false for none; keys in a row are written with blanks between them.",
    )
    .kind(Kind::TextsOrFalse)],
};

pub(super) const THEME: Section = Section {
    heading: "theme",
    about: "The looks of the terminal interface. Only in your own file.",
    entries: &[default(
        "name",
        "\"auto\"",
        "`auto` (by the background of the terminal, else sixteen), `dark`, `light`, `sixteen`, `high-contrast` or `none`; NO_COLOR wins.",
    )
    .one_of(&["auto", "dark", "light", "sixteen", "high-contrast", "none"])
    .tried(&["theme", "scheme", "style"])],
};

pub(super) const THEME_COLORS: Section = Section {
    heading: "theme.colors",
    about: "Looks of your own by role: selected, running, ... docs/tui.md has every role.",
    entries: &[example(
        "selected",
        "\"bold on #303a4b\"",
        "A colour (a name, #rrggbb, 0 to 255), `on` and a colour, bold, dim, italic, underline, reverse, strike.",
    )],
};

pub(super) const TASK: Section = Section {
    heading: "tasks.NAME",
    about: "A task. NAME has letters, digits and _ - . and, between parts, /.",
    entries: &[
        example("run", "\"npm run dev\"", "A line for the shell. Either this or `argv` is needed.")
            .tried(&["cmd", "command", "exec", "script", "line"]),
        example("argv", "[\"python3\", \"-u\", \"worker.py\"]", "A program and its arguments, without a shell.")
            .tried(&["args", "program"]),
        example("mode", "\"pipes\"", "`pty` or `pipes`; unset: the one of [defaults].").one_of(&["pty", "pipes"]),
        example(
            "cwd",
            "\"web\"",
            "Working directory, relative to this file's folder (the default); ~ is the home directory.",
        )
        .tried(&["dir", "directory", "workdir", "working_dir", "path"]),
        example("env", "{ PORT = \"3000\" }", "Variables to set, over the environment of shtask and over env_file.")
            .tried(&["environment", "vars"]),
        example("unset", "[\"NODE_OPTIONS\"]", "Variables to remove."),
        example("env_file", "\".env\"", "A dotenv file or a list of them, relative to this file; later ones win.")
            .kind(Kind::Texts)
            .tried(&["dotenv", "env_files"]),
        default(
            "clean_env",
            "false",
            "Whether only PATH, HOME, LANG and the like are passed on from shtask's environment.",
        ),
        example("shell", "\"/bin/zsh\"", "The shell for `run`; unset: the one of [defaults]."),
        default("login", "false", "Whether that shell is a login shell (-l)."),
        default("interactive", "false", "Whether it is interactive (-i)."),
        example(
            "stdin",
            "\"input\\n\"",
            "For pipes: what the command reads on its standard input, at most 1 MiB; unset: nothing.",
        )
        .tried(&["input"]),
        example(
            "size",
            "\"100x30\"",
            "For a PTY: columns x rows while nobody looks at it; unset: the one of [defaults].",
        ),
        example(
            "autostart",
            "true",
            "Whether it starts with shtask; unset: true in a project, false in your own file.",
        )
        .tried(&["auto_start", "enabled"]),
        example("timeout", "\"1h 30m\"", "Ends the run so long after its start, 1ms to 24h."),
        example("idle_timeout", "\"10m\"", "Ends the run after so long without any output, 1ms to 24h."),
        example(
            "stop",
            "\"SIGINT\"",
            "The signal that asks it to end, or the table [tasks.NAME.stop]; unset: SIGTERM (for a PTY SIGHUP too).",
        )
        .kind(Kind::TextOrTable("tasks.NAME.stop"))
        .tried(&["stop_signal", "kill"]),
        default(
            "daemonizes",
            "false",
            "Whether what it leaves running in the background is let live when it ends by itself.",
        )
        .tried(&["daemon", "detach"]),
    ],
};

pub(super) const STOP: Section = Section {
    heading: "tasks.NAME.stop",
    about: "How a task is stopped.",
    entries: &[
        example("signal", "\"SIGINT\"", "The first signal, by name or number; unset: SIGTERM (for a PTY SIGHUP too).")
            .kind(Kind::TextOrTable("")),
        example("grace", "\"10s\"", "From that signal to SIGKILL, 0s to 1h; unset: the one of [defaults].")
            .tried(&["timeout", "wait", "delay"]),
        example(
            "command",
            "\"make down\"",
            "A shell line to run in place of the first signal; $SHTASK_PID is the process to end.",
        )
        .tried(&["run", "cmd", "exec"]),
    ],
};

/// Returns every table of the configuration with its keys, in the order of the documentation.
pub fn sections() -> [Section; 13] {
    [LIMITS, DEFAULTS, OUTPUT, REDACT, STORE, RETENTION, TUI, KEYS, KEYS_OF_PART, THEME, THEME_COLORS, TASK, STOP]
}

impl Section {
    pub(super) fn names(&self) -> impl Iterator<Item = &'static str> {
        self.entries.iter().map(|entry| entry.name)
    }

    /// Returns the key that was probably meant by `word`.
    pub(super) fn meant_by(&self, word: &str) -> Option<&'static str> {
        let tried = self.entries.iter().find(|entry| entry.tried.contains(&word)).map(|entry| entry.name);
        tried.or_else(|| crate::model::nearest(word, self.names()))
    }
}
