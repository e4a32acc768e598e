//! A model with runs in it, and hands to press its keys.

use std::sync::{Arc, LazyLock};
use std::time::Duration;

use jiff::Timestamp;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Position, Rect};

use crate::api::{Activity, DeadlineView, RunView, Termination, Update};
use crate::model::{
    Attributes, Color, CommandSpec, Frame, HistorySpan, KeyChord, Mode, Moment, ProcessIdentity, Record, Row, RunId,
    RunSpec, Size, Status, Style, TimeoutKind,
};
use crate::tui::cmd::Cmd;
use crate::tui::event::{Event, Input};
use crate::tui::keymap::Keymap;
use crate::tui::model::{Model, Setup};
use crate::tui::theme::Theme;
use crate::tui::update::update;
use crate::tui::view::view;
use crate::tui::{ColorChoice, TaskEntry};

/// The moment at which every test starts.
pub(in crate::tui) const START: Moment = Moment::from_boot(Duration::from_secs(10_000));

/// The default keys, made once: tests make many stages.
static KEYS: LazyLock<Arc<Keymap>> = LazyLock::new(Arc::default);

pub(in crate::tui) fn id(n: u8) -> RunId {
    RunId::from_bits([n; 10])
}

pub(in crate::tui) fn task(name: &str, line: &str, mode: Mode) -> TaskEntry {
    let spec = RunSpec::new(CommandSpec::line(line), mode, "/work/project");
    TaskEntry { name: name.parse().expect("name"), spec, autostart: false }
}

pub(in crate::tui) fn demo_tasks() -> Vec<TaskEntry> {
    vec![
        task("web", "npm run dev", Mode::Pty),
        task("api", "cargo run", Mode::Pty),
        task("logs", "tail -f log", Mode::Pipes),
        task("build", "make", Mode::Pipes),
        task("db", "postgres", Mode::Pty),
    ]
}

/// A run to be changed before it is used.
pub(in crate::tui) fn run(n: u8, name: Option<&str>, mode: Mode, status: Status) -> RunView {
    let started: Timestamp = "2026-11-29T14:02:33Z".parse().expect("time");
    let is_final = status.is_final();
    let started_at = (status != Status::Starting && status != Status::Queued).then_some(started);
    let record = Record {
        schema: 1,
        reference: format!("shtask://project/{}", id(n)),
        id: id(n),
        session: "project".parse().expect("session"),
        name: name.map(|name| name.parse().expect("name")),
        generation: 1,
        mode,
        status,
        command: "npm run dev".into(),
        argv: vec!["/bin/sh".into(), "-c".into(), "npm run dev".into()],
        shell: Some("/bin/sh".into()),
        cwd: "/work/project".into(),
        process: started_at.map(|_| ProcessIdentity { pid: 4200 + i32::from(n), start_ticks: 1, boot_id: "b".into() }),
        size: (mode == Mode::Pty).then_some(Size::DEFAULT),
        started_at,
        updated_at: started,
        completed_at: is_final.then_some(started + Duration::from_millis(12_345)),
        observed_at: None,
        timeout: None,
        timed_out_by: None,
        exit_code: match status {
            Status::Completed => Some(0),
            Status::Failed => Some(2),
            Status::TimedOut => Some(124),
            Status::Cancelled => Some(130),
            Status::Queued | Status::Starting | Status::Running | Status::Orphaned => None,
        },
        signal: None,
        cause: None,
        failure: None,
        ended: None,
        revision: 3,
        degraded: None,
        log: None,
        recipe: None,
        output: None,
    };
    RunView {
        record: Arc::new(record),
        deadline: None,
        termination: Termination::None,
        control_open: status == Status::Running,
        started: started_at.map(|_| Moment::from_boot(Duration::from_secs(9_000))),
        ended: is_final.then(|| Moment::from_boot(Duration::from_millis(9_012_345))),
        activity: Activity::default(),
        attention: None,
        notification: None,
        keyboard: None,
    }
}

pub(in crate::tui) fn with_record(mut view: RunView, change: impl FnOnce(&mut Record)) -> RunView {
    change(Arc::make_mut(&mut view.record));
    view
}

