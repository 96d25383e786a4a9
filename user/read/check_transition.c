// SPDX-License-Identifier: Apache-2.0
/*
 * check_transition: the rules of testtrace.Validator (Go 1.27) for events that change the state of
 * a goroutine or proc. Input: these events. Output: faults, and two warnings about a goroutine or P
 * on two threads, which that validator does not check.
 *
 * Nine of ten events are of this kind. Goroutines and procs share their code, which is compiled
 * separately for each, without branches on the kind. Rare cases are in separate functions.
 */
#include "read/check_state.h"

#define FAIL(c, ev, ...) check_fail(c, CHECK_VALIDATOR, ev, __VA_ARGS__)
#define FOR_BOTH static inline __attribute__((always_inline))
#define RARE static __attribute__((cold, noinline))

static const char *check_transition_what(bool is_g)
{
	return is_g ? "goroutine" : "proc";
}

FOR_BOTH uint64_t *runs_on(struct check_m *m, bool is_g)
{
	return is_g ? &m->g : &m->p;
}

FOR_BOTH bool executing(uint8_t state, bool is_g)
{
	return is_g ? go_executing(state) : state == PROC_RUNNING;
}

RARE struct check_m *add_thread(struct check *c, const struct trace_event *ev)
{
	struct check_m *m;

	if (ev->m == TRACEV2_NO_ID) {
		FAIL(c, ev, "must have thread, but thread ID is none");
		return NULL;
	}
	m = idtab_add(&c->ms, ev->m);
	*m = (struct check_m){ ev->m, TRACEV2_NO_ID, TRACEV2_NO_ID };
	return m;
}

/* The thread on which the goroutine or P runs after the event. */
static inline struct check_m *thread_of(struct check *c, const struct trace_event *ev)
{
	struct check_m *m = idtab_find(&c->ms, ev->m);

	return m ? m : add_thread(c, ev);
}

RARE void fail_start(struct check *c, const struct trace_event *ev, const struct check_res *res,
		     uint64_t other, bool is_g)
{
	FAIL(c, ev, "tried to run %s %lld when one was already executing (%lld) on thread %lld",
	     check_transition_what(is_g), (long long)res->id, (long long)other, (long long)ev->m);
}

FOR_BOTH void start_on_thread(struct check *c, const struct trace_event *ev,
			      struct check_res *res, bool is_g)
{
	struct check_m *m = thread_of(c, ev), *was_on = res->on;
	uint64_t other;

	if (!m)
		return;
	other = *runs_on(m, is_g);
	if (other != TRACEV2_NO_ID && other != res->id)
		fail_start(c, ev, res, other, is_g);
	if (was_on && was_on != m && *runs_on(was_on, is_g) == res->id)
		check_warn(c, is_g ? WARN_G_ON_TWO_THREADS : WARN_P_ON_TWO_THREADS, &ev->place);
	*runs_on(m, is_g) = res->id;
	res->on = m;
}

RARE void fail_stop(struct check *c, const struct trace_event *ev, struct check_res *res,
		    bool is_g)
{
	if (!res->on)
		FAIL(c, ev, "stopping %s %lld not bound to any active context",
		     check_transition_what(is_g), (long long)res->id);
	else
		FAIL(c, ev,
		     "tried to stop %s %lld when it wasn't currently executing (currently"
		     " executing %lld) on thread %lld",
		     check_transition_what(is_g), (long long)res->id,
		     (long long)*runs_on(res->on, is_g), (long long)res->on->id);
}

FOR_BOTH void stop_on_thread(struct check *c, const struct trace_event *ev,
			     struct check_res *res, bool is_g)
{
	if (!res->on || *runs_on(res->on, is_g) != res->id)
		fail_stop(c, ev, res, is_g);
	if (res->on)
		*runs_on(res->on, is_g) = TRACEV2_NO_ID;
	res->on = NULL;
}

