# SPDX-License-Identifier: Apache-2.0
"""Rounds in which the program writes into the memory that it shares with gotap (tests/prog/forger.go)."""
import os
import subprocess
import time

from machine import Target, check
from recordings import Recorder

SECONDS = 4
MOST_MIB = 300      # resident memory of gotap
PATIENCE = 5        # seconds that a recording may take beyond its length and what any recording takes
# How gotap counts what it refuses, by what is forged.
REFUSED = {"threads": "thread", "notes": "thread", "stacks": "stack", "lengths": "text", "kinds": "kind"}
OPTIONS = [[], ["-e", "+labels,+linux"], ["--budget", "20"], ["--ring-size", "1M"], ["--format", "go1.22"]]


def forgeries(host):
    """The names of the ways in which the program forges."""
    out = subprocess.run([host.prog("forger")], capture_output=True, text=True).stdout
    return sorted(out.split())


def record(host, rng, folder, argv, output, options):
    """Records the program, and returns the recorder and the seconds that it took beyond its length."""
    target = Target(argv)
    recorder = None
    try:
        begin = time.monotonic()
        recorder = Recorder(host, rng, folder, ["--attach", "inline", "-p", str(target.pid), "-d", "%ds" % SECONDS,
                                                *options], output)
        status = recorder.wait(MOST_MIB << 10)
        took = time.monotonic() - begin - SECONDS
        check(status == 0, "status %d: %s", status, recorder.stderr()[:500])
        return recorder, took
    finally:
        if recorder:
            recorder.stop()
        target.stop()


def forged_round(host, rng, folder, log):
    names = os.environ.get("GOTAP_FORGERIES", "").split() or forgeries(host)
    name, options = rng.choice(names), rng.choice(OPTIONS)
    log.append("%s %s" % (name, " ".join(options)))
    if "--budget" not in options:
        options = [*options, "--budget", "none"]
    _, usual = record(host, rng, folder, [host.prog("mixed"), "-delay", "10m"], "usual", [])
    recorder, took = record(host, rng, folder, [host.prog("forger"), name], "forged", options)
    check("runtime error:" not in recorder.stderr() and "Sanitizer" not in recorder.stderr(), "%s",
          recorder.stderr()[:3000])
    check(took < PATIENCE + 4 * usual, "it took %.1f s longer than its length, another one %.1f s", took, usual)
    refused = recorder.report()["inline"]["refused"]
    log.append("refused %s" % {k: v for k, v in refused.items() if v})
    if name in REFUSED:
        check(refused[REFUSED[name]] > 0, "nothing was refused as %s", REFUSED[name])
        check(recorder.report()["lost"] > 0, "what was refused does not count as lost")
    recorder.check_trace(None, "check")
