// SPDX-License-Identifier: Apache-2.0
/* watch: see watch.h. */
#include "capture/watch.h"

#include "base/clock.h"
#include "live/memory.h"
#include "live/module.h"

enum { SLOW_LOOKS = 10 };	/* one look in so many also reads /proc, which takes longer */

void watch_init(struct watch *w, struct process *proc, const struct bpf_side *bpf)
{
	uint64_t now = now_ns();

	*w = (struct watch){ .proc = proc, .bpf = bpf, .cut = UINT64_MAX, .same_until = now,
			     .no_exec_until = now };
}

static bool is_slow_look(const struct watch *w)
{
	return w->looks % SLOW_LOOKS == 0;
}

/*
 * Returns whether the code has moved: two looks in a row must have found that, since /proc/PID/maps
 * is incomplete while the program execs.
 */
static bool has_moved(struct watch *w)
{
	bool before = w->seems_moved;

	if (!before && !is_slow_look(w))
		return false;
	w->seems_moved = bpf_text_moved(w->bpf);
	return before && w->seems_moved;
}

static enum capture_end find_end(struct watch *w)
{
	/* gotap sees the constructor at work, which runs before any of the plugin's code */
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
	return end == CAPTURE_PLUGIN || end == CAPTURE_UNPROBED || end == CAPTURE_PAUSED;
}

/*
 * Returns whether the program called exec, by /proc. Each look reads /proc if the BPF programs do
 * not report execs, or if @found is an end, which may be the consequence of an exec. In all other
 * cases the BPF programs report the exec first, and slow looks are enough.
 */
static bool watch_has_execed(struct watch *w, enum capture_end found, uint64_t since)
{
	bool execed;

	if (found == CAPTURE_RUNNING && bpf_watches_exec(w->bpf) && !is_slow_look(w))
		return false;
	execed = process_execed(w->proc);
	if (!execed)
		w->no_exec_until = since;
	return execed;
}

/*
 * Looks for each kind of end; an exec comes last. @since: a time before the first of these looks.
 */
static enum capture_end find_change(struct watch *w, uint64_t since)
{
	enum capture_end end;
	uint64_t exec;

	w->looks++;
	end = find_end(w);
	if (watch_has_execed(w, end, since))
		end = CAPTURE_EXECED;
	exec = bpf_exec_time(w->bpf);
	if (exec) {
		w->cut = exec;
		return CAPTURE_EXECED;
	}
	if (end == CAPTURE_EXECED)
		w->cut = w->no_exec_until;
	else if (makes_records_false(end))
		w->cut = w->same_until;
	if (end == CAPTURE_RUNNING)
		__atomic_store_n(&w->same_until, since, __ATOMIC_RELEASE);
	return end;
}

static bool watch_shall_stop(const struct watch *w)
{
	uint64_t until = __atomic_load_n(&w->until, __ATOMIC_ACQUIRE);

	return __atomic_load_n(&w->stop, __ATOMIC_ACQUIRE) || (until && now_ns() > until);
}

/*
 * Looks at the program. Called after the end was decided, too: an exec during the last rounds still
 * sets w->cut.
 */
void watch_look(struct watch *w)
{
	enum capture_end change = CAPTURE_RUNNING;

	if (w->cut == UINT64_MAX)
		change = find_change(w, now_ns());
	if (w->end == CAPTURE_RUNNING)
		w->end = change;
	if (w->end == CAPTURE_RUNNING && watch_shall_stop(w))
		w->end = CAPTURE_STOPPED;
}

bool watch_has_looked(const struct watch *w, uint64_t since)
{
	return __atomic_load_n(&w->same_until, __ATOMIC_ACQUIRE) >= since ||
	       __atomic_load_n(&w->end, __ATOMIC_ACQUIRE) != CAPTURE_RUNNING;
}

void watch_stop(struct watch *w)
{
	__atomic_store_n(&w->stop, true, __ATOMIC_RELEASE);
}

void watch_stop_at(struct watch *w, uint64_t time)
{
	__atomic_store_n(&w->until, time, __ATOMIC_RELEASE);
}

uint64_t watch_end_time(const struct watch *w)
{
	return w->cut < w->same_until ? w->cut : w->same_until;
}
