// SPDX-License-Identifier: Apache-2.0
/* reformat: see reformat.h. */
#include "v1write/reformat.h"

#include <string.h>

#include "base/strset.h"
#include "v1/words.h"

struct reformat {
	const struct v1_trace *t;
	struct v1_writer *w;
	struct v1_steps s;
	uint64_t frequency, first;	/* ticks per second; the tick of time 0 */
	size_t gcs;			/* gotrace: collections of several Ps overlap */
};

typedef void reformat_fn(struct reformat *c, struct v1_p *p, const struct v1_event *ev);

static uint64_t stack_of(struct reformat *c, uint64_t id)
{
	struct v1_frame frame;

	return id && v1_trace_stack(c->t, id, &frame, 1) ? v1_writer_stack(c->w, id) : 0;
}

static size_t reformat_frames(void *ctx, uint64_t key, struct trace_frame *out, size_t max)
{
	struct reformat *c = ctx;
	struct v1_frame v[128];
	size_t i, n = v1_trace_stack(c->t, key, v, max < 128 ? max : 128);

	if (v1_trace_depth(c->t, key) > n)
		v1_leave_out(&c->s, V1_LEFT_CUT_STACKS);
	for (i = 0; i < n; i++)
		out[i] = (struct trace_frame){ v[i].pc, v[i].func, v[i].file, v[i].line };
	return n;
}

static struct v1_text reformat_text_of(struct reformat *c, uint64_t id)
{
	const char *s = v1_trace_string(c->t, id);

	return (struct v1_text){ s, strset_len(s) };
}

/* Returns the lowest tick that a reader converts to @time. */
static uint64_t tick_of(const struct reformat *c, int64_t time)
{
	__uint128_t ticks = (__uint128_t)(uint64_t)time * c->frequency + 999999999;

	return c->first + (uint64_t)(ticks / 1000000000);
}

/* Returns the goroutine. NULL: it has ended or never began; its event is left out. */
static struct v1_g *reformat_goroutine(struct reformat *c, uint64_t id)
{
	struct v1_g *g = v1_g(&c->s, id);

	if (!g)
		v1_leave_out(&c->s, V1_LEFT_AGAIN);
	return g;
}

/* --- Ps and the program --- */

static void reformat_gomaxprocs(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	v1_gomaxprocs(&c->s, p, ev->args[0], stack_of(c, ev->stack));
}

static void reformat_proc_start(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	/* Before Go 1.5 the event has no thread: the number of the P stands for it. */
	v1_proc_start(&c->s, p,
		      v1_trace_version(c->t) == V1_GOTRACE ? (uint64_t)ev->p : ev->args[0]);
}

static void reformat_proc_stop(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	v1_proc_stop(&c->s, p);
}

static void gc_start(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	if (!c->gcs++ || c->s.version == V1_GOTRACE)
		v1_gc_start(&c->s, p, stack_of(c, ev->stack));
}

static void gc_done(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	if (!--c->gcs || c->s.version == V1_GOTRACE)
		v1_gc_done(&c->s, p);
}

static void stw_start(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	const char *reason = v1_stw_reason(v1_trace_version(c->t), ev->args[0]);

	v1_stw_start(&c->s, p, reason, strlen(reason));
}

static void stw_done(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	v1_stw_done(&c->s, p);
}

static void sweep_start(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	v1_sweep_start(&c->s, p, stack_of(c, ev->stack));
}

static void sweep_done(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	v1_sweep_done(&c->s, p, ev->args[0], ev->args[1]);
}

static void reformat_heap(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	v1_heap(&c->s, p, ev->type, ev->args[0]);
}

static void reformat_assist(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	v1_assist(&c->s, p, ev->type, stack_of(c, ev->stack));
}

/* --- goroutines --- */

/*
 * Returns the stack that the goroutine begins with. It is the stack of the original, which may be
 * that of an event, too; an unknown one becomes the writer's stack for that.
 */
static uint64_t reformat_start_of(struct reformat *c, uint64_t id)
{
	uint64_t start = v1_pc_only(c->s.version) ? 0 : stack_of(c, id);

	return start ? start : v1_writer_start(c->w, v1_trace_depth(c->t, id) ? id : 0);
}

