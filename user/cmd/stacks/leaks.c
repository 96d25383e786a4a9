// SPDX-License-Identifier: Apache-2.0
/*
 * leaks: the runtime's own search for leaked goroutines (runtime/mgc.go, Go 1.26 and later): a
 * collection that marks what goroutines that can run reach, and finds those that wait for something
 * that is not reached. Their status becomes _Gleaked. It takes place if work.goroutineLeak.pending
 * is set when a collection begins; the program sets it for the profile goroutineleak. See stacks.h.
 *
 * The flag may be cleared without a collection: by another gotap that waits no longer. So a
 * collection has taken it up only if .enabled was seen, or the collector's cycle (mProfCycle) has
 * moved: gcMarkTermination counts the cycle before it clears .enabled.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cmd/pause.h"
#include "cmd/stacks/stacks.h"
#include "live/memory.h"
#include "target/profile_vars.h"

enum { MINOR_LEAKS = 26 };

int stacks_check_leaks(const struct stacks *s, struct error *err)
{
	if (s->plan.minor >= MINOR_LEAKS)
		return 0;
	return error_set(err, -ENOTSUP,
			 "the runtime of process %d (%s) does not look for leaked goroutines: that "
			 "came with Go 1.26; --watch TIME --still shows which ones do not run",
			 s->look.proc.pid, s->plan.go_version);
}

/* goroutineLeak.pending and .enabled, which lie side by side. */
struct leak_flags {
	uint8_t pending, enabled;
};

/* What a look finds, read in this order. */
struct leak_look {
	uint32_t before;		/* the collector's cycle */
	struct leak_flags flags;
	uint32_t after;			/* the cycle again */
};

struct leak_wish {
	uint64_t flags, cycle;		/* addresses in memory */
	bool asked;			/* gotap has set the flag, not the program itself */
};

static int leaks_read(const struct stacks *s, uint64_t addr, struct leak_flags *ret,
		      struct error *err)
{
	if (!memory_read(&s->look.proc, addr, ret, sizeof(*ret)))
		return memory_error(&s->look.proc, NULL, "runtime.work", err);
	if (ret->pending > 1 || ret->enabled > 1)
		return error_set(err, -EINVAL,
				 "runtime.work of process %d is not where a program of %s has it",
				 s->look.proc.pid, s->plan.go_version);
	return 0;
}

static int leaks_cycle(const struct stacks *s, uint64_t addr, uint32_t *ret, struct error *err)
{
	if (!memory_read(&s->look.proc, addr, ret, sizeof(*ret)))
		return memory_error(&s->look.proc, NULL, "runtime.mProfCycle", err);
	*ret >>= 1;		/* bit 0: flushed */
	return 0;
}

static int leaks_look(const struct stacks *s, const struct leak_wish *w, struct leak_look *ret,
		      struct error *err)
{
	int r = leaks_cycle(s, w->cycle, &ret->before, err);

	if (!r)
		r = leaks_read(s, w->flags, &ret->flags, err);
	return r ? r : leaks_cycle(s, w->cycle, &ret->after, err);
}

static int leaks_write(struct stacks *s, struct leak_wish *w, uint8_t value, struct error *err)
{
	int r = look_hold_memory(&s->look, err);

	w->asked |= !r && value;
	if (r || pwrite(s->look.proc.writable, &value, 1, (off_t)w->flags) == 1)
		return r;
	return error_set(err, -errno, "cannot write to the memory of process %d: %s",
			 s->look.proc.pid, strerror(errno));
}

/*
 * Waits until the collection that takes up the flag is over. @last: a look at the flag when it was
 * set, or before.
 */
static int leaks_await(struct stacks *s, struct leak_wish *w, struct leak_look last,
		       struct error *err)
{
	const double look = 0.02;
	uint64_t until = now_ns() + (uint64_t)(s->o->within * 1e9);
	struct leak_look now;
	bool began = false;
	int r;

	do {
		r = leaks_look(s, w, &now, err);
		if (r)
			return r;
		if (now.flags.pending)
			last = now;
		else if (now.flags.enabled)
			began = true;
		else if (began || now.after != last.before)
			return 0;
		else	/* another gotap has cleared it */
			r = leaks_write(s, w, 1, err);
		if (r)
			return r;
		if (!pause_for(look))
			return error_set(err, -EINTR, "ended by a signal before a collection of "
					 "process %d was over", s->look.proc.pid);
	} while (now_ns() < until);
	return error_set(err, -ETIMEDOUT,
			 "process %d has %s within %g s: --within TIME waits for longer",
			 s->look.proc.pid,
			 now.flags.enabled ? "not ended the collection that looks for leaks" :
					     "begun no collection",
			 s->o->within);
}

int stacks_detect_leaks(struct stacks *s, struct error *err)
{
	struct profile_vars vars;
	struct leak_wish w = {0};
	struct leak_look first;
	struct error none;
	int r;

	profile_vars_find(s->look.bin, &vars);
	if (!vars.leak_pending || !vars.cycle)
		return error_set(err, -ENOENT, "process %d: runtime.%s was not found in the code "
				 "of this program", s->look.proc.pid,
				 vars.leak_pending ? "mProfCycle" : "work.goroutineLeak");
	w.flags = vars.leak_pending + s->look.proc.bias;
	w.cycle = vars.cycle + s->look.proc.bias;
	r = leaks_look(s, &w, &first, err);
	if (r)
		return r;
	pause_catch();
	if (!first.flags.pending)
		r = leaks_write(s, &w, 1, err);
	if (!r)
		r = leaks_await(s, &w, first, err);
	if (r && w.asked)
		leaks_write(s, &w, 0, &none);
	pause_release();
	return r;
}
