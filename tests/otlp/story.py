#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""story.py TRACE: writes the text (gotap wire) of a trace that has each kind of operation, and what else an export meets.

The clock counts ns; its time 1000 is 1795893470.000000005. Tasks count from 2^62 + 1 on, in goroutines 1 and 4:

 1  GET /cart, with a traceparent: a call (2), of which the body is read later; a query in a function inside a goroutine for it
    (goroutine 4), and its rows; a wait for a connection and a statement that fails; a region of the program; a wait
 5  POST /buy: 503, and the handler did not return; its call (6) ends after it
 7  BREW net/http: a path that is no UTF-8, no route
 8  a request that has not ended when the trace does, with a query inside
 9  GET main.hello: the name of a handler
10  a call without a request, that fails, and a query without one
11  a gRPC call served, with an error of the server; 12 one of the client; 14 one that got no status
13  a task whose parent has ended
"""
import sys

T = 1 << 62
WALL = 1795893470_000000005 - 1000
TRACEPARENT = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'


def varint(n):
    return 1 if n < 0x80 else 1 + varint(n >> 7)


class Text:
    def __init__(self):
        self.out, self.strings, self.time = ['Trace Go1.26'], {}, 110
        self.events = []

    def string(self, text):
        return self.strings.setdefault(text, len(self.strings) + 1)

    def at(self, time, name, **args):
        """An event at @time, or 1 ns after the one before; its arguments by name, a text as a string."""
        time = max(time, self.time + 1)
        args = {k: self.string(v) if isinstance(v, bytes) else v for k, v in args.items()}
        args = {'dt': time - self.time, **args}
        self.time = time
        self.events.append((f'{name} ' + ' '.join(f'{k}={v}' for k, v in args.items()),
                            1 + sum(varint(v) for v in args.values())))

    def batch(self, m, time, lines, size):
        self.out.append(f'EventBatch gen=1 m={m} time={time} size={size}')
        self.out.extend(lines)

    def write(self, path):
        none = (1 << 64) - 1
        self.batch(none, 100, ['Sync', 'Frequency freq=1000000000',
                               'ClockSnapshot dt=900 mono=1000 sec=1795893470 nsec=5'],
                   1 + 1 + varint(10 ** 9) + 1 + varint(900) + varint(1000) + varint(1795893470) + varint(5))
        lines, size = ['Strings'], 1
        for text, number in self.strings.items():
            quoted = ''.join(chr(c) if 32 <= c < 127 and c not in b'"\\' else f'\\x{c:02x}' for c in text)
            lines += [f'String id={number}', f'\tdata="{quoted}"']
            size += 1 + varint(number) + varint(len(text)) + len(text)
        self.batch(none, 100, lines, size)
        self.batch(none, 100, ['Stacks', 'Stack id=1 nframes=1', f'\tpc=16 func={self.string(b"main.buy")} '
                               f'file={self.string(b"/src/cart.go")} line=77'],
                   1 + 1 + 1 + 1 + 1 + varint(self.string(b'main.buy')) + varint(self.string(b'/src/cart.go')) + 1)
        self.batch(1, 110, [line for line, _ in self.events], sum(size for _, size in self.events))
        self.out.append('EndOfGeneration')
        with open(path, 'w') as f:
            f.write('\n'.join(self.out) + '\n')


def story(t):
    def begin(time, task, name, parent=0):
        t.at(time, 'UserTaskBegin', task=T + task, parent_task=T + parent if parent else 0, name_string=name, stack=0)
        t.at(time, 'UserRegionBegin', task=T + task, name_string=name, stack=0)

    def log(time, task, category, message):
        t.at(time, 'UserLog', task=T + task if task else 0, key_string=category, value_string=message, stack=0)

    def end(time, task, name, category=None, message=None):
        if category:
            log(time, task, category, message)
        t.at(time, 'UserRegionEnd', task=T + task, name_string=name, stack=0)
        t.at(time, 'UserTaskEnd', task=T + task, stack=0)

    def region(time, task, name, ends=False):
        t.at(time, 'UserRegionEnd' if ends else 'UserRegionBegin', task=T + task if task else 0, name_string=name, stack=0)

    t.string(b'main.buy'), t.string(b'/src/cart.go')
    t.at(111, 'ProcStatus', p=0, pstatus=1)
    t.at(112, 'GoStatus', g=1, m=1, gstatus=2)
    log(113, 0, b'gotap.origin', b'program="/srv/my shop" version="v1.2.3" go="go1.27.4" pid="4711" host="node7" build_id="b"')
    begin(1000, 1, b'GET /cart')
    def query(time, to, task, name, message):
        region(time, task, name)
        log(to, task, b'gotap.sql', message)
        region(to + 1, task, name, True)

    begin(1010, 2, b'GET api.example.com:8443', 1)
    t.at(1020, 'GoCreate', new_g=4, new_stack=1, stack=0)
    end(1100, 2, b'GET api.example.com:8443', b'gotap.http.client',
        b'ns=90 status=404 conn_wait=5 reused=0 dial=77 tls=3 first_byte=2 attempts=2 path=/v1')
    log(1105, 1, b'gotap.http.client', b'body=12')
    region(1110, 0, b'checkout')
    region(1120, 0, b'checkout', True)
    # the goroutine for it
    t.at(1130, 'GoBlock', reason_string=b'sync', stack=1)
    t.at(1140, 'GoStart', g=4, g_seq=1)
    region(1141, 1, b'child of GET /cart')
    region(1142, 1, b'main.(*Cart).Total')
    log(1143, 1, b'gotap.func', b'func=main.(*Cart).Total arg.n=7')
    query(1150, 1250, 1, b'select a from "t"', b'op=query ns=100 query="select a, \\"b\\" from \\"t\\" where x = ?"')
    log(1259, 1, b'gotap.func', b'func=main.(*Cart).Total end=unwound')
    region(1260, 1, b'main.(*Cart).Total', True)
    t.at(1261, 'GoUnblock', g=1, g_seq=1, stack=0)
    log(1269, 1, b'gotap.sql', b'op=rows ns=19 query="select a"')
    region(1270, 1, b'child of GET /cart', True)
    t.at(1280, 'GoDestroy')
    t.at(1290, 'GoStart', g=1, g_seq=2)
    query(1300, 1310, 1, b'database/sql connection', b'op=conn ns=10')
    query(1320, 1350, 1, b'INSERT INTO items', b'op=exec ns=30 error=1 query="INSERT INTO items (a) values (?)"')
    end(1400, 1, b'GET /cart', b'gotap.http', b'status=200 bytes=12 proto=h2 host=shop.example remote=[2001:db8::7]:4444 '
        b'traceparent=' + TRACEPARENT.encode() + b' path=/cart')
    # a call that ends after its request
    begin(1500, 5, b'POST /buy')
    t.at(1510, 'UserTaskBegin', task=T + 6, parent_task=T + 5, name_string=b'PUT stock', stack=0)
    end(1600, 5, b'POST /buy', b'gotap.http', b'status=503 bytes=0 end=panic remote=10.0.0.1:1 path="/b y\\x01"')
    log(1650, 6, b'gotap.http.client', b'ns=1 error=1')
    t.at(1651, 'UserTaskEnd', task=T + 6, stack=0)
    begin(1700, 7, b'BREW net/http')
    end(1710, 7, b'BREW net/http', b'gotap.http', b'status=418 path=/\xff\xfe')
    begin(1720, 9, b'GET main.hello')
    end(1730, 9, b'GET main.hello', b'gotap.http', b'status=204 handler=main.hello')
    begin(1800, 10, b'GET down.example')
    end(1810, 10, b'GET down.example', b'gotap.http.client', b'error=1')
    query(1812, 1814, 0, b'COMMIT', b'op=commit ns=2')
    begin(1820, 11, b'/shop.Cart/Get')
    end(1830, 11, b'/shop.Cart/Get', b'gotap.grpc', b'side=server kind=unary code=13 status=INTERNAL remote=10.0.0.2:5 error=broken')
    begin(1840, 12, b'call /shop.Cart/Put')
    end(1850, 12, b'call /shop.Cart/Put', b'gotap.grpc', b'side=client kind=stream code=5')
    begin(1852, 14, b'call /shop.Cart/Put')
    end(1854, 14, b'call /shop.Cart/Put', b'gotap.grpc', b'side=client kind=unary error="no transport"')
    begin(1860, 13, b'call of', 1)
    end(1870, 13, b'call of')
    # what no operation is: a log of a task that there is not, a task that has no begin, a task and regions of the program
    log(1880, 99, b'gotap.http', b'status=200')
    t.at(1881, 'UserTaskEnd', task=T + 77, stack=0)
    t.at(1882, 'UserTaskBegin', task=1, parent_task=0, name_string=b'own task', stack=0)
    t.at(1883, 'UserTaskEnd', task=1, stack=0)
    region(1884, 0, b'own region')
    region(1885, 0, b'inner region')
    log(1886, 0, b'gotap.func', b'func=x')
    region(1887, 0, b'inner region', True)
    region(1888, 0, b'own region', True)
    begin(1900, 8, b'GET /stream')
    query(1910, 1920, 8, b'SELECT', b'op=query query=SELECT')


if __name__ == '__main__':
    text = Text()
    story(text)
    text.write(sys.argv[1])
