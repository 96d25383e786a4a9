#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""tests/mcp/raw.py CASE GOTAP DIR [PID]

A client of gotap mcp that does what no client should, or leaves at any moment. CASE is a function of this file.
"""

import json
import os
import resource
import signal
import subprocess
import sys
import time

GOTAP, DIR = sys.argv[2], sys.argv[3]
PID = int(sys.argv[4]) if len(sys.argv) > 4 else 0
META = {'io.modelcontextprotocol/protocolVersion': '2026-07-28', 'io.modelcontextprotocol/clientCapabilities': {}}


class Server:
    def __init__(self, *options, begin=True):
        self.process = subprocess.Popen([GOTAP, 'mcp', '--dir', DIR, *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.last = 0
        if begin:
            assert self.ask('initialize', protocolVersion='2025-11-25')['result']['protocolVersion'] == '2025-11-25'

    def write(self, data):
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def read(self):
        line = self.process.stdout.readline()
        assert line, f'it ended with status {self.process.wait()}'
        return json.loads(line)

    def send(self, method, **params):
        self.last += 1
        self.write(json.dumps({'jsonrpc': '2.0', 'id': self.last, 'method': method, 'params': params}).encode() + b'\n')
        return self.last

    def ask(self, method, **params):
        number = self.send(method, **params)
        while True:
            answer = self.read()
            if answer.get('id') == number:
                return answer

    def call(self, name, **arguments):
        return self.ask('tools/call', name=name, arguments=arguments)['result']

    def children(self):
        with open(f'/proc/{self.process.pid}/task/{self.process.pid}/children', encoding='ascii') as file:
            return [int(pid) for pid in file.read().split()]

    def end(self):
        """Its input ends: it ends with status 0."""
        self.process.stdin.close()
        assert self.process.wait(30) == 0, self.process.returncode


def until(what):
    for _ in range(600):
        if what():
            return
        time.sleep(0.05)
    raise AssertionError('not true within 30 s')


def alive(pid):
    try:
        with open(f'/proc/{pid}/stat', encoding='ascii') as file:
            return file.read().rsplit(')', 1)[1].split()[0] != 'Z'
    except OSError:
        return False


def is_error(answer, code):
    assert answer['error']['code'] == code, answer
    return answer


# --- messages

def hostile():
    """Each wrong message has an error, and the next one is answered."""
    server = Server()
    wrong = [
        (b'{', -32700), (b'nonsense', -32700), (b'{} {}', -32700), (b'\xff\xfe', -32700), (b'{"a": "\xff"}', -32700),
        (b'[' * 100000, -32700), (b'{"a":' * 40 + b'1' + b'}' * 40, -32700), (b'[]', -32600), (b'1 ', -32600),
        (b'"x"', -32600), (b'null', -32700), (b'{}', -32600), (b'{"jsonrpc": "1.0", "id": 1, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": null, "method": "ping"}', -32600), (b'{"jsonrpc": "2.0", "id": 1.5, "method": "ping"}', -32600),
        (b'{"jsonrpc": "2.0", "id": {}, "method": "ping"}', -32600), (b'{"jsonrpc": "2.0", "id": "%s", "method": "ping"}' % (b'x' * 300), -32600),
        (b'{"jsonrpc": "2.0", "id": 1, "method": 7}', -32600), (b'{"jsonrpc": "2.0", "id": 1, "method": "ping", "params": []}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "no/thing"}', -32601), (b'{"jsonrpc": "2.0", "id": 1, "method": "initialize"}', -32602),
        (b'[{"jsonrpc": "2.0", "id": 1, "method": "ping"}]', -32600), (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call"}', -32602),
        (b'{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": "ps", "arguments": 7}}', -32602),
        (b'x' * (3 << 20), -32600),
    ]
    for line, code in wrong:
        server.write(line + b'\n')
        is_error(server.read(), code)
        assert server.ask('ping')['result'] == {}
    for line in (b'\n', b'\r\n', b'{"jsonrpc": "2.0", "id": 1, "result": {}}\n', b'{"jsonrpc": "2.0", "method": "no/thing"}\n',
                 b'{"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 99}}\n',
                 b'{"jsonrpc": "2.0", "method": "notifications/cancelled"}\n'):
        server.write(line)
    assert server.ask('ping')['result'] == {}
    with open(f'/proc/{server.process.pid}/status', encoding='ascii') as file:
        peak = next(int(line.split()[1]) for line in file if line.startswith('VmHWM'))
    assert peak < 64 << 10, f'{peak} kB'
    server.end()


def revisions():
    """Which revision a client gets; a request outside of any is refused."""
    for asked, want in (('2025-11-25', '2025-11-25'), ('2025-06-18', '2025-06-18'), ('2024-11-05', '2024-11-05'), ('2025-03-26', '2024-11-05'),
                        ('2026-07-28', '2025-11-25'), ('2099-01-01', '2025-11-25'), ('x', '2025-11-25'), ('1', '2025-11-25')):
        server = Server(begin=False)
        is_error(server.ask('tools/list'), -32602)
        assert server.ask('ping')['result'] == {}
        assert server.ask('initialize', protocolVersion=asked)['result']['protocolVersion'] == want, asked
        assert server.ask('tools/list')['result']['tools']
        server.end()
    server = Server(begin=False)
    assert server.ask('server/discover', _meta=META)['result']['supportedVersions'] == ['2026-07-28']
    assert server.ask('tools/list', _meta=META)['result']['resultType'] == 'complete'
    is_error(server.ask('ping', _meta=META), -32601)
    is_error(server.ask('server/discover'), -32602)
    wrong = is_error(server.ask('tools/list', _meta={**META, 'io.modelcontextprotocol/protocolVersion': '2025-11-25'}), -32022)
    assert wrong['error']['data'] == {'supported': ['2026-07-28'], 'requested': '2025-11-25'}
    server.end()


# --- the end

def ends():
    """The end of the input, SIGTERM, and kill -9 end a recording, and what it has is whole."""
    for how in ('eof', signal.SIGTERM, signal.SIGKILL):
        before = set(os.listdir(DIR))
        server = Server()
        server.send('tools/call', name='record', arguments={'pid': PID, 'duration_seconds': 50})
        until(lambda: any(name.endswith('.partial') and os.path.getsize(os.path.join(DIR, name)) for name in set(os.listdir(DIR)) - before))
        child = server.children()[0]
        if how == 'eof':
            server.process.stdin.close()
        else:
            server.process.send_signal(how)
        status = server.process.wait(30)
        assert status == (-9 if how == signal.SIGKILL else 0), (how, status)
        until(lambda: not alive(child))
        made = sorted(set(os.listdir(DIR)) - before)
        assert len(made) == 1 and made[0].endswith('.trace'), made
        subprocess.run([GOTAP, 'check', os.path.join(DIR, made[0])], check=True, stdout=subprocess.DEVNULL)


def deaf():
    """A client that does not read: its input waits, gotap does not grow, and its end is an end."""
    server = Server()
    line = b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n'
    os.set_blocking(server.process.stdin.fileno(), False)
    sent = 0
    deadline = time.time() + 20
    idle = 0
    while time.time() < deadline and idle < 20:
        try:
            sent += os.write(server.process.stdin.fileno(), line * 100)
            idle = 0
        except BlockingIOError:
            idle += 1
            time.sleep(0.05)
    assert idle == 20, 'its input never waited'
    with open(f'/proc/{server.process.pid}/status', encoding='ascii') as file:
        peak = next(int(text.split()[1]) for text in file if text.startswith('VmHWM'))
    assert peak < 256 << 10, f'{peak} kB'
    server.process.stdout.close()
    assert server.process.wait(30) == 0


# --- limits

def limits():
    """--read-only, --max-time, --allow-inline, --max-bytes."""
    server = Server('--read-only')
    assert not {'record', 'top'} & {tool['name'] for tool in server.ask('tools/list')['result']['tools']}
    is_error(server.ask('tools/call', name='record', arguments={'pid': PID, 'duration_seconds': 1}), -32602)
    server.end()
    server = Server('--max-time', '1s', '--allow-inline', '--show-private')
    record = next(tool for tool in server.ask('tools/list')['result']['tools'] if tool['name'] == 'record')
    assert record['inputSchema']['properties']['duration_seconds']['maximum'] == 1
    assert 'inline' in record['inputSchema']['properties']['attach']['enum']
    assert server.call('record', pid=PID, duration_seconds=1.5)['isError']
    answer = server.call('record', pid=PID, duration_seconds=0.5, attach='inline')['structuredContent']
    # where the clock is another one it says so, and records with uprobes
    with open('/sys/devices/system/clocksource/clocksource0/current_clocksource') as f:
        state = 'undone' if f.read() == 'tsc\n' else 'off'
    assert answer['answer']['inline']['state'] == state, answer['answer']['inline']
    assert next(p for p in server.call('ps')['structuredContent']['answer']['processes'] if p['pid'] == PID)['command']
    server.end()


def full():
    """A recording ends early when its traces have as many bytes as they may, and is whole; the next one is refused."""
    server = Server('--max-bytes', '4M')
    with open(os.path.join(DIR, 'gotap-mcp-old.trace'), 'wb') as file:
        file.write(b'x' * (2900 << 10))
    begin = time.time()
    answer = server.call('record', pid=PID, duration_seconds=50)['structuredContent']
    assert time.time() - begin < 45 and 'ended early' in answer['messages'][0], answer['messages']
    assert server.call('check', traces=[answer['losses'][0]['trace']])['structuredContent']['answer']['traces'][0]['ok']
    refused = server.call('record', pid=PID, duration_seconds=1)
    assert refused['isError'] and '--max-bytes' in refused['content'][0]['text'], refused
    server.end()


def damaged():
    """A damaged trace has an answer and a message, or an error."""
    server = Server()
    whole = next(name for name in sorted(os.listdir(DIR)) if name.endswith('.trace') and os.path.getsize(os.path.join(DIR, name)) > 20000)
    with open(os.path.join(DIR, whole), 'rb') as file:
        data = file.read()
    for name, text in (('cut', data[:len(data) * 2 // 3]), ('none', b'x'), ('head', data[:16])):
        with open(os.path.join(DIR, name), 'wb') as file:
            file.write(text)
        answer = server.call('report', traces=[name])
        if name == 'cut':
            assert answer['structuredContent']['exit_status'] == 1 and answer['structuredContent']['messages']
        else:
            assert 'isError' in answer or answer['structuredContent'], answer
    os.symlink('/etc/hostname', os.path.join(DIR, 'cut.threads'))
    led_out = server.call('report', traces=['cut'])
    assert led_out['isError'] and 'cut.threads' in led_out['content'][0]['text'], led_out
    os.unlink(os.path.join(DIR, 'cut.threads'))
    server.end()


if __name__ == '__main__':
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    globals()[sys.argv[1]]()
