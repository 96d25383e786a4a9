// SPDX-License-Identifier: Apache-2.0
/* peers: see peers.h. */
#include "whatif/peers.h"

#include <stdlib.h>
#include <string.h>

/*
 * PEERS_MOST: goroutines on either side. WAITS_LEAST: of a goroutine. PEERS_WORK: waits that are
 * looked at, for all pairs. EARLY: a write can begin so much before the wait, ns, because the
 * goroutine that will wait has still to come to it.
 */
enum { PEERS_MOST = 256, WAITS_LEAST = 10, PEERS_WORK = 20000000, EARLY = 20000 };

#define FEW_WRITES 0.7
/* A reply can be several writes; the last one that began before the end of the wait counts. */
#define MANY_WRITES 5
#define HITS_LEAST 0.9
/* The mean time from the write to the end of the wait, as a part of the wait. */
#define DELAY_MOST 0.5
/*
 * The delay after another goroutine's writes must be this many times longer: if it is not, the
 * times say nothing, as with clients that all write in turns.
 */
#define DELAY_OTHERS 2

/* The waits for the network, or the writes, of one program. */
struct peer_side {
	uint32_t program;
	struct vec ops;		/* uint32_t, in the order of time */
};

struct peers {
	struct programs *p;
	struct vec waiters, writers;	/* struct peer_side */
	uint8_t *writes;		/* by stack: 0: not looked at, 1: no write, 2: a write */
	uint64_t work;
};

static bool peers_writes(struct peers *e, uint32_t stack)
{
	static const char *const names[] = { "syscall.write", "syscall.Write",
					     "internal/poll.(*FD).Write" };
	const struct stack_set *stacks = e->p->classes.stacks;
	uint32_t n, i, k;
	const uint32_t *frames = stack_set_of(stacks, stack, &n);

	if (e->writes[stack])
		return e->writes[stack] == 2;
	e->writes[stack] = 1;
	for (i = 0; i < n; i++)
		for (k = 0; k < 3; k++)
			if (!strcmp(stack_set_frame_at(stacks, frames[i])->func, names[k]))
				e->writes[stack] = 2;
	return e->writes[stack] == 2;
}

/* Keeps @ops as a side if they are enough. */
static void peers_side(struct vec *sides, uint32_t program, struct vec *ops)
{
	struct peer_side *side;

	if (ops->len < WAITS_LEAST || sides->len >= PEERS_MOST) {
		vec_free(ops);
		return;
	}
	side = vec_push(sides, sizeof(*side));
	side->program = program;
	side->ops = *ops;
}

static void peers_look(struct peers *e, uint32_t program)
{
	struct vec waits = {0}, writes = {0};
	uint32_t i;

	for (i = program_at(e->p, program)->first; i; i = op_at(e->p, i)->next) {
		const struct op *op = op_at(e->p, i);

		if (op->kind == OP_WAIT && op->by == ENDED_NETWORK)
			*(uint32_t *)vec_push(&waits, sizeof(uint32_t)) = i;
		else if (op->kind == OP_SYSCALL && peers_writes(e, op->stack))
			*(uint32_t *)vec_push(&writes, sizeof(uint32_t)) = i;
	}
	peers_side(&e->waiters, program, &waits);
	peers_side(&e->writers, program, &writes);
}

/* Returns the last write of @w that began up to @time; 0: there is none. */
static uint32_t peers_before(const struct peers *e, const struct peer_side *w, int64_t time)
{
	size_t low = 0, high = w->ops.len;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (op_at(e->p, *vec_at(&w->ops, uint32_t, middle))->time <= time)
			low = middle + 1;
		else
			high = middle;
	}
	return low ? *vec_at(&w->ops, uint32_t, low - 1) : 0;
}

/* The write of @w that can have ended the wait @number; 0: none. */
static uint32_t peers_match(const struct peers *e, const struct peer_side *w, uint32_t number)
{
	const struct op *wait = op_at(e->p, number);
	uint32_t write = peers_before(e, w, wait->time + wait->ns);

	return write && op_at(e->p, write)->time > wait->time - EARLY ? write : 0;
}

