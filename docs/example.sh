#!/bin/sh
# Runs from a script: starts a server and a shell, waits, reads, writes, stops. The tests run this file.
set -eu

# A service with a name: its output goes to the record, not here.
shtask run --name counter 'i=0; while :; do i=$((i + 1)); echo "tick $i"; sleep 0.1; done'

# It is up when it says so.
shtask wait counter --for 'match:^tick 3$' --timeout 30s

# What it printed so far, for people and for programs.
shtask logs counter --tail 2
shtask show counter --json | grep -q '"status":"running"'

# A program that wants a terminal, and somebody who types.
shtask run --pty --name greeter 'printf "name? "; read -r name; echo "hello, $name"'
shtask wait greeter --for 'match:name\?' --timeout 30s
shtask write greeter --text 'world' --key enter
shtask wait greeter --timeout 30s
shtask read greeter --part screen

# A command like any other: its output, its exit code.
shtask run --foreground -- sh -c 'echo checked; exit 3' || echo "exit code $?"

# Nothing is left of it afterwards.
shtask stop counter
if shtask wait counter; then exit 1; else echo "counter ended with $?"; fi
