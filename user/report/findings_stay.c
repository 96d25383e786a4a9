// SPDX-License-Identifier: Apache-2.0
/*
 * findings_stay: properties of the stays that finding.c passes to the families (findings.h): which
 * goroutines are of the program, why a goroutine waits, and the data of the families about it.
 */
#include <string.h>

#include "report/findings.h"

/*
 * Goroutines of the packages runtime, runtime/trace and runtime/pprof (which record) are not the
 * program's own. A goroutine may be named after runtime.asyncPreempt: the preempted function had no
 * frame, so the goroutine has no better name. Such a goroutine is the program's own.
 */
bool findings_is_own(const struct goroutine *g)
{
	/* Called for each span. Most names already differ in the first character. */
	return g->name[0] != 'r' || strncmp(g->name, "runtime", 7) ||
	       (g->name[7] != '.' && g->name[7] != '/') || !strcmp(g->name, "runtime.main") ||
	       !strncmp(g->name, "runtime.asyncPreempt", 20);
}

/*
 * The reasons of internal/trace (runtime.traceBlockReason of Go 1.22 to 1.27), and those that gotap
 * writes when it converts older traces.
 */
static const struct {
	const char *reason;
	uint8_t why;
} reasons[] = {
	{ "sync", WHY_JOIN },
	{ "chan send", WHY_SEND },
	{ "chan receive", WHY_RECEIVE },
	{ "select", WHY_SELECT },
	{ "sync.(*Cond).Wait", WHY_COND },
	{ "network", WHY_NET },
	{ "sleep", WHY_SLEEP },
	{ "forever", WHY_FOREVER },
	{ "GC mark assist wait for work", WHY_GC },
	{ "GC background sweeper wait", WHY_GC },
	{ "wait until GC ends", WHY_GC_CYCLE },
	{ "GC weak to strong wait", WHY_GC },
	{ SPANS_GAP, WHY_GAP },
};

static uint8_t stay_find_reason(const char *reason)
{
	size_t i;

	for (i = 0; i < sizeof(reasons) / sizeof(*reasons); i++)
		if (!strcmp(reason, reasons[i].reason))
			return reasons[i].why;
	return WHY_OTHER;
}

uint8_t findings_why(struct findings *f, const struct span *span, const struct stack_facts *facts)
{
	size_t i = (uintptr_t)span->reason / 16 % (sizeof(f->reasons) / sizeof(*f->reasons));
	uint8_t why;

	if (span->state != GO_WAITING)
		return WHY_NONE;
	if (f->reasons[i].text != span->reason) {
		f->reasons[i].text = span->reason;
		f->reasons[i].why = stay_find_reason(span->reason);
	}
	why = span->reason[0] ? f->reasons[i].why : facts->why;
	/* A goroutine that allocates and starts a GC cycle waits for semaphores of the runtime. */
	if (why == WHY_JOIN && facts->traits & STACK_ALLOCATES)
		return WHY_GC;
	return why == WHY_JOIN && facts->traits & STACK_LOCK ? WHY_LOCK : why;
}
