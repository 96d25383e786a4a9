// SPDX-License-Identifier: Apache-2.0
/* words: see why.h. */
#include "cmd/why/why.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "read/wait_text.h"
#include "release/release.h"

const char *const why_kind_names[STEP_KINDS] = {
	[STEP_RUNNING] = "running",
	[STEP_ASSIST] = "assist",
	[STEP_SWEEP] = "sweep",
	[STEP_STOPS] = "stops the world",
	[STEP_RUNNABLE] = "runnable",
	[STEP_STOPPED] = "stopped",
	[STEP_WAITING] = "waiting",
	[STEP_SYSCALL] = "syscall",
	[STEP_SYSCALL_BARE] = "syscall without P",
	[STEP_GAP] = "not recorded",
	[STEP_UNKNOWN] = "unknown",
	[STEP_NOT_THERE] = "not created",
	[STEP_ENDED] = "ended",
};

const char *const why_by_names[] = {
	[BY_NONE] = NULL,       [BY_GOROUTINE] = "goroutine",       [BY_HOLDER] = "holder",
	[BY_TIMER] = "timer",   [BY_NETPOLL] = "network poller",    [BY_RUNTIME] = "runtime",
	[BY_NOBODY] = "nobody", [BY_UNKNOWN] = "unknown goroutine", [BY_DEEP] = "chain too long",
	[BY_WRITE] = "write",   [BY_SEVERAL] = "one of several requests",
};

static const char *const kind_words[STEP_KINDS + 1] = {
	[STEP_RUNNING] = "running",
	[STEP_ASSIST] = "running, but marking for the GC (assist)",
	[STEP_SWEEP] = "running, but sweeping for the GC",
	[STEP_STOPS] = "running, while it stops the world (STW)",
	[STEP_RUNNABLE] = "runnable",
	[STEP_STOPPED] = "runnable, while the world is stopped (STW)",
	[STEP_WAITING] = "waiting",
	[STEP_SYSCALL] = "in a system call",
	[STEP_SYSCALL_BARE] = "in a system call without P",
	[STEP_GAP] = "not recorded",
	[STEP_UNKNOWN] = "unknown: the trace has nothing of it",
	[STEP_NOT_THERE] = "not created yet",
	[STEP_ENDED] = "ended, and no goroutine of the program ran after it",
	[STEP_KINDS] = "(too many causes)",
};

/* Why a thread waits for a CPU. */
const char *const why_queued_names[] = {
	[QUEUED_UNKNOWN] = NULL,  [QUEUED_PREEMPTED] = "preempted",    [QUEUED_YIELDED] = "yielded",
	[QUEUED_WOKEN] = "woken", [QUEUED_BY_INTERRUPT] = "interrupt", [QUEUED_NEW] = "new",
};

static const char *const queued_words[] = {
	[QUEUED_UNKNOWN] = "",
	[QUEUED_PREEMPTED] = " (preempted",
	[QUEUED_YIELDED] = " (yielded",
	[QUEUED_WOKEN] = " (after a wake-up",
	[QUEUED_BY_INTERRUPT] = " (after a wake-up",
	[QUEUED_NEW] = " (a new thread",
};

static const char *const by_words[] = {
	[BY_NONE] = "",
	[BY_GOROUTINE] = "",
	[BY_HOLDER] = ", released by its holder",
	[BY_TIMER] = ", unblocked by a timer",
	[BY_NETPOLL] = ", unblocked by the network poller",
	[BY_RUNTIME] = ", unblocked by no goroutine (a timer, or the runtime)",
	[BY_NOBODY] = ", not unblocked in the trace",
	[BY_UNKNOWN] = ", unblocked by a goroutine that the trace does not have",
	[BY_DEEP] = ", unblocked by a chain of goroutines that is too long",
	[BY_WRITE] = ", after the other end had written",
	[BY_SEVERAL] = ", unblocked by one of several requests of the other end",
};

struct why_time why_time(int64_t ns)
{
	struct unit_scaled u = unit_scale((double)ns);
	struct why_time t;

	snprintf(t.text, sizeof(t.text), "%.*f %s",
		 u.ns == 1 ? 0 : u.value >= 100 ? 1 : u.value >= 10 ? 2 : 3, u.value, u.name);
	return t;
}

void why_put_frame(struct buf *b, const struct stack_set *stacks, uint32_t frame)
{
	const struct stack_frame *f = stack_set_frame_at(stacks, frame);
	const char *slash = strrchr(f->file, '/');

	buf_printf(b, "%.200s %.100s:%" PRIu64, *f->func ? f->func : "?",
		   slash ? slash + 1 : f->file, f->line);
}

