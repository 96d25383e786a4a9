// SPDX-License-Identifier: Apache-2.0
/* watch: see watch.h. */
#include "stacks/watch.h"

#include <stdlib.h>

#include "base/clock.h"
#include "live/memory.h"

enum {
	BATCH = 128,
	/*
	 * Limits of the random time between two looks: with a fixed time a program with the same
	 * rhythm would look still.
	 */
	LEAST_MS = 10, MOST_MS = 50,
};

static int watch_look_at(struct watch *w, const struct goroutines_opts *o, bool is_first,
			 struct error *err)
{
	struct g_facts now[BATCH];
	size_t i, j, n, readable = 0;

	for (i = 0; i < w->gs.n; i += n) {
		n = w->gs.n - i < BATCH ? w->gs.n - i : BATCH;
		if (stop_requested(o->stop) || memory_is_silent(o->proc))
			return memory_error(o->proc, o->stop, "goroutines", err);
		goroutines_look(o, w->gs.at + i, n, now, NULL);
		for (j = 0; j < n; j++) {
			struct watched_g *g = &w->facts[i + j],
					 seen = { g_facts_key(&now[j]), now[j].wait_since };

			readable += now[j].goid != 0;
			if (is_first)
				*g = seen;
			else if (g->key != seen.key)
				g->key = 0;
		}
	}
	w->looks++;
	/* the goroutine has ended */
	return readable ? 0 : memory_error(o->proc, o->stop, "goroutines", err);
}

static void pause_between(uint64_t end)
{
	uint64_t now = now_ns(), left = end > now ? end - now : 0;
	uint64_t ns = (LEAST_MS + hash64_seeded(now) % (MOST_MS - LEAST_MS)) * 1000000;

	sleep_ns((long)(ns < left ? ns : left));
}

int watch_run(struct watch *ret, const struct goroutines_opts *opts, uint64_t ns, struct error *err)
{
	int r;

	*ret = (struct watch){ .counts = opts->plan->offsets.g_tracking_seq != GO_OFFSET_NONE };
	r = goroutines_list(opts, &ret->gs, err);
	if (r)
		return r;
	ret->facts = xcalloc(ret->gs.n + 1, sizeof(*ret->facts));
	r = watch_look_at(ret, opts, true, err);
	ret->begin = now_ns();
	while (!r && now_ns() < ret->begin + ns) {
		pause_between(ret->begin + ns);
		r = watch_look_at(ret, opts, false, err);
	}
	ret->end = now_ns();
	return r;
}

static int compare_address(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return (x > y) - (x < y);
}

enum g_still watch_still(const struct watch *w, uint64_t address, const struct g_facts *f)
{
	const uint64_t *at =
		w->gs.n ? bsearch(&address, w->gs.at, w->gs.n, sizeof(*at), compare_address) : NULL;
	const struct watched_g *first = at ? &w->facts[at - w->gs.at] : NULL;

	if (!at || !first->key || first->key != g_facts_key(f))
		return STILL_MOVED;
	if (f->coroutine)
		return STILL_SAME;
	if (first->wait_since && first->wait_since == f->wait_since)
		return STILL_PROVEN;
	return w->counts || f->status == G_SYSCALL ? STILL_COUNTED : STILL_SAME;
}

void watch_free(struct watch *w)
{
	pointers_free(&w->gs);
	free(w->facts);
}
