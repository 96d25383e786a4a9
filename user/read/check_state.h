/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_state: the state that the stricter rules keep between events. It follows from the
 * events alone, as for a user of Go's internal/trace, and not from the states inside
 * the reader that produced them.
 */
#ifndef GOTAP_READ_CHECK_STATE_H
#define GOTAP_READ_CHECK_STATE_H

#include "base/strset.h"
#include "base/vec.h"
#include "read/check.h"
#include "read/idtab.h"
#include "read/v2_reader.h"

struct check_m {
	uint64_t id, p, g;	/* runs there, TRACEV2_NO_ID = none */
};

/* The work of a goroutine for the collector, as the mutator utilization counts it. */
enum { CHECK_IN_GC = 1, CHECK_BG_MARK = 2 };

/* A goroutine or proc. */
struct check_res {
	uint64_t id;
	uint8_t state;		/* enum go_state or enum proc_state */
	uint8_t gc_work;	/* CHECK_IN_GC, CHECK_BG_MARK */
	struct check_m *on;	/* where it executes */
	/* const char *, names of open ranges; NULL if there never were any */
	struct vec *ranges;
};

struct check_task {
	uint64_t id;
	const char *type;
};

/* Which of 512 goroutines; ids are given out one after the other, and die by the million. */
struct check_died {
	uint64_t id;		/* of the first, / 512 */
	uint64_t bits[8];
};

struct check {
	struct trace_reader *r;
	struct check_result *result;
	const struct raw_specs *specs;
	const struct v2_tables *tables;	/* of the current generation */
	struct idtab gs, ps;	/* struct check_res */
	struct idtab ms;	/* struct check_m */
	struct idtab tasks;	/* struct check_task */
	/* struct check_died: goroutines that ended in the first generation */
	struct idtab died;
	struct vec gc_ranges;	/* const char * */
	struct strset *names;
	int64_t last_time;
	uint64_t syncs;
	uint64_t open_stw;
	uint64_t stw_across;		/* of these, in an earlier generation */
	int64_t procs;		/* GOMAXPROCS, 0 = not said yet */
	bool procs_seen;
	bool look_at_stacks;	/* one of this generation is not as it should be */
	bool has_clock;		/* last_clock is that of an earlier generation */
	struct v2_clock last_clock;
};

void check_init(struct check *c, struct trace_reader *r, struct check_result *result);
void check_free(struct check *c);

/* Notes a fault at @ev. */
void check_fail(struct check *c, enum check_kind kind, const struct trace_event *ev,
		const char *fmt, ...) __attribute__((format(printf, 4, 5), cold));
void check_warn(struct check *c, enum check_warning warning, const struct v2_place *place);

/* The two sets of rules beyond the reader's: traps are looked at before the validator forgets. */
void check_trap(struct check *c, const struct trace_event *ev);
/* The validator's, about events that are transitions of a goroutine, of a proc, and others. */
void check_transition_g(struct check *c, const struct trace_event *ev);
void check_transition_p(struct check *c, const struct trace_event *ev);
void check_details(struct check *c, const struct trace_event *ev);
void check_stacks(struct check *c, const struct trace_event *ev);
void check_time(struct check *c, const struct trace_event *ev);
/* Shown the last event, NULL if there was none, of a trace without a reader's fault. */
void check_validator_end(struct check *c, const struct trace_event *last);

/* One event. The bulk of a trace is starts, stops and wakings, which hold no trap of their own. */
static inline void check_event(struct check *c, const struct trace_event *ev)
{
	enum resource of = (enum resource)event_changes[ev->type].of;

	if (of != RESOURCE_GOROUTINE)
		check_trap(c, ev);
	if (c->last_time && ev->time <= c->last_time)
		check_time(c, ev);
	c->last_time = ev->time;
	if (c->look_at_stacks)
		check_stacks(c, ev);
	if (of == RESOURCE_GOROUTINE)
		check_transition_g(c, ev);
	else if (of == RESOURCE_PROC)
		check_transition_p(c, ev);
	else
		check_details(c, ev);
}

/* A goroutine that does GC work starts or stops, which is counted on the event's P. */
void check_trap_gc_work(struct check *c, const struct trace_event *ev);

/* Goroutine or proc @id as far as known, else NULL. */
static inline struct check_res *check_find_g(struct check *c, uint64_t id)
{
	return idtab_find(&c->gs, id);
}

static inline struct check_res *check_find_p(struct check *c, uint64_t id)
{
	return idtab_find(&c->ps, id);
}

struct check_res *check_add(struct idtab *tab, uint64_t id);
void check_forget_g(struct check *c, struct check_res *g);
/* Has goroutine @id ended in the first generation? */
bool check_has_died(struct check *c, uint64_t id);

/* Text of a string of the current generation; NULL if there is none such. */
static inline const char *check_text(struct check *c, uint64_t id, size_t *len)
{
	return trace_reader_string(c->r, id, len);
}

#endif
