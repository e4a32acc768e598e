//! Commands and variables.

use super::table::{case, redactor};

/// Argument lists, arguments apart by `|`, secrets marked.
const ARGV: &[&str] = &[
    "tool|--password|«hunter2»",
    "tool|--password|«two words»|run",
    "tool|--password=«two words»",
    "tool|PASSWORD=«two words»",
    "tool|--token|«a»",
    "tool|-token|«abc»",
    "tool|--password|--verbose",
    "tool|--password-file|/run/x",
    "tool|--token-file|path",
    "tool|--password-stdin",
    "tool|--token|$TOKEN",
    "tool|--api-key|«sk»|--model|gpt",
    "docker|run|-e|DB_PASSWORD=«hunter2»|-e|MODE=x|image",
    "docker|run|-e|PASSWORD|image",
    "docker|run|--env=TOKEN=«abc»|image",
    "curl|-u|bob:«hunter2»|http://x",
    "curl|-ubob:«hunter2»|http://x",
    "/usr/bin/curl|--user|bob:«hunter2»|http://x",
    "curl|--user=bob:«hunter2»|http://x",
    "sudo|-u|bob|curl|-u|bob:«hunter2»|http://x",
    "env|A=b|curl|-u|bob:«hunter2»",
    "curl|-u|bob|http://x",
    "docker|run|-u|1000:1000|image",
    "curl|-H|Authorization: Bearer «abc»|http://x",
    "curl|-H|X-Api-Key: «abc»",
    "curl|-b|session_id=«0123456789»|http://x",
    "curl|https://bob:«hunter2»@x.org",
    "sshpass|-p|«hunter2»|ssh|host",
    "sshpass|-p«hunter2»|ssh|host",
    "mysql|-u|root|-p«hunter2»|db",
    "mysql|-p|db",
    "mkdir|-p|x",
    "ssh|-p|2222|host",
    "redis-cli|-a|«hunter2»|ping",
    "openssl|rsa|-passin|pass:«hunter2»",
    "openssl|rsa|-passin|file:x",
    "psql|postgres://bob:«hunter2»@db/x",
    "sh|-c|PASSWORD=«hunter2» make",
    "bash|-lc|curl -u bob:«hunter2» http://x",
    "git|clone|https://«ghp_0123456789abcdefghijABCDEFGHIJ012345»@github.com/x/y",
    "echo|token",
    "echo|the token is here",
    "pytest|-k|token and auth",
    "make|-j8",
    "",
];

/// Shell lines.
const LINES: &[&str] = &[
    "curl -u bob:«hunter2» http://x",
    "curl -s -u 'bob:«hunter2»' http://x | jq .",
    "true; curl -u \"bob:«hunter2»\" http://x && echo ok",
    "sshpass -p «hunter2» ssh host",
    "sshpass -p '«hunter2»' ssh host",
    "mysql -uroot -p«hunter2» db",
    "PASSWORD=«hunter2» make",
    "tool --password «hunter2» -v",
    "tool --password '«two words»' -v",
    "curl -H \"Authorization: Bearer «abc»\" -u bob:«hunter2» http://x",
    "docker run -u 1000:1000 image",
    "mkdir -p x && cp -p a b",
    "echo 'unfinished -u a:b",
    "größe=1 curl -u bob:«hünter2» x",
];

#[test]
fn secrets_of_argument_lists_are_taken_out_by_place_name_and_program() {
    for marked in ARGV {
        let (text, expected, _) = case(marked);
        let argv: Vec<String> = text.split('|').map(str::to_owned).collect();
        let (shown, found) = redactor().redact_argv(&argv);
        assert_eq!(shown.join("|"), expected);
        assert_eq!(found, text != expected, "{text}");
        let again = redactor().redact_argv(&shown);
        assert_eq!(again, (shown, false), "twice");
    }
}

#[test]
fn secrets_of_shell_lines_are_taken_out_by_program_too() {
    for marked in LINES {
        let (text, expected, _) = case(marked);
        let shown = redactor().redact_command(&text);
        assert_eq!(shown.text, expected);
        assert_eq!(shown.found, text != expected, "{text}");
        assert_eq!(redactor().redact_command(&shown.text).text, expected, "twice");
    }
}

#[test]
fn a_variable_with_a_sensitive_name_is_taken_out_as_a_whole() {
    let env = |name, value| redactor().redact_env(name, value).text.into_owned();
    assert_eq!(env("DB_PASSWORD", "two words"), "[redacted]");
    assert_eq!(env("GITHUB_TOKEN", "abc"), "[redacted]");
    assert_eq!(env("AWS_SECRET_ACCESS_KEY", "a/b"), "[redacted]");
    assert_eq!(env("DATABASE_URL", "postgres://bob:hunter2@db/x"), "postgres://bob:[redacted]@db/x");
    assert_eq!(env("PATH", "/usr/bin"), "/usr/bin");
    assert_eq!(env("PWD", "/home/bob"), "/home/bob");
    assert_eq!(env("TOKEN", ""), "");
    assert_eq!(env("SSH_AUTH_SOCK", "/run/user/1000/keyring/ssh"), "/run/user/1000/keyring/ssh");
    assert_eq!(env("XAUTHORITY", "/home/bob/.Xauthority"), "/home/bob/.Xauthority");
}
