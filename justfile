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

# Speed and size, side by side with bare baselines.
bench *ARGS:
    cargo bench {{ARGS}}

# Makes the generated files anew (config/default.toml, docs/keys.md) and the API documentation.
docs:
    .ci/run generate
    cargo doc --no-deps

# Makes the pictures of the README from the real program.
screenshots:
    screenshots/make
