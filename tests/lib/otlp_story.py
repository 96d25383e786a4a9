#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""otlp_story.py FILE TRACE: is FILE, requests of OTLP in JSON, what tests/otlp/story.py tells?"""
import json
import sys

WALL = 1795893470_000000005 - 1000
SERVER, CLIENT, INTERNAL = 2, 3, 1
TASK = 1 << 62
TRACE_ID, PARENT_ID = '4bf92f3577b34da6a3ce929d0e0e4736', '00f067aa0ba902b7'

spans, resources = [], []
with open(sys.argv[1]) as f:
    for line in f:
        for resource in json.loads(line)['resourceSpans']:
            resources.append(resource)
            for scope in resource['scopeSpans']:
                assert scope['scope']['name'] == 'gotap', scope['scope']
                spans += scope['spans']


def attributes(of):
    pairs = [(a['key'], a['value']) for a in of['attributes']]
    assert len(pairs) == len(dict(pairs)), ('a key twice', pairs)
    return {k: int(v['intValue']) if 'intValue' in v else v['stringValue'] for k, v in pairs}


assert attributes(resources[0]['resource']) == {
    'service.name': 'my shop', 'service.version': 'v1.2.3', 'process.pid': 4711, 'process.executable.path': '/srv/my shop',
    'process.runtime.name': 'go', 'process.runtime.version': 'go1.27.4', 'host.name': 'node7'}, resources[0]['resource']
assert len({s['spanId'] for s in spans}) == len(spans), 'ids are unique'

by_task = {a['gotap.task'] - TASK: s for s in spans for a in [attributes(s)] if 'gotap.task' in a}
by_name = {s['name']: s for s in spans}


def parent(span):
    found = [s for s in spans if s['spanId'] == span.get('parentSpanId')]
    assert not found or found[0]['traceId'] == span['traceId'], span
    return found[0] if found else None


def check(span, name, kind, begin, end, error, up, **wanted):
    """Keys of @wanted have _ instead of a dot, and __ instead of _."""
    of = attributes(span)
    times = int(span['startTimeUnixNano']) - WALL, int(span['endTimeUnixNano']) - WALL
    assert (span['name'], span['kind']) == (name, kind), span
    assert begin <= times[0] <= begin + 2 and end <= times[1] <= end + 4, (name, times)
    assert parent(span) is up, (name, 'parent')
    assert span.get('status', {}).get('code', 0) == (2 if error else 0), span
    assert ('error.type' in of) == bool(error) and of.get('error.type', '') == (error or ''), (name, of)
    for key, value in wanted.items():
        key = key.replace('__', '\0').replace('_', '.').replace('\0', '_')
        assert of.get(key) == value, (name, key, of.get(key), value)
    of = {k: v for k, v in of.items() if not k.startswith('gotap.') and k != 'error.type'}
    assert set(of) == {k.replace('__', '\0').replace('_', '.').replace('\0', '_') for k in wanted
                       if not k.startswith('gotap')}, (name, set(of))


cart = by_task[1]
check(cart, 'GET /cart', SERVER, 1000, 1400, None, None, http_request_method='GET', http_route='/cart',
      http_response_status__code=200, http_response_body_size=12, network_protocol_version='2', server_address='shop.example',
      client_address='2001:db8::7', client_port=4444, url_path='/cart', gotap_task=TASK + 1, gotap_goroutine=1,
      gotap_trace_file=sys.argv[2])
# the traceparent: its trace, its parent, its flags, and that the parent is another program's
assert (cart['traceId'], cart['parentSpanId'], cart['flags']) == (TRACE_ID, PARENT_ID, 0x301), cart
check(by_task[2], 'GET', CLIENT, 1010, 1100, '404', cart, http_request_method='GET', http_response_status__code=404,
      server_address='api.example.com', server_port=8443, url_path='/v1', gotap_http_dial__ns=77, gotap_http_conn__wait__ns=5)
