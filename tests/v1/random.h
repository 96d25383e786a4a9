/* SPDX-License-Identifier: Apache-2.0 */
/*
 * random: makes v1 traces that keep every rule, out of any bytes: two for each
 * event. What the rules allow goes far beyond what a runtime writes; the
 * conversion has to make legal v2 of all of it.
 */
#ifndef GOTAP_TESTS_V1_RANDOM_H
#define GOTAP_TESTS_V1_RANDOM_H

#include "make.h"

enum { RANDOM_GS = 16, RANDOM_PS = 5, RANDOM_OPS = 18 };

enum random_state { R_NONE, R_RUNNABLE, R_RUNNING, R_WAITING, R_DEAD };

struct random_g {
	enum random_state state;
	uint64_t seq;
	int assist;
	int woken;		/* and did nothing since */
};

struct random_p {
	int running, gc, stw, sweep;
	unsigned int g;
};

struct random {
	struct make m;
	struct random_g g[RANDOM_GS + 1];	/* 0 is no goroutine */
	struct random_p p[RANDOM_PS];
	int gc, stw;
	uint64_t time, gc_seq;
	/* the event at hand */
	unsigned int pi, gi, choice;
};

#define RANDOM_PUT(r, type, ...)                                                        \
	random_put(r, type, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8,                    \
		   (uint64_t[]){ __VA_ARGS__ })

/* Each record in a batch of its own, one tick after the last. P 4 is "no P". */
static inline void random_put(struct random *r, unsigned int type, size_t n, const uint64_t *args)
{
	int v5 = r->m.version == 5;
	uint64_t p = r->pi == RANDOM_PS - 1 ? UINT64_MAX : r->pi, v[16];
	uint64_t batch[3] = { p, v5 ? r->time : r->time * 4, r->time * 4 };

	r->time++;
	make_record(&r->m, 1, batch, v5 ? 3 : 2, v5 ? 2 : 1);
	v[0] = v[1] = 0;
	if (n)
		memcpy(v + 1 + v5, args, n * sizeof(*v));
	make_record(&r->m, type, v, n + 1 + (size_t)v5, v5 ? 2 : 1);
}

static inline void random_procs(struct random *r)
{
	struct random_p *p = &r->p[r->pi];

	if (!p->running) {
		if (r->m.version == MAKE_GOTRACE)
			random_put(r, 5, 0, NULL);
		else
			RANDOM_PUT(r, 5, r->choice % 6);
		p->running = 1;
	} else if (!p->g) {
		random_put(r, 6, 0, NULL);
		p->running = 0;
	}
}

static inline void random_create(struct random *r)
{
	struct random_g *g = &r->g[r->gi];

	if (g->state != R_NONE)
		return;
	r->g[r->p[r->pi].g].woken = 0;
	RANDOM_PUT(r, 13, r->gi, 0, 0);
	g->state = R_RUNNABLE;
	g->seq = 1;
}

static inline void random_start(struct random *r)
{
	struct random_g *g = &r->g[r->gi];

	if (g->state != R_RUNNABLE || r->p[r->pi].g)
		return;
	if (r->m.version < 7)
		RANDOM_PUT(r, 14, r->gi);
	else
		RANDOM_PUT(r, 14, r->gi, g->seq++);
	g->state = R_RUNNING;
	r->p[r->pi].g = r->gi;
}

static inline void random_leave(struct random *r)
{
	static const unsigned int types[] = { 15, 16, 17, 18, 19, 20, 22, 23, 24, 25, 26, 27 };
	unsigned int type = types[r->choice % 12], g = r->p[r->pi].g;

	if (!g)
		return;
	if (type == 15)
		random_put(r, type, 0, NULL);
	else
		RANDOM_PUT(r, type, 0);
	r->g[g].woken &= type == 18;
	r->g[g].state = type < 17 ? R_DEAD : type < 19 ? R_RUNNABLE : R_WAITING;
	r->p[r->pi].g = 0;
}

static inline void random_unblock(struct random *r)
{
	struct random_g *g = &r->g[r->gi];

	if (g->state != R_WAITING)
		return;
	r->g[r->p[r->pi].g].woken = 0;
	g->woken = 1;
	if (r->m.version < 7)
		RANDOM_PUT(r, 21, r->gi, 0);
	else
		RANDOM_PUT(r, 21, r->gi, g->seq++, 0);
	g->state = R_RUNNABLE;
}

static inline void random_syscall(struct random *r)
{
	if (r->p[r->pi].g)
		RANDOM_PUT(r, 28, 0);
	r->g[r->p[r->pi].g].woken = 0;
}

static inline void random_sysblock(struct random *r)
{
	int gotrace = r->m.version == MAKE_GOTRACE;

	if (!r->p[r->pi].g)
		return;
	if (gotrace)
		RANDOM_PUT(r, 30, 0);
	else
		random_put(r, 30, 0, NULL);
	r->g[r->p[r->pi].g].woken = 0;
	r->g[r->p[r->pi].g].state = gotrace ? R_RUNNABLE : R_WAITING;
	r->p[r->pi].g = 0;
}

static inline void random_sysexit(struct random *r)
{
	struct random_g *g = &r->g[r->gi];

	if (g->state != (r->m.version == MAKE_GOTRACE ? R_RUNNABLE : R_WAITING))
		return;
	if (r->m.version == MAKE_GOTRACE)
		RANDOM_PUT(r, 29, r->gi);
	else
		RANDOM_PUT(r, 29, r->gi, r->m.version == 5 ? r->time : g->seq++, 0);
	g->woken = 0;
	g->state = R_RUNNABLE;
}

