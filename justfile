# The verbs of the package; `.ci/run` has the steps, so that CI and people do the same.

# Lists the verbs.
default:
    @just --list

# Formatting, lints, documentation, licences.
check:
    .ci/run check

# All tests.
test:
    cargo test

# The screens of recorded programs, exact in text and cursor, through the library and the built program.
conformance:
    cargo test --test it screen::recordings

# Looks for inputs that break something: screen, replay, encode or wire, for so many seconds. Needs nightly Rust and `cargo install cargo-fuzz`.
fuzz TARGET SECONDS="1800":
    cargo +nightly fuzz run --sanitizer none {{TARGET}} -- -max_total_time={{SECONDS}} -max_len=4096 -dict=fuzz/terminal.dict

# Speed and size, side by side with bare baselines.
bench *ARGS:
    cargo bench {{ARGS}}

# A server under load, `just bench-server hostile` or `just bench-server starts SECONDS`.
bench-server *ARGS:
    cargo build --release
    python3 benches/server.py target/release/shtask {{ARGS}}

# Makes the generated files anew (config/default.toml, docs/tui.md, docs/cli.md) and the API documentation.
docs:
    .ci/run generate
    cargo doc --no-deps

# Makes the pictures of the README with the program itself.
screenshots:
    screenshots/make

# Builds and installs the program, its man pages and the completions of bash, zsh and fish.
install PREFIX="$HOME/.local":
    cargo build --release --locked --bin shtask
    install -Dm755 target/release/shtask "{{PREFIX}}/bin/shtask"
    target/release/shtask man --output-dir "{{PREFIX}}/share/man/man1"
    mkdir -p "{{PREFIX}}/share/bash-completion/completions" "{{PREFIX}}/share/zsh/site-functions" "{{PREFIX}}/share/fish/vendor_completions.d"
    target/release/shtask completions bash > "{{PREFIX}}/share/bash-completion/completions/shtask"
    target/release/shtask completions zsh > "{{PREFIX}}/share/zsh/site-functions/_shtask"
    target/release/shtask completions fish > "{{PREFIX}}/share/fish/vendor_completions.d/shtask.fish"
