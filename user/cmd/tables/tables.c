// SPDX-License-Identifier: Apache-2.0
/* tables: `gotap tables`: traces as tables in Parquet files, for SQL engines. */
#include "cmd/tables/tables.h"

#include <errno.h>
#include <getopt.h>
#include <inttypes.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/show.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/tables/folder.h"
#include "files/claims.h"
#include "files/leftover.h"
#include "files/legacy.h"
#include "files/thread_file.h"
#include "files/trace_input.h"
#include "proc/privilege.h"

/* The bytes of a trace from which its id is made. */
enum { ID_BYTES = 64 << 10, ROWS_LEAST = 1024, ROWS_MOST = 1 << 20 };

/* --- one trace --- */

/*
 * Returns the id of a recording: of its first bytes, so that a part of it that ends earlier has the
 * same. They have the times at which the recording began.
 */
static int64_t trace_id_of(struct raw_source *s)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	uint64_t id = 0;
	SHA256_CTX sum;
	int i;

	source_need(s, ID_BYTES);
	SHA256Init(&sum);
	SHA256Update(&sum, s->pos, source_left(s) < ID_BYTES ? source_left(s) : ID_BYTES);
	SHA256Final(digest, &sum);
	for (i = 0; i < 8; i++)
		id = id << 8 | digest[i];
	return (int64_t)(id >> 1);
}

static void read_states(struct tableset *t, const char *path)
{
	struct capture_info *info = xcalloc(1, sizeof(*info));
	struct threads_reader *r;
	struct error err;
	int ret;

	privilege_raise_files();
	ret = threads_reader_open(&r, path, info, &err);
	privilege_lower_files();
	if (!ret) {
		tableset_states_begin(t, threads_reader_threads(r));
		while (threads_reader_next(r, &err) > 0)
			;
		tableset_states_end(t);
		threads_reader_close(r);
	}
	free(info);
}

/*
 * Adds the file of threads after the trace has been read. Reads the file twice: first to check that
 * it belongs to the trace, which only its end shows.
 */
static void add_states(struct tableset *t, const char *trace, bool *failed)
{
	_cleanup_free_ char *path = threads_file_name(trace);
	bool is_its, damaged = false;
	struct oncpu *o;
	struct error err;

	privilege_raise_files();
	is_its = !thread_file_open(&o, tableset_spans(t), trace, &err);
	privilege_lower_files();
	if (!is_its) {
		cmd_fail(&err);
		tableset_states_fault(t, err.text);
		*failed = true;
		return;
	}
	is_its = thread_file_check(o, tableset_spans(t), trace, &damaged);
	spans_leave(tableset_spans(t), o);
	oncpu_free(o);
	if (damaged)
		tableset_states_fault(t, "the file of threads is damaged");
	if (is_its)
		read_states(t, path);
	*failed |= damaged;
}

static void say_dropped(const struct tableset *t, const char *path)
{
	if (tableset_dropped(t))
		show_printf(stderr, "gotap: '%s': %" PRIu64 " names and stacks are too many: the "
			    "table loss has their number\n", path, tableset_dropped(t));
}

static void say_written(const struct folder *f, const struct tableset *t, FILE *out)
{
	uint64_t bytes = 0, rows = 0, events = tableset_events(t);
	char size[SHOW_SIZE];
	enum tables_id i;

	for (i = 0; i < TABLES; i++) {
		rows += tableset_rows(t, i);
		bytes += tableset_bytes(t, i);
	}
	show_printf(out, "%s: %" PRIu64 " events, %" PRIu64 " rows, %s", f->trace, events, rows,
		    show_size(bytes, size));
	if (events)
		show_printf(out, ", %.1f bytes/event", (double)bytes / (double)events);
	show_printf(out, ", in '%s' as host=%s service=%s date=%s\n", f->dir, f->used_host,
		    f->used_service, f->date);
}

/* Gives the files their names, and writes the manifest. */
static int publish(struct folder *f, const struct tableset *t, const char *fault,
		   const struct tables_wish *w, struct error *err)
{
	struct manifest m = { .folder = f, .tables = t, .fault = fault };
	int r = manifest_remove(&m, err);

	if (!r)
		r = folder_keep(f, err);
	if (!r)
		r = manifest_check(&m, err);
	if (!r)
		r = manifest_write(&m, err);
	if (r)
		return r;
	if (w->json || w->say)
		folder_tell_unknown(f);
	say_dropped(t, f->trace);
	if (w->json)
		manifest_put(stdout, &m);
	else if (w->say)
		say_written(f, t, w->say);
	return 0;
}

/* Closes @in. */
static int tables_write_all(struct trace_input *in, struct folder *f, const struct tables_wish *w,
			bool *failed, struct error *err)
{
	const char *slash = strrchr(f->trace, '/');
	struct tableset_setup setup = {
		.group_rows = (uint32_t)w->group_rows, .trace = slash ? slash + 1 : f->trace,
		.trace_id = f->trace_id, .open = folder_open, .ctx = f,
	};
	struct tableset *t;
	struct error late;
	int ret, end;

	memcpy(setup.wanted, f->wanted, sizeof(setup.wanted));
	t = tableset_new(&setup);
	ret = tableset_read(t, in->reader, err);
	add_states(t, f->trace, failed);
	ret = trace_input_close(in, f->trace, ret, err);
	end = tableset_end(t, ret ? err->text : NULL, &late);
	if (!end)
		end = publish(f, t, ret ? err->text : NULL, w, &late);
	if (end) {
		*err = late;
		ret = end;
	}
	tableset_close(t);
	return ret;
}