static void reformat_go_create(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	v1_go_create(&c->s, p, ev->args[0], reformat_start_of(c, ev->args[1]),
		     stack_of(c, ev->stack));
}

static void reformat_go_first(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	struct v1_g *g = reformat_goroutine(c, ev->g);
	bool syscall = ev->type == V1_GO_IN_SYSCALL;

	if (!g)
		return;
	if (g->seq || g->state != V1_GO_RUNNABLE)
		v1_go_settle(&c->s, g, V1_GO_WAITS, syscall);
	else if (syscall)
		v1_go_in_syscall(&c->s, p, g);
	else
		v1_go_waiting(&c->s, p, g);
}

static void reformat_go_start(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	struct v1_g *g = reformat_goroutine(c, ev->g);
	struct v1_text label;

	if (!g)
		return;
	v1_go_start(&c->s, p, g);
	if (ev->type != V1_GO_START_LABEL)
		return;
	label = reformat_text_of(c, ev->args[2]);
	v1_go_label(&c->s, g, label.s, label.n);
}

static void go_end(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	struct v1_g *g = reformat_goroutine(c, ev->g);

	if (g)
		v1_go_end(&c->s, p, g);
}

static void go_yield(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	struct v1_g *g = reformat_goroutine(c, ev->g);

	if (g)
		v1_go_yield(&c->s, p, g, ev->type, stack_of(c, ev->stack));
}

static void go_block(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	struct v1_g *g = reformat_goroutine(c, ev->g);

	if (g)
		v1_go_block(&c->s, p, g, ev->type, stack_of(c, ev->stack));
}

static void go_unblock(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	struct v1_g *g = reformat_goroutine(c, ev->args[0]);

	if (g)
		v1_go_unblock(&c->s, p, g, stack_of(c, ev->stack));
}

static void go_syscall(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	struct v1_g *g = reformat_goroutine(c, ev->g);

	if (!g)
		return;
	v1_go_syscall(&c->s, p, g, stack_of(c, ev->stack));
	g->syscall = ev->sys_blocks;
}

static void go_sysblock(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	struct v1_g *g = reformat_goroutine(c, ev->g);

	if (g)
		v1_go_sysblock(&c->s, g);
}

/*
 * The event needs no tick of its own: in the original it stands where it happened, and it is
 * written there.
 */
static void go_sysexit(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	struct v1_g *g = reformat_goroutine(c, ev->args[0]);

	if (g)
		v1_go_sysexit(&c->s, p, g, 0);
}

/* --- what the program says of itself --- */

static void reformat_futile(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	v1_futile(&c->s, p);
}

static void task_create(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	v1_task_create(&c->s, p, ev->args[0], ev->args[1], reformat_text_of(c, ev->args[2]),
		       stack_of(c, ev->stack));
}

static void reformat_task_end(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	v1_task_end(&c->s, p, ev->args[0], stack_of(c, ev->stack));
}

static void reformat_region(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	if (ev->args[1])
		v1_region_end(&c->s, p, ev->args[0], reformat_text_of(c, ev->args[2]),
			      stack_of(c, ev->stack));
	else
		v1_region_begin(&c->s, p, ev->args[0], reformat_text_of(c, ev->args[2]),
				stack_of(c, ev->stack));
}

static void log_event(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	v1_log(&c->s, p, ev->args[0], reformat_text_of(c, ev->args[1]),
	       (struct v1_text){ ev->text, ev->text_len }, stack_of(c, ev->stack));
}

static void reformat_sample(struct reformat *c, struct v1_p *p, const struct v1_event *ev)
{
	v1_sample(&c->s, c->s.now, (uint64_t)ev->p, ev->g, stack_of(c, ev->stack));
}