/// The runs of the demo: one of each kind that people meet.
pub(in crate::tui) fn demo_runs() -> Vec<RunView> {
    let mut api = run(2, Some("api"), Mode::Pty, Status::Running);
    api.deadline = Some(DeadlineView { kind: TimeoutKind::Wall, at: START.plus(Duration::from_secs(90)) });
    let mut logs = run(3, Some("logs"), Mode::Pipes, Status::Running);
    logs.activity = Activity { output: 7, ..Activity::default() };
    let failed =
        with_record(run(4, Some("build"), Mode::Pipes, Status::Failed), |record| record.command = "make".into());
    let ad_hoc = with_record(run(5, None, Mode::Pty, Status::Completed), |record| record.command = "htop -d 10".into());
    vec![run(1, Some("web"), Mode::Pty, Status::Running), api, logs, failed, ad_hoc]
}

/// A frame that shows these lines, the cursor after the last.
pub(in crate::tui) fn frame(size: Size, lines: &[&str]) -> Frame {
    let mut frame = Frame::empty(size);
    for (y, line) in lines.iter().enumerate().take(size.rows().into()) {
        frame.rows[y] = Arc::new(text_row(line, size.cols().into()));
    }
    frame.cursor.y = u16::try_from(lines.len().saturating_sub(1)).expect("rows").min(size.rows() - 1);
    frame.cursor.x =
        u16::try_from(lines.last().map_or(0, |line| line.chars().count())).expect("cols").min(size.cols() - 1);
    frame
}

pub(in crate::tui) fn text_row(line: &str, cols: usize) -> Row {
    let mut cells = vec![crate::model::Cell::blank(); cols];
    for (cell, c) in cells.iter_mut().zip(line.chars()) {
        if c != ' ' {
            cell.text = c.to_string().into();
        }
    }
    Row { cells, wrapped: false }
}

/// Colours, wide characters and attributes.
pub(in crate::tui) fn colourful(size: Size) -> Frame {
    let mut frame = frame(size, &["$ ls --color", "src  Cargo.toml  界x", "$ "]);
    let mut row = text_row("src  Cargo.toml  ", usize::from(size.cols()).max(20));
    for cell in &mut row.cells[0..3] {
        cell.style = Style { foreground: Color::Indexed(4), attributes: Attributes::BOLD, ..Style::default() };
    }
    for cell in &mut row.cells[5..15] {
        cell.style = Style { foreground: Color::Rgb(250, 128, 0), background: Color::Indexed(236), ..Style::default() };
    }
    row.cells[17] = crate::model::Cell { text: "界".into(), width: 2, ..crate::model::Cell::default() };
    row.cells[18] = crate::model::Cell { text: "".into(), width: 0, ..crate::model::Cell::default() };
    row.cells[19].text = "x".into();
    row.cells.truncate(size.cols().into());
    if size.rows() < 2 {
        return frame;
    }
    frame.rows[1] = Arc::new(row);
    frame
}

/// A model and what it asked for so far.
pub(in crate::tui) struct Stage {
    pub(in crate::tui) model: Model,
    pub(in crate::tui) now: Moment,
    pub(in crate::tui) cmds: Vec<Cmd>,
}

impl Stage {
    pub(in crate::tui) fn new(size: (u16, u16), tasks: Vec<TaskEntry>) -> Stage {
        let setup = Setup {
            title: "project".into(),
            attach_key: "C-a".parse().expect("key"),
            hold: None,
            keys: Arc::clone(&KEYS),
            theme: Theme::default(),
            by_ground: None,
            cwd: "/work/project".into(),
            new_run_mode: Mode::Pty,
            home: Some("/home/user".into()),
            colors: ColorChoice::TrueColor,
            again: "shtask".into(),
            has_server: false,
            started_server: false,
            copy_on_release: true,
        };
        Stage { model: Model::new(setup, tasks, size, START), now: START, cmds: Vec::new() }
    }

    /// The demo's tasks and runs, the first of them shown.
    pub(in crate::tui) fn demo(size: (u16, u16)) -> Stage {
        let mut stage = Stage::new(size, demo_tasks());
        stage.resync(demo_runs());
        let at = stage.model.pane_size();
        stage.show(1, colourful(at));
        stage
    }

    pub(in crate::tui) fn event(&mut self, event: Event) -> &mut Stage {
        let cmds = update(&mut self.model, event, self.now);
        self.cmds.extend(cmds);
        self
    }

    pub(in crate::tui) fn resync(&mut self, runs: Vec<RunView>) -> &mut Stage {
        self.event(Event::Runs(Update::Resync(runs.into_iter().map(Arc::new).collect())))
    }

    pub(in crate::tui) fn put(&mut self, run: RunView) -> &mut Stage {
        self.event(Event::Runs(Update::Run(Arc::new(run))))
    }

    pub(in crate::tui) fn show(&mut self, n: u8, frame: Frame) -> &mut Stage {
        self.event(Event::Frame { run: id(n), frame: Arc::new(frame) })
    }

