// SPDX-License-Identifier: Apache-2.0
/*
 * core: a core file of a running process as of one moment, for which the process is stopped as
 * shortly as moment/moment.h says. The process goes on.
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/json_out.h"
#include "base/show.h"
#include "cmd/cmd.h"
#include "cmd/options.h"
#include "cmd/pause.h"
#include "cmd/look.h"
#include "cmd/pick.h"
#include "files/output.h"
#include "moment/core.h"

struct core_options {
	struct pick pick;
	const char *out;
	bool json;
};

static const struct option_row core_rows[] = {
	OPTION('o', "output", "FILE", OPTION_TEXT, offsetof(struct core_options, out),
	       "the core file: the size of the program's memory"),
	OPTION(0, "json", NULL, OPTION_FLAG, offsetof(struct core_options, json),
	       "what was done, as JSON, one object"),
	{ 0 },
};

static const char *core_check(void *options, char **operands)
{
	const struct core_options *o = options;

	(void)operands;
	if (!o->pick.pid == !o->pick.container)
		return "give one process (-p) or container";
	return o->out ? NULL : "give a file to write (-o)";
}

static const struct command_line core_line = {
	.name = "core",
	.usage = "gotap core [OPTION...] -p PID | --container NAME -o FILE",
	.about =
		"Writes a core file of a running process, which goes on: its memory and registers\n"
		"as of one moment. gotap copies the memory while the process runs, and stops it\n"
		"only for the pages that changed meanwhile; it refuses, before it stops anything,\n"
		"if that would take longer than --hold. Needs the right to trace the process\n"
		"(ptrace), and a kernel with CONFIG_MEM_SOFT_DIRTY. See docs/still-image.md.\n",
	.tables = { { pick_rows, offsetof(struct core_options, pick) },
		    { pick_owner_rows, offsetof(struct core_options, pick) },
		    { pick_hold_rows, offsetof(struct core_options, pick) },
		    { core_rows, 0 } },
	.operands = "give one process (-p) or container",
	.check = core_check,
};

static int core_open(struct process *p, const struct core_options *o, struct error *err)
{
	struct procfs fs;
	pid_t pid = 0;
	int r = pick_process(&o->pick, &fs, &pid, err);

	if (!r)
		r = process_open(p, &fs, pid, err);
	return r ? r : pick_check(&o->pick, p, err);
}

static int core_check_output(const struct output *out, struct error *err)
{
	struct stat st;

	if (!fstat(out->fd, &st) && S_ISREG(st.st_mode))
		return 0;
	return error_set(err, -ESPIPE, "'%s' is no regular file: a core file has holes", out->path);
}

/* The output is opened before the process is stopped: a name that cannot be written stops nothing.
 */
static int core_make_file(struct moment *m, const struct process *p, const struct core_options *o,
			  const struct stop_request *stop, struct error *err)
{
	struct output out = OUTPUT_CLOSED;
	struct error late;
	int r = output_open(&out, o->out, OUTPUT_SECRET, err);

	if (!r)
		r = core_check_output(&out, err);
	if (!r)
		r = look_take_image(m, p, &o->pick, stop, err);
	if (!r)
		r = output_begin(&out, err);
	if (!r)
		r = core_write(m, p, out.fd, stop, err);
	if (output_close(&out, !r, r ? &late : err) && !r)
		r = err->code;
	return r;
}

static void core_print_json(FILE *to, const struct moment_facts *f, pid_t pid)
{
	struct json_out j = { .f = to };

	json_open_object(&j, NULL);
	json_put_count(&j, "version", 1);
	json_put_count(&j, "pid", (uint64_t)pid);
	json_put_count(&j, "bytes", f->size);
	json_put_count(&j, "threads", f->threads);
	json_put_real(&j, "hold_seconds", (double)f->hold_ns / 1e9, 9);
	json_put_real(&j, "hold_allowed_seconds", (double)f->bound_ns / 1e9, 9);
	json_put_real(&j, "clear_seconds", (double)f->clear_ns / 1e9, 9);
	json_put_count(&j, "copied_running_bytes", f->copied_running);
	json_put_count(&j, "copied_held_bytes", f->copied_held);
	json_put_count(&j, "rounds", f->rounds);
	json_put_count(&j, "holds_given_up", f->given_up);
	json_put_real(&j, "longest_hold_seconds", (double)f->longest_ns / 1e9, 9);
	json_close_object(&j);
	putc('\n', to);
}

static void core_print(FILE *to, const struct moment_facts *f, const struct core_options *o)
{
	char size[SHOW_SIZE], held[SHOW_SIZE];

	show_printf(to, "%s: ", o->out);
	fprintf(to,
		"%s of memory, %u threads; stopped for %.3f ms (at most %.3f were allowed), in "
		"which %s were copied\n",
		show_size(f->size, size), f->threads, (double)f->hold_ns / 1e6,
		(double)f->bound_ns / 1e6, show_size(f->copied_held, held));
	if (f->given_up)
		fprintf(to,
			"%u stops before that took longer than allowed and were given up, the "
			"longest after %.3f ms\n",
			f->given_up, (double)f->longest_ns / 1e6);
}

int cmd_core(int argc, char **argv)
{
	struct core_options o = { 0 };
	struct process proc = PROCESS_CLOSED;
	struct stop_request stop = { 0 };
	struct moment m = { .memory = -1 };
	struct error err = { 0 };
	FILE *to;
	int r, status = command_line_read(&core_line, &o, argc, argv);

	if (status)
		return status - 1;
	/* stdout may be the core file itself */
	to = strcmp(o.out, "-") ? stdout : stderr;
	pause_catch();
	stop.signal = pause_signal();
	r = core_open(&proc, &o, &err);
	if (!r)
		r = core_make_file(&m, &proc, &o, &stop, &err);
	if (!r && o.json)
		core_print_json(to, &m.facts, proc.pid);
	else if (!r)
		core_print(to, &m.facts, &o);
	status = r ? cmd_fail(&err) : EXIT_OK;
	moment_free(&m);
	process_close(&proc);
	return status;
}
