# SPDX-License-Identifier: Apache-2.0
"""Rounds in which the program writes into the memory that it shares with gotap (tests/prog/forger.go)."""
import glob
import os
import subprocess
import time

from machine import GOTAP, Target, check
from recordings import PATIENCE as END_PATIENCE, Recorder

SECONDS = int(os.environ.get("GOTAP_FORGED_SECONDS", 4))
MOST_MIB = 300      # resident memory of gotap
PATIENCE = 5        # seconds that a recording may take beyond its length and what any recording takes
# How gotap counts what it refuses, by what is forged.
REFUSED = {"threads": "thread", "notes": "thread", "stacks": "stack", "lengths": "text", "kinds": "kind", "nameless": "value"}
FLIGHT = ["--flight", "5s,16M", "--keep", "4"]
OPTIONS = [[], ["-e", "+labels,+linux"], ["--budget", "20"], ["--ring-size", "1M"], ["--format", "go1.22"]]


def forgeries(host):
    """The names of the ways in which the program forges."""
    out = subprocess.run([host.prog("forger")], capture_output=True, text=True).stdout
    return sorted(out.split())


def sanitizer_reports(stderr):
    return stderr.count("runtime error:") + stderr.count("Sanitizer: ")


class Recording:
    """A recording of a program by its argv, that has ended."""

    def __init__(self, host, rng, folder, argv, output, options, seconds=SECONDS):
        target = Target(argv)
        recorder = None
        try:
            begin = time.monotonic()
            recorder = Recorder(host, rng, folder, ["--attach", "inline", "-p", str(target.pid), "-d", "%ds" % seconds,
                                                    *options], output)
            self.attend(recorder, target.pid, begin + seconds)
            self.status = recorder.wait(patience=seconds + END_PATIENCE)
            self.beyond = time.monotonic() - begin - seconds    # seconds
        finally:
            if recorder:
                recorder.stop()
            target.stop()
        self.recorder, self.mib = recorder, recorder.peak_kib >> 10
        self.stderr = recorder.stderr()
        self.reports = sanitizer_reports(self.stderr)

    def attend(self, recorder, pid, end):
        """May do something until @end."""

    def refused(self):
        return {k: v for k, v in self.recorder.report()["inline"]["refused"].items() if v}

    def judge(self, name, most_mib=MOST_MIB):
        """Raises Wrong unless gotap held: it ended well, in bounded memory, and counts what it refused."""
        check(not self.reports, "%s", self.stderr[:3000])
        check(self.status == 0, "status %d: %s", self.status, self.stderr[:500])
        check(self.mib < most_mib, "gotap took %d MiB", self.mib)
        if name in REFUSED:
            check(self.refused().get(REFUSED[name]), "nothing was refused as %s", REFUSED[name])
            check(self.recorder.report()["lost"] > 0, "what was refused does not count as lost")

    def megabytes(self):
        """The size of the trace; 0: there is no single one."""
        return os.path.getsize(self.recorder.output) // 10**6 if os.path.exists(self.recorder.output) else 0

    def check_valid(self):
        """Raises Wrong unless gotap and the oracle take the trace that it wrote."""
        check_file(self.recorder.output)
        self.recorder.check_trace(None, "check")
        return "valid"


class Flight(Recording):
    """A recording with --flight, of which a snapshot is asked for each second."""

    def __init__(self, host, rng, folder, argv, output, options, seconds=SECONDS):
        super().__init__(host, rng, folder, argv, output + "-%n", [*FLIGHT, *options], seconds)

    def attend(self, recorder, pid, end):
        while recorder.runs() and time.monotonic() < end:
            time.sleep(1)
            subprocess.run([GOTAP, "snap", "-p", str(pid)], capture_output=True)

    def check_valid(self):
        paths = [path for path in glob.glob(self.recorder.output.replace("%n", "*")) if path.rpartition("-")[2].isdigit()]
        report = self.recorder.report()["flight"]
        check(paths and not report["failed"], "snapshots: %d, %s", len(paths), report)
        for path in paths:
            check_file(path)
            self.recorder.check_trace(path, "check")
        return "%d valid" % len(paths)


def check_file(path):
    r = subprocess.run([GOTAP, "check", path], capture_output=True, text=True)
    check(r.returncode == 0, "not a valid trace: %s", (r.stdout + r.stderr)[:500])


def forged_round(host, rng, folder, log):
    names = os.environ.get("GOTAP_FORGERIES", "").split() or forgeries(host)
    name, options = rng.choice(names), rng.choice(OPTIONS)
    log.append("%s %s" % (name, " ".join(options)))
    if "--budget" not in options:
        options = [*options, "--budget", "none"]
    usual = Recording(host, rng, folder, [host.prog("mixed"), "-delay", "10m"], "usual", []).beyond
    flight = bool(os.environ.get("GOTAP_FORGED_FLIGHT")) or rng.random() < .3
    log += ["--flight"] if flight else []
    forged = (Flight if flight else Recording)(host, rng, folder, [host.prog("forger"), name], "forged", options)
    forged.judge(name)
    check(forged.beyond < PATIENCE + 4 * usual, "it took %.1f s longer than its length, another one %.1f s", forged.beyond,
          usual)
    log.append("refused %s" % forged.refused())
    forged.check_valid()
