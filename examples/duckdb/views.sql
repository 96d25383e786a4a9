-- SPDX-License-Identifier: Apache-2.0
--
-- The tables of `gotap tables` as views of DuckDB (docs/tables.md). Start DuckDB in the folder of the tables:
--
--	duckdb -init views.sql
--
-- or say first where they are: set variable gotap_tables = '/data/gotap';

set variable gotap_tables = coalesce(getvariable('gotap_tables'), '.');

create or replace macro gotap_table(name) as table select * from read_parquet(getvariable('gotap_tables') || '/' || name || '/*/*/*/*.parquet', hive_partitioning = true, union_by_name = true);

create or replace view process as from gotap_table('process');
create or replace view thread as from gotap_table('thread');
create or replace view goroutine as from gotap_table('goroutine');
create or replace view goroutine_state as from gotap_table('goroutine_state');
create or replace view proc_state as from gotap_table('proc_state');
create or replace view gc as from gotap_table('gc');
create or replace view stw as from gotap_table('stw');
create or replace view syscall as from gotap_table('syscall');
create or replace view task as from gotap_table('task');
create or replace view region as from gotap_table('region');
create or replace view log as from gotap_table('log');
create or replace view sample as from gotap_table('sample');
create or replace view metric as from gotap_table('metric');
create or replace view stack as from gotap_table('stack');
create or replace view frame as from gotap_table('frame');
create or replace view label as from gotap_table('label');
create or replace view thread_state as from gotap_table('thread_state');
create or replace view loss as from gotap_table('loss');

-- Views of several tables.

-- For each stack its innermost frame outside the runtime and the packages that block for their callers.
create or replace view place as
select stack_id, arg_min(name, position) as func, arg_min(parse_filename(source_file) || ':' || line_number, position) as line
from stack join frame using (frame_id)
where not regexp_matches(name, '^(runtime|sync|internal/.*|syscall|time|os)\.') group by all;

-- The states of goroutines; is_system: of those of the runtime itself.
create or replace view state as
select *, coalesce(name like 'runtime.%' and name <> 'runtime.main', false) as is_system from goroutine_state;
