// SPDX-License-Identifier: Apache-2.0
/*
 * leaks: the runtime's own search for leaked goroutines (runtime/mgc.go, Go 1.26 and later): a
 * collection that marks what goroutines that can run reach, and finds those that wait for something
 * that is not reached. Their status becomes _Gleaked. It takes place if work.goroutineLeak.pending
 * is set when a collection begins; the program sets it for the profile goroutineleak. See stacks.h.
 */
#include <errno.h>
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

static bool leaks_write(struct stacks *s, uint64_t addr, uint8_t value)
{
	struct process *p = &s->look.proc;

	if (p->writable < 0)
		process_hold_memory(p);
	return p->writable >= 0 && pwrite(p->writable, &value, 1, (off_t)addr) == 1;
}

/* Waits until the collection that takes up @addr is over. */
static int leaks_await(struct stacks *s, uint64_t addr, struct error *err)
{
	const double look = 0.02;
	uint64_t until = now_ns() + (uint64_t)(s->o->within * 1e9);
	struct leak_flags flags;
	int r;

	do {
		r = leaks_read(s, addr, &flags, err);
		if (r || (!flags.pending && !flags.enabled))
			return r;
		if (!pause_for(look))
			return error_set(err, -EINTR, "ended by a signal before a collection of "
					 "process %d was over", s->look.proc.pid);
	} while (now_ns() < until);
	return error_set(err, -ETIMEDOUT,
			 "process %d has %s within %g s: --within TIME waits for longer",
			 s->look.proc.pid,
			 flags.enabled ? "not ended the collection that looks for leaks" :
					 "begun no collection",
			 s->o->within);
}

int stacks_detect_leaks(struct stacks *s, struct error *err)
{
	struct profile_vars vars;
	struct leak_flags flags;
	uint64_t addr;
	int r;

	profile_vars_find(s->look.bin, &vars);
	if (!vars.leak_pending)
		return error_set(err, -ENOENT, "process %d: runtime.work.goroutineLeak was not "
				 "found in the code of this program", s->look.proc.pid);
	addr = vars.leak_pending + s->look.proc.bias;
	r = leaks_read(s, addr, &flags, err);
	if (r)
		return r;
	pause_catch();
	if (!flags.pending && !leaks_write(s, addr, 1))
		return error_set(err, -EPERM,
				 "cannot write to the memory of process %d: run gotap as root or "
				 "with CAP_SYS_PTRACE and CAP_DAC_OVERRIDE", s->look.proc.pid);
	r = leaks_await(s, addr, err);
	if (r && !flags.pending)	/* the program has not asked for it itself */
		leaks_write(s, addr, 0);
	return r;
}