static inline void random_declare(struct random *r)
{
	struct random_g *g = &r->g[r->gi];

	if (g->state != R_RUNNABLE || (r->m.version >= 7 && g->seq != 1))
		return;
	RANDOM_PUT(r, 31 + r->choice % 2, r->gi);
	if (r->m.version != MAKE_GOTRACE || r->choice % 2 == 0)
		g->state = R_WAITING;
	g->seq = 2;
}

static inline void random_gc(struct random *r)
{
	int *open = r->m.version == MAKE_GOTRACE ? &r->p[r->pi].gc : &r->gc;

	if (*open)
		random_put(r, 8, 0, NULL);
	else if (r->m.version < 7)
		RANDOM_PUT(r, 7, 0);
	else
		RANDOM_PUT(r, 7, r->gc_seq++, 0);
	*open = !*open;
}

static inline void random_stw(struct random *r)
{
	int *open = r->m.version < 10 ? &r->p[r->pi].stw : &r->stw;

	if (*open)
		random_put(r, 10, 0, NULL);
	else if (r->m.version < 10)
		random_put(r, 9, 0, NULL);
	else
		RANDOM_PUT(r, 9, r->m.version < 21 ? r->choice % 2 : r->choice);
	*open = !*open;
}

static inline void random_sweep(struct random *r)
{
	int *open = &r->p[r->pi].sweep;

	if (!*open)
		RANDOM_PUT(r, 11, 0);
	else if (r->m.version < 9)
		random_put(r, 12, 0, NULL);
	else
		RANDOM_PUT(r, 12, 1, 2);
	*open = !*open;
}

static inline void random_assist(struct random *r)
{
	struct random_g *g = &r->g[r->p[r->pi].g];

	if (r->m.version < 9)
		return;
	if (g->assist || r->choice % 8 == 0)
		random_put(r, 44, 0, NULL);
	else
		RANDOM_PUT(r, 43, 0);
	g->assist = !g->assist && r->choice % 8;
}

static inline void random_user(struct random *r)
{
	if (r->m.version < 11)
		return;
	switch (r->choice % 3) {
	case 0:
		RANDOM_PUT(r, 45, r->time, 0, 0, 0);
		break;
	case 1:
		RANDOM_PUT(r, 46, r->choice, 0);
		break;
	case 2:
		RANDOM_PUT(r, 47, 1, r->choice / 3 % 2, 0, 0);
		break;
	}
}

static inline void random_sample(struct random *r)
{
	if (r->m.version >= 19 && r->g[r->gi].state != R_NONE)
		RANDOM_PUT(r, 49, r->time * 4, r->pi, r->gi, 0);
}

/* A goroutine that was woken for nothing blocks again at once. */
static inline void random_futile(struct random *r)
{
	struct random_g *g = &r->g[r->p[r->pi].g];

	if (r->m.version < 5 || r->m.version > 10 || !r->p[r->pi].g || !g->woken)
		return;
	random_put(r, 36, 0, NULL);
	RANDOM_PUT(r, 22 + r->choice % 5, 0);
	g->state = R_WAITING;
	g->woken = 0;
	r->p[r->pi].g = 0;
}

static inline void random_step(struct random *r, unsigned int op)
{
	switch (op % RANDOM_OPS) {
	case 0: random_procs(r); break;
	case 1: random_create(r); break;
	case 2: random_leave(r); break;
	case 3: random_unblock(r); break;
	case 4: random_syscall(r); break;
	case 5: random_sysblock(r); break;
	case 6: random_sysexit(r); break;
	case 7: random_declare(r); break;
	case 8: random_gc(r); break;
	case 9: random_stw(r); break;
	case 10: random_sweep(r); break;
	case 11: random_assist(r); break;
	case 12: random_user(r); break;
	case 13: random_sample(r); break;
	case 14: RANDOM_PUT(r, 33 + r->choice % 2, r->choice); break;
	case 15: RANDOM_PUT(r, 4, 1 + r->choice, 0); break;
	case 16: random_futile(r); break;
	default: random_start(r); break;
	}
}

/* The file's bytes are m.data, to be freed. */
static inline struct make random_trace(const uint8_t *bytes, size_t n)
{
	static const int versions[] = { MAKE_GOTRACE, 5, 7, 9, 11, 21, 10, 19 };
	struct random r = { .time = 100, .m = { .version = versions[n ? bytes[0] % 8 : 0] } };
	uint64_t frequency[] = { 250000000, 0 }, timer[] = { 1, 0 };
	size_t i;

	r.m.data = malloc(MAKE_MAX);
	make_header(&r.m);
	for (i = 1; i + 1 < n && r.m.len < MAKE_MAX / 2; i += 2) {
		r.pi = bytes[i + 1] % RANDOM_PS;
		r.gi = 1 + bytes[i + 1] / RANDOM_PS % RANDOM_GS;
		r.choice = bytes[i + 1] ^ (unsigned int)i;
		random_step(&r, bytes[i]);
	}
	if (n && bytes[0] & 8)
		make_record(&r.m, 35, timer, r.m.version == 5 ? 2 : 1, r.m.version == 5 ? 2 : 1);
	make_record(&r.m, 2, frequency, r.m.version == 5 ? 2 : 1, r.m.version == 5 ? 2 : 1);
	return r.m;
}

#endif
