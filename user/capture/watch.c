// SPDX-License-Identifier: Apache-2.0
/* watch: see watch.h. */
#include "capture/watch.h"

#include "base/clock.h"
#include "live/memory.h"
#include "live/module.h"
#include "live/snapshot.h"

enum { SLOW_LOOKS = 10 };	/* for what takes some time, every so many */

void watch_init(struct watch *w, const struct plan *plan, struct process *proc, const struct bpf_side *bpf)
{
	*w = (struct watch){
		.plan = plan, .proc = proc, .bpf = bpf, .cut = UINT64_MAX, .same_until = now_ns(),
		.fits = !proc->launched || !plan->assumed,
	};
}

/* Looks now and then, and again when it seems so: the maps of a program that execs may be half made. */
static bool has_moved(struct watch *w)
{
	bool before = w->seems_moved;

	if (!before && ++w->looks % SLOW_LOOKS)
		return false;
	w->seems_moved = bpf_text_moved(w->bpf);
	return before && w->seems_moved;
}

static enum capture_end find_end(struct watch *w)
{
	/* the constructor that is seen here runs before any of the plugin's code */
	if (module_opened_plugin(w->proc))
		return CAPTURE_PLUGIN;
	if (memory_is_silent(w->proc))
		return CAPTURE_SILENT;
	if (process_ended(w->proc))
		return CAPTURE_EXITED;
	if (!bpf_prober_lives(w->bpf))
		return bpf_prober_gave_up(w->bpf) ? CAPTURE_PAUSED : CAPTURE_UNPROBED;
	return has_moved(w) ? CAPTURE_MOVED : CAPTURE_RUNNING;
}

static bool makes_records_false(enum capture_end end)
{
	return end == CAPTURE_EXECED || end == CAPTURE_PLUGIN || end == CAPTURE_UNPROBED || end == CAPTURE_PAUSED;
}

/*
 * @since: before anything was looked at. An exec comes last: whatever else was found
 * may be a consequence.
 */
static enum capture_end find_change(struct watch *w, uint64_t since)
{
	enum capture_end end = find_end(w);
	uint64_t exec;

	if (process_execed(w->proc))
		end = CAPTURE_EXECED;
	exec = bpf_exec_time(w->bpf);
	if (exec) {
		w->cut = exec;
		return CAPTURE_EXECED;
	}
	if (makes_records_false(end))
		w->cut = w->same_until;
	if (end == CAPTURE_RUNNING)
		w->same_until = since;
	return end;
}

/* A change that comes after the end was decided still makes records false. */
void watch_look(struct watch *w)
{
	enum capture_end change = CAPTURE_RUNNING;

	if (w->cut == UINT64_MAX)
		change = find_change(w, now_ns());
	if (w->end == CAPTURE_RUNNING)
		w->end = change;
	if (w->end == CAPTURE_RUNNING && __atomic_load_n(&w->stop, __ATOMIC_ACQUIRE))
		w->end = CAPTURE_STOPPED;
	if (!w->fits)
		w->fits = snapshot_fits(w->plan, w->proc);
}

void watch_stop(struct watch *w)
{
	__atomic_store_n(&w->stop, true, __ATOMIC_RELEASE);
}

uint64_t watch_end_time(const struct watch *w)
{
	return w->cut < w->same_until ? w->cut : w->same_until;
}
