// SPDX-License-Identifier: Apache-2.0
/* sink_go: v2 events of goroutines and of how the trace begins. See sink.h. */
#include "v1write/sink_internal.h"

#include "v1/words.h"

struct v1_text sink_words(uint64_t arg)
{
	const struct sink_text *t = sink_arg_text(arg);

	return (struct v1_text){ t->bytes ? t->bytes : "", t->bytes ? sink_text_len(t) : 0 };
}

/*
 * A goroutine whose function was not known when it was created gets it from the first stack
 * that it has: the outermost frame.
 */
static void name_start(struct v1_sink *v, struct v1_g *g, uint64_t key)
{
	if (!g || !g->start || !key)
		return;
	v1_writer_define(v->w, g->start, key);
	g->start = 0;
}

/* Returns the goroutine that the thread runs, in v1; NULL: v1 has none there. */
static struct v1_g *v1_sink_runs(struct v1_sink *v, const struct v1_m *m)
{
	struct v1_g *g = m->p ? m->p->g : NULL;

	if (g && g->id == m->g)
		return g;
	return m->g ? v1_g(&v->s, m->g) : NULL;
}

uint64_t sink_stack(struct v1_sink *v, struct v1_m *m, uint64_t key)
{
	struct v1_p *p = m->p;

	if (p && p->g && p->g->id == m->g)
		name_start(v, p->g, key);
	return v1_writer_stack(v->w, key);
}

/* --- how it begins --- */

static struct v1_g *v1_sink_create(struct v1_sink *v, struct v1_p *p, const struct v1_status *st)
{
	uint64_t key = st->start ? st->start : st->stack;
	uint64_t start = key ? v1_writer_start(v->w, key) : v1_writer_later(v->w);
	struct v1_g *g = v1_go_create(&v->s, p, st->id, start, 0);

	if (g && !key)
		g->start = start;
	if (st->stack)
		v1_leave_out(&v->s, V1_LEFT_STATUS_STACKS);
	return g;
}

static void begin_goroutine(struct v1_sink *v, struct v1_p *p, const struct v1_status *st)
{
	struct v1_g *g = v1_sink_create(v, p, st);

	if (g && st->status == G_WAITING)
		v1_go_waiting(&v->s, p, g);
	else if (g && st->status == G_SYSCALL)
		v1_go_in_syscall(&v->s, p, g);
}

static bool is_busy(const struct v1_status *st)
{
	return st->status == G_RUNNING || st->status == G_SYSCALL;
}

/*
 * Binds the P or the goroutine of the status to its thread. The goroutine of a P in a system call
 * has lost the P: the start of a trace stops the world, which takes such Ps.
 */
static void v1_sink_bind(struct v1_sink *v, const struct v1_status *st)
{
	bool holds = st->of_p ? st->status == P_RUNNING || st->status == P_SYSCALL : is_busy(st);
	struct v1_m *m;

	if (!holds || st->thread == TRACEV2_NO_ID)
		return;
	m = sink_thread(v, st->thread);
	if (st->of_p)
		m->p = v1_p(&v->s, st->id);
	else
		m->g = st->id;
	if (st->of_p)
		m->p->thread = m->id;
}

#define EACH_STATUS(v, i, st) \
	for (i = 0; i < (v)->statuses.len && \
	     (st = vec_at(&(v)->statuses, struct v1_status, i)); i++)

/* Returns the P on which a runtime would have started the trace: one that runs a goroutine. */
static struct v1_p *first_p(struct v1_sink *v)
{
	const struct v1_status *st;
	struct v1_p *found = NULL;
	size_t i;

	EACH_STATUS(v, i, st) {
		if (!found && st->of_p)
			found = v1_p(&v->s, st->id);
		if (!st->of_p && st->status == G_RUNNING && st->thread != TRACEV2_NO_ID &&
		    sink_thread(v, st->thread)->p)
			return sink_thread(v, st->thread)->p;
	}
	return found ? found : v1_p(&v->s, 0);
}

static void begin_running(struct v1_sink *v, const struct v1_status *st)
{
	struct v1_g *g = v1_g(&v->s, st->id);
	struct v1_p *p;

	if (!g || st->status != G_RUNNING || st->thread == TRACEV2_NO_ID)
		return;
	p = sink_thread(v, st->thread)->p;
	if (p)
		v1_go_start(&v->s, p, g);
}

/*
 * Writes the beginning, with the Ps first. Parsers up to Go 1.21 take time 0, that of the first
 * event, for no time: for a goroutine created there they would lose how long it waits to run
 * (GoroutineStats).
 */
