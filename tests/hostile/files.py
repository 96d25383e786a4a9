# SPDX-License-Identifier: Apache-2.0
"""Rounds with damaged files: each command that reads one ends in time, by itself, and its output is valid."""
import os
import resource
import subprocess
import threading

from machine import GOTAP, PATIENCE, Target, check, limited
from recordings import Recorder, draw_target

_made = {}
_lock = threading.Lock()


def whole_files(host, rng, folder):
    """A trace and its spool file, recorded once for all rounds."""
    with _lock:
        if not _made:
            target = Target([host.prog("mixed"), "-delay", "10m"])
            spool = os.path.join(folder, "whole.spool")
            try:
                r = Recorder(host, rng, folder, ["-p", str(target.pid), "-d", "4s", "--budget", "none", "--spool", spool])
                check(r.wait() == 0, "cannot record: %s", r.stderr()[-200:])
            finally:
                target.stop()
            for name, path in (("trace", r.output), ("spool", spool)):
                with open(path, "rb") as f:
                    _made[name] = f.read()
    return _made


def damage(rng, data):
    """One to four faults in different places."""
    hows = []
    for _ in range(rng.choice([1, 2, 2, 4])):
        how, data = damage_once(rng, data)
        hows.append(how)
    return "+".join(hows), data


def damage_once(rng, data):
    data = bytearray(data)
    how = rng.choice(["cut", "flip", "flip", "zero", "repeat", "delete", "insert"])
    at = rng.randrange(max(len(data), 1))
    n = rng.choice([1, 8, 100, 5000, 70000])
    if not data:
        pass
    elif how == "cut":
        del data[at:]
    elif how == "flip":
        for _ in range(rng.choice([1, 3, 30])):
            data[rng.randrange(len(data))] ^= 1 << rng.randrange(8)
    elif how == "zero":
        data[at:at + n] = bytes(len(data[at:at + n]))
    elif how == "repeat":
        data[at:at] = data[at:at + n]
    elif how == "delete":
        del data[at:at + n]
    else:
        data[at:at] = rng.randbytes(n)
    return how, bytes(data)


def run(argv, log):
    limits = {resource.RLIMIT_CPU: PATIENCE, resource.RLIMIT_AS: 2 << 30}
    r = subprocess.run([GOTAP, *argv], stdin=subprocess.DEVNULL, capture_output=True, timeout=10 * PATIENCE, preexec_fn=limited(limits))
    log.append("%s=%d" % (argv[0], r.returncode))
    check(r.returncode in (0, 1), "%s: status %d: %s", argv[0], r.returncode, r.stderr[-200:])
    check(r.returncode == 0 or r.stderr or r.stdout, "%s fails without a word", argv[0])
    return r.returncode


def damaged_round(host, rng, folder, log):
    whole = whole_files(host, rng, folder)
    kind = rng.choice(["trace", "trace", "spool"])
    how, data = damage(rng, whole[kind])
    path, out = os.path.join(folder, "damaged"), os.path.join(folder, "out")
    log += [kind, how]
    with open(path, "wb") as f:
        f.write(data)
    if kind == "spool":
        if run(["assemble", path, "-o", out], log) == 0:
            why = host.judge("check", out)
            check(not why, "assemble made an invalid trace: %s", why)
        return
    run(["check", path], log)
    run(["text", path], log)
    if run(["convert", path, "-o", out], log) == 0:
        why = host.judge("check", out)
        check(not why, "convert made an invalid trace: %s", why)
