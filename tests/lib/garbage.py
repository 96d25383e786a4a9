#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""garbage.py SOCKET PID SEED: sends random bytes to gotap serve, and requests that are cut, changed, too long,
pipelined, or without an end. Then it opens more connections than the server has room for, and sends nothing or half a
request. The test asks afterwards whether the server still answers."""
import random
import socket
import sys

SOCKET, PID = sys.argv[1], sys.argv[2]
ROUNDS = 120
rnd = random.Random(int(sys.argv[3]))

GOOD = [
    f"GET /debug/pprof/goroutine?pid={PID}&debug=1 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    f"GET /debug/pprof/trace?pid={PID}&seconds=0.05 HTTP/1.1\r\nHost: localhost\r\n\r\n",
    "GET /debug/pprof/ HTTP/1.0\r\n\r\n",
    "HEAD /processes HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n",
]
ODD = [
    b"GET " + b"/" * 30000 + b" HTTP/1.1\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\n" + b"A: b\r\n" * 5000 + b"\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: 99999999999999999999\r\n\r\n",
    b"GET / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n",
    b"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffffffffff\r\n",
    b"GET /debug/pprof/trace?" + b"a=b&" * 3000 + b" HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET /debug/pprof/trace?pid=%00%ff%zz&%=%& HTTP/1.1\r\nHost: x\r\n\r\n",
    b"GET http://evil/debug/pprof/ HTTP/1.1\r\nHost: x\r\n\r\n",
    b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
    b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
    b"\r\n" * 5000,
    b"GET /\r\n\r\n",
    b"\0" * 1000,
]


def connect():
    s = socket.socket(socket.AF_UNIX)
    s.settimeout(15)
    s.connect(SOCKET)
    return s


def changed():
    data = bytearray(rnd.choice(GOOD).encode())
    for _ in range(rnd.randrange(1, 6)):
        at = rnd.randrange(len(data))
        what = rnd.randrange(3)
        if what == 0:
            data[at] = rnd.randrange(256)
        elif what == 1:
            del data[at:at + rnd.randrange(8)]
        else:
            data[at:at] = rnd.randbytes(rnd.randrange(8))
        if not data:
            return b"x"
    return bytes(data)


def message():
    kind = rnd.randrange(5)
    if kind == 0:
        return rnd.randbytes(rnd.randrange(1, 3000))
    if kind == 1:
        return rnd.choice(ODD)
    if kind == 2:
        return rnd.choice(GOOD).encode() * rnd.randrange(1, 4)
    return changed()


def send(data, listen):
    with connect() as s:
        try:
            s.sendall(data)
            if listen:
                s.shutdown(socket.SHUT_WR)
                s.recv(1 << 16)
        except OSError:
            pass


for i in range(ROUNDS):
    send(message(), rnd.random() < 0.5)
silent = []
for i in range(100):
    try:
        silent.append(connect())
        silent[-1].sendall(b"GET /debug" if i % 2 else b"")
    except OSError:
        break
print(len(silent), "silent connections")
for s in silent:
    s.close()
