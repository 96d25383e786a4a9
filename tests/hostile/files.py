# SPDX-License-Identifier: Apache-2.0
"""
Rounds with damaged files: each command that reads one ends in time, by itself, and its output is valid. Traces come from
mixed.trace.xz beside this file (2.2 s of tests/prog/mixed.go) and from Go's own test data of before Go 1.22, so that a seed
makes the same bytes again. Spool files depend on gotap's version and are recorded once per run: a failed round keeps its file.
"""
import glob
import lzma
import os
import random
import resource
import subprocess
import tempfile
import threading

from machine import CHECKOUT, GOTAP, PATIENCE, Target, check, limited
from recordings import Recorder

_made = {}
_lock = threading.Lock()


def a_spool(host):
    """Recorded once for all rounds; draws nothing from a round's numbers."""
    with _lock:
        if "spool" not in _made:
            folder = tempfile.mkdtemp(prefix="gotap-hostile.")
            target = Target([host.prog("mixed"), "-delay", "10m"])
            path = os.path.join(folder, "whole.spool")
            try:
                r = Recorder(host, random.Random(0), folder,
                             ["-p", str(target.pid), "-d", "4s", "--budget", "none", "--spool", path])
                check(r.wait() == 0, "cannot record: %s", r.stderr()[-200:])
            finally:
                target.stop()
            with open(path, "rb") as f:
                _made["spool"] = f.read()
    return _made["spool"]


def a_trace():
    with lzma.open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "mixed.trace.xz")) as f:
        return f.read()


def an_old_trace(rng):
    found = sorted(glob.glob(CHECKOUT + "/build/go/go1.2[1-9]/src/internal/trace/**/*_good", recursive=True))
    with open(rng.choice(found), "rb") as f:
        return f.read()


def damage_once(rng, data):
    how = rng.choice(["cut", "flip", "flip", "zero", "repeat", "delete", "insert"])
    at = rng.randrange(max(1, len(data)))
    n = rng.choice([1, 8, 100, 5000, 70000])
    if how == "cut":
        del data[at:]
    elif how == "flip":
        for _ in range(rng.choice([1, 3, 30]) if data else 0):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif how == "zero":
        data[at:at + n] = bytes(len(data[at:at + n]))
    elif how == "repeat":
        data[at:at] = data[at:at + n]
    elif how == "delete":
        del data[at:at + n]
    else:
        data[at:at] = rng.randbytes(n)
    return how


def damage(rng, data):
    data = bytearray(data)
    how = [damage_once(rng, data) for _ in range(rng.choice([1, 1, 2, 4]))]
    return "+".join(how), bytes(data)


def run(argv, log):
    limits = {resource.RLIMIT_CPU: PATIENCE, resource.RLIMIT_AS: 2 << 30}
    r = subprocess.run([GOTAP, *argv], stdin=subprocess.DEVNULL, capture_output=True, timeout=10 * PATIENCE, preexec_fn=limited(limits))
    log.append("%s=%d" % (argv[0], r.returncode))
    most = 2 if argv[0] == "check" else 1   # check says by 2 that a file could not be read
    check(0 <= r.returncode <= most, "%s: status %d: %s", argv[0], r.returncode, r.stderr[-200:])
    check(r.returncode == 0 or r.stderr or r.stdout, "%s fails without a word", argv[0])
    return r.returncode


def check_output(host, command, out):
    """Also of a command that failed: a file under its name is a valid trace."""
    if os.path.exists(out):
        why = host.judge("check", out)
        check(not why, "%s made an invalid trace: %s", command, why)


def damaged_round(host, rng, folder, log):
    kind = rng.choice(["trace", "trace", "old", "spool"])
    whole = a_spool(host) if kind == "spool" else an_old_trace(rng) if kind == "old" else a_trace()
    how, data = damage(rng, whole)
    path, out = os.path.join(folder, "damaged"), os.path.join(folder, "out")
    log += [kind, how]
    with open(path, "wb") as f:
        f.write(data)
    if kind == "spool":
        run(["assemble", path, "-o", out], log)
        check_output(host, "assemble", out)
        return
    run(["check", path], log)
    run(["text", path], log)
    status = run(["convert", path, "-o", out], log)
    check(status or os.path.exists(out), "convert says that all is well and writes nothing")
    check_output(host, "convert", out)
