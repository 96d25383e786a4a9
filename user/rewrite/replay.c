// SPDX-License-Identifier: Apache-2.0
/* replay: see replay.h. */
#include "rewrite/replay.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/strset.h"
#include "read/v2_reader.h"
#include "rewrite/stackkeys.h"

/* The reader returns a GoSwitch, then its block or end, and its start. */
enum { SWITCH_PARTS = 2 };

struct replay {
	struct trace_reader *r;
	struct sink sink;
	struct rewrite_result *result;
	struct strset *texts;		/* names, and stacks (stackkeys.h) */
	struct map64 keys;		/* stack id of the open generation -> key */
	struct trace_clock clock;	/* of the open generation */
	bool strip_stacks;
	bool open;			/* the sink has an open generation */
	bool states_wanted;		/* the next generation begins with all statuses */
	bool stated;			/* the open generation has given its statuses */
	bool at_fault;
	/* number of the next events that are steps of a GoSwitch, which the sink has got already */
	int parts;
	uint64_t now;			/* time of the first event of the generation */
};

struct replay *replay_new(bool strip_stacks)
{
	struct replay *p = xcalloc(1, sizeof(*p));

	p->texts = strset_new();
	p->strip_stacks = strip_stacks;
	p->states_wanted = true;
	return p;
}

void replay_free(struct replay *p)
{
	if (!p)
		return;
	strset_free(p->texts);
	map64_free(&p->keys);
	free(p);
}

/* The key of a stack; 0 for a stack without frames, which the sink does not accept. */
static uint64_t replay_stack_key(struct replay *p, uint64_t id)
{
	uint64_t key = p->strip_stacks ? 0 : stackkeys_get(p->texts, &p->keys, p->r, id);

	return key && strset_len((const char *)(uintptr_t)key) ? key : 0;
}

/* --- events --- */

/* Passes an event to the sink, with texts and keys in place of ids. */
static void replay_give(struct replay *p, const struct trace_event *ev, uint64_t thread,
			uint64_t time)
{
	struct sink_refs refs = sink_refs[ev->type];
	struct sink_text texts[TRACEV2_MAX_ARGS];
	uint64_t args[TRACEV2_MAX_ARGS];
	struct sink_event e = {
		.time = time, .thread = thread, .kind = ev->type, .args = args,
		.nargs = trace_reader_specs(p->r)->of[ev->type].nargs - 1,
	};
	int i;

	for (i = 0; i < TRACEV2_MAX_ARGS; i++) {
		args[i] = ev->args[i];
		if (refs.texts >> i & 1) {
			texts[i] = (struct sink_text){ .bytes = "" };
			texts[i].bytes = trace_reader_string(p->r, ev->args[i], &texts[i].len);
			args[i] = (uint64_t)(uintptr_t)&texts[i];
		} else if (refs.stacks >> i & 1) {
			args[i] = replay_stack_key(p, ev->args[i]);
		}
	}
	p->sink.ops->event(p->sink.ctx, &e);
}

static void replay_sample(struct replay *p, const struct trace_event *ev)
{
	struct sink_sample s = {
		.time = (uint64_t)ev->time, .thread = ev->m, .p = ev->p,
		.g = ev->g == TRACEV2_NO_ID ? 0 : ev->g, .stack = replay_stack_key(p, ev->args[0]),
	};

	p->sink.ops->cpu_sample(p->sink.ctx, &s);
}

static bool replay_is_status(uint8_t type)
{
	return type == EV_ProcStatus || type == EV_GoStatus || type == EV_GoStatusStack;
}

/* Passes a status to the sink. Ranges are passed in the order of events. */
static void replay_give_state(void *ctx, const struct trace_event *ev)
{
	struct replay *p = ctx;

	if (replay_is_status(ev->type))
		replay_give(p, ev, ev->place.thread, p->now);
}