int tables_of(const char *path, const struct tables_wish *w, bool *failed, struct error *err)
{
	struct folder f = { .dir = w->dir, .trace = path, .host = w->host, .service = w->service };
	struct raw_source source;
	struct trace_input input;
	enum tables_id i;
	int ret;

	privilege_raise_files();
	ret = leftover_source_open(&source, path, err);
	privilege_lower_files();
	if (ret)
		return ret;
	f.trace_id = trace_id_of(&source);
	for (i = 0; i < TABLES; i++)
		f.wanted[i] = !w->not_wanted[i];
	folder_init(&f);
	ret = trace_input_open_source(&input, &source, w->binary, err);
	if (ret)
		return error_prefix(err, "%s", path);
	ret = tables_write_all(&input, &f, w, failed, err);
	folder_free(&f);
	return ret;
}

/* --- the command --- */

struct options {
	struct tables_wish wish;
	bool schema, quiet;
	char **traces;
};

/* A list of names of tables: those that are not in it are not wanted. */
static const char *take_tables(void *field, const char *arg)
{
	bool *not_wanted = field;
	enum tables_id id;
	size_t n;

	memset(not_wanted, true, TABLES * sizeof(*not_wanted));
	for (;; arg += n + 1) {
		n = strcspn(arg, ",");
		id = schema_named(arg, n);
		if (id == TABLES)
			return option_wrong(": there is no table '%.*s'; --schema prints all",
					    (int)n, arg);
		not_wanted[id] = false;
		if (!arg[n])
			return NULL;
	}
}

static const struct option_row tables_rows_of_options[] = {
	OPTION('o', "output", "DIR", OPTION_TEXT, offsetof(struct options, wish.dir),
	  "the folder of the tables, which is made if it is not there; files of other traces in it "
	  "stay"),
	OPTION(0, "host", "NAME", OPTION_TAKE, offsetof(struct options, wish.host),
	  "the host, for the folder host=NAME (default: as the trace says, or unknown)",
	  .take = option_take_some),
	OPTION(0, "service", "NAME", OPTION_TAKE, offsetof(struct options, wish.service),
	  "the service, for the folder service=NAME (default: the file name of the program as the "
	  "trace says, or unknown)", .take = option_take_some),
	OPTION(0, "tables", "LIST", OPTION_TAKE, offsetof(struct options, wish.not_wanted),
	  "only these tables, with commas between them", .take = take_tables),
	OPTION(0, "row-group", "ROWS", OPTION_NUMBER, offsetof(struct options, wish.group_rows),
	  "rows of a row group (default 122880)", .min = ROWS_LEAST, .max = ROWS_MOST,
	  .want = "takes rows, 1024 to 1048576"),
	OPTION_BINARY(offsetof(struct options, wish.binary)),
	OPTION(0, "schema", NULL, OPTION_FLAG, offsetof(struct options, schema),
	  "print the tables with their columns, types and units, and write nothing"),
	OPTION(0, "json", NULL, OPTION_FLAG, offsetof(struct options, wish.json),
	  "print the manifest, a line for each trace, or the schema as JSON"),
	OPTION('q', "quiet", NULL, OPTION_FLAG, offsetof(struct options, quiet),
	  "print nothing but errors"),
	{0},
};

static const char *tables_line_check(void *options, char **operands)
{
	struct options *o = options;

	o->traces = operands;
	if (o->schema)
		return *operands || o->wish.dir ? "--schema is without TRACE and -o" : NULL;
	if (!*operands)
		return "give a TRACE";
	if (!o->wish.dir)
		return "-o DIR is needed";
	return strcmp(o->wish.dir, "-") ? NULL : "-o is a folder: tables are many files";
}

static const struct command_line tables_line = {
	.name = "tables",
	.usage = "gotap tables TRACE... -o DIR [OPTION...]\n"
		 "       gotap tables --schema [--json]",
	.about =
		"Turns Go execution traces of any release since Go 1.5 into tables: Parquet files\n"
		"that DuckDB, ClickHouse and others read (docs/tables.md), named\n"
		"DIR/TABLE/host=H/service=S/date=D/NAME.parquet. TRACE - is standard input. Of a\n"
		"damaged trace the tables have what can be read, and the status is 1. The states\n"
		"of threads come from TRACE.threads, which gotap record wrote with group linux.\n",
	.tables = { { tables_rows_of_options, 0 } },
	.least = 0, .most = -1, .operands = "give a TRACE",
	.check = tables_line_check,
};

static void print_schema(const struct options *o)
{
	if (o->wish.json)
		schema_print_json();
	else
		schema_print();
}

/* All traces are tried. Returns the exit status. */
static int tables_of_all(const struct options *o)
{
	bool failed = false;
	struct error err;
	int i, status = EXIT_OK;

	for (i = 0; o->traces[i]; i++)
		if (tables_of(o->traces[i], &o->wish, &failed, &err))
			status = cmd_fail(&err);
	return failed ? EXIT_FAIL : status;
}

int cmd_tables(int argc, char **argv)
{
	struct options o = {0};
	struct error err;
	int status = command_line_read(&tables_line, &o, argc, argv);

	if (status)
		return status - 1;
	if (!o.quiet && !o.wish.json)
		o.wish.say = stdout;
	if (o.schema) {
		print_schema(&o);
		return EXIT_OK;
	}
	if (legacy_program(o.wish.binary, &err) || claims_input_files(o.traces, &err))
		return cmd_fail(&err);
	return tables_of_all(&o);
}
