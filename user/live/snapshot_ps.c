// SPDX-License-Identifier: Apache-2.0
/*
 * snapshot_ps: the Ps of a snapshot, from runtime.allp (a slice of pointers; pointers.h), and the
 * Ms, which are found through g.m and p.m.
 */
#include "live/snapshot_internal.h"

#include <errno.h>

#include "base/clock.h"
#include "live/fields.h"
#include "live/memory.h"

enum {
	M_SIZE = 2048,		/* covers every field that is read, in all releases */
	P_SIZE = 64,
	/* the least memory that a P takes in the program, in all releases */
	BYTES_PER_P = 1024,
	MAX_PS = 1 << 16,
};

/* --- Ms --- */

struct m_fact *snapshot_m(struct snapshot_reader *rd, uint64_t m)
{
	const struct go_offsets *off = &rd->plan->offsets;
	uint8_t bytes[M_SIZE];
	struct m_fact *fact;
	uint64_t *slot;
	bool is_new;

	if (!m)
		return NULL;
	slot = map64_put(&rd->ms, m, &is_new);
	if (!is_new)
		return *slot ? vec_at(&rd->m_facts, struct m_fact, *slot - 1) : NULL;
	/* syscalltick is the last of the fields */
	if (!memory_read(rd->proc, m, bytes, off->m_syscalltick + 4u))
		return NULL;
	fact = vec_push(&rd->m_facts, sizeof(*fact));
	fact->tid = thread_ids_of(&rd->tids, u64_at(bytes, off->m_procid));
	fact->oldp = u64_at(bytes, off->m_oldp);
	fact->syscalltick = u32_at(bytes, off->m_syscalltick);
	*slot = rd->m_facts.len;
	return fact;
}

/* --- Ps --- */

static int list_ps(const struct snapshot_reader *rd, struct pointers *ret, struct error *err)
{
	return pointers_read(ret, rd->proc, rd->roots->allp,
			     pointers_room(rd->size, BYTES_PER_P, MAX_PS), "runtime.allp", rd->stop,
			     err);
}

int snapshot_names(const struct plan *plan, const struct process *proc,
		   const struct roots *roots, struct buf *out, struct error *err)
{
	struct snapshot_reader rd = { .plan = plan, .proc = proc, .roots = roots, .out = out,
				      .now = now_ns(), .size = memory_size(proc) };
	struct pointers ps;
	size_t i;
	int r = list_ps(&rd, &ps, err);

	for (i = 0; i < ps.n && !r; i++) {
		struct rec rec = { .time = rd.now, .kind = REC_SNAP_P_NAME, .ptr = ps.at[i] };
		int32_t id;

		if (!memory_read(proc, ps.at[i] + plan->offsets.p_id, &id, sizeof(id)))
			continue;
		if (id != (int32_t)i)
			r = error_set(
				err, -EINVAL,
				"allp[%zu].id of process %d is %d: the field offsets do not fit "
				"this program",
				i, proc->pid, id);
		rec.id = (uint64_t)id;
		if (!r)
			buf_add(out, &rec, sizeof(rec));
	}
	pointers_free(&ps);
	return r;
}

/*
 * A key that joins a P in a syscall and its thread. Up to Go 1.25 such a P (status 2) has no m; its
 * thread is the one with this P as m.oldp and with the same tick.
 */
static uint64_t syscall_key(uint64_t p, uint32_t tick)
{
	return hash64(p) ^ tick;
}

static void find_syscalls(struct snapshot_reader *rd)
{
	size_t i;
	bool is_new;

	for (i = 0; i < rd->m_facts.len; i++) {
		const struct m_fact *f = vec_at(&rd->m_facts, struct m_fact, i);
		uint64_t *tid =
			map64_put(&rd->syscalls, syscall_key(f->oldp, f->syscalltick), &is_new);

		if (f->oldp && is_new)
			*tid = f->tid;
	}
}

static uint32_t syscall_holder(struct snapshot_reader *rd, uint64_t p, uint32_t tick)
{
	const uint64_t *tid = map64_get(&rd->syscalls, syscall_key(p, tick));

	return tid ? (uint32_t)*tid : 0;
}

static void take_p(struct snapshot_reader *rd, uint64_t ptr, size_t id)
{
	enum { P_IN_SYSCALL = 2 };
	const struct go_offsets *off = &rd->plan->offsets;
	uint8_t p[P_SIZE];
	const struct m_fact *m;
	struct rec_long *l;
	uint32_t tid = 0;

	if (!memory_read(rd->proc, ptr, p, sizeof(p)))
		return;
	m = snapshot_m(rd, u64_at(p, off->p_m));
	if (m)
		tid = m->tid;
	else if (u32_at(p, off->p_status) == P_IN_SYSCALL)
		tid = syscall_holder(rd, ptr, u32_at(p, off->p_syscalltick));
	l = snapshot_add(rd, REC_SNAP_P);
	l->r.id = id;
	l->r.ptr = ptr;
	l->r.tid = tid;
	l->r.sub = u32_at(p, off->p_status) == P_IN_SYSCALL;
}

int snapshot_take_ps(struct snapshot_reader *rd, struct snapshot_counts *counts, struct error *err)
{
	struct pointers ps;
	size_t i;
	int r = list_ps(rd, &ps, err);

	if (!r)
		find_syscalls(rd);
	for (i = 0; i < ps.n && !r; i++)
		take_p(rd, ps.at[i], i);
	counts->procs = ps.n;
	pointers_free(&ps);
	return r;
}
