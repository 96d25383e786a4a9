// SPDX-License-Identifier: Apache-2.0
/* oom: see oom.h. */
#define _GNU_SOURCE
#include "cmd/record/oom.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/clock.h"
#include "base/show.h"
#include "base/units.h"
#include "cmd/record/on.h"
#include "cmd/record/record.h"
#include "flight/naming.h"
#include "live/memory.h"

enum { OOM_FUNCTIONS = 10, OOM_STACKS = 5, OOM_FRAMES = 16 };	/* in the JSON */

/* --- begin --- */

static void oom_add_text(struct oom *o, const struct gobin *b, uint64_t bias)
{
	struct heap_text *t = vec_push(&o->text, sizeof(*t));

	gobin_text_range(b, &t->start, &t->end);
	t->start += bias;
	t->end += bias;
}

int oom_begin(struct oom *o, const struct target *t, struct error *err)
{
	struct heap_opts opts = { .proc = &o->proc, .vars = &o->vars, .kind = HEAP_MEMORY,
				  .minor = gobin_go_minor(t->bin) };
	size_t i;
	int r;

	o->target = t;
	o->proc = t->proc;
	o->proc.readers = NULL;
	o->beside.heap = o->beside.heap_diff = -1;
	r = memory_begin(&o->proc, NULL, err);
	if (r)
		return r;
	profile_vars_find(t->bin, &o->vars);
	oom_add_text(o, t->bin, t->proc.bias);
	for (i = 0; i < t->plugins.len; i++) {
		const struct plugin *p = vec_at(&t->plugins, struct plugin, i);

		oom_add_text(o, p->bin, p->bias);
	}
	opts.text = o->text.data;
	opts.ntext = o->text.len;
	o->recent = recent_new(&opts);
	return 0;
}

int oom_start(struct oom *o, struct error *err)
{
	return recent_start(o->recent, err);
}

void oom_dies(struct oom *o, const struct rec_user *r)
{
	struct death_text text = death_text(r);

	/*
	 * Fatal errors have texts of the runtime alone (malloc.go, mem*.go), a panic's is the
	 * program's.
	 */
	if (death_how(r) == REC_END_FATAL && !*o->fatal &&
	    (strstr(text.text, "out of memory") || strstr(text.text, "cannot allocate memory")))
		memcpy(o->fatal, text.text, sizeof(o->fatal));
}

/* --- the end: was it memory? --- */

/*
 * Has the cgroup counted a victim in the last two looks? Earlier ones were others. The look just
 * before the end may have come between the count and the end.
 */
static bool oom_is_counted(const struct oom *o)
{
	const struct memory_usage *before = &o->memory.before, *end = &o->memory.end;

	return before->has_kills && end->has_kills && end->kills > before->kills;
}

