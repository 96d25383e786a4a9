select 'error', name, severity, value from stats where value > 0 and severity != 'info';

select 'state', ltrim(substr(t.name, length(rtrim(t.name, '0123456789')))) as g, s.category, s.name, count(*), sum(dur)
from slice s join track t on t.id = s.track_id join track parent on parent.id = t.parent_id
where parent.name = 'Goroutines' and s.category in ('running', 'runnable', 'waiting', 'syscall', 'gap')
group by g, s.category, s.name;

select 'flow', ltrim(substr(a.name, length(rtrim(a.name, '0123456789')))) as waker,
	ltrim(substr(b.name, length(rtrim(b.name, '0123456789')))) as woken, count(*)
from flow f join slice o on o.id = f.slice_out join slice i on i.id = f.slice_in
join track a on a.id = o.track_id join track b on b.id = i.track_id
group by waker, woken;

select 'p', substr(t.name, 3) as p, count(*), sum(dur)
from slice s join track t on t.id = s.track_id join track parent on parent.id = t.parent_id
where parent.name = 'Ps' and s.category = 'running' group by p;

select 'metric', t.name, count(*), cast(sum(value) as int) from counter c join counter_track t on t.id = c.track_id
where t.name glob '/*' group by t.name;

select 'sample', count(*) from slice where category = 'sample' having count(*) > 0;

select 'task', count(*) from slice where category = 'task' having count(*) > 0;

select 'log', case when category in ('loss', 'origin') then 'Recording' else '' end, name, count(*) from slice
where category in ('log', 'loss', 'origin') group by 2, 3;

select 'range', s.name || ifnull(' (' || extract_arg(s.arg_set_id, 'debug.reason') || ')', ''), count(*), sum(dur)
from slice s where s.category in ('gc', 'stop-the-world', 'assist', 'sweep') group by 2;

select 'region', s.name, count(*), sum(dur) from slice s where s.category = 'region' group by 2;

select 'report', 'function', rtrim(rtrim(t.name, '0123456789')), s.category, s.name, count(*), sum(s.dur)
from slice s join track t on t.id = s.track_id join track parent on parent.id = t.parent_id
where parent.name = 'Goroutines' and s.category in ('running', 'runnable', 'waiting', 'syscall', 'gap')
group by 3, 4, 5;

select 'report', 'without-p', rtrim(rtrim(t.name, '0123456789')), 'syscall', '', count(*), sum(s.dur - extract_arg(s.arg_set_id, 'debug.lost_p'))
from slice s join track t on t.id = s.track_id join track parent on parent.id = t.parent_id
where parent.name = 'Goroutines' and s.category = 'syscall' and extract_arg(s.arg_set_id, 'debug.lost_p') is not null
group by 3;

select 'report', 'range', category, count(*), sum(dur) from slice where category = 'gc' group by 3;

select 'report', 'range', 'assists and sweeps', count(*), 0 from slice where category in ('assist', 'sweep') having count(*) > 0;

select 'report', 'range', category, extract_arg(arg_set_id, 'debug.reason'), count(*), sum(dur)
from slice where category = 'stop-the-world' group by 4;

select 'report', 'range', category, name, count(*), sum(dur) from slice where category in ('region', 'task') group by 3, 4;
