# SPDX-License-Identifier: Apache-2.0
"""Rounds that record a live program: undisturbed, disturbed at random moments, killed."""
import json
import os
import resource
import signal
import subprocess
import time

from machine import GOTAP, PATIENCE, Freezer, Target, Wrong, await_none_with, check, limited

PRECIOUS = b"this was here before\n"
MOST_KIB = 400 << 10        # resident memory of gotap


def draw_target(host, rng, only=None):
    name, *args = rng.choice(only or [
        ("mixed",), ("mixed", "-procs"), ("mixed", "-pause", "1ms"), ("pull",), ("pull", "-pause", "20us"), ("netload",),
        ("cgo",), ("spawn",), ("fullload",), ("sleepers",), ("many", "-n", "20000"), ("selfexec", "-every", "700ms")])
    if name == "mixed":
        args += ["-delay", "10m"]
    return [host.prog(name), *args], {"GOMAXPROCS": str(rng.choice([1, 2, 4]))}


def draw_options(rng):
    options = []
    for share, option in [
            (.3, ["--attach", "perf"]), (.3, ["--budget", "none"]), (.3, ["--budget", str(rng.choice([1, 5, 20, 50]))]),
            (.2, ["--ring-size", rng.choice(["4K", "64K", "1M"])]), (.2, ["--stack-depth", str(rng.choice([0, 1, 8, 127]))]),
            (.2, ["--format", rng.choice(["go1.22", "go1.23", "go1.25", "go1.26"])]), (.2, ["--cpu-samples", "200"]),
            (.1, ["--events", "sched"]), (.1, ["--no-notes"])]:
        if rng.random() < share and option[0] not in options:
            options += option
    return options


def has_bytes(path):
    try:
        return os.path.getsize(path) > 0
    except OSError:
        return False