/*
 * Handles a new goroutine or proc, a status, and an old state that differs from the known one.
 * State numbers 0 and 1 have the same meaning for both kinds.
 */
RARE struct check_res *look_closer(struct check *c, const struct trace_event *ev,
				   struct check_res *res, bool is_g)
{
	const char *(*name)(uint8_t) = is_g ? go_state_name : proc_state_name;
	struct trace_transition tr = event_transition(ev);

	if (tr.to == GO_UNDETERMINED)
		FAIL(c, ev, "transition to undetermined state for %s %lld",
		     check_transition_what(is_g), (long long)tr.id);
	if (c->syncs > 1 && tr.from == GO_UNDETERMINED)
		FAIL(c, ev, "undetermined %s %lld after first global sync",
		     check_transition_what(is_g), (long long)tr.id);
	if (res) {
		if (res->state != tr.from)
			FAIL(c, ev, "bad old state for %s %lld: got %s, want %s",
			     check_transition_what(is_g), (long long)tr.id, name(tr.from),
			     name(res->state));
		return res;
	}
	if (tr.from != GO_UNDETERMINED && tr.from != GO_NOT_EXIST)
		FAIL(c, ev, "bad old state for unregistered %s %lld: %s",
		     check_transition_what(is_g), (long long)tr.id, name(tr.from));
	if (is_g && tr.from == GO_UNDETERMINED && check_has_died(c, tr.id))
		FAIL(c, ev, "bad old state for goroutine %lld: got Undetermined, want NotExist",
		     (long long)tr.id);
	return check_add(is_g ? &c->gs : &c->ps, tr.id);
}

static inline bool has_ranges(const struct check_res *res)
{
	return res->ranges && res->ranges->len;
}

FOR_BOTH void transition(struct check *c, const struct trace_event *ev,
			 struct trace_transition tr, struct check_res *res, bool is_g)
{
	bool gone = is_g && tr.to == GO_NOT_EXIST;

	if (gone && has_ranges(res))
		FAIL(c, ev, "goroutine %lld died with active ranges", (long long)tr.id);
	res->state = tr.to;
	if (is_g && res->gc_work && go_executing(tr.from) != go_executing(tr.to))
		check_trap_gc_work(c, ev);
	if (executing(tr.to, is_g))
		start_on_thread(c, ev, res, is_g);
	else if (executing(tr.from, is_g))
		stop_on_thread(c, ev, res, is_g);
	if (gone && !has_ranges(res) && !res->on)
		check_forget_g(c, res);
}

/* Checks ProcStatus, ProcSteal, GoStatus: the event has both states. */
FOR_BOTH void status(struct check *c, const struct trace_event *ev, bool is_g)
{
	struct trace_transition tr = event_transition(ev);
	struct check_res *res = is_g ? check_find_g(c, tr.id) : check_find_p(c, tr.id);

	if (!res || res->state != tr.from || !tr.from || !tr.to)
		res = look_closer(c, ev, res, is_g);
	transition(c, ev, tr, res, is_g);
}

RARE void status_g(struct check *c, const struct trace_event *ev)
{
	status(c, ev, true);
}

void check_transition_g(struct check *c, const struct trace_event *ev)
{
	const struct event_change *change = &event_changes[ev->type];
	struct trace_transition tr = {
		.id = change->named ? ev->args[0] : ev->g,
		.from = change->from, .to = change->to,
	};
	struct check_res *g;

	if (__builtin_expect(change->status, 0)) {
		status_g(c, ev);
		return;
	}
	g = check_find_g(c, tr.id);
	if (!g && tr.from == GO_NOT_EXIST)
		g = check_add(&c->gs, tr.id);
	else if (!g || g->state != tr.from)
		g = look_closer(c, ev, g, true);
	transition(c, ev, tr, g, true);
}

void check_transition_p(struct check *c, const struct trace_event *ev)
{
	status(c, ev, false);
}
