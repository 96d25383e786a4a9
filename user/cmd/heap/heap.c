// SPDX-License-Identifier: Apache-2.0
/* heap: see heap.h. Here: options, the process, messages about what is not in the profile. */
#define _GNU_SOURCE
#include "cmd/heap/heap.h"

#include <errno.h>
#include <inttypes.h>
#include <limits.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/show.h"
#include "cmd/cmd.h"
#include "cmd/heap/retained.h"
#include "cmd/options.h"
#include "cmd/pause.h"
#include "files/leftover.h"
#include "inline/tsc.h"

enum { DEFAULT_RATE = 512 << 10, DEFAULT_TOP = 20, DEFAULT_LINES = 40 };

const struct heap_form heap_forms[] = {
	{ "heap", HEAP_MEMORY, 4, VALUE_INUSE_SPACE },
	{ "allocs", HEAP_MEMORY, 4, VALUE_ALLOC_SPACE },
	{ "block", HEAP_BLOCK, 2, VALUE_DELAY },
	{ "mutex", HEAP_MUTEX, 2, VALUE_DELAY },
};

enum { HEAP_FORMS = sizeof(heap_forms) / sizeof(heap_forms[0]) };

static const char *heap_take_kind(void *field, const char *arg)
{
	const struct heap_form **form = field;
	size_t i;

	for (i = 0; i < HEAP_FORMS; i++) {
		if (!strcmp(arg, heap_forms[i].name)) {
			*form = &heap_forms[i];
			return NULL;
		}
	}
	return "takes heap, allocs, block or mutex";
}

static const struct option_row heap_rows[] = {
	OPTION('o', "output", "FILE", OPTION_TEXT, offsetof(struct heap_options, out),
	       "write a profile for `go tool pprof`; - is standard output"),
	OPTION(0, "kind", "KIND", OPTION_TAKE, offsetof(struct heap_options, form),
	       "heap: what is in use (default); allocs: the same, by what was allocated; block, "
	       "mutex: only if the program has switched them on",
	       .take = heap_take_kind),
	OPTION(0, "json", NULL, OPTION_FLAG, offsetof(struct heap_options, json),
	       "as JSON, one object"),
	OPTION(0, "records", NULL, OPTION_FLAG, offsetof(struct heap_options, records),
	       "each record with its stack, as pprof/heap?debug=1"),
	OPTION(0, "lines", "N", OPTION_COUNT, offsetof(struct heap_options, lines),
	       "list at most N functions (default 40), also in JSON", .min = 1, .max = 1000000),
	OPTION(0, "largest", "N", OPTION_COUNT, offsetof(struct heap_options, largest),
	       "with --json: only the N largest records (default: all)", .min = 1,
	       .max = 1000000000),
	OPTION(0, "diff", "TIME", OPTION_DURATION, offsetof(struct heap_options, diff),
	       "show what changes within TIME; SIGINT or SIGTERM ends it earlier"),
	OPTION(0, "now", NULL, OPTION_FLAG, offsetof(struct heap_options, now),
	       "allocations up to now and frees up to the last sweep; without it, all as of the "
	       "last collection, as runtime.MemProfile has it"),
	OPTION(0, "switch-on", NULL, OPTION_FLAG, offsetof(struct heap_options, switch_on),
	       "where profiling of memory is off, switch it on for the time of --diff. This writes "
	       "to the program's memory (docs/heap.md)"),
	OPTION(0, "switch-off", NULL, OPTION_FLAG, offsetof(struct heap_options, switch_off),
	       "switch profiling of memory off, whoever has switched it on, and show nothing: "
	       "after a --switch-on that was killed with its container"),
	OPTION(0, "rate", "BYTES", OPTION_NUMBER, offsetof(struct heap_options, rate),
	       "with --switch-on: one sample in so many bytes (default 524288)", .min = 1,
	       .max = 1UL << 40, .want = "takes a number of bytes"),
	OPTION(0, "retained", NULL, OPTION_FLAG, offsetof(struct heap_options, retained),
	       "who holds the memory: by root, by type, and the objects at which it comes "
	       "together; of a process that is stopped, or a core file"),
	OPTION(0, "top", "N", OPTION_COUNT, offsetof(struct heap_options, top),
	       "with --retained: list at most N of each (default 20)", .min = 1, .max = 1000000),
	OPTION_ASSUME(offsetof(struct heap_options, assume_minor)),
	{0},
};

