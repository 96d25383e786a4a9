// SPDX-License-Identifier: Apache-2.0
/* inferred: see inferred.h. */
#include "spans/inferred.h"

#include <stdio.h>
#include <string.h>

/*
 * Number of frames, from the leaf on, that are compared with @parkers: the leaf frames may be
 * gopark, goparkunlock, chanrecv, chanrecv1 and similar ones.
 */
enum { DEPTH = 6 };

static const struct {
	const char *function;	/* a name; with '*' at its end: the begin of a name */
	const char *reason;
} parkers[] = {
	{ "runtime.chanrecv*", "chan receive" },
	{ "runtime.chansend*", "chan send" },
	{ "runtime.selectgo", "select" },
	{ "time.Sleep", "sleep" },
	{ "runtime.timeSleep", "sleep" },
	{ "sync.(*Cond).Wait", "sync.(*Cond).Wait" },
	{ "sync.runtime_notifyListWait", "sync.(*Cond).Wait" },
	{ "runtime.notifyListWait", "sync.(*Cond).Wait" },
	{ "sync.runtime_Semacquire*", "sync" },
	{ "internal/sync.runtime_Semacquire*", "sync" },
	{ "sync.(*Mutex).*", "sync" },
	{ "internal/sync.(*Mutex).*", "sync" },
	{ "sync.(*RWMutex).*", "sync" },
	{ "sync.(*WaitGroup).Wait", "sync" },
	{ "runtime.semacquire*", "sync" },
	{ "internal/poll.runtime_Semacquire", "sync" },
	{ "internal/poll.(*fdMutex).*", "sync" },
	{ "internal/poll.runtime_pollWait", "network" },
	{ "runtime.netpollblock", "network" },
	{ "internal/poll.(*pollDesc).wait*", "network" },
	{ "internal/poll.(*FD).*", "network" },
	{ "net.runtime_pollWait", "network" },
	{ "runtime.gcBgMarkWorker", "system goroutine wait" },
	{ "runtime.forcegchelper", "system goroutine wait" },
	{ "runtime.runFinalizers", "system goroutine wait" },
	{ "runtime.runfinq", "system goroutine wait" },
	{ "runtime.bgsweep", "GC background sweeper wait" },
	{ "runtime.bgscavenge", "system goroutine wait" },
};

static bool inferred_matches(const char *function, const char *pattern)
{
	size_t n = strlen(pattern);

	return pattern[n - 1] == '*' ? !strncmp(function, pattern, n - 1) :
				       !strcmp(function, pattern);
}

/*
 * Returns the reason with the name that current Go releases give it: "chan receive". NULL: the
 * stack does not imply one.
 */
static const char *inferred_reason(const struct stack_set *s, uint32_t stack)
{
	const struct stack_frame *f;
	uint32_t i;
	size_t k;

	for (i = 0; i < DEPTH && (f = stack_set_at(s, stack, i)); i++)
		for (k = 0; k < sizeof(parkers) / sizeof(*parkers); k++)
			if (inferred_matches(f->func, parkers[k].function))
				return parkers[k].reason;
	return NULL;
}

const char *inferred_of_span(struct spans *s, const struct span *span)
{
	const char *reason;
	char text[80];

	if (span->begin.type || *span->reason)
		return span->reason;
	reason = inferred_reason(spans_stacks(s), span->stack);
	if (!reason)
		return span->reason;
	snprintf(text, sizeof(text), "%s (by its stack)", reason);
	return spans_text(s, text, strlen(text));
}
