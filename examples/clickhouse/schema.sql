-- SPDX-License-Identifier: Apache-2.0
--
-- The tables of `gotap tables` in ClickHouse (docs/clickhouse.md): the same names, columns and units, so that each Parquet file
-- goes in as it is:
--
--	INSERT INTO gotap.goroutine_state FROM INFILE 'NAME.parquet' FORMAT Parquet
--
-- Rows are kept for 14 days after they were loaded, those of process and recording for 400: change the TTL to what the disk
-- holds (docs/fleet.md). A column loaded has the time of that, since traces of some Go releases have no date.

CREATE DATABASE IF NOT EXISTS gotap;

-- Which recordings have been loaded, with what the names of their folders say. `load` adds a recording when all of its files
-- are in.
CREATE TABLE IF NOT EXISTS gotap.recording
(
    trace_id Int64,
    host LowCardinality(String),
    service LowCardinality(String),
    date Date,
    file String,
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree ORDER BY (service, host, date, trace_id)
TTL loaded + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000;

CREATE TABLE IF NOT EXISTS gotap.process
(
    trace_id Int64,
    pid Nullable(Int64),
    name Nullable(String),
    program Nullable(String),
    module Nullable(String),
    version Nullable(String),
    go Nullable(String),
    build_id Nullable(String),
    host_name Nullable(String),
    gotap Nullable(String),
    command Nullable(String),
    trace String,
    start_ts DateTime64(9, 'UTC'),
    end_ts DateTime64(9, 'UTC'),
    clock String,
    trace_offset Int64,
    mono_offset Nullable(Int64),
    events Int64,
    lost_records Nullable(Int64),
    repairs Nullable(Int64),
    unrecorded_dur Nullable(Int64),
    probes_percent Nullable(Float64),
    gotap_percent Nullable(Float64),
    fault Nullable(String),
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree ORDER BY (trace_id)
TTL loaded + INTERVAL 400 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS gotap.thread
(
    trace_id Int64,
    tid Int64,
    name LowCardinality(Nullable(String)),
    start_ts DateTime64(9, 'UTC'),
    end_ts DateTime64(9, 'UTC'),
    is_main_thread Nullable(Bool),
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree PARTITION BY toDate(loaded) ORDER BY (trace_id, tid)
TTL loaded + INTERVAL 14 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS gotap.goroutine
(
    trace_id Int64 CODEC(ZSTD(1)),
    ts DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    dur Int64 CODEC(ZSTD(1)),
    goid Int64 CODEC(ZSTD(1)),
    name LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    creator_goid Nullable(Int64) CODEC(ZSTD(1)),
    creator_stack_id Nullable(Int64) CODEC(ZSTD(1)),
    is_system Bool CODEC(ZSTD(1)),
    starts Int64 CODEC(ZSTD(1)),
    open_begin Bool CODEC(ZSTD(1)),
    open_end Bool CODEC(ZSTD(1)),
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree PARTITION BY toDate(ts) ORDER BY (trace_id, ts)
TTL loaded + INTERVAL 14 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS gotap.goroutine_state
(
    trace_id Int64 CODEC(ZSTD(1)),
    ts DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    dur Int64 CODEC(ZSTD(1)),
    goid Int64 CODEC(ZSTD(1)),
    name LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    state LowCardinality(String) CODEC(ZSTD(1)),
    reason LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    stack_id Nullable(Int64) CODEC(ZSTD(1)),
    p Nullable(Int64) CODEC(ZSTD(1)),
    tid Nullable(Int64) CODEC(ZSTD(1)),
    begin_event LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    waker_goid Nullable(Int64) CODEC(ZSTD(1)),
    waker_stack_id Nullable(Int64) CODEC(ZSTD(1)),
    ender_goid Nullable(Int64) CODEC(ZSTD(1)),
    ender_name LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    ender_stack_id Nullable(Int64) CODEC(ZSTD(1)),
    wait_object LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    label_set_id Nullable(Int64) CODEC(ZSTD(1)),
    open_end Bool CODEC(ZSTD(1)),
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree PARTITION BY toDate(ts) ORDER BY (trace_id, ts)
TTL loaded + INTERVAL 14 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS gotap.proc_state
(
    trace_id Int64 CODEC(ZSTD(1)),
    ts DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    dur Int64 CODEC(ZSTD(1)),
    p Int64 CODEC(ZSTD(1)),
    state LowCardinality(String) CODEC(ZSTD(1)),
    tid Nullable(Int64) CODEC(ZSTD(1)),
    open_begin Bool CODEC(ZSTD(1)),
    open_end Bool CODEC(ZSTD(1)),
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree PARTITION BY toDate(ts) ORDER BY (trace_id, ts)
TTL loaded + INTERVAL 14 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS gotap.gc
(
    trace_id Int64,
    ts DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    dur Int64,
    name LowCardinality(String),
    goid Nullable(Int64),
    p Nullable(Int64),
    swept_bytes Nullable(Int64),
    reclaimed_bytes Nullable(Int64),
    stack_id Nullable(Int64),
    open_begin Bool,
    open_end Bool,
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree PARTITION BY toDate(ts) ORDER BY (trace_id, ts)
TTL loaded + INTERVAL 14 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS gotap.stw
(
    trace_id Int64,
    ts DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    dur Int64,
    reason LowCardinality(Nullable(String)),
    goid Nullable(Int64),
    stack_id Nullable(Int64),
    open_begin Bool,
    open_end Bool,
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree PARTITION BY toDate(ts) ORDER BY (trace_id, ts)
TTL loaded + INTERVAL 14 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS gotap.syscall
(
    trace_id Int64 CODEC(ZSTD(1)),
    ts DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    dur Int64 CODEC(ZSTD(1)),
    goid Int64 CODEC(ZSTD(1)),
    tid Nullable(Int64) CODEC(ZSTD(1)),
    p Nullable(Int64) CODEC(ZSTD(1)),
    p_dur Nullable(Int64) CODEC(ZSTD(1)),
    stack_id Nullable(Int64) CODEC(ZSTD(1)),
    open_begin Bool CODEC(ZSTD(1)),
    open_end Bool CODEC(ZSTD(1)),
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree PARTITION BY toDate(ts) ORDER BY (trace_id, ts)
TTL loaded + INTERVAL 14 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS gotap.task
(
    trace_id Int64,
    ts DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    dur Int64,
    task_id Int64,
    parent_task_id Nullable(Int64),
    type LowCardinality(Nullable(String)),
    goid Nullable(Int64),
    open_begin Bool,
    open_end Bool,
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree PARTITION BY toDate(ts) ORDER BY (trace_id, ts)
TTL loaded + INTERVAL 14 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS gotap.region
(
    trace_id Int64 CODEC(ZSTD(1)),
    ts DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    dur Int64 CODEC(ZSTD(1)),
    goid Int64 CODEC(ZSTD(1)),
    task_id Nullable(Int64) CODEC(ZSTD(1)),
    type LowCardinality(String) CODEC(ZSTD(1)),
    depth Int64 CODEC(ZSTD(1)),
    stack_id Nullable(Int64) CODEC(ZSTD(1)),
    open_begin Bool CODEC(ZSTD(1)),
    open_end Bool CODEC(ZSTD(1)),
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree PARTITION BY toDate(ts) ORDER BY (trace_id, ts)
TTL loaded + INTERVAL 14 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS gotap.log
(
    trace_id Int64 CODEC(ZSTD(1)),
    ts DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    goid Nullable(Int64) CODEC(ZSTD(1)),
    task_id Nullable(Int64) CODEC(ZSTD(1)),
    category LowCardinality(String) CODEC(ZSTD(1)),
    message String CODEC(ZSTD(1)),
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree PARTITION BY toDate(ts) ORDER BY (trace_id, ts)
TTL loaded + INTERVAL 14 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS gotap.sample
(
    trace_id Int64 CODEC(ZSTD(1)),
    ts DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    goid Nullable(Int64) CODEC(ZSTD(1)),
    tid Nullable(Int64) CODEC(ZSTD(1)),
    p Nullable(Int64) CODEC(ZSTD(1)),
    stack_id Nullable(Int64) CODEC(ZSTD(1)),
    label_set_id Nullable(Int64) CODEC(ZSTD(1)),
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree PARTITION BY toDate(ts) ORDER BY (trace_id, ts)
TTL loaded + INTERVAL 14 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS gotap.metric
(
    trace_id Int64 CODEC(ZSTD(1)),
    ts DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    name LowCardinality(String) CODEC(ZSTD(1)),
    value Int64 CODEC(ZSTD(1)),
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree PARTITION BY toDate(ts) ORDER BY (trace_id, ts)
TTL loaded + INTERVAL 14 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS gotap.stack
(
    trace_id Int64,
    stack_id Int64,
    position Int64,
    frame_id Int64,
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree PARTITION BY toDate(loaded) ORDER BY (trace_id, stack_id, position)
TTL loaded + INTERVAL 14 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS gotap.frame
(
    trace_id Int64,
    frame_id Int64,
    name LowCardinality(Nullable(String)),
    source_file Nullable(String),
    line_number Nullable(Int64),
    pc UInt64,
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree PARTITION BY toDate(loaded) ORDER BY (trace_id, frame_id)
TTL loaded + INTERVAL 14 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS gotap.label
(
    trace_id Int64,
    label_set_id Int64,
    key LowCardinality(String),
    value String,
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree PARTITION BY toDate(loaded) ORDER BY (trace_id, label_set_id, key)
TTL loaded + INTERVAL 14 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS gotap.thread_state
(
    trace_id Int64 CODEC(ZSTD(1)),
    ts DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    dur Int64 CODEC(ZSTD(1)),
    tid Int64 CODEC(ZSTD(1)),
    other_pid Nullable(Int64) CODEC(ZSTD(1)),
    name LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    state LowCardinality(String) CODEC(ZSTD(1)),
    cpu Nullable(Int64) CODEC(ZSTD(1)),
    cause LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    waker_tid Nullable(Int64) CODEC(ZSTD(1)),
    waker_name LowCardinality(Nullable(String)) CODEC(ZSTD(1)),
    syscall_nr Nullable(Int64) CODEC(ZSTD(1)),
    ran Nullable(Int64) CODEC(ZSTD(1)),
    open_begin Bool CODEC(ZSTD(1)),
    open_end Bool CODEC(ZSTD(1)),
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree PARTITION BY toDate(ts) ORDER BY (trace_id, ts)
TTL loaded + INTERVAL 14 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;

CREATE TABLE IF NOT EXISTS gotap.loss
(
    trace_id Int64,
    ts DateTime64(9, 'UTC') CODEC(Delta, ZSTD(1)),
    dur Nullable(Int64),
    kind LowCardinality(String),
    count Nullable(Int64),
    message String,
    loaded DateTime DEFAULT now()
)
ENGINE = MergeTree PARTITION BY toDate(ts) ORDER BY (trace_id, ts)
TTL loaded + INTERVAL 14 DAY
SETTINGS non_replicated_deduplication_window = 10000, ttl_only_drop_parts = 1;