static const char *heap_check(void *options, char **operands)
{
	const struct heap_options *o = options;

	const char *why = pick_one_or_core(&o->pick);

	if (why)
		return why;
	if (o->top && !o->retained)
		return "--top takes --retained";
	if (o->retained && (o->out || o->records || o->diff || o->now || o->switch_on ||
			    o->form != heap_forms))
		return "--retained is no profile: give it with --json, --top or nothing";
	if (o->pick.core && o->diff)
		return "a core file does not run: without --diff";
	if ((o->out != NULL) + o->json + o->records > 1)
		return "-o, --json and --records are forms of their own: give one";
	if (o->switch_on && !o->diff)
		return "--switch-on takes --diff TIME: how long";
	if (o->switch_on && o->form->kind != HEAP_MEMORY)
		return "--switch-on is for memory: a trace has waits without it (gotap record)";
	if (o->switch_off && (o->switch_on || o->diff || o->out || o->json || o->records))
		return "--switch-off shows no profile: give it alone";
	if (o->now && o->form->kind != HEAP_MEMORY)
		return "--now is for memory: other kinds have no other moment";
	return NULL;
}

static const struct command_line heap_line = {
	.name = "heap",
	.usage = "gotap heap [OPTION...] -p PID | --container NAME | --core FILE",
	.about =
		"Prints which functions of a running Go program use its memory: the heap profile\n"
		"that the program's runtime keeps, read from its memory without stopping it.\n"
		"Needs the right to trace the process (ptrace): no root for your own processes.\n"
		"See docs/heap.md.\n",
	.tables = { { pick_rows, offsetof(struct heap_options, pick) },
		    { pick_core_rows, offsetof(struct heap_options, pick) },
		    { pick_owner_rows, offsetof(struct heap_options, pick) },
		    { heap_rows, 0 } },
	.after =
		"The linker switches memory profiling off in a program that has no code to read\n"
		"the profile (runtime.MemProfile). Most servers have it on.\n",
	.operands = "give one process (-p), container or core file (--core)",
	.check = heap_check,
};

/* --- the process --- */

static void heap_add_text(struct heap_cmd *h, const struct gobin *b, uint64_t bias)
{
	struct heap_text *t = vec_push(&h->text, sizeof(*t));

	gobin_text_range(b, &t->start, &t->end);
	t->start += bias;
	t->end += bias;
}

static void heap_find_text(struct heap_cmd *h)
{
	size_t i;

	heap_add_text(h, h->look.bin, h->look.proc.bias);
	for (i = 0; i < h->look.plugins.len; i++) {
		const struct plugin *p = vec_at(&h->look.plugins, struct plugin, i);

		heap_add_text(h, p->bin, p->bias);
	}
}

static int heap_look(struct heap_cmd *h, struct heap_profile *ret, struct error *err)
{
	struct heap_opts opts = {
		.proc = &h->look.proc, .vars = &h->vars, .minor = gobin_go_minor(h->look.bin),
		.kind = h->o->form->kind, .text = h->text.data, .ntext = h->text.len,
	};

	return heap_read(ret, &opts, err);
}

/* The frequency of cputicks(), which counts the delay of block and mutex profiles. */
static double heap_ticks(void)
{
	enum { MEASURE_NS = 20000000 };
	uint64_t ns = now_ns(), ticks = tsc_now();

	sleep_ns(MEASURE_NS);
	ticks = tsc_now() - ticks;
	ns = now_ns() - ns;
	return (double)ticks / ((double)ns / 1e9);
}

static int heap_look_twice(struct heap_cmd *h, struct error *err)
{
	int r;

	pause_catch();
	h->view.began = now_ns();
	r = heap_look(h, &h->view.before, err);
	if (r)
		return r;
	pause_for(h->o->diff);
	r = heap_look(h, &h->view.profile, err);
	h->view.ended = now_ns();
	return r;
}

static int heap_look_switched(struct heap_cmd *h, struct error *err)
{
	struct error other;
	int r, off;

	pause_catch();
	r = heap_switch_on(h, err);
	if (r)
		return r;
	r = heap_look_twice(h, err);
	off = heap_switch_off(h, &other);
	if (off && !r)
		*err = other;
	return r ? r : off;
}

static int heap_take(struct heap_cmd *h, struct error *err)
{
	int r = look_open(&h->look, &h->o->pick, h->o->assume_minor, err);

	if (r)
		return r;
	profile_vars_find(h->look.bin, &h->vars);
	heap_find_text(h);
	if (h->o->form->kind != HEAP_MEMORY)
		h->view.ticks = heap_ticks();
	r = h->vars.rate && !h->look.core ? heap_switch_recover(h, err) : 0;
	if (r && r != -EBUSY)
		return r;
	if (r && (h->o->switch_on || h->o->switch_off))
		return r;
	if (h->o->switch_off)
		return heap_switch_reset(h, err);
	r = h->o->switch_on ? heap_look_switched(h, err) :
	    h->o->diff	    ? heap_look_twice(h, err) :
			      heap_look(h, &h->view.profile, err);
	pause_release();
	return r;
}