    /// Presses keys, written with blanks between: `j j enter C-a`.
    pub(in crate::tui) fn press(&mut self, keys: &str) -> &mut Stage {
        for key in keys.split(' ').filter(|key| !key.is_empty()) {
            let chord: KeyChord = key.parse().expect(key);
            self.event(Event::Input(Input::Key(chord)));
        }
        self
    }

    pub(in crate::tui) fn type_text(&mut self, text: &str) -> &mut Stage {
        for c in text.chars() {
            let chord = if c == ' ' { "space".parse() } else { c.to_string().parse() };
            self.event(Event::Input(Input::Key(chord.expect("key"))));
        }
        self
    }

    pub(in crate::tui) fn pass(&mut self, time: Duration) -> &mut Stage {
        self.now = self.now.plus(time);
        self
    }

    /// What was asked for since this was called last.
    pub(in crate::tui) fn asked(&mut self) -> Vec<Cmd> {
        std::mem::take(&mut self.cmds)
    }

    pub(in crate::tui) fn notice(&self) -> String {
        self.model.notice.as_ref().map(|notice| notice.text.clone()).unwrap_or_default()
    }

    /// The text that is drawn, a line a row.
    pub(in crate::tui) fn text(&self) -> String {
        text_of(&self.draw().0)
    }

    /// The text, then the styles: each row as runs of letters with their lengths, then what the letters mean.
    pub(in crate::tui) fn picture(&self) -> String {
        let (buffer, cursor) = self.draw();
        let cursor = cursor.map_or_else(|| "no cursor".into(), |at| format!("cursor {},{}", at.x, at.y));
        format!("{}\n{}{cursor}\n", text_of(&buffer), styles_of(&buffer))
    }

    /// Draws; returns the cells and where the cursor is.
    pub(in crate::tui) fn draw(&self) -> (Buffer, Option<Position>) {
        let (cols, rows) = self.model.size;
        let mut buffer = Buffer::empty(Rect::new(0, 0, cols, rows));
        let cursor = view(&self.model, &mut buffer);
        (buffer, cursor)
    }
}

/// The cells of a row that are seen: the second half of a wide character is none.
fn seen(buffer: &Buffer, y: u16) -> impl Iterator<Item = (&Cell, u16)> {
    let mut x = 0;
    std::iter::from_fn(move || {
        let cell = (x < buffer.area.width).then(|| &buffer[(x, y)])?;
        let cols = if crate::tui::model::width(cell.symbol()) == 2 { 2.min(buffer.area.width - x) } else { 1 };
        x += cols;
        Some((cell, cols))
    })
}

fn text_of(buffer: &Buffer) -> String {
    let line = |y| seen(buffer, y).map(|(cell, _)| cell.symbol()).collect::<String>().trim_end().to_owned() + "\n";
    (0..buffer.area.height).map(line).collect()
}

fn styles_of(buffer: &Buffer) -> String {
    let (mut map, mut looks) = (String::new(), Vec::<String>::new());
    for y in 0..buffer.area.height {
        let mut runs = Vec::<(usize, u16)>::new();
        for (cell, cols) in seen(buffer, y) {
            let look = look(cell);
            let number = looks.iter().position(|known| *known == look).unwrap_or_else(|| {
                looks.push(look);
                looks.len() - 1
            });
            match runs.last_mut() {
                Some((last, count)) if *last == number => *count += cols,
                Some(_) | None => runs.push((number, cols)),
            }
        }
        let runs: Vec<String> = runs.iter().map(|(look, count)| format!("{}{count}", letter(*look))).collect();
        map.push_str(&format!("{y:>2} {}\n", runs.join(" ")));
    }
    for (number, look) in looks.iter().enumerate() {
        map.push_str(&format!("{} = {look}\n", letter(number)));
    }
    map
}

fn look(cell: &Cell) -> String {
    let modifier = format!("{:?}", cell.modifier);
    let modifier = modifier.trim_start_matches("Modifier(").trim_end_matches(')');
    let look = format!("{:?} on {:?} {modifier} {:?}", cell.fg, cell.bg, cell.underline_color);
    look.replace(" Reset", " -").replace("Reset ", "- ")
}

fn letter(number: usize) -> char {
    char::from(b'a' + u8::try_from(number).expect("few looks"))
}

/// A history that holds so many rows above the screen.
pub(in crate::tui) fn with_history(mut frame: Frame, first: u64, end: u64) -> Frame {
    frame.history = HistorySpan { first, end };
    frame
}