class Recorder:
    """gotap record, its output, and its report."""

    def __init__(self, host, rng, folder, argv, output="trace", limits=None, stdout=None):
        self.host = host
        self.output = os.path.join(folder, output) if output != "-" else "-"
        self.stderr_path = os.path.join(folder, "stderr")
        self.tag = "GOTAP_HOSTILE=%d.%d" % (os.getpid(), rng.randrange(1 << 40))
        name, value = self.tag.split("=")
        with open(self.stderr_path, "wb") as err:
            self.p = subprocess.Popen([GOTAP, "record", "--json", "-o", self.output, *argv], stdin=subprocess.DEVNULL,
                                      stdout=stdout if stdout is not None else subprocess.DEVNULL, stderr=err, env={**os.environ, name: value},
                                      preexec_fn=limited(limits), start_new_session=True)

    def runs(self):
        """Not poll(): that would take the status that wait() wants."""
        return os.waitid(os.P_PID, self.p.pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None

    def send(self, sig):
        if self.runs():
            os.kill(self.p.pid, sig)

    def wait(self, patience=PATIENCE):
        """Its status once it ends within @patience seconds. Sets peak_kib to the most resident memory."""
        end = time.monotonic() + patience
        while True:
            pid, status, usage = os.wait4(self.p.pid, os.WNOHANG)
            if pid:
                break
            if time.monotonic() > end:
                os.kill(self.p.pid, signal.SIGKILL)
                raise Wrong("gotap does not end")
            time.sleep(0.01)
        self.p.returncode, self.peak_kib = os.waitstatus_to_exitcode(status), usage.ru_maxrss
        return self.p.returncode

    def wait_small(self):
        """As wait(), and the memory must be that of a usual recording."""
        status = self.wait()
        check(self.peak_kib < MOST_KIB, "gotap took %d MiB", self.peak_kib >> 10)
        return status

    def stderr(self):
        with open(self.stderr_path, errors="backslashreplace") as f:
            return f.read()

    def report(self):
        for line in self.stderr().split("\n"):
            if line.startswith("{"):
                return json.loads(line)
        raise Wrong("no report: %s" % self.stderr()[:200])

    def execed_too_early(self):
        """The target exec'ed before its goroutines were read: an error of its own, that says so."""
        return "exec'ed" in self.stderr()

    def await_records(self):
        """Waits until probes are attached and the first states are written, or gotap has ended."""
        end = time.monotonic() + PATIENCE
        while self.runs() and not has_bytes(self.output + ".partial"):
            check(time.monotonic() < end, "gotap does not begin")
            time.sleep(0.01)

    def check_files(self, precious, folder):
        """After a kill: NAME is what was there before or a valid trace, and what NAME.partial holds can be read."""
        if precious or os.path.exists(self.output):
            keeps_what_was_there(self.host, self.output)
        partial = self.output + ".partial"
        if os.path.exists(partial) and os.path.getsize(partial) > 16:
            r = subprocess.run([GOTAP, "convert", partial, "-o", os.path.join(folder, "rest")], capture_output=True, text=True)
            check(r.returncode == 0, "what a killed gotap has left cannot be read: %s", r.stderr[-200:])
            self.check_trace(os.path.join(folder, "rest"), "check")

    def check_error(self):
        """One line says it."""
        lines = [line for line in self.stderr().split("\n") if line.startswith("gotap:")]
        check(len(lines) == 1, "status %d with %d errors: %s", self.p.returncode, len(lines), self.stderr()[:300])

    def stop(self):
        """Nothing of a round stays behind, however it ended."""
        if self.p.returncode is None and self.runs():
            os.kill(self.p.pid, signal.SIGKILL)
        if self.p.returncode is None:
            self.p.wait()

    def check_trace(self, path=None, *how):
        why = self.host.judge(*(how or ("check", "-views")), path or self.output)
        check(not why, "not a valid trace: %s", why)

    def check_true(self):
        """Where nothing is lost, nothing is repaired."""
        report = self.report()
        lost = report.get("lost") or report.get("unrecorded_seconds") or report.get("budget_slices")
        check(lost or not report.get("repairs_total"), "repairs without a loss: %s", report.get("repairs"))


# --- an attach and a detach ---

def cycle_round(host, rng, folder, log):
    argv, env = draw_target(host, rng)
    ms = rng.choice([1, 10, 50, 150])
    options = rng.choice([[], [], ["--attach", "perf"], ["--cpu-samples", "100"]])
    log += [" ".join(argv[:1] + argv[1:]).rpartition("/")[2], "-d %dms" % ms, *options]
    target = Target(argv, env)
    try:
        traces = []
        for i in range(int(os.environ.get("GOTAP_CYCLES", "5"))):
            r = Recorder(host, rng, folder, ["--budget", "none", "--strict", "-p", str(target.pid), "-d", "%dms" % ms, *options],
                         output="trace%d" % i)
            status = r.wait_small()
            if argv[0].endswith("/selfexec") and status == 1 and r.execed_too_early():
                continue
            check(status == 0, "status %d: %s", status, r.stderr()[-300:])
            traces.append(r.output)
            target.check_runs()
        why = host.judge("check", "-views", *traces) if traces else None
        check(not why, "not a valid trace: %s", why)
        await_none_with(r.tag)
        target.await_clean_text()
    finally:
        target.stop()


# --- gotap is killed ---

def kill_round(host, rng, folder, log):
    argv, env = draw_target(host, rng)
    when = rng.choice(["the start", "the attach", "SIGINT"])
    delay = rng.uniform(0, {"the start": .5, "the attach": .5, "SIGINT": .12}[when])
    options = draw_options(rng)
    log += [" ".join(argv).rpartition("/")[2], *options, "killed %.0f ms after %s" % (delay * 1e3, when)]
    target = Target(argv, env)
    r = None
    try:
        precious = rng.random() < .5
        if precious:
            with open(os.path.join(folder, "trace"), "wb") as f:
                f.write(PRECIOUS)
        r = Recorder(host, rng, folder, ["-p", str(target.pid), *options])
        if when != "the start":
            r.await_records()
        if when == "SIGINT":
            time.sleep(rng.uniform(0, .7))
            r.send(signal.SIGINT)
        time.sleep(delay)
        probed = target.has_probes()
        r.send(signal.SIGKILL)
        r.p.wait()
        target.await_clean_text()
        await_none_with(r.tag)
        target.check_runs()
        with host.lock:
            host.kills_amid_probes += probed
        # 1: SIGINT came before the goroutines were read
        check(r.p.returncode in (0, 1, -signal.SIGKILL), "status %d: %s", r.p.returncode, r.stderr()[-200:])
        r.check_files(precious, folder)
    finally:
        if r:
            r.stop()
        target.stop()


# --- disturbances: each takes (round) and acts on it while the recording runs ---

class Round:
    def __init__(self, host, rng, folder, log):
        self.host, self.rng, self.folder, self.log = host, rng, folder, log
        self.limits, self.output, self.stdout, self.dies = {}, "trace", None, False
        self.reader = self.target = self.recorder = None
        self.may_fail = False   # a status of 1, with an error, is right too
        self.cleanup = []

    def moment(self, most=.6):
        time.sleep(self.rng.uniform(0, most))


def nothing(r):
    pass


def signals(r):
    r.may_fail = True       # with nothing read yet there is nothing to write
    for _ in range(r.rng.choice([1, 1, 2, 3])):
        r.moment(.5)
        if r.rng.random() < .1:
            time.sleep(2.1)     # from then on it is a second one, and not a copy of the first
        r.recorder.send(r.rng.choice([signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT]))


def stop_gotap(r):
    r.moment()
    r.recorder.send(signal.SIGSTOP)
    r.moment(.5)
    r.recorder.send(signal.SIGCONT)


def stop_target(r):
    r.moment()
    os.killpg(r.target.pid, signal.SIGSTOP)
    r.recorder_wait()
    os.killpg(r.target.pid, signal.SIGCONT)


def freeze_target(r):
    freezer = Freezer.of(r.target.pid)
    if not freezer:
        r.log.append("(no cgroups here)")
        return
    r.cleanup.append(freezer.undo)
    r.moment()
    freezer.freeze(True)
    r.recorder_wait()
    freezer.freeze(False)


def kill_target(r):
    r.dies = r.may_fail = True
    r.moment()
    os.killpg(r.target.pid, r.rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGSEGV]))


