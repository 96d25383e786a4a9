#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
#
# hold.py PID SECONDS TIMES [stop]: so many times, one thread of the process is held for SECONDS amid a record that gotap's
# code in it makes. The thread is stepped until it has taken room in a ring, which "lock cmpxchg" does, and 8
# instructions more each time: the record is whole some 30 later. The thread is held by ptrace while the others run;
# with "stop" the process is stopped by SIGSTOP and the thread let go, and SIGCONT ends the hold. Exit status 1: there
# were fewer holds.

import ctypes
import math
import os
import re
import signal
import sys
import time

SEIZE, INTERRUPT, SINGLESTEP, CONT, DETACH, GETREGS = 0x4206, 0x4207, 9, 7, 17, 12
RIP, EFLAGS = 16, 18  # in struct user_regs_struct
ZF = 1 << 6
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


def takes_room(memory, at):
    """The instruction at that address is lock cmpxchg, with or without a REX prefix."""
    return re.match(rb"\xf0[\x40-\x4f]?\x0f\xb1", os.pread(memory, 4, at), re.S)


def step_into(pid, tid, depth):
    """Steps the thread until it has taken room, and @depth instructions more. Returns the signal left."""
    low, high = code(pid)
    memory = os.open(f"/proc/{pid}/mem", os.O_RDONLY)
    regs = (ctypes.c_ulonglong * 27)()
    sig, taking, left = 0, False, None
    for _ in range(300000):
        ptrace(GETREGS, tid, regs)
        if taking and regs[EFLAGS] & ZF:
            left = depth
        if left == 0:
            break
        left = left and left - 1
        taking = low <= regs[RIP] < high and takes_room(memory, regs[RIP])
        ptrace(SINGLESTEP, tid, sig)
        sig = stopped(tid)
        if sig is None:
            ptrace(INTERRUPT, tid)
            sig = stopped(tid, math.inf)  # to let go of one that runs ends the program
            break
    os.close(memory)
    return sig, left == 0


def others_are_stopped(pid, tid):
    for other in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{other}/status") as status:
            if int(other) != tid and not re.search(r"^State:\s*T", status.read(), re.M):
                return False
    return True


def stop_process(pid, tid):
    """The thread stops with the others as soon as ptrace lets go of it."""
    os.kill(pid, signal.SIGSTOP)
    while not others_are_stopped(pid, tid):
        time.sleep(0.01)


def hold(pid, tid, seconds, depth, stop):
    try:
        ptrace(SEIZE, tid)
        ptrace(INTERRUPT, tid)
        stopped(tid, math.inf)
        sig, inside = step_into(pid, tid, depth)
        if not sig:
            drop_step(pid, tid)
    except (OSError, ChildProcessError):  # the thread has ended
        return False
    if inside and stop:
        stop_process(pid, tid)
        ptrace(DETACH, tid, sig)
        time.sleep(seconds)
        os.kill(pid, signal.SIGCONT)
        return True
    if inside:
        time.sleep(seconds)
    ptrace(DETACH, tid, sig)
    return inside


def main():
    pid, seconds, times, stop = int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]), sys.argv[4:] == ["stop"]
    end = time.monotonic() + 60
    held = 0
    while held < times and time.monotonic() < end:
        for tid in sorted(map(int, os.listdir(f"/proc/{pid}/task"))):
            if held < times and hold(pid, tid, seconds, 8 * held, stop):
                held += 1
    print(held)
    sys.exit(held < times)


main()