void sink_begin(struct v1_sink *v, uint64_t procs)
{
	const struct v1_status *st;
	struct v1_p *p;
	uint64_t ps = 0;
	size_t i;

	EACH_STATUS(v, i, st) {
		v1_sink_bind(v, st);
		ps += st->of_p;
	}
	p = first_p(v);
	EACH_STATUS(v, i, st)
		if (st->of_p && st->status == P_RUNNING)
			v1_proc_start(&v->s, v1_p(&v->s, st->id), st->thread);
	EACH_STATUS(v, i, st)
		if (!st->of_p)
			begin_goroutine(v, p, st);
	EACH_STATUS(v, i, st)
		if (!st->of_p)
			begin_running(v, st);
	if (!procs)
		v1_leave_out(&v->s, V1_ADDED_PROCS);
	v1_gomaxprocs(&v->s, p, procs ? procs : ps ? ps : 1, 0);
	vec_free(&v->statuses);
}

/* --- statuses behind the beginning: mostly known --- */

static void v1_sink_restate(struct v1_sink *v, struct v1_m *m, const struct v1_status *st)
{
	struct v1_p *nowhere = v1_p(&v->s, V1_ANY_P), *p;
	struct v1_g *g = v1_g(&v->s, st->id);
	bool runs_now = st->status == G_RUNNING;

	v1_sink_bind(v, st);
	if (!g) {
		g = v1_sink_create(v, nowhere, st);
		if (!g)
			return;
		v1_leave_out(&v->s, V1_ADDED_CREATED);
		if (st->status == G_WAITING)
			v1_go_waiting(&v->s, nowhere, g);
		else if (st->status == G_SYSCALL)
			v1_go_in_syscall(&v->s, nowhere, g);
	}
	p = st->thread == TRACEV2_NO_ID ? NULL : sink_thread(v, st->thread)->p;
	if (runs_now && p && g->p != p)
		v1_go_start(&v->s, p, g);
	else if (!runs_now)
		v1_go_settle(&v->s, g, st->status == G_RUNNABLE ? V1_GO_RUNNABLE : V1_GO_WAITS,
			     st->status == G_SYSCALL);
}

static void add_status(struct v1_sink *v, const struct v1_status *st, uint64_t time)
{
	if (!v->statuses.len)
		v->stated = time;
	*(struct v1_status *)vec_push(&v->statuses, sizeof(*st)) = *st;
}

void sink_go_status(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	struct v1_status st = {
		.id = e->args[0],
		.thread = e->args[1],
		.status = e->args[2],
		.start = e->start,
		.stack = e->kind == EV_GoStatusStack ? e->args[3] : 0,
	};

	if (v->began)
		v1_sink_restate(v, m, &st);
	else
		add_status(v, &st, e->time);
}

void sink_proc_status(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	struct v1_status st = { .of_p = true, .id = e->args[0], .status = e->args[1],
				.thread = e->thread };
	struct v1_p *p;

	if (!v->began) {
		add_status(v, &st, e->time);
		return;
	}
	v1_sink_bind(v, &st);
	p = v1_p(&v->s, st.id);
	if (st.status == P_RUNNING && !p->runs)
		v1_proc_start(&v->s, p, st.thread);
	else if (st.status == P_IDLE && p->runs)
		v1_proc_stop(&v->s, p);
}

/* --- creation --- */

static struct v1_g *v1_sink_go_create(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	uint64_t start = e->args[1] ? v1_writer_start(v->w, e->args[1]) : v1_writer_later(v->w);
	struct v1_g *g = v1_go_create(&v->s, sink_place(v, m), e->args[0], start,
				      sink_stack(v, m, e->args[2]));

	if (g && !e->args[1])
		g->start = start;
	return g;
}

void sink_go_create(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	v1_sink_go_create(v, m, e);
}

void sink_go_create_blocked(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	struct v1_g *g = v1_sink_go_create(v, m, e);

	if (g)
		v1_go_waiting(&v->s, sink_place(v, m), g);
}

/* v1 creates the goroutine of a C thread once; between its calls into Go it is in a system call. */
void sink_go_create_syscall(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	struct v1_status st = { .id = e->args[0], .status = G_SYSCALL };
	struct v1_g *g = v1_g(&v->s, st.id);

	m->g = st.id;
	if (g)
		v1_go_settle(&v->s, g, V1_GO_WAITS, true);
	else
		begin_goroutine(v, sink_place(v, m), &st);
}

void sink_go_destroy_syscall(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	struct v1_g *g = v1_sink_runs(v, m);

	if (g)
		v1_go_sysblock(&v->s, g);
	m->g = 0;
}

/* --- running --- */

void sink_go_start(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	struct v1_g *g = v1_g(&v->s, e->args[0]);

	m->g = e->args[0];
	if (g)
		v1_go_start(&v->s, sink_place(v, m), g);
}