def second_recorder(r):
    r.moment(.2)
    other = Recorder(r.host, r.rng, os.path.join(r.folder, "second"), ["-p", str(r.target.pid), "-d", "200ms"])
    status = other.wait_small()
    check(status == 0 or other.execed_too_early(), "the second recorder: status %d: %s", status, other.stderr()[-200:])
    if not status:
        other.check_trace()


def same_name(r):
    r.recorder.await_records()      # now it has made its file trace.partial
    os.makedirs(os.path.join(r.folder, "same"), exist_ok=True)
    other = Recorder(r.host, r.rng, os.path.join(r.folder, "same"), ["-p", str(r.target.pid), "-d", "100ms"], output="../trace")
    status = other.wait_small()
    if r.recorder.runs():   # so it ran while the other one did
        check(status == 1, "two recorders write one file: status %d", status)
        other.check_error()


def short_of_files(r):
    r.limits, r.may_fail = {resource.RLIMIT_NOFILE: r.rng.randrange(3, 60)}, True


def short_files(r):
    r.limits, r.may_fail = {resource.RLIMIT_FSIZE: r.rng.randrange(0, 1 << 18)}, True


def short_stack(r):
    r.limits, r.may_fail = {resource.RLIMIT_STACK: 64 << 10}, True


def short_memory(r):
    r.limits, r.may_fail = {resource.RLIMIT_AS: r.rng.randrange(32 << 20, 400 << 20)}, True


