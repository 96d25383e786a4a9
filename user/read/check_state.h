/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_state: the state that the stricter rules keep between events. It is made of the events
 * alone, as in a user of Go's internal/trace, and not of the states inside the reader that returns
 * them.
 */
#ifndef GOTAP_READ_CHECK_STATE_H
#define GOTAP_READ_CHECK_STATE_H

#include "base/strset.h"
#include "base/vec.h"
#include "read/check.h"
#include "read/idtab.h"
#include "read/v2_reader.h"

struct check_m {
	uint64_t id, p, g;	/* P and goroutine that run on the thread, TRACEV2_NO_ID: none */
};

/*
 * The work of a goroutine for the collector, as the mutator utilization counts it: a mark assist; a
 * background mark worker.
 */
enum { CHECK_IN_GC = 1, CHECK_BG_MARK = 2 };

/* A goroutine or proc. */
struct check_res {
	uint64_t id;
	uint8_t state;		/* enum go_state or enum proc_state */
	uint8_t gc_work;	/* CHECK_IN_GC, CHECK_BG_MARK */
	struct check_m *on;	/* thread on which it runs */
	/* const char *, names of its open ranges; NULL: it never had one */
	struct vec *ranges;
};

struct check_task {
	uint64_t id;
	const char *type;
};

/*
 * A bit for each of 512 goroutines that ended: ids are assigned in sequence, and a program may end
 * millions.
 */
struct check_died {
	uint64_t id;		/* id of the first one / 512 */
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
	uint64_t stw_across;		/* number of them that began in an earlier generation */
	int64_t procs;		/* GOMAXPROCS, 0: not known yet */
	bool procs_seen;
	bool look_at_stacks;	/* a stack of this generation is incomplete */
	bool has_clock;		/* last_clock is set, from an earlier generation */
	struct v2_clock last_clock;
};

void check_init(struct check *c, struct trace_reader *r, struct check_result *result);
void check_free(struct check *c);

/* Reports a fault at @ev. */
void check_fail(struct check *c, enum check_kind kind, const struct trace_event *ev,
		const char *fmt, ...) __attribute__((format(printf, 4, 5), cold));
void check_warn(struct check *c, enum check_warning warning, const struct v2_place *place);

/*
 * The two sets of rules in addition to the reader's. check_trap() is called first, since the
 * functions of the validator change the state.
 */
void check_trap(struct check *c, const struct trace_event *ev);
/*
 * The validator's rules for events that are transitions of a goroutine, of a proc, and for other
 * events.
 */
void check_transition_g(struct check *c, const struct trace_event *ev);
void check_transition_p(struct check *c, const struct trace_event *ev);
void check_details(struct check *c, const struct trace_event *ev);
void check_stacks(struct check *c, const struct trace_event *ev);
void check_time(struct check *c, const struct trace_event *ev);
/*
 * To be called at the end of a trace without a fault of the reader. @last: the last event, NULL:
 * none.
 */
void check_validator_end(struct check *c, const struct trace_event *last);

/* Checks one event. Most events of a trace are starts, stops and wake-ups, which have no traps. */
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

/*
 * The start or stop of a goroutine that works for the collector: the mutator utilization counts
 * this work for the event's P.
 */
void check_trap_gc_work(struct check *c, const struct trace_event *ev);

/* The state of goroutine or proc @id, NULL: not known. */
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
/* True if goroutine @id ended in the first generation. */
bool check_has_died(struct check *c, uint64_t id);

/* The text of a string of the current generation; NULL if it has no such string. */
static inline const char *check_text(struct check *c, uint64_t id, size_t *len)
{
	return trace_reader_string(c->r, id, len);
}

#endif
