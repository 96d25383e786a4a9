-- SPDX-License-Identifier: Apache-2.0
--
-- What the tables of schema.sql say of many hosts, added up as recordings are loaded (docs/clickhouse.md). A materialised view
-- reads the rows of each INSERT once, so that a question about a year reads thousands of rows, not billions; the rows themselves
-- can be dropped after days. All lengths are in ns. Sums are by recording (trace_id); the views at the end add host and service.

-- How long goroutines waited for a P, by minute: the latency that the scheduler adds.
CREATE TABLE IF NOT EXISTS gotap.runnable_minute
(
    trace_id Int64,
    minute DateTime('UTC'),
    waits SimpleAggregateFunction(sum, UInt64),
    total SimpleAggregateFunction(sum, Int64),
    longest SimpleAggregateFunction(max, Int64),
    durs AggregateFunction(quantilesTDigest(0.5, 0.9, 0.99), Int64),
    loaded SimpleAggregateFunction(max, DateTime)
)
ENGINE = AggregatingMergeTree ORDER BY (trace_id, minute)
TTL loaded + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS gotap.runnable_minute_mv TO gotap.runnable_minute AS
SELECT trace_id, toStartOfMinute(toDateTime(ts, 'UTC')) AS minute, count() AS waits, sum(dur) AS total, max(dur) AS longest,
    quantilesTDigestState(0.5, 0.9, 0.99)(dur) AS durs, max(loaded) AS loaded
FROM gotap.goroutine_state
WHERE state = 'runnable'
GROUP BY trace_id, minute;

-- What goroutines did, by minute.
CREATE TABLE IF NOT EXISTS gotap.state_minute
(
    trace_id Int64,
    minute DateTime('UTC'),
    state LowCardinality(String),
    reason LowCardinality(String),
    stays SimpleAggregateFunction(sum, UInt64),
    total SimpleAggregateFunction(sum, Int64),
    longest SimpleAggregateFunction(max, Int64),
    loaded SimpleAggregateFunction(max, DateTime)
)
ENGINE = AggregatingMergeTree ORDER BY (trace_id, minute, state, reason)
TTL loaded + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS gotap.state_minute_mv TO gotap.state_minute AS
SELECT trace_id, toStartOfMinute(toDateTime(ts, 'UTC')) AS minute, state, ifNull(reason, '') AS reason, count() AS stays,
    sum(dur) AS total, max(dur) AS longest, max(loaded) AS loaded
FROM gotap.goroutine_state
GROUP BY trace_id, minute, state, reason;

-- Where goroutines waited, and for what.
CREATE TABLE IF NOT EXISTS gotap.wait_place
(
    trace_id Int64,
    reason LowCardinality(String),
    stack_id Int64,
    waits SimpleAggregateFunction(sum, UInt64),
    total SimpleAggregateFunction(sum, Int64),
    longest SimpleAggregateFunction(max, Int64),
    loaded SimpleAggregateFunction(max, DateTime)
)
ENGINE = AggregatingMergeTree ORDER BY (trace_id, reason, stack_id)
TTL loaded + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS gotap.wait_place_mv TO gotap.wait_place AS
SELECT trace_id, ifNull(reason, '') AS reason, ifNull(stack_id, 0) AS stack_id, count() AS waits, sum(dur) AS total,
    max(dur) AS longest, max(loaded) AS loaded
FROM gotap.goroutine_state
WHERE state = 'waiting'
GROUP BY trace_id, reason, stack_id;

-- System calls, and how long they had no P.
CREATE TABLE IF NOT EXISTS gotap.syscall_place
(
    trace_id Int64,
    stack_id Int64,
    calls SimpleAggregateFunction(sum, UInt64),
    total SimpleAggregateFunction(sum, Int64),
    without_p SimpleAggregateFunction(sum, Int64),
    longest SimpleAggregateFunction(max, Int64),
    loaded SimpleAggregateFunction(max, DateTime)
)
ENGINE = AggregatingMergeTree ORDER BY (trace_id, stack_id)
TTL loaded + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS gotap.syscall_place_mv TO gotap.syscall_place AS
SELECT trace_id, ifNull(stack_id, 0) AS stack_id, count() AS calls, sum(dur) AS total, sum(dur - ifNull(p_dur, dur)) AS without_p,
    max(dur) AS longest, max(loaded) AS loaded
FROM gotap.syscall
GROUP BY trace_id, stack_id;

-- Stops of the world, and what the garbage collector did.
CREATE TABLE IF NOT EXISTS gotap.stop_reason
(
    trace_id Int64,
    kind LowCardinality(String),
    name LowCardinality(String),
    times SimpleAggregateFunction(sum, UInt64),
    total SimpleAggregateFunction(sum, Int64),
    longest SimpleAggregateFunction(max, Int64),
    loaded SimpleAggregateFunction(max, DateTime)
)
ENGINE = AggregatingMergeTree ORDER BY (trace_id, kind, name)
TTL loaded + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000;

CREATE MATERIALIZED VIEW IF NOT EXISTS gotap.stw_mv TO gotap.stop_reason AS
SELECT trace_id, 'stop-the-world' AS kind, ifNull(reason, '') AS name, count() AS times, sum(dur) AS total, max(dur) AS longest,
    max(loaded) AS loaded
FROM gotap.stw
GROUP BY trace_id, name;