assert by_task[2]['flags'] == 0x101
check(by_name['checkout'], 'checkout', INTERNAL, 1110, 1120, None, cart)
child, total = by_name['child of GET /cart'], by_name['main.(*Cart).Total']
check(child, child['name'], INTERNAL, 1141, 1270, None, cart, code_function_name='main.buy', gotap_goroutine=4)
check(total, total['name'], INTERNAL, 1142, 1260, None, child, code_function_name=total['name'], gotap_end='unwound',
      gotap_arg_n=7)
check(by_name['SELECT t'], 'SELECT t', CLIENT, 1150, 1250, None, total, db_operation_name='SELECT', db_collection_name='t',
      db_query_text='select a, "b" from "t" where x = ?', gotap_sql_op='query', gotap_sql_ns=100)
check(by_name['database/sql connection'], 'database/sql connection', INTERNAL, 1300, 1310, None, cart, gotap_sql_op='conn')
check(by_name['INSERT items'], 'INSERT items', CLIENT, 1320, 1350, '_OTHER', cart, db_operation_name='INSERT',
      db_collection_name='items', db_query_text='INSERT INTO items (a) values (?)')
buy = by_task[5]
check(buy, 'POST /buy', SERVER, 1500, 1600, 'panic', None, http_request_method='POST', http_route='/buy',
      http_response_status__code=503, http_response_body_size=0, client_address='10.0.0.1', client_port=1, url_path='/b y\x01')
assert buy['flags'] == 0x100 and 'parentSpanId' not in buy and buy['traceId'] != TRACE_ID
check(by_task[6], 'PUT', CLIENT, 1510, 1650, '_OTHER', buy, http_request_method='PUT', server_address='stock')
check(by_task[7], 'HTTP', SERVER, 1700, 1710, None, None, http_request_method='_OTHER', http_request_method__original='BREW',
      http_response_status__code=418, url_path='/\ufffd\ufffd')
check(by_task[9], 'GET main.hello', SERVER, 1720, 1730, None, None, http_request_method='GET', http_response_status__code=204,
      code_function_name='main.hello')
check(by_task[10], 'GET', CLIENT, 1800, 1810, '_OTHER', None, http_request_method='GET', server_address='down.example')
check(by_name['COMMIT'], 'COMMIT', CLIENT, 1812, 1814, None, None, db_operation_name='COMMIT', gotap_sql_op='commit')
check(by_task[11], 'shop.Cart/Get', SERVER, 1820, 1830, 'INTERNAL', None, rpc_system='grpc', rpc_service='shop.Cart',
      rpc_method='Get', rpc_grpc_status__code=13, client_address='10.0.0.2', client_port=5, gotap_grpc_kind='unary')
assert by_task[11]['status']['message'] == 'broken'
check(by_task[12], 'shop.Cart/Put', CLIENT, 1840, 1850, '5', None, rpc_system='grpc', rpc_service='shop.Cart', rpc_method='Put',
      rpc_grpc_status__code=5, gotap_grpc_kind='stream')
check(by_task[14], 'shop.Cart/Put', CLIENT, 1852, 1854, '_OTHER', None, rpc_system='grpc', rpc_service='shop.Cart',
      rpc_method='Put')
check(by_task[13], 'call of', INTERNAL, 1860, 1870, None, None)
assert set(by_task) == {1, 2, 5, 6, 7, 9, 10, 11, 12, 13, 14} and len(spans) == 18, (len(spans), sorted(by_task))
# events: the body of the call, the rows of the query; if waits were asked for, that of the request for its goroutine
events = {e['name']: (s['name'], int(e['timeUnixNano']) - WALL, attributes(e)) for s in spans for e in s.get('events', [])}
wanted = {'gotap.http.body': ('GET /cart', 1105, {'gotap.http.body_ns': 12}),
          'gotap.sql.rows': (child['name'], 1269, {'gotap.sql.op': 'rows', 'gotap.sql.ns': 19, 'db.query.text': 'select a'})}
if len(sys.argv) > 3:
    wanted['gotap.wait'] = ('GET /cart', 1130, {
        'gotap.wait.ns': 131, 'gotap.wait.reason': 'sync', 'code.function.name': 'main.buy', 'code.file.path': '/src/cart.go',
        'code.line.number': 77})
assert events == wanted, events