void sink_go_label(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	struct v1_text label = sink_words(e->args[0]);
	struct v1_g *g = v1_sink_runs(v, m);

	if (g)
		v1_go_label(&v->s, g, label.s, label.n);
}

void sink_go_destroy(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	struct v1_g *g = v1_sink_runs(v, m);

	if (g)
		v1_go_end(&v->s, sink_place(v, m), g);
	m->g = 0;
}

static bool is_text(struct v1_text t, const char *text)
{
	return t.n == __builtin_strlen(text) && !__builtin_memcmp(t.s, text, t.n);
}

void sink_go_stop(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	struct v1_text reason = sink_words(e->args[0]);
	bool yields = is_text(reason, "runtime.Gosched");
	uint64_t stack = sink_stack(v, m, e->args[1]);
	struct v1_g *g = v1_sink_runs(v, m);

	if (!yields && !is_text(reason, "preempted"))
		v1_leave_out(&v->s, V1_LEFT_STOP_REASONS);
	if (g)
		v1_go_yield(&v->s, sink_place(v, m), g, yields ? V1_GO_SCHED : V1_GO_PREEMPT,
			    stack);
	m->g = 0;
}

/*
 * Returns the type of event for the reason of a wait. Most reasons are constants: the last ones are
 * found by their addresses.
 */
static unsigned int block_type(struct v1_sink *v, uint64_t arg)
{
	const struct sink_text *t = sink_arg_text(arg);
	struct v1_text reason;
	size_t i = hash64((uint64_t)(uintptr_t)t->bytes) % SINK_RECENT;
	unsigned int type;

	if (t->constant && t->bytes && v->blocks[i].reason == t->bytes)
		return v->blocks[i].type;
	reason = sink_words(arg);
	type = v1_block_type(reason.s, reason.n);
	if (type == V1_GO_BLOCK && reason.n)
		type = V1_TYPES;
	if (t->constant) {
		v->blocks[i].reason = t->bytes;
		v->blocks[i].type = type;
	}
	return type;
}

void sink_go_block(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	unsigned int type = block_type(v, e->args[0]);
	uint64_t stack = sink_stack(v, m, e->args[1]);
	struct v1_g *g = v1_sink_runs(v, m);

	if (type == V1_TYPES) {
		v1_leave_out(&v->s, V1_LEFT_BLOCK_REASONS);
		type = V1_GO_BLOCK;
	}
	if (g)
		v1_go_block(&v->s, sink_place(v, m), g, type, stack);
	m->g = 0;
}

void sink_go_unblock(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	struct v1_g *g = v1_g(&v->s, e->args[0]);

	if (g)
		v1_go_unblock(&v->s, sink_place(v, m), g, sink_stack(v, m, e->args[2]));
	else
		v1_leave_out(&v->s, V1_LEFT_AGAIN);
}

static void v1_sink_go_switch(struct v1_sink *v, struct v1_m *m, uint64_t to, bool ends)
{
	struct v1_p *p = sink_place(v, m);
	struct v1_g *from = v1_sink_runs(v, m), *g = v1_g(&v->s, to);

	v1_leave_out(&v->s, V1_LEFT_SWITCHES);
	if (g)
		v1_go_unblock(&v->s, p, g, 0);
	if (from && ends)
		v1_go_end(&v->s, p, from);
	else if (from)
		v1_go_block(&v->s, p, from, V1_GO_BLOCK, 0);
	if (g)
		v1_go_start(&v->s, p, g);
	m->g = to;
}

void sink_go_switch(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	v1_sink_go_switch(v, m, e->args[0], false);
}

void sink_go_switch_destroy(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	v1_sink_go_switch(v, m, e->args[0], true);
}

/* --- system calls --- */

void sink_go_syscall_begin(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	uint64_t stack = sink_stack(v, m, e->args[1]);
	struct v1_g *g = v1_sink_runs(v, m);

	if (g)
		v1_go_syscall(&v->s, sink_place(v, m), g, stack);
}

/*
 * Ends a system call. A system call that went on when the trace began has lost its P at that time.
 */
void sink_go_syscall_end(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	struct v1_p *p = sink_place(v, m);
	struct v1_g *g = v1_sink_runs(v, m);

	if (!g)
		return;
	if (g->p) {
		g->syscall = false;
		v1_leave_out(&v->s, V1_LEFT_SYSCALL_ENDS);
		return;
	}
	if (m->p && !p->runs)
		v1_proc_start(&v->s, p, m->id);
	v1_go_left_syscall(&v->s, g, true);
	v1_go_start(&v->s, p, g);
}

void sink_go_syscall_end_blocked(struct v1_sink *v, struct v1_m *m, const struct sink_event *e)
{
	struct v1_g *g = v1_sink_runs(v, m);

	if (g)
		v1_go_left_syscall(&v->s, g, m->p);
	m->g = 0;
}
