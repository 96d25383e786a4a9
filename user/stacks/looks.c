// SPDX-License-Identifier: Apache-2.0
/*
 * looks: reads places and counters of many goroutines at once, and compares two such looks at one
 * goroutine. See goroutines.h.
 */
#include <stdlib.h>
#include <string.h>

#include "live/fields.h"
#include "live/memory.h"
#include "live/pointers.h"
#include "release/release.h"
#include "stacks/goroutines.h"

enum {
	BYTES_PER_G = 64, MAX_GS = 1 << 30,
	SCAN_BIT = 0x1000,
};

int goroutines_list(const struct goroutines_opts *opts, struct pointers *ret, struct error *err)
{
	size_t room = pointers_room(memory_size(opts->proc), BYTES_PER_G, MAX_GS);
	int r = pointers_read(ret, opts->proc, opts->roots->allgs, room, "runtime.allgs",
			      opts->stop, err);

	if (!r)
		pointers_sort(ret, opts->stop);
	return r;
}

/* Returns the bytes of a g up to the last field that is read. */
static size_t looks_bytes_needed(const struct go_offsets *off)
{
	unsigned int last = off->g_labels > off->g_startpc ? off->g_labels : off->g_startpc;

	if (off->g_bubble != GO_OFFSET_NONE && off->g_bubble > last)
		last = off->g_bubble;
	return last + 8u > G_BYTES ? G_BYTES : last + 8u;
}

/*
 * Returns whether the goroutine is a coroutine. runtime.coroswitch_m() changes the status of both
 * sides without casgstatus() and execute(): it counts nothing in g.trackingSeq and does not change
 * g.waitsince. Neither field therefore shows how long a coroutine has waited.
 */
static bool looks_is_coroutine(int minor, uint32_t status, uint8_t reason)
{
	const char *name = status == G_WAITING ? release_wait_name(minor, reason) : NULL;

	return name && !strcmp(name, "Coroutine");
}

static struct g_facts looks_facts_of(const struct plan *plan, const uint8_t *g)
{
	const struct go_offsets *off = &plan->offsets;
	struct g_facts f = {
		.goid = u64_at(g, off->g_goid),
		.lo = u64_at(g, off->g_stack_lo),
		.hi = u64_at(g, off->g_stack_hi),
		.m = u64_at(g, off->g_m),
		.labels = u64_at(g, off->g_labels),
		.wait_since = u64_at(g, off->g_waitsince),
		.status = u32_at(g, off->g_atomicstatus) & ~(uint32_t)SCAN_BIT,
	};
	bool in_syscall = f.status == G_SYSCALL;

	f.pc = u64_at(g, in_syscall ? off->g_syscallpc : off->g_sched_pc);
	f.sp = u64_at(g, in_syscall ? off->g_syscallsp : off->g_sched_sp);
	/* runtime/runtime2.go, gobuf: lr is the word before bp */
	if (plan->arch->has_link && !in_syscall)
		f.link = u64_at(g, off->g_sched_bp - sizeof(f.link));
	if (off->g_tracking_seq != GO_OFFSET_NONE)
		f.sequence = g[off->g_tracking_seq];
	f.coroutine = looks_is_coroutine(plan->minor, f.status, g[off->g_waitreason]);
	if (f.coroutine)
		f.wait_since = 0;
	if (f.status >= G_STATUSES || f.hi < f.lo)
		f.goid = 0;
	return f;
}

/* Reads the tick of the M. Only goroutines in syscalls need it, at most one for each thread. */
static void looks_at_m(const struct goroutines_opts *opts, struct g_facts *f)
{
	const struct go_offsets *off = &opts->plan->offsets;

	if (f->status != G_SYSCALL || !f->m)
		return;
	if (!memory_read(opts->proc, f->m + off->m_oldp, &f->oldp, sizeof(f->oldp)) ||
	    !memory_read(opts->proc, f->m + off->m_syscalltick, &f->tick, sizeof(f->tick)))
		f->m = 0;
}

void goroutines_look(const struct goroutines_opts *opts, const uint64_t *gs, size_t n,
		     struct g_facts *ret, uint8_t *bytes)
{
	size_t i, need = looks_bytes_needed(&opts->plan->offsets);
	struct memory_range *ranges = xcalloc(n, sizeof(*ranges));
	uint8_t *own = bytes ? NULL : xcalloc(n, G_BYTES);

	for (i = 0; i < n; i++)
		ranges[i] = (struct memory_range){ gs[i], (bytes ? bytes : own) + i * G_BYTES, need,
						   false };
	memory_read_each(opts->proc, ranges, n);
	for (i = 0; i < n; i++) {
		ret[i] = (struct g_facts){0};
		if (!ranges[i].ok)
			continue;
		ret[i] = looks_facts_of(opts->plan, ranges[i].to);
		looks_at_m(opts, &ret[i]);
	}
	free(ranges);
	free(own);
}

static bool looks_can_stay(const struct g_facts *f)
{
	return f->goid && f->status != G_RUNNING && f->status != G_COPYSTACK &&
	       (f->status != G_SYSCALL || f->m);
}

bool g_facts_same(const struct g_facts *a, const struct g_facts *b)
{
	if (!looks_can_stay(a) || a->goid != b->goid || a->status != b->status || a->pc != b->pc ||
	    a->sp != b->sp || a->lo != b->lo || a->hi != b->hi || a->sequence != b->sequence ||
	    a->labels != b->labels)
		return false;
	return a->status != G_SYSCALL || (a->m == b->m && a->oldp == b->oldp && a->tick == b->tick);
}

uint64_t g_facts_key(const struct g_facts *f)
{
	bool in_syscall = f->status == G_SYSCALL;
	const uint64_t all[] = {
		f->goid, f->status, f->pc, f->sp, f->lo, f->hi, f->sequence, f->labels,
		in_syscall ? f->m : 0, in_syscall ? f->oldp : 0, in_syscall ? f->tick : 0,
	};
	uint64_t h = 0;
	size_t i;

	if (!looks_can_stay(f))
		return 0;
	for (i = 0; i < sizeof(all) / sizeof(*all); i++)
		h = hash64_seeded(h ^ all[i]) + i;
	return h ? h : 1;
}
