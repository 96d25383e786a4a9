#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""idle_clients.py HOST:PORT TOKEN: connects 70 times and sends nothing; then asks with the token. Prints the status of
the answer, and whether most of the idle connections are still open then."""
import http.client
import socket
import sys

IDLE, MOST = 70, 30

host, port = sys.argv[1].strip("/").rsplit(":", 1)
idle = [socket.create_connection((host, int(port)), 10) for _ in range(IDLE)]
client = http.client.HTTPConnection(host, int(port), timeout=60)
client.request("GET", "/debug/pprof/cmdline?pid=1", headers={"Authorization": "Bearer " + sys.argv[2]})
print("status", client.getresponse().status)
still = 0
for s in idle:
    s.setblocking(False)
    try:
        s.recv(1)
    except BlockingIOError:
        still += 1
    except OSError:
        pass
print("enough are open" if still >= MOST else "only %d are open" % still)
