#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# hold.py PID SECONDS TIMES: so many times, one thread of the process is held by ptrace for SECONDS
# while the others run, inside of code that gotap has put there: the thread is stepped until it runs
# there, and then on by 40 instructions more each time, so that one hold is amid a record. Prints how
# many holds were in that code. Exit status 1: none was.

import ctypes
import math
import os
import re
import signal
import sys
import time

SEIZE, INTERRUPT, SINGLESTEP, CONT, DETACH, GETREGS = 0x4206, 0x4207, 9, 7, 17, 12
RIP = 16  # in struct user_regs_struct
WALL = 0x40000000
PATIENCE = 1.5  # seconds until a thread that sleeps is given up

libc = ctypes.CDLL(None, use_errno=True)
libc.ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]


def ptrace(request, tid, data=None):
    if libc.ptrace(request, tid, None, data) < 0:
        raise OSError(ctypes.get_errno(), f"ptrace {request}")


def code(pid):
    """The mapping of gotap's code: [start, end)."""
    with open(f"/proc/{pid}/maps") as maps:
        found = re.search(r"^(\w+)-(\w+) r-xp 0+ 00:00 0 *$", maps.read(), re.M)
    return int(found[1], 16), int(found[2], 16)


def stopped(tid, patience=PATIENCE):
    """Waits until the thread is stopped. Returns the signal that it would get; None: it sleeps."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        got, status = os.waitpid(tid, WALL | os.WNOHANG)
        if got:
            sig = os.WSTOPSIG(status)
            return 0 if sig == signal.SIGTRAP or status >> 16 else sig
    return None


def drop_step(pid, tid):
    """Takes the SIGTRAP of a step that ended when the thread had been stopped by INTERRUPT: it would
    end the program when nobody traces the thread."""
    with open(f"/proc/{pid}/task/{tid}/status") as status:
        pending = int(re.search(r"^SigPnd:\s*(\w+)$", status.read(), re.M)[1], 16)
    if pending & 1 << signal.SIGTRAP - 1:
        ptrace(CONT, tid)
        stopped(tid)


def step_into(tid, low, high, depth):
    """Steps the thread until it was in the code for @depth instructions. Returns the signal left."""
    regs = (ctypes.c_ulonglong * 27)()
    sig = 0
    for _ in range(300000):
        ptrace(GETREGS, tid, regs)
        depth -= low <= regs[RIP] < high
        if depth <= 0:
            return sig, True
        ptrace(SINGLESTEP, tid, sig)
        sig = stopped(tid)
        if sig is None:
            ptrace(INTERRUPT, tid)
            return stopped(tid, math.inf), False  # to let go of one that runs ends the program
    return sig, False


def hold(pid, tid, seconds, depth):
    try:
        ptrace(SEIZE, tid)
        ptrace(INTERRUPT, tid)
        stopped(tid, math.inf)
        sig, inside = step_into(tid, *code(pid), depth)
        if not sig:
            drop_step(pid, tid)
    except (OSError, ChildProcessError):  # the thread has ended
        return False
    if inside:
        time.sleep(seconds)
    ptrace(DETACH, tid, sig)
    return inside


def main():
    pid, seconds, times = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
    end = time.monotonic() + 60
    held = 0
    while held < times and time.monotonic() < end:
        for tid in sorted(map(int, os.listdir(f"/proc/{pid}/task"))):
            if held < times and hold(pid, tid, seconds, 40 * (held + 1)):
                held += 1
    print(held)
    sys.exit(held == 0)


main()