def full_disk(r):
    folder = os.path.join(r.folder, "disk")
    os.mkdir(folder)
    subprocess.run(["mount", "-t", "tmpfs", "-o", "size=%dk" % r.rng.choice([8, 64, 512]), "none", folder], check=True)
    r.cleanup.append(lambda: subprocess.run(["umount", "-l", folder], check=True))
    r.output, r.may_fail = "disk/trace", True


def stalled_reader(r):
    r.output, r.stdout = "-", subprocess.PIPE


def drain_late(r):
    time.sleep(r.rng.uniform(0, 1.5))
    with open(os.path.join(r.folder, "piped"), "wb") as f:
        while (data := os.read(r.recorder.p.stdout.fileno(), 1 << 20)):
            f.write(data)


def reader_leaves(r):
    os.read(r.recorder.p.stdout.fileno(), 1000)
    r.recorder.p.stdout.close()


def reader_that_leaves(r):
    stalled_reader(r)
    r.may_fail = True


# Before the recording begins, and while it runs.
DISTURBANCES = [
    ("undisturbed", nothing, nothing), ("signals", nothing, signals), ("gotap stopped", nothing, stop_gotap),
    ("target stopped", nothing, stop_target), ("target frozen", nothing, freeze_target), ("target killed", nothing, kill_target),
    ("two recorders", nothing, second_recorder), ("one name twice", nothing, same_name),
    ("few files", short_of_files, nothing), ("short files", short_files, nothing), ("small stack", short_stack, nothing),
    ("little memory", short_memory, nothing), ("full disk", full_disk, nothing),
    ("stalled reader", stalled_reader, drain_late), ("reader leaves", reader_that_leaves, reader_leaves)]


def keeps_what_was_there(host, path):
    """A failed recording leaves the old file, or a valid trace in its place."""
    with open(path, "rb") as f:
        head = f.read(len(PRECIOUS))
    if head != PRECIOUS:
        why = host.judge("readcheck", path)
        check(not why, "in place of the old file there is an invalid one: %s", why)


def judge(r, status, precious):
    recorder = r.recorder
    may_fail = r.may_fail or recorder.execed_too_early()
    check(status in ((0, 1) if may_fail else (0,)), "status %d: %s", status, recorder.stderr()[-300:])
    path = recorder.output if r.output != "-" else os.path.join(r.folder, "piped")
    if status:
        recorder.check_error()
        if precious:
            keeps_what_was_there(r.host, path)
        elif os.path.exists(path) and r.output != "-":
            check(not r.host.judge("readcheck", path), "a failed recording left an invalid file")
    else:
        recorder.check_true()
        recorder.check_trace(path)


def disturbed_round(host, rng, folder, log):
    name, before, during = rng.choice(DISTURBANCES)
    r = Round(host, rng, folder, log)
    argv, env = draw_target(host, rng)
    options = draw_options(rng)
    log += [name + ":", " ".join(argv).rpartition("/")[2], *options]
    os.makedirs(os.path.join(folder, "second"))
    r.target = Target(argv, env)
    try:
        before(r)
        precious = r.output != "-" and rng.random() < .5
        if precious:
            with open(os.path.join(folder, r.output), "wb") as f:
                f.write(PRECIOUS)
        r.recorder = Recorder(host, rng, folder, ["-p", str(r.target.pid), "-d", "%dms" % rng.randrange(50, 1200), *options],
                              r.output, r.limits, r.stdout)
        ended = []
        r.recorder_wait = lambda: ended.append(r.recorder.wait_small()) if not ended else None
        during(r)
        r.recorder_wait()
        if not r.dies:
            r.target.check_runs()
        await_none_with(r.recorder.tag)
        r.target.await_clean_text()
        judge(r, ended[0], precious)
    finally:
        if r.recorder:
            r.recorder.stop()
        for undo in r.cleanup:
            try:
                undo()
            except OSError as e:
                log.append("(%s)" % e)
        r.target.stop()
