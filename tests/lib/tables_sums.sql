-- The rows of perfetto_sums.sql (but for those of P tracks and of the origin) from tables; the first column is the trace.
create or replace macro t(name) as table
select *, regexp_extract(filename, '([^/]*)-[0-9a-f]{16}\.parquet$', 1) as trace
from read_parquet(getvariable('gotap_tables') || '/' || name || '/*/*/*/*.parquet', filename = true);

create or replace macro clean(text) as replace(replace(text, chr(9), ' '), chr(10), ' ');

create table s as select trace, goid, state, case state when 'gap' then reason when 'waiting' then coalesce(reason, 'waiting') else state end as name,
	dur, waker_goid, ts from t('goroutine_state');

select trace, 'state', goid, state, clean(name), count(*), sum(dur) from s group by all;

select trace, 'flow', waker_goid, goid, count(*) from s where waker_goid is not null group by all;

select trace, 'metric', name, count(*), sum(value) from t('metric') group by all;

select trace, 'sample', count(*) from t('sample') group by all;

select trace, 'task', count(*) from t('task') group by all;

select trace, 'log', '', clean(message), count(*) from t('log') group by all;

select trace, 'log', 'Recording', clean(message), count(*) from t('loss') where kind in ('lost', 'note') group by all;

select trace, 'range', name, count(*), sum(dur) from
(select trace, name, dur from t('gc') union all select trace, 'stop-the-world (' || reason || ')', dur from t('stw')) group by all;

select trace, 'region', clean(type), count(*), sum(dur) from t('region') group by all;

create table g as select trace, goid, ts, dur, coalesce(name, 'goroutine') as function from t('goroutine');

select s.trace, 'report', 'function', clean(function), state, clean(s.name), count(*), sum(s.dur)
from s join g on g.trace = s.trace and g.goid = s.goid and epoch_ns(s.ts) >= epoch_ns(g.ts)
and epoch_ns(s.ts) + s.dur <= epoch_ns(g.ts) + g.dur group by all;

select c.trace, 'report', 'without-p', clean(function), 'syscall', '', count(*), sum(c.dur - p_dur)
from t('syscall') c join g on g.trace = c.trace and g.goid = c.goid where p_dur is not null group by all;

select trace, 'report', 'range', 'gc', count(*), sum(dur) from t('gc') where name = 'GC concurrent mark phase' group by all;

select trace, 'report', 'range', 'assists and sweeps', count(*), 0 from t('gc') where name <> 'GC concurrent mark phase' group by all;

select trace, 'report', 'range', 'stop-the-world', clean(reason), count(*), sum(dur) from t('stw') group by all;

select trace, 'report', 'range', 'region', clean(type), count(*), sum(dur) from t('region') group by all;

select trace, 'report', 'range', 'task', coalesce(clean(type), '(begun before the trace)'), count(*), sum(dur) from t('task') group by all;
