#!/usr/bin/env python3
"""A server of the real program under load: `benches/server.py [PROGRAM] [hostile|starts] [SECONDS]`.

hostile  what `ls` and a write into a terminal take for one client while others misbehave, beside what they take in a quiet moment just before
starts   200 starts of `true` a second for SECONDS (60): what each takes to its answer, and whether each has its record with exit code 0

It speaks the protocol of docs/server.md by itself, so what the verbs' own processes take is not in the figures. The server has a home of its own,
which is removed. Figures of a busy machine say nothing by themselves: read the ratios.
"""
import json
import os
import select
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

PROGRAM = os.path.abspath(sys.argv[1] if len(sys.argv) > 1 else "target/release/shtask")
SESSION = "bench"


class Home:
    """A home with a server."""

    def __init__(self):
        self.root = tempfile.mkdtemp(prefix="shtask-bench-")
        self.env = {"PATH": os.environ["PATH"], "TERM": "xterm-256color", "SHELL": "/bin/sh", "HOME": self.root}
        for name in ("CONFIG_HOME", "STATE_HOME", "CACHE_HOME", "DATA_HOME", "RUNTIME_DIR"):
            folder = os.path.join(self.root, name.lower())
            os.mkdir(folder, 0o700)
            self.env["XDG_" + name] = folder
        folder = os.path.join(self.env["XDG_CONFIG_HOME"], "shtask")
        os.mkdir(folder)
        with open(os.path.join(folder, "config.toml"), "w") as file:
            file.write("[limits]\nruns = 2000\n[retention]\nruns = 1000000\n")
        self.socket = self.verb("serve").strip()

    def verb(self, *words):
        return subprocess.run([PROGRAM, *words], env=self.env, cwd=self.root, check=True, capture_output=True, text=True).stdout

    def background(self, *words):
        return subprocess.Popen([PROGRAM, *words], env=self.env, cwd=self.root, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    def close(self):
        subprocess.run([PROGRAM, "server", "stop"], env=self.env, cwd=self.root, capture_output=True)
        shutil.rmtree(self.root, ignore_errors=True)


class Client:
    """A connection that has said hello."""

    def __init__(self, path):
        self.stream = socket.socket(socket.AF_UNIX)
        self.stream.connect(path)
        self.held = b""
        self.say({"protocol": "shtask", "major": 1, "minor": 0, "session": SESSION})
        self.hear()
        self.next_id = 0

    def say(self, message):
        body = json.dumps(message).encode()
        self.stream.sendall(struct.pack(">IB", len(body) + 1, 1) + body)

    def frame(self):
        while True:
            if len(self.held) >= 4:
                length = struct.unpack(">I", self.held[:4])[0]
                if len(self.held) >= 4 + length:
                    body, self.held = self.held[4 : 4 + length], self.held[4 + length :]
                    return body[0], body[1:]
            more = self.stream.recv(1 << 16)
            if not more:
                raise EOFError("the server has closed the connection")
            self.held += more

    def hear(self):
        whole = b""
        while True:
            kind, body = self.frame()
            whole += body
            if kind in (1, 2):
                break
        if kind == 2:
            length = struct.unpack(">I", whole[:4])[0]
            whole = whole[4 : 4 + length]
        return json.loads(whole)

    def ask(self, what):
        self.next_id += 1
        self.say({"ask": {"id": self.next_id, "what": what}})
        return self.next_id

    def answer(self, what):
        self.ask(what)
        told = self.hear()
        if "ok" not in told:
            raise RuntimeError(told)
        return told["ok"]["answer"]


def percentile(samples, percent):
    ordered = sorted(samples)
    return ordered[min(len(ordered) * percent // 100, len(ordered) - 1)] * 1e3


def looks(client, run, count=400):
    """Seconds that a list and a write take, each so often, one after the other."""
    lists, writes = [], []
    for number in range(count):
        time.sleep(0.002)
        begun = time.perf_counter()
        client.answer({"list_records": {"request": {"statuses": [], "limit": 50}}})
        between = time.perf_counter()
        client.answer({"control": {"run": run, "control": {"input": {"text": "x"}, "size": None}}})
        lists.append(between - begun)
        writes.append(time.perf_counter() - between)
    return lists, writes


def shown(name, samples, before=None):
    p50, p99 = percentile(samples, 50), percentile(samples, 99)
    ratio = "" if before is None else f"  {p99 / percentile(before, 99):6.1f} times the quiet p99"
    print(f"{name:44} p50 {p50:8.2f} ms   p99 {p99:8.2f} ms   longest {max(samples) * 1e3:8.2f} ms{ratio}", flush=True)


def stopped_clients(home):
    """Ten clients that are stopped while they are sent a flood and every change."""
    home.verb("--session", SESSION, "run", "--name", "flood", "--", "sh", "-c", "while :; do seq 1 1000; sleep 0.01; done")
    clients = [home.background("--session", SESSION, "logs", "flood", "--follow") for _ in range(5)]
    clients += [home.background("--session", SESSION, "ls", "--follow") for _ in range(5)]
    for client in clients:
        select.select([client.stdout], [], [], 10)
        client.send_signal(signal.SIGSTOP)

    def end():
        for client in clients:
            client.kill()
            client.wait()
        home.verb("--session", SESSION, "stop", "flood", "--kill")

    return end


def half_frames(home):
    """Sixty clients that have said hello and half a message, and are there again when they are thrown out."""
    ends = threading.Event()

    def misbehave():
        while not ends.is_set():
            clients = []
            for _ in range(60):
                try:
                    client = Client(home.socket)
                    client.stream.sendall(struct.pack(">IB", 1 << 19, 1) + b'{"ask":')
                    clients.append(client)
                except (OSError, EOFError):
                    break
            ends.wait(1)

    thread = threading.Thread(target=misbehave)
    thread.start()

    def end():
        ends.set()
        thread.join()

    return end


CONNECTS = """
import socket, sys
made = 0
kept = []
while made < 10000:
    one = socket.socket(socket.AF_UNIX)
    try:
        one.connect(sys.argv[1])
    except OSError:
        continue
    made += 1
    kept.append(one)
    if len(kept) > 500:
        kept.pop(0).close()
print(made)
"""


def connects(home):
    """Ten thousand connections that say nothing, 500 of them open at a time."""
    process = subprocess.Popen([sys.executable, "-c", CONNECTS, home.socket], stdout=subprocess.PIPE)

    def end():
        done = process.poll() is not None
        process.wait()
        print(f"{'':44} {'all' if done else 'not all'} of the 10,000 were made meanwhile")

    return end


def hostile(_seconds):
    home = Home()
    try:
        home.verb("--session", SESSION, "run", "--pty", "--name", "reader", "--", "sh", "-c", "stty raw -echo; exec cat > /dev/null")
        client = Client(home.socket)
        run = json.loads(home.verb("--session", SESSION, "show", "reader", "--json"))["id"]
        for misbehave in (stopped_clients, half_frames, connects):
            quiet = looks(client, run)
            end = misbehave(home)
            beside = looks(client, run)
            end()
            print(misbehave.__doc__)
            for name, before, now in zip(("ls", "write"), quiet, beside):
                shown(f"  {name}, quiet", before)
                shown(f"  {name}, beside them", now, before)
    finally:
        home.close()


def starts(seconds):
    home = Home()
    try:
        client = Client(home.socket)
        spec = {
            "command": {"argv": ["true"]},
            "mode": "pipes",
            "cwd": "/",
            "env": {"base": [["PATH", home.env["PATH"]]]},
            "size": {"cols": 80, "rows": 24},
            "timeouts": {},
            "stop": {"grace": {"secs": 2, "nanos": 0}},
        }
        count, every = 200 * seconds, 1 / 200
        asked, took, refused = {}, [], []

        def listen():
            for _ in range(count):
                told = client.hear()
                kind, told = next(iter(told.items()))
                took.append(time.perf_counter() - asked[told["id"]])
                if kind != "ok":
                    refused.append(told)

        listening = threading.Thread(target=listen)
        listening.start()
        begun = time.perf_counter()
        for number in range(count):
            time.sleep(max(0, begun + number * every - time.perf_counter()))
            asked[number + 1] = time.perf_counter()
            client.ask({"start": {"spec": spec, "replace": False}})
        sent = time.perf_counter() - begun
        listening.join()
        answered = time.perf_counter() - begun
        print(f"{count} starts asked for in {sent:.1f} s, answered within {answered:.1f} s: {count / answered:.0f} a second; {len(refused)} refused")
        shown("a start to its answer", took)
        end = time.time() + 60
        while True:
            records, before = [], None
            while True:
                page = client.answer({"list_records": {"request": {"statuses": [], "limit": 1000, "before": before}}})
                records += page["records"]
                before = page.get("next")
                if before is None:
                    break
            done = [record for record in records if record["status"] == "completed" and record["exit_code"] == 0]
            if len(done) == count - len(refused) or time.time() > end:
                break
            time.sleep(0.2)
        ids = {record["id"] for record in records}
        print(f"{len(records)} records, {len(ids)} ids, {len(done)} completed with exit code 0")
        for failure in refused[:3]:
            print(failure)
        return len(done) == len(ids) == count
    finally:
        home.close()


if __name__ == "__main__":
    wanted = sys.argv[2:3] or ["hostile", "starts"]
    seconds = int(sys.argv[3]) if len(sys.argv) > 3 else 60
    outcomes = [{"hostile": hostile, "starts": starts}[name](seconds) for name in wanted]
    sys.exit(0 if all(outcome is not False for outcome in outcomes) else 1)