/* Sets o->known. False: another end than by SIGKILL is known. */
static bool oom_may_be_killed(struct oom *o, struct process *ended)
{
	int status;

	o->known = on_wait_status(ended, &status);
	return !o->known || (WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
}

/*
 * The kernel's own word first; the count of the cgroup may be about another process of it. The
 * kernel names also a program that was about to exit by itself (task_will_free_mem()). To wait for
 * the status takes time, so it is asked for only if the answer depends on it.
 */
static enum oom_witness oom_judge(struct oom *o, struct process *ended, bool watched,
				  uint64_t victim_at)
{
	enum oom_witness own = *o->fatal ? OOM_RUNTIME : OOM_NONE;

	if ((!victim_at && (own || !oom_is_counted(o))) || !oom_may_be_killed(o, ended))
		return own;
	if (victim_at)
		return OOM_TRACEPOINT;
	return o->known || !watched ? OOM_CGROUP : OOM_NONE;
}

static const char *oom_witness_text(enum oom_witness w)
{
	static const char *const texts[] = {
		[OOM_NONE] = "none",
		[OOM_TRACEPOINT] = "oom:mark_victim",
		[OOM_CGROUP] = "oom_kill",
		[OOM_RUNTIME] = "runtime",
	};

	return texts[w];
}

/* --- the profile --- */

/* Why there is no profile; NULL: there is one. */
static const char *oom_no_heap(const struct oom *o)
{
	const struct recent_profile *last = o->memory.last;

	if (!o->vars.mbuckets || !o->vars.cycle || !o->vars.rate)
		return "the profile was not found in the program (docs/heap.md)";
	if (!last)
		return o->memory.failed ? "the program's memory could not be read" :
					  "the program ended before the profile was read";
	if (!last->heap.rate)
		return "the program has memory profiling off (docs/heap.md)";
	return last->heap.records.len ? NULL : "nothing was sampled before it was read";
}

/* Writes the profile of @v to a file in memory; -1: it cannot be made. */
static int oom_write(struct heap_view *v, const char *comment)
{
	int fd = memfd_create("gotap-heap", MFD_CLOEXEC);
	struct error err;

	if (fd >= 0 && heap_view_write(v, fd, "heap profile", comment, &err)) {
		close(fd);
		fd = -1;
	}
	return fd;
}

static struct heap_view oom_view(const struct oom *o)
{
	return (struct heap_view){ .form = heap_forms, .symbols = o->target->symbols,
				   .minor = gobin_go_minor(o->target->bin), .now = true,
				   .profile = o->memory.last->heap };
}

static void oom_write_diff(struct oom *o)
{
	const struct recent_profile *last = o->memory.last, *earlier = o->memory.earlier;
	struct heap_view v = oom_view(o);

	if (!earlier)
		return;
	v.before = earlier->heap;
	v.diff = true;
	v.began = earlier->time;
	v.ended = last->time;
	heap_make_rows(&v);
	heap_sort_rows(&v);
	o->beside.heap_diff = oom_write(&v, "gotap: what grew up to the last heap profile before "
					    "the program ran out of memory");
	heap_view_free(&v);
}

static double oom_age(const struct oom *o, const struct recent_profile *p)
{
	return o->time > p->time ? (double)(o->time - p->time) / 1e9 : 0;
}

static void oom_write_profiles(struct oom *o)
{
	_cleanup_free_ char *comment = NULL;

	if (oom_no_heap(o))
		return;
	comment = xasprintf("gotap: read %.1f s before the program ran out of memory; counts up to "
			    "then, garbage that no collection had freed included",
			    oom_age(o, o->memory.last));
	o->view = oom_view(o);
	heap_make_rows(&o->view);
	heap_sort_rows(&o->view);
	heap_functions(&o->view, &o->functions);
	o->beside.heap = oom_write(&o->view, comment);
	oom_write_diff(o);
}

/* --- what is said --- */

static double oom_share(const struct oom *o, int64_t bytes)
{
	int64_t whole = o->view.totals[VALUE_INUSE_SPACE];

	return whole > 0 ? (double)bytes / (double)whole : 0;
}

static void oom_put_function(const struct oom *o, struct json_out *j,
			     const struct heap_function *f)
{
	json_open_object(j, NULL);
	json_put_text(j, "function", f->func);
	json_put_number(j, "bytes", f->flat);
	json_put_number(j, "cum_bytes", f->cum);
	json_put_number(j, "objects", f->count);
	json_put_real(j, "share", oom_share(o, f->flat), 4);
	json_close_object(j);
}

static void oom_put_stack(struct oom *o, struct json_out *j, const struct heap_row *row)
{
	static struct heap_frame frames[HEAP_FRAMES];
	size_t n = heap_frames(&o->view, row->record, frames);
	size_t first = heap_shown_frames(&o->view, frames, &n), i;

	json_open_object(j, NULL);
	json_put_number(j, "bytes", row->values[VALUE_INUSE_SPACE]);
	json_put_number(j, "objects", row->values[VALUE_INUSE_OBJECTS]);
	json_put_real(j, "share", oom_share(o, row->values[VALUE_INUSE_SPACE]), 4);
	json_open_array(j, "stack");
	for (i = first; i < n && i < first + OOM_FRAMES; i++) {
		_cleanup_free_ char *frame = xasprintf("%s %s:%" PRIu32, frames[i].func,
						       frames[i].file, frames[i].line);

		json_put_text(j, NULL, frame);
	}
	json_close_array(j);
	json_close_object(j);
}

static void oom_put_name(struct json_out *j, const char *name, const char *trace,
			 enum naming_beside which)
{
	_cleanup_free_ char *file = naming_beside(trace, which);

	json_put_text(j, name, file);
}

static void oom_put_heap(struct oom *o, struct json_out *j, const char *trace)
{
	size_t i;

	json_open_object(j, "heap");
	oom_put_name(j, "file", trace, BESIDE_HEAP);
	json_put_real(j, "age_s", oom_age(o, o->memory.last), 3);
	if (o->beside.heap_diff >= 0) {
		oom_put_name(j, "diff_file", trace, BESIDE_HEAP_DIFF);
		json_put_real(j, "diff_s",
			      (double)(o->memory.last->time - o->memory.earlier->time) / 1e9, 3);
	}
	if (o->view.profile.cut)
		json_put_text(j, "cut", heap_cut_text(o->view.profile.cut));
	json_put_count(j, "refused", heap_refused(&o->view.profile));
	json_put_bool(j, "moved", o->view.profile.moved);
	json_put_count(j, "rate", o->view.profile.rate);
	json_put_number(j, "inuse_bytes", o->view.totals[VALUE_INUSE_SPACE]);
	json_put_number(j, "inuse_objects", o->view.totals[VALUE_INUSE_OBJECTS]);
	json_open_array(j, "functions");
	for (i = 0; i < o->functions.len && i < OOM_FUNCTIONS; i++)
		oom_put_function(o, j, vec_at(&o->functions, struct heap_function, i));
	json_close_array(j);
	json_open_array(j, "stacks");
	for (i = 0; i < o->view.rows.len && i < OOM_STACKS; i++)
		oom_put_stack(o, j, vec_at(&o->view.rows, struct heap_row, i));
	json_close_array(j);
	json_close_object(j);
}

static void oom_put(void *ctx, struct json_out *j, const char *trace)
{
	struct oom *o = ctx;
	const struct memory_usage *last = &o->memory.lived;

	json_open_object(j, "memory");
	json_put_text(j, "known_by", oom_witness_text(o->witness));
	if (o->witness != OOM_RUNTIME)
		json_put_bool(j, "sigkill_known", o->known);
	if (*o->fatal)
		json_put_text(j, "fatal", o->fatal);
	json_put_text(j, "cgroup", recent_cgroup(o->recent));
	if (last->limit) {
		json_put_text(j, "limit_of", last->of_machine ? "machine" :
					     last->up	      ? "parent" :
								"cgroup");
		json_put_count(j, "limit_bytes", last->limit);
		json_put_count(j, "used_bytes", last->used);
	}
	json_put_count(j, "anonymous_bytes", last->anonymous);
	if (o->memory.begin.has_kills && o->memory.end.has_kills)
		json_put_count(j, "oom_kills", o->memory.end.kills - o->memory.begin.kills);
	json_put_count(j, "reads", o->memory.reads);
	json_put_count(j, "reads_without_room", o->memory.without_room);
	json_put_real(j, "reads_cpu_s", (double)o->memory.cpu_ns / 1e9, 6);
	if (o->beside.heap >= 0)
		oom_put_heap(o, j, trace);
	else
		json_put_text(j, "no_heap", oom_no_heap(o) ? oom_no_heap(o) :
						 "the profile could not be written to memory");
	json_close_object(j);
}

/* Appends who has the most: "main.touched < main.leak has 71 % of the heap". */
static void oom_say_first(struct oom *o, char *at, size_t room)
{
	static struct heap_frame frames[HEAP_FRAMES];
	const struct heap_row *row = vec_at(&o->view.rows, struct heap_row, 0);
	size_t n = heap_frames(&o->view, row->record, frames);
	size_t first = heap_shown_frames(&o->view, frames, &n);

	if (first < n)
		snprintf(at, room, ": %.100s%s%.60s has %.0f %% of the heap", frames[first].func,
			 first + 1 < n ? " < " : "", first + 1 < n ? frames[first + 1].func : "",
			 100 * oom_share(o, row->values[VALUE_INUSE_SPACE]));
}

/* The note in the trace has the first 100 bytes. */
static void oom_say(struct oom *o, struct flight_fact *fact)
{
	const struct memory_usage *last = &o->memory.lived;
	size_t room = sizeof(fact->what), n;

	n = (size_t)snprintf(fact->what, room, "out of memory");
	if (last->limit && o->witness != OOM_RUNTIME)
		n += (size_t)snprintf(fact->what + n, room - n, ", of %s in %s",
				      unit_bytes(last->limit).text,
				      last->of_machine ? "the machine" :
				      last->up	       ? "a group above it" :
							 "the cgroup");
	if (o->view.rows.len)
		oom_say_first(o, fact->what + n, room - n);
	else if (*o->fatal)
		snprintf(fact->what + n, room - n, ": %.100s", o->fatal);
}

bool oom_end(struct oom *o, struct process *ended, bool watched, uint64_t victim_at,
	     struct flight_fact *fact)
{
	if (!o->recent)
		return false;
	recent_stop(o->recent, &o->memory);
	o->witness = ended ? oom_judge(o, ended, watched, victim_at) : OOM_NONE;
	if (!o->witness)
		return false;
	if (o->witness != OOM_TRACEPOINT)
		victim_at = 0;
	o->time = victim_at ? victim_at : now_ns();
	oom_write_profiles(o);
	o->beside.put = oom_put;
	o->beside.ctx = o;
	*fact = (struct flight_fact){ .trigger = "oom", .time = victim_at, .asked = true,
				      .beside = &o->beside };
	oom_say(o, fact);
	return true;
}

void oom_free(struct oom *o)
{
	if (!o->target)
		return;
	recent_free(o->recent);
	memory_end(&o->proc);
	heap_view_free(&o->view);
	vec_free(&o->functions);
	vec_free(&o->text);
	if (o->beside.heap >= 0)
		close(o->beside.heap);
	if (o->beside.heap_diff >= 0)
		close(o->beside.heap_diff);
	*o = (struct oom){0};
}
