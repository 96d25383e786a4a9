// SPDX-License-Identifier: Apache-2.0
/*
 * snapshot_fits: checks whether the plan describes this process: structs of the runtime that point
 * at one another must do so.
 */
#include "live/snapshot_internal.h"

#include <errno.h>

#include "live/memory.h"

static bool points_at(const struct snapshot_reader *rd, uint64_t from, uint64_t to)
{
	uint64_t v;

	return memory_read(rd->proc, from, &v, sizeof(v)) && v == to;
}

static bool m_fits(const struct snapshot_reader *rd, uint64_t m)
{
	const struct go_offsets *off = &rd->plan->offsets;
	uint64_t g0;

	return memory_read(rd->proc, m + off->m_g0, &g0, sizeof(g0)) &&
	       points_at(rd, g0 + off->g_m, m);
}

/*
 * Returns whether m.g0.m == m for the thread of some goroutine; true also if no goroutine has a
 * thread.
 */
static bool some_m_fits(const struct snapshot_reader *rd, const struct pointers *gs)
{
	enum { ENOUGH = 64 };
	uint64_t ms[GS_BATCH];
	bool ok[GS_BATCH];
	size_t at, i, n, asked = 0;

	for (at = 0; at < gs->n && asked < ENOUGH && !stop_requested(rd->stop); at += n) {
		n = gs->n - at < GS_BATCH ? gs->n - at : GS_BATCH;
		snapshot_read_gs(rd, gs->at + at, n, rd->plan->offsets.g_m, sizeof(*ms), ms,
				 sizeof(*ms), ok);
		for (i = 0; i < n && asked < ENOUGH; i++) {
			if (!ok[i] || !ms[i])
				continue;
			if (m_fits(rd, ms[i]))
				return true;
			asked++;
		}
	}
	return !asked;
}

int snapshot_check(const struct snapshot_reader *rd, struct error *err)
{
	const struct go_offsets *off = &rd->plan->offsets;
	const char *wrong = NULL;
	struct pointers gs;
	int r = snapshot_list_gs(rd, &gs, err);

	/* gs[1] and later ones have run at least once in a live program, which sets g.sched.g. */
	if (!r && gs.n > 1 && !points_at(rd, gs.at[1] + off->g_sched_g, gs.at[1]))
		wrong = "g.sched.g";
	else if (!r && !some_m_fits(rd, &gs))
		wrong = "m.g0.m";
	pointers_free(&gs);
	if (wrong && (memory_is_silent(rd->proc) || stop_requested(rd->stop)))
		return memory_error(rd->proc, rd->stop, wrong, err);
	if (wrong)
		r = error_set(err, -EINVAL,
			      "%s of process %d does not point back at its owner: the "
			      "field offsets (%s) do not fit this program",
			      wrong, rd->proc->pid, rd->plan->offsets_source);
	return r;
}

bool snapshot_fits(const struct plan *plan, const struct process *proc,
		   const struct stop_request *stop)
{
	struct roots roots;
	struct snapshot_reader rd = {
		.plan = plan, .proc = proc, .roots = &roots, .size = memory_size(proc), .stop = stop
	};
	struct buf names = {0};
	struct pointers gs;
	size_t i;
	bool fits;

	if (roots_find(plan, proc, stop, &roots, NULL))
		return false;
	/* before main.main there are at least three: main, forcegc, bgsweep */
	fits = !snapshot_list_gs(&rd, &gs, NULL) && gs.n >= 3 && some_m_fits(&rd, &gs);
	for (i = 0; i < 3 && fits; i++)
		fits = points_at(&rd, gs.at[i] + plan->offsets.g_sched_g, gs.at[i]);
	fits = fits && !snapshot_names(plan, proc, &roots, &names, NULL) && names.len;
	buf_free(&names);
	pointers_free(&gs);
	return fits;
}
