// SPDX-License-Identifier: Apache-2.0
/* profile_vars: see profile_vars.h. */
#include "target/profile_vars.h"

#include <stddef.h>

#include "target/code.h"

enum {
	MOST = 64,		/* variables of one function; gcMarkTermination has the most */
	MINOR_LEAKS = 26,	/* the first release that can look for leaked goroutines */
	MINOR_CYCLE_HOLDER = 19,
	LEAK_COUNT = 8,		/* offset of goroutineLeak.count from .pending */
};

/* The variables that a function names, in the order of its instructions. */
struct named {
	uint64_t at[MOST];
	size_t n;
	bool whole;
};

static struct named vars_of(const struct gobin *b, const char *function)
{
	struct named ret = {0};
	struct gobin_func fn;

	if (!gobin_func(b, function, &fn))
		ret.n = code_globals(b, &fn, ret.at, MOST, &ret.whole);
	return ret;
}

static uint64_t vars_first(const struct gobin *b, const char *function)
{
	struct named v = vars_of(b, function);

	return v.n ? v.at[0] : 0;
}

static bool vars_has(const struct named *v, uint64_t addr)
{
	size_t i;

	for (i = 0; i < v->n; i++)
		if (v->at[i] == addr)
			return true;
	return false;
}

static void vars_find_lists(const struct gobin *b, struct profile_vars *ret)
{
	struct named flush = vars_of(b, "runtime.mProf_FlushLocked");
	struct named all = vars_of(b, "runtime.stkbucket");
	size_t i;

	if (!flush.n || !flush.whole)
		return;
	ret->mbuckets = flush.at[flush.n - 1];
	for (i = 0; i + 2 < all.n; i++) {
		if (all.at[i] != ret->mbuckets)
			continue;
		ret->xbuckets = all.at[i + 1];
		ret->bbuckets = all.at[i + 2];
	}
}

static uint64_t vars_either(const struct gobin *b, const char *function, const char *other)
{
	uint64_t first = vars_first(b, function);

	return first ? first : vars_first(b, other);
}

/* runtime.GC alone calls mProf_PostSweep: a program without that call has no such function. */
static uint64_t vars_cycle(const struct gobin *b)
{
	if (gobin_go_minor(b) < MINOR_CYCLE_HOLDER)
		return vars_first(b, "runtime.mProf_FlushLocked");
	return vars_either(b, "runtime.mProf_Flush", "runtime.mProf_PostSweep");
}

/* profilealloc names mcache0, too, which procresize clears. */
static uint64_t vars_rate(const struct gobin *b)
{
	struct named alloc = vars_of(b, "runtime.profilealloc");
	struct named resize = vars_of(b, "runtime.procresize");
	size_t i;

	for (i = 0; i < alloc.n && resize.whole; i++)
		if (!vars_has(&resize, alloc.at[i]))
			return alloc.at[i];
	return 0;
}

static uint64_t vars_leak_pending(const struct gobin *b)
{
	struct named start = vars_of(b, "runtime.gcStart"), done = vars_of(b, "runtime.gcMarkDone");
	struct named find = vars_of(b, "runtime.findGoroutineLeaks");
	uint64_t found = 0, at;
	size_t i;

	for (i = 0; i < start.n; i++) {
		at = start.at[i];
		if (!vars_has(&start, at + 1) || !vars_has(&done, at + 1) ||
		    !vars_has(&done, at + 2) || !vars_has(&find, at + LEAK_COUNT))
			continue;
		if (found)
			return 0;
		found = at;
	}
	return found;
}

void profile_vars_by_code(const struct gobin *b, struct profile_vars *ret)
{
	*ret = (struct profile_vars){ .cycle = vars_cycle(b), .rate = vars_rate(b) };
	vars_find_lists(b, ret);
	ret->block_rate = vars_either(b, "runtime.blockevent", "runtime.blocksampled");
	ret->mutex_rate =
		vars_either(b, "runtime.SetMutexProfileFraction", "runtime.mutexevent");
	if (gobin_go_minor(b) >= MINOR_LEAKS)
		ret->leak_pending = vars_leak_pending(b);
}

void profile_vars_find(const struct gobin *b, struct profile_vars *ret)
{
	const struct {
		const char *name;
		uint64_t *at;
	} symbols[] = {
		{ "runtime.mbuckets", &ret->mbuckets },
		{ "runtime.xbuckets", &ret->xbuckets },
		{ "runtime.bbuckets", &ret->bbuckets },
		{ gobin_go_minor(b) < MINOR_CYCLE_HOLDER ? "runtime.mProf" : "runtime.mProfCycle",
		  &ret->cycle },
		{ "runtime.MemProfileRate", &ret->rate },
		{ "runtime.blockprofilerate", &ret->block_rate },
		{ "runtime.mutexprofilerate", &ret->mutex_rate },
	};
	uint64_t addr;
	size_t i;

	profile_vars_by_code(b, ret);
	for (i = 0; i < sizeof(symbols) / sizeof(symbols[0]); i++)
		if (!gobin_data_symbol(b, symbols[i].name, &addr))
			*symbols[i].at = addr;
}