static reformat_fn *const handlers[V1_TYPES] = {
	[V1_GOMAXPROCS] = reformat_gomaxprocs,
	[V1_PROC_START] = reformat_proc_start,
	[V1_PROC_STOP] = reformat_proc_stop,
	[V1_GC_START] = gc_start,
	[V1_GC_DONE] = gc_done,
	[V1_STW_START] = stw_start,
	[V1_STW_DONE] = stw_done,
	[V1_SWEEP_START] = sweep_start,
	[V1_SWEEP_DONE] = sweep_done,
	[V1_GO_CREATE] = reformat_go_create,
	[V1_GO_START] = reformat_go_start,
	[V1_GO_START_LABEL] = reformat_go_start,
	[V1_GO_END] = go_end,
	[V1_GO_STOP] = go_block,
	[V1_GO_SCHED] = go_yield,
	[V1_GO_PREEMPT] = go_yield,
	[V1_GO_SLEEP] = go_block,
	[V1_GO_BLOCK] = go_block,
	[V1_GO_UNBLOCK] = go_unblock,
	[V1_GO_BLOCK_SEND] = go_block,
	[V1_GO_BLOCK_RECV] = go_block,
	[V1_GO_BLOCK_SELECT] = go_block,
	[V1_GO_BLOCK_SYNC] = go_block,
	[V1_GO_BLOCK_COND] = go_block,
	[V1_GO_BLOCK_NET] = go_block,
	[V1_GO_SYSCALL] = go_syscall,
	[V1_GO_SYSEXIT] = go_sysexit,
	[V1_GO_SYSBLOCK] = go_sysblock,
	[V1_GO_WAITING] = reformat_go_first,
	[V1_GO_IN_SYSCALL] = reformat_go_first,
	[V1_HEAP_ALLOC] = reformat_heap,
	[V1_HEAP_GOAL] = reformat_heap,
	[V1_FUTILE_WAKEUP] = reformat_futile,
	[V1_GO_BLOCK_GC] = go_block,
	[V1_ASSIST_START] = reformat_assist,
	[V1_ASSIST_DONE] = reformat_assist,
	[V1_TASK_CREATE] = task_create,
	[V1_TASK_END] = reformat_task_end,
	[V1_REGION] = reformat_region,
	[V1_LOG] = log_event,
	[V1_CPU_SAMPLE] = reformat_sample,
};

static void write_timers(struct reformat *c)
{
	const struct map64 *gs = v1_trace_timers(c->t);
	size_t i;

	for (i = 0; i < gs->cap; i++)
		if (gs->slots[i].used)
			v1_writer_timer(c->w, gs->slots[i].key);
}

static int reformat_write_events(struct reformat *c, struct error *err)
{
	enum { EVENTS_PER_TURN = 1 << 20 };
	const struct v1_event *ev;
	struct v1_iter it;
	size_t n = 0;
	int ret = 0;

	v1_iter_init(&it, c->t);
	while (!ret && (ev = v1_iter_next(&it))) {
		c->s.now = tick_of(c, ev->time);
		if (handlers[ev->type])
			handlers[ev->type](c, v1_p(&c->s, ev->p < 0 ? V1_ANY_P : (uint64_t)ev->p),
					   ev);
		if (!(++n % EVENTS_PER_TURN))
			ret = v1_writer_turn(c->w, err);
	}
	v1_iter_release(&it);
	return ret;
}

/*
 * Takes the clock of the original. A tick of the result is at least a nanosecond, and the first
 * tick is not 0.
 */
static void reformat_take_clock(struct reformat *c)
{
	int64_t first;

	v1_trace_clock(c->t, &c->frequency, &first);
	if (!c->frequency || c->frequency > 1000000000)
		c->frequency = 1000000000;
	c->first = first > 0 ? (uint64_t)first : 1;
}

int v1_reformat(const struct v1_trace *t, int fd, int version, uint64_t *left, struct error *err)
{
	struct reformat c = { .t = t };
	struct v1_writer_opts opts = { .version = version, .frames = reformat_frames, .ctx = &c };
	int ret;

	reformat_take_clock(&c);
	opts.frequency = c.frequency;
	ret = v1_writer_new(&c.w, fd, &opts, err);
	if (ret)
		return ret;
	v1_steps_init(&c.s, c.w, version);
	/*
	 * The parser of before Go 1.5 orders events by time alone, so that no two may have one
	 * tick.
	 */
	c.s.ties = version != V1_GOTRACE;
	write_timers(&c);
	ret = reformat_write_events(&c, err);
	if (!ret)
		ret = v1_writer_finish(c.w, err);
	v1_steps_left(&c.s, left);
	v1_steps_release(&c.s);
	v1_writer_free(c.w);
	return ret;
}
