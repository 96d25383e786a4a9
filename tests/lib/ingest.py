#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""ingest.py FOLDER [STATUS...]

A server with the ingest API of Pyroscope, as its pkg/ingester/pyroscope/ingest_handler.go reads requests. Prints its port;
writes of request N FOLDER/N.json (method, path, query, headers) and FOLDER/N.body. Answers with the statuses one after
the other, then with 200; "hang": not at all; "close": it closes. What its model would refuse it refuses with 400.
"""
import http.server
import json
import re
import sys
import time
import urllib.parse

folder, statuses = sys.argv[1], sys.argv[2:]
seen = 0


def wrong(handler, query):
    name = query.get('name', [''])[0]
    if handler.path.split('?')[0] != '/ingest' and not handler.path.startswith('/proxy/ingest?'):
        return 'no such path'
    if not re.fullmatch(r'[^{}]+(\{([a-z]+="?[^,{}]*"?,?)*\})?', name):
        return 'name: ' + name
    if query.get('format') != ['pprof']:
        return 'format'
    if not int(query['from'][0]) < int(query['until'][0]) <= time.time() + 2:
        return 'times'
    return None


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_POST(self):
        global seen
        seen += 1
        url = urllib.parse.urlsplit(self.path)
        query = urllib.parse.parse_qs(url.query)
        body = self.rfile.read(int(self.headers['Content-Length']))
        with open(f'{folder}/{seen}.body', 'wb') as f:
            f.write(body)
        with open(f'{folder}/{seen}.json', 'w') as f:
            json.dump({'method': self.command, 'path': url.path, 'query': query, 'headers': dict(self.headers)}, f)
        status = statuses.pop(0) if statuses else '200'
        if status == 'hang':
            time.sleep(60)
        if status in ('hang', 'close'):
            self.close_connection = True
            return
        why = wrong(self, query)
        text = (f'{why}\n' if why else f'status {status}\n\x1b[2Jmore\n' if status != '200' else '').encode()
        self.send_response(400 if why else int(status))
        self.send_header('Content-Length', str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
