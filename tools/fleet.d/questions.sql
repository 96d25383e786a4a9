-- SPDX-License-Identifier: Apache-2.0
--
-- Questions about many hosts, for tools/fleet; docs/fleet.md has their times. The line before a question names it.
-- The twenty questions of docs/tables.md are asked as well, of all recordings at once.

-- Which hosts lose records, or pay most for them?
select host, count(*) as recordings, sum(events), sum(lost_records), max(probes_percent), max(gotap_percent) from process group by host order by 5 desc limit 5;

-- The longest stops of the world, by host and service
select host, service, max(dur), sum(dur), count(*) from stw group by all order by 3 desc limit 5;

-- One host on one day: how long goroutines wait for a P
select service, count(*), quantile_cont(dur, [0.5, 0.9, 0.99]), max(dur) from goroutine_state
where host = 'host-3' and date = (select max(date) from process) and state = 'runnable' group by service;

-- One service on all hosts: what goroutines wait for
select reason, count(*), sum(dur), max(dur) from goroutine_state where service = 'caddy' and state = 'waiting' group by reason order by 3 desc;

-- All hosts and services: what goroutines do
select service, state, count(*), sum(dur) from goroutine_state group by all order by all;

-- One recording: what one goroutine did
select ts, dur, state, reason from goroutine_state
where trace_id = (select trace_id from process where host = 'host-3' order by trace_id limit 1) and host = 'host-3' and goid = 1 order by ts;

-- A tenth of a second on all hosts of one day: who waited for a P longest
select host, service, goid, dur from goroutine_state
where date = (select max(date) from process) and ts between (select min(start_ts) + interval 2 second from process) and (select min(start_ts) + interval 2100 millisecond from process)
and state = 'runnable' order by dur desc limit 5;
