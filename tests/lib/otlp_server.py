#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""otlp_server.py FOLDER [ANSWER...]

A receiver of OTLP over HTTP. Prints its port; writes of request N FOLDER/N.json (method, path, query, headers) and
FOLDER/N.body. Answers with the ANSWERs one after the other, then with 200: a status; "partial": 200 with a partial
success, 3 spans rejected; "chunked": the same in chunks; "warning": the same with none rejected; "after": 503, to be tried
again after a second; "bad": 400 with a google.rpc.Status; "garbage": 200 with bytes that are no message; "close": it closes.
"""
import http.server
import json
import sys
import urllib.parse

folder, answers = sys.argv[1], sys.argv[2:]
seen = 0
TEXT = 'no room\x1b[2J for them'


def message(number, data):
    return bytes([number << 3 | 2, len(data)]) + data


def partial(rejected, is_json):
    if is_json:
        return json.dumps({'partialSuccess': {'rejectedSpans': str(rejected), 'errorMessage': TEXT}}).encode()
    count = bytes([1 << 3, rejected]) if rejected else b''
    return message(1, count + message(2, TEXT.encode()))


class Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = 'HTTP/1.1'

    def do_POST(self):
        global seen
        seen += 1
        url = urllib.parse.urlsplit(self.path)
        body = self.rfile.read(int(self.headers['Content-Length']))
        is_json = self.headers['Content-Type'] == 'application/json'
        with open(f'{folder}/{seen}.body', 'wb') as f:
            f.write(body)
        with open(f'{folder}/{seen}.json', 'w') as f:
            json.dump({'method': self.command, 'path': url.path, 'query': url.query, 'headers': dict(self.headers)}, f)
        answer = answers.pop(0) if answers else '200'
        if answer == 'close':
            self.close_connection = True
            return
        status = {'after': 503, 'bad': 400}.get(answer, int(answer) if answer.isdigit() else 200)
        data = {'partial': partial(3, is_json), 'chunked': partial(3, is_json), 'warning': partial(0, is_json),
                'bad': bytes([1 << 3, 3]) + message(2, TEXT.encode()), 'garbage': b'\xff\xff\xff\xff\x0a'}.get(answer, b'')
        self.send_response(status)
        if answer == 'after':
            self.send_header('Retry-After', '1')
        if answer == 'chunked':
            self.send_header('Transfer-Encoding', 'chunked')
            self.end_headers()
            for at in range(0, len(data), 5):
                piece = data[at:at + 5]
                self.wfile.write(b'%x;ext=1\r\n%s\r\n' % (len(piece), piece))
            self.wfile.write(b'0\r\n\r\n')
            return
        self.send_header('Content-Length', str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *args):
        pass


server = http.server.ThreadingHTTPServer(('127.0.0.1', 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
