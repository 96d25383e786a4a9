/* SPDX-License-Identifier: Apache-2.0 */
/*
 * oom: a flight recording of a program that runs out of memory: whether the kernel has killed it
 * for that, and the heap profile that is written beside the snapshot. flight_record.c and session.c
 * call it, all from the thread of the assembler.
 *
 *     oom_begin(); the capture begins; oom_start(); the recording; oom_end(); the snapshot is
 *     written; oom_free()
 */
#ifndef GOTAP_CMD_RECORD_OOM_H
#define GOTAP_CMD_RECORD_OOM_H

#include "base/json_out.h"
#include "cmd/heap/view.h"
#include "flight/fact.h"
#include "heap/recent.h"
#include "sched/death.h"

struct target;

/* How it is known that there was no memory. */
enum oom_witness {
	OOM_NONE,		/* there was, as far as can be known */
	OOM_TRACEPOINT,		/* oom:mark_victim named the program */
	/*
	 * the program got SIGKILL, or its status is not known, and just then its cgroup counted one
	 * more process that was killed so
	 */
	OOM_CGROUP,
	OOM_RUNTIME,		/* Go's runtime ended the program: the kernel gave it no memory */
};

struct oom {
	/* the program, with readers of its memory that no other part of gotap waits for */
	struct process proc;
	struct profile_vars vars;
	struct vec text;		/* struct heap_text */
	const struct target *target;	/* NULL: it has not begun */
	struct recent *recent;		/* NULL: likewise */
	struct recent_result memory;	/* after oom_end() */
	enum oom_witness witness;	/* likewise */
	bool known;			/* that it got SIGKILL */
	uint64_t time;			/* of the end, ns */
	char fatal[sizeof(((struct death_text *)0)->text)];	/* the runtime's words; "": none */
	struct heap_view view;		/* of the last profile */
	struct vec functions;		/* struct heap_function, of @view */
	struct flight_beside beside;
};

/* Before capture_start(), while gotap has one thread; *@o is all 0. @t must outlive @o. */
int oom_begin(struct oom *o, const struct target *t, struct error *err);
/* Starts to read profiles; the program may not run yet. */
int oom_start(struct oom *o, struct error *err);
/* The program says how it dies. */
void oom_dies(struct oom *o, const struct rec_user *r);
/*
 * The program @ended, or the recording did (NULL). @watched: the OOM killer's choice would have
 * been seen; @victim_at: when it chose the program, ns; 0: it is not known to have. Returns whether
 * memory was the reason; *@fact then is the fact for its snapshot, and refers to @o.
 */
bool oom_end(struct oom *o, struct process *ended, bool watched, uint64_t victim_at,
	     struct flight_fact *fact);
/* Accepts one that has not begun. */
void oom_free(struct oom *o);

#endif
