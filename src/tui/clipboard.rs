//! Copies: to the outer terminal by OSC 52, and to the program of the system.

use std::io::Write;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::event::{Answer, Event};
use super::perform::Awaited;

/// The longest text that a terminal is given, in bytes: what becomes 100,000 bytes as a sequence. More is what terminals drop, or choke on.
const MAX_OSC_BYTES: usize = 74_994;

/// How long the program may take. Those that stay to serve the clipboard go to the background by themselves.
const PATIENCE: Duration = Duration::from_secs(5);

/// How often it is looked whether the program has ended.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// The sequence that gives a text to the terminal's clipboard; none for one that is too long.
pub(super) fn sequence(text: &str) -> Option<String> {
    (text.len() <= MAX_OSC_BYTES).then(|| format!("\x1b]52;c;{}\x07", base64(text.as_bytes())))
}

fn base64(bytes: &[u8]) -> String {
    const SIGNS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut coded = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for part in bytes.chunks(3) {
        let bits = part.iter().chain([0; 2].iter()).take(3).fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte));
        for place in 0..4 {
            let sign = SIGNS[(bits >> (18 - 6 * place)) as usize & 63];
            coded.push(if place > part.len() { '=' } else { char::from(sign) });
        }
    }
    coded
}

/// Gives a text to the program, on a thread of its own. `is_given` says whether the terminal has it already.
pub(super) fn give(program: &[String], text: String, is_given: bool) -> Awaited {
    let program = program.to_vec();
    Box::pin(async move {
        let result = match program.split_first() {
            None if is_given => Ok(()),
            None => Err("it is too long for the terminal, and there is no clipboard program".to_owned()),
            Some((name, arguments)) => {
                let (name, arguments) = (name.clone(), arguments.to_vec());
                let given = tokio::task::spawn_blocking(move || feed(&name, &arguments, text.as_bytes()));
                given.await.unwrap_or_else(|_| Err("it failed".into())).map_err(|why| format!("{}: {why}", program[0]))
            }
        };
        Event::Answer(Answer::Copied(result))
    })
}

fn feed(name: &str, arguments: &[String], text: &[u8]) -> Result<(), String> {
    let mut command = Command::new(name);
    command.args(arguments).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(|error| error.to_string())?;
    if let Some(mut stdin) = child.stdin.take() {
        let text = text.to_vec();
        // A program that does not read must not keep this waiting: its end ends the writer, too.
        std::thread::spawn(move || stdin.write_all(&text));
    }
    wait(&mut child)
}

fn wait(child: &mut Child) -> Result<(), String> {
    let begun = Instant::now();
    loop {
        match child.try_wait() {
            Ok(Some(status)) if status.success() => return Ok(()),
            Ok(Some(status)) => return Err(status.to_string()),
            Ok(None) if begun.elapsed() < PATIENCE => std::thread::sleep(LOOK_EVERY),
            Ok(None) => {
                // It may have just ended; then there is nothing to end.
                let _ = child.kill();
                let _ = child.wait();
                return Err(format!("it did not end within {} s", PATIENCE.as_secs()));
            }
            Err(error) => return Err(error.to_string()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_copy_is_a_sequence_of_plain_signs_and_bounded() {
        for (text, coded) in [("", ""), ("f", "Zg=="), ("fo", "Zm8="), ("foo", "Zm9v"), ("ä\n\x1b", "w6QKGw==")] {
            assert_eq!(sequence(text).expect("short"), format!("\x1b]52;c;{coded}\x07"));
        }
        assert_eq!(sequence(&"x".repeat(MAX_OSC_BYTES)).expect("just fits").len(), 100_000);
        assert_eq!(sequence(&"x".repeat(MAX_OSC_BYTES + 1)), None);
    }

    #[test]
    fn a_program_is_fed_and_its_failure_told() {
        let run = |line: &str| feed("sh", &["-c".into(), line.into()], b"some text");
        assert_eq!(run("test \"$(cat)\" = 'some text'"), Ok(()));
        assert!(run("exit 3").is_err_and(|why| why.contains('3')));
        assert!(feed("/nowhere/copy", &[], b"x").is_err_and(|why| why.contains("No such file")));
    }
}
