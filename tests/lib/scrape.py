#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""scrape.py SOCKET PID SECONDS: requests profiles from gotap serve as Grafana Alloy's pyroscope.scrape does: all at the
same time, twice; with "seconds" for profiles over a duration, and then two times, as Alloy does with "params". Alloy
accepts any status 2xx with a body that is not empty; here the body must be a gzipped profile, too."""
import gzip
import http.client
import socket
import sys
import threading

SOCKET, PID, SECONDS = sys.argv[1], sys.argv[2], sys.argv[3]
# path, its arguments, the sample types that the profile must have
PROFILES = [
    ("/debug/pprof/profile", f"pid={PID}&seconds={SECONDS}&seconds={SECONDS}", [b"samples", b"cpu", b"nanoseconds"]),
    ("/debug/pprof/goroutine", f"pid={PID}", [b"goroutine", b"count"]),
    ("/debug/pprof/delta_block", f"pid={PID}&seconds={SECONDS}", [b"contentions", b"delay"]),
]
wrong = []


class Connection(http.client.HTTPConnection):
    def connect(self):
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(60)
        self.sock.connect(SOCKET)


def fetch(connection, path, arguments, types):
    connection.request("GET", f"{path}?{arguments}", headers={"User-Agent": "Alloy/v1.12.0", "Accept-Encoding": "gzip"})
    answer = connection.getresponse()
    body = answer.read()
    if answer.status // 100 != 2 or not body:
        wrong.append(f"{path}: {answer.status} {body[:200]}")
        return
    profile = gzip.decompress(body)
    for text in types + [b"main."]:
        if text not in profile:
            wrong.append(f"{path}: no {text}")


def scrape(path, arguments, types):
    connection = Connection("localhost")
    try:
        for _ in range(2):
            fetch(connection, path, arguments, types)
    except (OSError, http.client.HTTPException, EOFError) as e:
        wrong.append(f"{path}: {e!r}")


threads = [threading.Thread(target=scrape, args=p) for p in PROFILES]
for t in threads:
    t.start()
for t in threads:
    t.join()
sys.exit("; ".join(wrong) or 0)
