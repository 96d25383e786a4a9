// SPDX-License-Identifier: Apache-2.0
/*
 * roots: see roots.h. Without symbols the writable data of the program is searched for slice
 * headers (pointer, length, capacity) with elements as in roots.h: some 400 KB in most programs, a
 * few milliseconds. Global variables do not move, so that an address remains valid.
 */
#include "live/roots.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"
#include "live/memory.h"
#include "symbol/goarch.h"

enum {
	PIECE = 1 << 20,		/* bytes read at a time */
	MIN_GS = 3,			/* every program has so many gs after its start */
	MAX_GS = 64 << 20,
	MAX_PS = 1 << 16,
	SAMPLES = 16,
	GOID_BATCH = 16,		/* runtime, _GoidCacheBatch */
	P_STATUSES = 5,
	/*
	 * An attempt fails while a P's thread takes a batch of goids, or while a dead g is used
	 * again.
	 */
	ATTEMPTS = 5, PAUSE_US = 5000,
	/*
	 * A Go program takes some hundred reads; data made by an attacker could ask for any number.
	 */
	MOST_READS = 1 << 20,
};

struct slice {
	uint64_t data, len, cap;
};

struct search {
	const struct plan *plan;
	const struct process *proc;
	const struct stop_request *stop;
	struct roots found;
	uint64_t gs, ps;		/* lengths of the two slices */
	size_t reads;
};

static bool roots_goes_on(const struct search *s)
{
	return s->reads < MOST_READS && !stop_requested(s->stop) && !memory_is_silent(s->proc);
}

static bool roots_read_word(struct search *s, uint64_t addr, uint64_t *ret)
{
	s->reads++;
	return memory_read(s->proc, addr, ret, sizeof(*ret));
}

static bool is_pointer(uint64_t v)
{
	return v >= 0x10000 && v < GOARCH_ADDRESS_END && !(v & 7);
}

static bool roots_element(struct search *s, const struct slice *sl, uint64_t i, uint64_t *ret)
{
	return roots_read_word(s, sl->data + 8 * i, ret) && is_pointer(*ret);
}

/* Returns whether g.sched.g == g. It is not while a dead g is used again (newproc1). */
static bool is_g(struct search *s, uint64_t g)
{
	uint64_t self;

	return roots_read_word(s, g + s->plan->offsets.g_sched_g, &self) && self == g;
}

static bool is_allgs(struct search *s, const struct slice *sl)
{
	uint64_t i, g, n = sl->len < SAMPLES ? sl->len : SAMPLES;
	int wrong = 0;

	if (sl->len < MIN_GS || sl->len > MAX_GS)
		return false;
	for (i = 0; i < n && wrong < 2; i++)
		wrong += !roots_element(s, sl, i * (sl->len - 1) / (n - 1), &g) || !is_g(s, g);
	return wrong < 2;
}

/*
 * Returns whether @p is a P with id @i. Beside its id, a P has a stock of goroutine ids, which
 * newproc1 takes in batches of 16. The first P has used some of them to start the program.
 */
static bool is_p(struct search *s, uint64_t p, uint64_t i)
{
	const struct go_offsets *off = &s->plan->offsets;
	uint64_t cache[2] = {0};	/* next, end */
	uint32_t id, status;

	if (!memory_read(s->proc, p + off->p_id, &id, sizeof(id)) || id != i ||
	    !memory_read(s->proc, p + off->p_status, &status, sizeof(status)) ||
	    status >= P_STATUSES ||
	    !memory_read(s->proc, p + off->p_goidcache, cache, sizeof(cache)))
		return false;
	return (cache[1] || i) && cache[0] <= cache[1] && cache[1] - cache[0] <= GOID_BATCH;
}

static bool is_allp(struct search *s, const struct slice *sl)
{
	uint64_t i, p;

	if (sl->len > MAX_PS)
		return false;
	for (i = 0; i < sl->len; i++)
		if (!roots_goes_on(s) || !roots_element(s, sl, i, &p) || !is_p(s, p, i))
			return false;
	return true;
}

/*
 * Takes the slice if it is the longest so far. Memory has copies of allp's header with the same or
 * an earlier length: the first one of the longest is taken.
 */
static void try_slice(struct search *s, const struct slice *sl, uint64_t addr)
{
	if (sl->len > s->gs && is_allgs(s, sl)) {
		s->found.allgs = addr;
		s->gs = sl->len;
	} else if (sl->len > s->ps && is_allp(s, sl)) {
		s->found.allp = addr;
		s->ps = sl->len;
	}
}

static void search_piece(struct search *s, const uint8_t *bytes, size_t n, uint64_t addr)
{
	struct slice sl;
	size_t i;

	for (i = 0; i + sizeof(sl) <= n && roots_goes_on(s); i += 8) {
		memcpy(&sl, bytes + i, sizeof(sl));
		if (sl.len && sl.len <= sl.cap && sl.cap <= MAX_GS && is_pointer(sl.data))
			try_slice(s, &sl, addr + i);
	}
}

static void search_range(struct search *s, uint64_t start, uint64_t end)
{
	uint8_t *bytes = xrealloc(NULL, PIECE, 1);
	uint64_t at, n;

	for (at = start; at < end; at += PIECE - sizeof(struct slice)) {
		n = end - at < PIECE ? end - at : PIECE;
		if (memory_read_parts(s->proc, at, bytes, n))
			search_piece(s, bytes, n, at);
		if (end - at <= PIECE)
			break;
	}
	free(bytes);
}

int roots_find(const struct plan *plan, const struct process *proc,
	       const struct stop_request *stop, struct roots *ret, struct error *err)
{
	struct search s = { .plan = plan, .proc = proc, .stop = stop };
	int i;

	if (plan->allgs && plan->allp) {
		ret->allgs = plan->allgs + proc->bias;
		ret->allp = plan->allp + proc->bias;
		return 0;
	}
	for (i = 0; i < ATTEMPTS && roots_goes_on(&s); i++) {
		s.found = (struct roots){0};
		s.gs = s.ps = 0;
		search_range(&s, plan->data_start + proc->bias, plan->data_end + proc->bias);
		*ret = s.found;
		if (ret->allgs && ret->allp)
			return 0;
		usleep(PAUSE_US);
	}
	if (stop_requested(stop))
		return error_set(err, -EINTR,
				 "stopped before the goroutines of process %d were found: "
				 "nothing was recorded",
				 proc->pid);
	return error_set(err, -ENOENT, "process %d: runtime.%s is not where a program of %s has "
			 "it: the field offsets (%s) do not fit this program", proc->pid,
			 ret->allgs ? "allp" : "allgs", plan->go_version, plan->offsets_source);
}