/* --- what is not in it --- */

static void heap_say_off(const struct heap_cmd *h)
{
	const struct heap_profile *p = &h->view.profile;
	enum heap_kind kind = h->o->form->kind;

	if (kind == HEAP_MEMORY && !p->rate)
		fprintf(stderr,
			"gotap: process %d has profiling of memory off: --switch-on --diff TIME "
			"switches it on for a time\n",
			h->look.proc.pid);
	else if (kind == HEAP_BLOCK && p->has_block_rate && !p->block_rate)
		fprintf(stderr, "gotap: process %d has its block profile off "
			"(runtime.SetBlockProfileRate): `gotap record` and `gotap pprof --type "
			"sync` have all waits\n", h->look.proc.pid);
	else if (kind == HEAP_MUTEX && p->has_mutex_rate && !p->mutex_rate)
		fprintf(stderr, "gotap: process %d has its mutex profile off "
			"(runtime.SetMutexProfileFraction): `gotap record` has all waits for "
			"locks\n", h->look.proc.pid);
}

static void heap_say_missing(const struct heap_profile *p)
{
	unsigned int i;

	if (heap_refused(p)) {
		fprintf(stderr, "gotap: %" PRIu64 " records were refused:", heap_refused(p));
		for (i = 0; i < HEAP_REFUSALS; i++)
			if (p->refused[i])
				fprintf(stderr, " %s %" PRIu64, heap_refusal_text(i),
					p->refused[i]);
		fputc('\n', stderr);
	}
	if (p->cut)
		fprintf(stderr, "gotap: the list of records is not whole: %s\n",
			heap_cut_text(p->cut));
	if (p->moved)
		fprintf(stderr, "gotap: the collector moved during each of %u reads: counts may be "
				"of two moments\n", p->attempts);
}

static void heap_say_moment(const struct heap_cmd *h)
{
	if (h->o->form->kind != HEAP_MEMORY || h->o->now)
		return;
	if (h->o->diff && h->view.before.cycle == h->view.profile.cycle &&
	    !h->view.profile.unpublished)
		fprintf(stderr, "gotap: no collection ended meanwhile, and counts are as of the "
				"last one: --now has those since\n");
}

static int heap_write_file(struct heap_cmd *h, struct error *err)
{
	struct output out;
	int r = output_start(&out, h->o->out, OUTPUT_BINARY, err);

	if (r)
		return r;
	r = output_begin(&out, err);
	if (!r)
		r = heap_view_write(&h->view, out.fd, out.path, NULL, err);
	return output_end(&out, r, err);
}

static int heap_show(struct heap_cmd *h)
{
	struct error err;

	h->view.form = h->o->form;
	h->view.symbols = h->look.symbols;
	h->view.minor = gobin_go_minor(h->look.bin);
	h->view.now = h->o->now;
	h->view.diff = h->o->diff > 0;
	heap_make_rows(&h->view);
	/* the text has sums by function only */
	if (h->o->out || h->o->json || h->o->records)
		heap_sort_rows(&h->view);
	heap_say_off(h);
	heap_say_missing(&h->view.profile);
	heap_say_moment(h);
	if (h->o->out && heap_write_file(h, &err))
		return cmd_fail(&err);
	if (h->o->json)
		heap_print_json(h);
	else if (h->o->records)
		heap_print_records(h);
	else if (!h->o->out)
		heap_print(h);
	return EXIT_OK;
}

static void heap_close(struct heap_cmd *h)
{
	heap_free(&h->view.before);
	heap_free(&h->view.profile);
	heap_view_free(&h->view);
	vec_free(&h->text);
	look_close(&h->look);
}

int cmd_heap(int argc, char **argv)
{
	struct heap_options o = { .form = heap_forms, .rate = DEFAULT_RATE,
				  .lines = DEFAULT_LINES, .largest = UINT_MAX };
	struct heap_cmd h = { .o = &o, .look = LOOK_CLOSED };
	struct error err = {0};
	int r, status = command_line_read(&heap_line, &o, argc, argv);

	if (status)
		return status - 1;
	/* with profiling switched on just now, no collection publishes counts */
	o.now |= o.switch_on;
	if (o.retained) {
		o.top = o.top ? o.top : DEFAULT_TOP;
		status = heap_retained(&h);
		heap_close(&h);
		return status;
	}
	r = heap_take(&h, &err);
	r = look_fate(&h.look, r, &err);
	if (!r)
		r = pick_check(&o.pick, &h.look.proc, &err);
	status = r ? cmd_fail(&err) : o.switch_off ? EXIT_OK : heap_show(&h);
	heap_close(&h);
	return status;
}
