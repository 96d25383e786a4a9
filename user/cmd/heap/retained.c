// SPDX-License-Identifier: Apache-2.0
/* retained: see retained.h. */
#include "cmd/graph_losses.h"
#include "cmd/heap/retained.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/show.h"
#include "cmd/cmd.h"
#include "cmd/pause.h"
#include "heap/buckets.h"
#include "live/fields.h"
#include "live/memory.h"
#include "live/snapshot.h"
#include "target/dwarf_variables.h"

/* --- reading --- */

static int retained_check_fit(const struct retained_cmd *c, struct error *err)
{
	const struct process *p = &c->h->look.proc;

	if (snapshot_fits(&c->plan, p, NULL))
		return 0;
	if (memory_is_silent(p))
		return memory_error(p, NULL, "goroutines", err);
	return error_set(err, -EINVAL, "'%s' has no goroutines where a program of %s has them: it "
			 "is just starting, a core file is cut or of another program, or the field "
			 "offsets (%s) do not fit", gobin_path(c->h->look.bin), c->plan.go_version,
			 c->plan.offsets_source);
}

static void retained_progress(void *ctx, unsigned int done)
{
	static unsigned int last;

	if (done / 100 == last || !isatty(STDERR_FILENO))
		return;
	last = done / 100;
	fprintf(stderr, "\rreading the heap: %u %%", done / 10);
	if (last == 9)
		fputs("\r\033[K", stderr);
}

static int retained_read(struct retained_cmd *c, struct error *err)
{
	struct look *look = &c->h->look;
	struct roots roots;
	struct heapgraph_opts opts = {
		.plan = &c->plan, .proc = &look->proc, .roots = &roots, .bin = look->bin,
		.progress = retained_progress,
	};
	struct still still;
	int r = plan_describe(&c->plan, look->bin, err);

	if (!r)
		r = still_look(&look->proc, &still, err);
	if (!r)
		r = roots_find(&c->plan, &look->proc, NULL, &roots, err);
	if (!r)
		r = retained_check_fit(c, err);
	if (r)
		return r;
	c->has_graph = true;
	r = heapgraph_read(&c->hg, &opts, err);
	if (!r) {
		c->has_retained = true;
		r = retained_find(&c->r, &c->hg, err);
	}
	return r ? r : still_check(&look->proc, &still, err);
}

/* --- names --- */

const char *retained_type_name(const struct retained_cmd *c, uint32_t type)
{
	return *vec_at(&c->r.types.names, const char *, type);
}

static void retained_goroutine_name(const struct retained_cmd *c, uint32_t i,
				    char ret[RETAINED_NAME])
{
	const struct graph_goroutine *g = vec_at(&c->hg.goroutines, struct graph_goroutine, i);
	struct symbol_function fn;
	bool known = symbolizer_function(c->h->look.symbols, g->start_pc, &fn);

	snprintf(ret, RETAINED_NAME, "goroutine %" PRIu64 " (%.400s)", g->goid,
		 known ? fn.name : "unknown");
}

const char *retained_name(const struct retained_cmd *c, uint32_t node, char ret[RETAINED_NAME])
{
	static const char *const roots[GRAPH_ROOTS] = {
		[GRAPH_SPECIALS] = "finalizers, cleanups and weak pointers",
		[GRAPH_FINALIZERS] = "finalizers that are due",
		[GRAPH_THREADS] = "threads of the scheduler",
	};
	const struct graph_global *global;
	uint32_t i = node - c->hg.nobjects;

	if (node < c->hg.nobjects)
		return retained_type_name(c, c->r.types.of[node]);
	if (i < c->hg.goroutines.len) {
		retained_goroutine_name(c, i, ret);
		return ret;
	}
	i -= (uint32_t)c->hg.goroutines.len;
	if (i < GRAPH_ROOTS)
		return roots[i];
	global = vec_at(&c->hg.globals, struct graph_global, i - GRAPH_ROOTS);
	if (global->name && *global->name)
		return global->name;
	snprintf(ret, RETAINED_NAME, "global variables at %#" PRIx64, global->addr);
	return ret;
}

size_t retained_place(const struct retained_cmd *c, uint32_t object, struct frame *ret, size_t max)
{
	const uint64_t *bucket = map64_get(&c->hg.places, object);
	const struct process *p = &c->h->look.proc;
	uint64_t pcs[RETAINED_FRAMES], n;

	/* the depth is the last word of the header (heap/buckets.h) */
	if (!bucket || !memory_read(p, *bucket + BUCKET_HEADER - 8, &n, sizeof(n)))
		return 0;
	n = n < RETAINED_FRAMES ? n : RETAINED_FRAMES;
	if (!memory_read(p, *bucket + BUCKET_HEADER, pcs, n * sizeof(*pcs)))
		return 0;
	return symbolizer_stack(c->h->look.symbols, pcs, n, 0, ret, max);
}

/* --- what the graph lacks --- */

static void retained_say(const struct retained_cmd *c)
{
	const struct graph_counts *n = &c->hg.counts;

	graph_losses_say(n);
	if (n->each_word_objects)
		fprintf(stderr,
			"gotap: of %" PRIu64 " objects (%" PRIu64 " have exact pointers) each word "
			"counts as a pointer: sizes are upper bounds\n",
			n->each_word_objects, n->exact_objects);
	if (c->r.types.variables.code)
		fprintf(stderr, "gotap: the types of global variables are not known: %s\n",
			c->r.types.variables.text);
	if (c->r.types.variables_left_out)
		fprintf(stderr, "gotap: of %u global variables and parts the types are not "
				"looked at: there are more than %d\n",
			c->r.types.variables_left_out, DWARF_VARIABLES);
	if (n->globals_each_word)
		fprintf(stderr, "gotap: each word of the writable data counts as a pointer: the "
				"list of the program's modules was not found\n");
}

int heap_retained(struct heap_cmd *h)
{
	struct retained_cmd c = { .h = h };
	struct error err = {0};
	int status, r = look_open(&h->look, &h->o->pick, h->o->assume_minor, &err);

	if (!r)
		r = retained_read(&c, &err);
	if (!h->look.core)
		r = look_fate(&h->look, r, &err);
	if (!r)
		r = pick_check(&h->o->pick, &h->look.proc, &err);
	if (r) {
		status = cmd_fail(&err);
	} else {
		retained_say(&c);
		if (h->o->json)
			retained_print_json(&c);
		else
			retained_print(&c);
		status = EXIT_OK;
	}
	if (c.has_retained)
		retained_free(&c.r);
	if (c.has_graph)
		heapgraph_free(&c.hg);
	plan_release(&c.plan);
	return status;
}
