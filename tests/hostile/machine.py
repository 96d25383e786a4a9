# SPDX-License-Identifier: Apache-2.0
"""The machine of the trial: where gotap and the programs are, targets that run, and facts about processes."""
import os
import resource
import select
import signal
import subprocess
import threading
import time

CHECKOUT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
BUILD = os.path.join(CHECKOUT, os.environ.get("BUILD", "build"))
GOTAP = os.environ.get("GOTAP", os.path.join(BUILD, "gotap"))
with open(os.path.join(CHECKOUT, "tools/go-releases.txt")) as _f:
    RELEASE = [line.split()[0] for line in _f if line.strip() and line[0] != "#"][-1]     # of the programs and of the judge
PATIENCE = 60           # seconds that a loaded machine may take for anything that takes one


class Wrong(Exception):
    """gotap did not hold."""


def check(ok, text, *args):
    if not ok:
        raise Wrong(text % args)


class Host:
    """The programs, built once, and the kernel's log as it was at the begin."""


    def __init__(self):
        self.bin = os.path.join(BUILD, "prog", "go" + RELEASE)
        self.oracle = os.path.join(BUILD, "oracle", "go" + RELEASE)
        subprocess.run([CHECKOUT + "/tools/go-fetch", RELEASE], check=True, stdout=subprocess.DEVNULL)
        subprocess.run([CHECKOUT + "/tests/prog/build", RELEASE, self.bin], check=True)
        subprocess.run([CHECKOUT + "/tests/oracle/build", RELEASE, self.oracle], check=True)
        self.lock = threading.Lock()
        self.leaked_before = self.leak_lines()
        self.kills_amid_probes = 0      # kills that found probes in the target

    def prog(self, name):
        return os.path.join(self.bin, name)

    @staticmethod
    def leak_lines():
        log = subprocess.run(["dmesg"], capture_output=True, text=True).stdout
        return {line for line in log.split("\n") if "leaking uprobe" in line}

    def leaks(self):
        """The number of new lines. (The kernel's log drops its oldest ones.)"""
        return len(self.leak_lines() - self.leaked_before)

    def judge(self, *command):
        """Runs one of the oracles; None, or the first line of its complaint."""
        r = subprocess.run([self.oracle + "/" + command[0], *command[1:]], capture_output=True, text=True, timeout=10 * PATIENCE)
        if r.returncode == 0:
            return None
        lines = [line for line in (r.stdout + r.stderr).split("\n") if line and not line.startswith("ok ")]
        return lines[0] if lines else "status %d" % r.returncode


class Target:
    """A program that runs, and its text as it is without probes."""

    def __init__(self, argv, env=None):
        self.argv = argv
        self.p = subprocess.Popen(argv, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, env={**os.environ, **(env or {})},
                                  start_new_session=True)
        self.pid = self.p.pid
        self.await_ready()
        self.text = self.read_text()

    def await_ready(self):
        end = time.monotonic() + PATIENCE
        got = b""
        while b"ready\n" not in got:
            if not select.select([self.p.stdout], [], [], max(0, end - time.monotonic()))[0]:
                raise RuntimeError("%s does not get ready" % self.argv)
            more = os.read(self.p.stdout.fileno(), 65536)
            if not more:
                raise RuntimeError("%s ended at once" % self.argv)
            got += more
        # Nobody reads on: what it prints later must not block it.
        self.drain = subprocess.Popen(["cat"], stdin=self.p.stdout, stdout=subprocess.DEVNULL)

    def alive(self):
        return self.p.poll() is None

    def read_text(self):
        """The code of the executable as it is in memory: {address: bytes}; None once the process has gone."""
        text = {}
        try:
            exe = os.readlink("/proc/%d/exe" % self.pid)
            with open("/proc/%d/maps" % self.pid) as maps, open("/proc/%d/mem" % self.pid, "rb", 0) as mem:
                for line in maps:
                    f = line.split(None, 5)
                    if len(f) == 6 and "x" in f[1] and f[5].strip() == exe:
                        first, last = (int(x, 16) for x in f[0].split("-"))
                        text[first] = os.pread(mem.fileno(), last - first, first)
        except OSError:
            return None
        return text

    def await_clean_text(self, seconds=PATIENCE):
        """Waits until the program's text is as before. The process that removes the probes may need some time for a processor."""
        end = time.monotonic() + seconds
        while True:
            now = self.read_text()
            if now is None or now == self.text or not self.alive():
                return
            if time.monotonic() > end:
                n = sum(a != b for k in now for a, b in zip(now[k], self.text.get(k, b"")))
                raise Wrong("%d bytes of the target's text differ %d s after gotap has gone" % (n, seconds))
            time.sleep(0.05)

    def has_probes(self):
        now = self.read_text()
        return now is not None and now != self.text

    def ticks(self):
        with open("/proc/%d/stat" % self.pid) as f:
            fields = f.read().rpartition(")")[2].split()
        return int(fields[11]) + int(fields[12])

    def check_runs(self):
        """It lives and still gets somewhere."""
        check(self.alive(), "the target is dead: status %s", self.p.returncode)
        before, end = self.ticks(), time.monotonic() + PATIENCE
        while self.ticks() == before:
            check(self.alive(), "the target died afterwards: status %s", self.p.returncode)
            check(time.monotonic() < end, "the target does nothing any more")
            time.sleep(0.02)

    def stop(self):
        for sig in (signal.SIGCONT, signal.SIGKILL):
            try:
                os.killpg(self.pid, sig)
            except ProcessLookupError:
                pass
        self.p.wait()
        self.p.stdout.close()
        self.drain.wait()