/* Returns the mean delay of the waits after writes of @w, ns; negative: @w does not end them. */
static double peers_delay(struct peers *e, const struct peer_side *waiter,
			  const struct peer_side *w)
{
	double n = (double)waiter->ops.len, ratio = (double)w->ops.len / n, delay = 0, hits = 0;
	double all = 0;
	size_t i;

	if (w->program == waiter->program || ratio < FEW_WRITES || ratio > MANY_WRITES)
		return -1;
	e->work += waiter->ops.len;
	for (i = 0; i < waiter->ops.len; i++) {
		uint32_t number = *vec_at(&waiter->ops, uint32_t, i);
		const struct op *wait = op_at(e->p, number);
		uint32_t write = peers_match(e, w, number);

		all += (double)wait->ns;
		if (!write)
			continue;
		hits++;
		delay += (double)(wait->time + wait->ns - op_at(e->p, write)->time);
	}
	return hits >= HITS_LEAST * n && delay / hits < DELAY_MOST * all / n ? delay / hits : -1;
}

/* The op @write ends the wait @number: a new op behind it does so. */
static void peers_link(struct programs *p, uint32_t program, uint32_t write, uint32_t number)
{
	uint32_t post = (uint32_t)p->ops.len;
	struct op *op = vec_push(&p->ops, sizeof(*op)), *wait = op_at(p, number);
	int64_t written = op_at(p, write)->time + op_at(p, write)->ns, lag;

	*op = (struct op){ .kind = OP_POST, .time = written, .partner = number,
			   .stack = op_at(p, write)->stack, .next = op_at(p, write)->next,
			   .latency = LATENCY_UNKNOWN, .flags = OP_OF_NETWORK };
	op_at(p, write)->next = post;
	if (program_at(p, program)->last == write)
		program_at(p, program)->last = post;
	classes_count(&p->classes, wait->class, -wait->ns);
	wait->by = ENDED_POST;
	wait->partner = post;
	lag = wait->time + wait->ns - written;
	lag = lag > 0 ? lag : 0;
	if (!(wait->flags & OP_LATE) && lag < INT32_MAX / 2)
		wait->latency = (int32_t)lag +
			(wait->latency > 0 && wait->latency < INT32_MAX / 2 ? wait->latency : 0);
	p->linked++;
}

static void peers_join_one(struct peers *e, const struct peer_side *waiter)
{
	const struct peer_side *best = NULL;
	double least = 0, second = 0, delay;
	uint32_t used = 0;
	size_t i;

	for (i = 0; i < e->writers.len && e->work < PEERS_WORK; i++) {
		delay = peers_delay(e, waiter, vec_at(&e->writers, struct peer_side, i));
		if (delay < 0)
			continue;
		if (best && delay >= least) {
			second = !second || delay < second ? delay : second;
			continue;
		}
		second = best ? least : 0;
		best = vec_at(&e->writers, struct peer_side, i);
		least = delay;
	}
	if (second && second < DELAY_OTHERS * least)
		return;
	for (i = 0; best && i < waiter->ops.len && e->p->ops.len < 2 * OPS_MOST; i++) {
		uint32_t number = *vec_at(&waiter->ops, uint32_t, i);
		uint32_t write = peers_match(e, best, number);

		if (write && write != used)
			peers_link(e->p, best->program, write, number);
		used = write ? write : used;
	}
}

static void peers_free(struct vec *sides)
{
	size_t i;

	for (i = 0; i < sides->len; i++)
		vec_free(&vec_at(sides, struct peer_side, i)->ops);
	vec_free(sides);
}

void peers_join(struct programs *p)
{
	struct peers e = { .p = p };
	size_t i;

	e.writes = xcalloc(stack_set_stacks(p->classes.stacks) + 1, 1);
	for (i = 0; i < p->list.len; i++)
		peers_look(&e, (uint32_t)i);
	for (i = 0; i < e.waiters.len; i++)
		peers_join_one(&e, vec_at(&e.waiters, struct peer_side, i));
	peers_free(&e.waiters);
	peers_free(&e.writers);
	free(e.writes);
}