void why_put_goroutine(struct buf *b, uint64_t g, const char *name)
{
	if (g == TRACEV2_NO_ID)
		buf_printf(b, "no goroutine");
	else
		buf_printf(b, "goroutine %" PRIu64 "%s%.200s", g, *name ? " " : "", name);
}

static bool waits(uint8_t kind)
{
	return kind == STEP_WAITING || kind == STEP_SYSCALL || kind == STEP_SYSCALL_BARE;
}

/* The library's function that waits; runtime.gopark's callers are what the reason says. */
static void put_op(struct buf *b, const struct stack_set *stacks, const struct cause *c)
{
	const char *func = c->op ? stack_set_frame_at(stacks, c->op)->func : "";

	if (*func && release_is_std(func) && strncmp(func, "runtime.", 8))
		buf_printf(b, " %s %.200s", c->kind == STEP_WAITING ? "for" : "of", func);
}

const char *why_thread_words(uint8_t thread)
{
	return thread_state_words(thread - 1);
}

static void why_words_put_thread(struct buf *b, const struct cause *c)
{
	if (!c->thread)
		return;
	/* A goroutine that runs is expected to have a CPU; one in a system call may well sleep. */
	if (c->kind > STEP_STOPS)
		buf_printf(b, ", %s", why_thread_words(c->thread));
	else if (c->thread == THREAD_UNKNOWN + 1)
		buf_printf(b, ", its thread %s", why_thread_words(c->thread));
	else if (c->thread != THREAD_RUNNING + 1)
		buf_printf(b, ", but %s", why_thread_words(c->thread));
	buf_printf(b, "%s", queued_words[c->queued]);
	if (c->comm)
		buf_printf(b, " by %.20s", c->comm);
	if (c->queued)
		buf_printf(b, ")");
}

void why_put_cause(struct buf *b, const struct stack_set *stacks, const struct cause *c)
{
	if (c->process)
		buf_printf(b, "in %.120s%s%.200s: ", c->process, *c->request ? ", " : "",
			   c->request);
	buf_printf(b, "%s", kind_words[c->kind]);
	if (c->kind <= STEP_STOPS)
		why_words_put_thread(b, c);
	if (waits(c->kind))
		put_op(b, stacks, c);
	if (c->at && c->kind != STEP_RUNNABLE && c->kind != STEP_STOPPED) {
		buf_printf(b, c->kind <= STEP_STOPS ? ", up to " : " at ");
		why_put_frame(b, stacks, c->at);
	}
	if (c->kind > STEP_STOPS)
		why_words_put_thread(b, c);
	if (*c->reason)
		buf_printf(b, " (%.100s)", c->reason);
	if (c->kind == STEP_NOT_THERE && c->by == BY_RUNTIME)
		buf_printf(b, ": no goroutine created it (a timer, or the runtime)");
	else
		buf_printf(b, "%s", by_words[c->by]);
}

void why_put_object(struct buf *b, const struct trail_object *object)
{
	wait_text(b, &(struct trace_wait){ .kind = object->kind, .n = 1, .of = { object->of } });
}

/* --- sums --- */

static int why_words_most_first(const void *a, const void *b)
{
	const struct part *x = a, *y = b;

	if (x->ns != y->ns)
		return x->ns > y->ns ? -1 : 1;
	return x->leaf != y->leaf ? (x->leaf < y->leaf ? -1 : 1) :
	       x->wait < y->wait  ? -1 :
				    x->wait > y->wait;
}

struct part *why_parts(const struct path *path, uint32_t root, size_t *n)
{
	struct part *parts = xcalloc(path->parts.len + 1, sizeof(*parts));
	size_t i;

	*n = 0;
	for (i = 0; i < path->parts.len; i++)
		if (root == UINT32_MAX || vec_at(&path->parts, struct part, i)->root == root)
			parts[(*n)++] = *vec_at(&path->parts, struct part, i);
	qsort(parts, *n, sizeof(*parts), why_words_most_first);
	return parts;
}

struct part *why_roots(const struct path *path, size_t *n)
{
	struct part *roots = xcalloc(path->causes.len + 1, sizeof(*roots));
	size_t i;

	for (i = 0; i < path->parts.len; i++) {
		const struct part *part = vec_at(&path->parts, struct part, i);
		struct part *root = &roots[part->root];

		root->root = root->wait = root->leaf = part->root;
		root->ns += part->ns;
		root->count += part->count;
	}
	for (i = *n = 0; i < path->causes.len; i++)
		if (roots[i].count)
			roots[(*n)++] = roots[i];
	qsort(roots, *n, sizeof(*roots), why_words_most_first);
	return roots;
}