class Freezer:
    """A cgroup of its own that can be frozen, of version 1 or 2; None of a machine without."""

    @staticmethod
    def of(pid):
        for root, state, frozen, thawed in [("/sys/fs/cgroup/freezer", "freezer.state", "FROZEN", "THAWED"),
                                            ("/sys/fs/cgroup/unified", "cgroup.freeze", "1", "0"),
                                            ("/sys/fs/cgroup", "cgroup.freeze", "1", "0")]:
            if os.path.exists(root + "/cgroup.procs") and (root.endswith("freezer") or os.path.exists(root + "/cgroup.controllers")):
                return Freezer(root, state, frozen, thawed, pid)
        return None

    def __init__(self, root, state, frozen, thawed, pid):
        self.root, self.state, self.frozen, self.thawed, self.pid = root, state, frozen, thawed, pid
        self.folder = "%s/gotap-hostile-%d" % (root, pid)
        with open("/proc/%d/cgroup" % pid) as f:
            lines = [line.strip().split(":", 2) for line in f]
        self.home = next((x[2] for x in lines if ("freezer" in x[1]) == root.endswith("freezer") and
                          (x[1] == "" or "freezer" in x[1])), "/")
        os.mkdir(self.folder)
        put(self.folder + "/cgroup.procs", str(pid))

    def freeze(self, on):
        put("%s/%s" % (self.folder, self.state), self.frozen if on else self.thawed)

    def undo(self):
        self.freeze(False)
        try:
            put(self.root + self.home + "/cgroup.procs", str(self.pid))
        except OSError:
            pass        # the process has ended
        os.rmdir(self.folder)


def put(path, text):
    with open(path, "w") as f:
        f.write(text)


def limited(limits):
    """For Popen's preexec_fn: {resource.RLIMIT_X: n}."""
    def apply():
        for what, n in limits.items():
            resource.setrlimit(what, (n, n))
    return apply if limits else None


def processes_with(tag):
    """The processes whose environment has @tag: gotap and all that it started, but for what it launched for us."""
    found = []
    for pid in os.listdir("/proc"):
        if pid.isdigit():
            try:
                with open("/proc/%s/environ" % pid, "rb") as f:
                    if tag.encode() in f.read().split(b"\0"):
                        found.append(int(pid))
            except OSError:
                pass
    return found


def await_none_with(tag, seconds=PATIENCE):
    end = time.monotonic() + seconds
    while (left := processes_with(tag)):
        if time.monotonic() > end:
            raise Wrong("processes of gotap are left: %s" % left)
        time.sleep(0.05)
