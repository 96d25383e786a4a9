// SPDX-License-Identifier: Apache-2.0
/* shown: see shown.h. */
#include "stacks/shown.h"

#include <stdio.h>
#include <string.h>

#include "release/release.h"

static bool shown_has_prefix(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static bool shown_is_one_of(const char *s, const char *const *all)
{
	for (; *all; all++)
		if (!strcmp(s, *all))
			return true;
	return false;
}

/*
 * Returns whether only the bubble of testing/synctest can end the wait (isIdleInSynctest). Other
 * such wait reasons have it in their name.
 */
static bool is_durable(int minor, const struct goroutine *g)
{
	static const char *const waits[] = {
		"ChanReceiveNilChan", "ChanSendNilChan", "SelectNoCases", "Sleep", "SyncCondWait",
		"Coroutine",          "SynctestRun",     "SynctestWait",  NULL,
	};
	const char *reason = release_wait_name(minor, g->reason);

	return g->bubble && g->status == G_WAITING && reason && shown_is_one_of(reason, waits);
}

const char *shown_state(int minor, const struct goroutine *g, char ret[SHOWN_STATE])
{
	static const char *const names[G_STATUSES] = {	/* gStatusStrings */
		[G_RUNNABLE] = "runnable", [G_RUNNING] = "running", [G_SYSCALL] = "syscall",
		[G_WAITING] = "waiting", [G_COPYSTACK] = "copystack", [G_LEAKED] = "leaked",
		[G_PREEMPTED] = "preempted",
	};
	const char *name = g->status < G_STATUSES && names[g->status] ? names[g->status] : "???";
	const char *reason = release_wait_text(minor, g->reason);

	if ((g->status == G_WAITING || g->status == G_LEAKED) && reason && *reason)
		name = reason;
	snprintf(ret, SHOWN_STATE, "%s%s%s", name, g->status == G_LEAKED ? " (leaked)" : "",
		 is_durable(minor, g) ? " (durable)" : "");
	return ret;
}

bool shown_is_leaked(int minor, const struct goroutine *g)
{
	static const char *const blocked[] = { "SelectNoCases", NULL };
	const char *reason = release_wait_name(minor, g->reason);

	return g->status == G_LEAKED &&
	       !(g->goid == 1 && reason && shown_is_one_of(reason, blocked));
}

/*
 * Returns whether the goroutine of the runtime calls functions of the program; it is shown while it
 * does.
 */
static bool calls_back(int minor, const struct goroutine *g)
{
	const char *reason = release_wait_name(minor, g->reason);

	return g->status != G_WAITING || !reason ||
	       (strcmp(reason, "FinalizerWait") && strcmp(reason, "CleanupWait"));
}

bool shown_is_system(struct goroutines *gs, int minor, const struct goroutine *g)
{
	static const char *const programs[] = {
		"runtime.main", "runtime.corostart", "runtime.handleAsyncEvent", NULL,
	};
	static const char *const callers[] = {
		"runtime.runfinq", "runtime.runFinalizers", "runtime.runCleanups", NULL,
	};
	struct symbol_function fn;

	if (!symbolizer_function(gs->unwinder.symbols, g->start_pc, &fn) ||
	    shown_is_one_of(fn.name, programs))
		return false;
	if (shown_is_one_of(fn.name, callers))
		return !calls_back(minor, g);
	return shown_has_prefix(fn.name, "runtime.");
}

/* --- frames --- */

static bool is_upper(char c)
{
	return c >= 'A' && c <= 'Z';
}

/* As isExportedRuntime: runtime.Gosched, runtime.(*Func).Entry. */
static bool is_exported(const char *name)
{
	const char *last = strrchr(name, '.'), *receiver = name + strlen("runtime.");

	if (!last || !is_upper(last[1]))
		return false;
	if (last < receiver)
		return true;
	receiver += shown_has_prefix(receiver, "(*") ? 2 : 0;
	return is_upper(*receiver);
}

static bool is_dumped(const char *name, bool first)
{
	static const char *const always[] = { "runtime.runFinalizers", "runtime.runCleanups",
					      NULL };

	if (shown_is_one_of(name, always) || (!strcmp(name, "runtime.gopanic") && !first))
		return true;
	return strchr(name, '.') && (!shown_has_prefix(name, "runtime.") || is_exported(name));
}

static bool is_profiled(const char *name, bool first)
{
	return strcmp(name, "runtime.goexit") &&
	       (!first || !(shown_has_prefix(name, "runtime.") ||
			    shown_has_prefix(name, "internal/runtime/")));
}

static bool shown_is_kept(enum shown_which which, const char *name, bool first)
{
	switch (which) {
	case SHOWN_AS_DUMPED:
		return is_dumped(name, first);
	case SHOWN_AS_PROFILED:
		return is_profiled(name, first);
	case SHOWN_ALL:
		break;
	}
	return true;
}

struct expansion {
	const struct stack_entry *stack;
	const uint64_t *pcs;
	struct goroutines *gs;
};

static struct shown_frame frame_of(const struct expansion *e, const struct call *c)
{
	struct unwinder *u = &e->gs->unwinder;
	uint64_t pc = e->pcs[c->at];
	bool interrupted = c->at ? unwind_injects(u, e->pcs[c->at - 1]) : e->stack->trap;
	struct shown_frame ret = {
		.func = c->frame.func,
		.file = c->frame.file,
		.line = c->frame.line,
		.inlined = c->inlined,
		.pc = pc - interrupted,
	};

	if (!c->inlined)
		ret.offset = ret.pc - unwind_entry(u, pc - 1);
	return ret;
}

static size_t shown_expand(struct expansion *e, enum shown_which which, struct shown_frame *ret,
			   size_t max)
{
	static struct call calls[SHOWN_MAX];
	size_t i, n, kept = 0;
	bool gap = false;

	n = symbolizer_calls(e->gs->unwinder.symbols, e->pcs, e->stack->n, calls, SHOWN_MAX);
	for (i = 0; i < n && kept < max; i++) {
		if (!shown_is_kept(which, calls[i].frame.func, !kept))
			continue;
		ret[kept] = frame_of(e, &calls[i]);
		ret[kept].after_gap = !gap && e->stack->left_out && calls[i].at >= UNWIND_INNER;
		gap |= ret[kept++].after_gap;
	}
	return kept;
}

size_t shown_frames(struct goroutines *gs, uint32_t stack, enum shown_which which,
		    struct shown_frame *ret, size_t max)
{
	struct expansion e = { stackset_entry(&gs->stacks, stack), stackset_pcs(&gs->stacks, stack),
			       gs };
	size_t n = shown_expand(&e, which, ret, max);

	return n ? n : shown_expand(&e, SHOWN_ALL, ret, max);
}

bool shown_creator(struct goroutines *gs, const struct goroutine *g, struct shown_frame *ret)
{
	enum { DEEP = 128 };
	struct symbolizer *symbols = gs->unwinder.symbols;
	struct call calls[DEEP];
	struct symbol_function fn;
	size_t n;

	if (g->goid == 1 || !symbolizer_function(symbols, g->create_pc, &fn) ||
	    !is_dumped(fn.name, false))
		return false;
	n = symbolizer_calls(symbols, &g->create_pc, 1, calls, DEEP);
	if (!n)
		return false;
	/*
	 * the function that has the code, with the line of the call, which may be in a function
	 * inlined into it
	 */
	*ret = (struct shown_frame){
		.func = calls[n - 1].frame.func,
		.file = calls[0].frame.file,
		.line = calls[0].frame.line,
		.pc = g->create_pc,
		.offset = g->create_pc - fn.entry,
	};
	return true;
}