CREATE MATERIALIZED VIEW IF NOT EXISTS gotap.gc_mv TO gotap.stop_reason AS
SELECT trace_id, 'gc' AS kind, name, count() AS times, sum(dur) AS total, max(dur) AS longest, max(loaded) AS loaded
FROM gotap.gc
GROUP BY trace_id, name;

-- The first function of each stack that is not of the runtime or of package sync, and its place; kept as long as the sums.
CREATE TABLE IF NOT EXISTS gotap.place
(
    trace_id Int64,
    stack_id Int64,
    name String,
    source_file String,
    line_number Int64,
    loaded DateTime DEFAULT now()
)
ENGINE = ReplacingMergeTree ORDER BY (trace_id, stack_id)
TTL loaded + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000;

-- frame is loaded before stack: `load` takes the tables in the order of their names.
CREATE MATERIALIZED VIEW IF NOT EXISTS gotap.place_mv TO gotap.place AS
SELECT s.trace_id AS trace_id, s.stack_id AS stack_id,
    argMin(ifNull(f.name, ''), (match(ifNull(f.name, ''), '^(runtime|sync|internal/(runtime|sync|poll))\\.'), s.position)) AS name,
    argMin(ifNull(f.source_file, ''), (match(ifNull(f.name, ''), '^(runtime|sync|internal/(runtime|sync|poll))\\.'), s.position)) AS source_file,
    argMin(ifNull(f.line_number, 0), (match(ifNull(f.name, ''), '^(runtime|sync|internal/(runtime|sync|poll))\\.'), s.position)) AS line_number
FROM gotap.stack AS s
INNER JOIN gotap.frame AS f ON f.trace_id = s.trace_id AND f.frame_id = s.frame_id
WHERE f.trace_id IN (SELECT trace_id FROM gotap.stack)
GROUP BY s.trace_id, s.stack_id;

-- Questions. Each has service and host; only recordings that are loaded whole have rows.

-- The latency of the scheduler by minute: SELECT * FROM gotap.scheduling_latency WHERE service = 'shop' ORDER BY minute
CREATE VIEW IF NOT EXISTS gotap.scheduling_latency AS
SELECT r.service AS service, r.host AS host, m.minute AS minute, sum(m.waits) AS waits, sum(m.total) AS total, max(m.longest) AS longest,
    quantilesTDigestMerge(0.5, 0.9, 0.99)(m.durs) AS p50_p90_p99
FROM gotap.runnable_minute AS m
INNER JOIN gotap.recording AS r ON r.trace_id = m.trace_id
GROUP BY service, host, minute;

-- Where a service waits: SELECT * FROM gotap.waits WHERE service = 'shop' ORDER BY total DESC LIMIT 20
CREATE VIEW IF NOT EXISTS gotap.waits AS
SELECT r.service AS service, r.host AS host, r.date AS date, w.reason AS reason, p.name AS name, p.source_file AS source_file,
    p.line_number AS line_number, sum(w.waits) AS waits, sum(w.total) AS total, max(w.longest) AS longest
FROM gotap.wait_place AS w
INNER JOIN gotap.recording AS r ON r.trace_id = w.trace_id
LEFT JOIN (SELECT * FROM gotap.place FINAL) AS p ON p.trace_id = w.trace_id AND p.stack_id = w.stack_id
GROUP BY service, host, date, reason, name, source_file, line_number;

CREATE VIEW IF NOT EXISTS gotap.syscalls AS
SELECT r.service AS service, r.host AS host, r.date AS date, p.name AS name, p.source_file AS source_file, p.line_number AS line_number,
    sum(s.calls) AS calls, sum(s.total) AS total, sum(s.without_p) AS without_p, max(s.longest) AS longest
FROM gotap.syscall_place AS s
INNER JOIN gotap.recording AS r ON r.trace_id = s.trace_id
LEFT JOIN (SELECT * FROM gotap.place FINAL) AS p ON p.trace_id = s.trace_id AND p.stack_id = s.stack_id
GROUP BY service, host, date, name, source_file, line_number;

CREATE VIEW IF NOT EXISTS gotap.stops AS
SELECT r.service AS service, r.host AS host, r.date AS date, t.kind AS kind, t.name AS name, sum(t.times) AS times,
    sum(t.total) AS total, max(t.longest) AS longest
FROM gotap.stop_reason AS t
INNER JOIN gotap.recording AS r ON r.trace_id = t.trace_id
GROUP BY service, host, date, kind, name;

-- What each host records, what that costs it, and what it lost: trust a host's numbers as far as this says.
CREATE VIEW IF NOT EXISTS gotap.quality AS
SELECT r.service AS service, r.host AS host, r.date AS date, count() AS recordings, sum(p.events) AS events,
    sum(dateDiff('nanosecond', p.start_ts, p.end_ts)) AS recorded, sum(ifNull(p.unrecorded_dur, 0)) AS unrecorded, sum(ifNull(p.lost_records, 0)) AS lost_records,
    sum(ifNull(p.repairs, 0)) AS repairs, max(p.probes_percent) AS probes_percent, max(p.gotap_percent) AS gotap_percent,
    countIf(p.fault IS NOT NULL) AS damaged
FROM gotap.process AS p
INNER JOIN gotap.recording AS r ON r.trace_id = p.trace_id
GROUP BY service, host, date;