static int replay_end_generation(struct replay *p, struct error *err)
{
	if (!p->open)
		return 0;
	p->open = false;
	return p->sink.ops->gen_end(p->sink.ctx, &p->clock, err);
}

/*
 * True if the event is a status that is known: later generations repeat the statuses of all
 * goroutines and Ps, and only new ones matter.
 */
static bool replay_is_known(const struct replay *p, const struct trace_event *ev)
{
	return replay_is_status(ev->type) && (p->stated || ev->old_state);
}

/* A generation of the original ends; usually another one begins. */
static int replay_turn(struct replay *p, const struct trace_event *ev, struct error *err)
{
	const struct v2_generation *gen = trace_reader_generation(p->r);
	int ret = replay_end_generation(p, err);
	size_t i;

	map64_clear(&p->keys);
	if (ret || !gen || !ev->args[1])
		return ret;
	p->open = true;
	p->now = ev->time > 0 ? (uint64_t)ev->time : 0;
	p->clock = (struct trace_clock){ .time = p->now };
	p->sink.ops->gen_begin(p->sink.ctx);
	if (p->states_wanted)
		trace_reader_states(p->r, replay_give_state, p);
	p->stated = p->states_wanted;
	p->states_wanted = false;
	for (i = 0; i < gen->experiments.len; i++)
		p->sink.ops->experiment(p->sink.ctx, 0, p->now, NULL, 0);
	return 0;
}

static int replay_take(struct replay *p, const struct trace_event *ev, struct error *err)
{
	p->result->resumed |= p->at_fault;
	p->at_fault = false;
	if (ev->type == TRACE_SYNC)
		return replay_turn(p, ev, err);
	p->result->events++;
	if (ev->type == EV_CPUSample) {
		replay_sample(p, ev);
		return 0;
	}
	if (replay_is_known(p, ev))
		return 0;
	if (p->parts) {
		p->parts--;
		return 0;
	}
	if (ev->type == EV_GoSwitch || ev->type == EV_GoSwitchDestroy)
		p->parts = SWITCH_PARTS;
	replay_give(p, ev, ev->m, ev->time > 0 ? (uint64_t)ev->time : 0);
	return 0;
}

/* The reader has met damage. True if it can continue after the damage. */
static bool replay_go_on(struct replay *p)
{
	const struct v2_fault *f = trace_reader_fault(p->r);
	struct rewrite_result *result = p->result;
	uint64_t lost;

	if (!p->at_fault && !result->faults++)
		snprintf(result->fault, sizeof(result->fault), "%s at offset 0x%llx", f->rule,
			 (unsigned long long)f->place.offset);
	p->at_fault = p->states_wanted = trace_reader_resume(p->r, &lost);
	result->lost += lost;
	return p->at_fault;
}

static int rewrite_run(struct replay *p, struct error *err)
{
	const struct trace_event *ev;
	int ret = 0, next;

	do {
		while (!ret && (next = trace_reader_next(p->r, &ev)) > 0)
			ret = replay_take(p, ev, err);
		if (!ret)
			ret = trace_reader_error(p->r, err);
	} while (!ret && next < 0 && replay_go_on(p));
	return ret ? ret : replay_end_generation(p, err);
}

int replay_run(struct replay *p, const struct raw_source *source, struct sink sink,
	       struct rewrite_result *result, struct error *err)
{
	int ret;

	memset(result, 0, sizeof(*result));
	p->r = trace_reader_open_source(source, err);
	if (!p->r)
		return err->code;
	trace_reader_keep_cut(p->r);
	p->sink = sink;
	p->result = result;
	ret = rewrite_run(p, err);
	result->unnamed = trace_reader_unnamed(p->r);
	trace_reader_close(p->r);
	p->r = NULL;
	if (!ret && !result->events)
		ret = error_set(err, -ENODATA, "the trace has no event that can be written%s%s",
				result->faults ? ": " : "", result->fault);
	return ret;
}
