// SPDX-License-Identifier: Apache-2.0
/* filter: see filter.h. */
#define _GNU_SOURCE
#include "inline/filter.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>

#include "proc/privilege.h"

enum { MANY = 256 };	/* most filters of a thread; the kernel allows 32768 instructions in all */

#ifndef PTRACE_SECCOMP_GET_FILTER
#define PTRACE_SECCOMP_GET_FILTER 0x420c
#endif

/* --- the thread's filters --- */

static long get_filter(pid_t tid, size_t i, struct sock_filter *to)
{
	return ptrace(PTRACE_SECCOMP_GET_FILTER, tid, (void *)i, to);
}

static bool read_one(struct filters *f, pid_t tid, size_t i)
{
	long n = get_filter(tid, i, NULL);
	struct filter_program *fp;

	if (n <= 0 || n > BPF_MAXINSNS)
		return false;
	fp = vec_push(&f->programs, sizeof(*fp));
	fp->insns = xcalloc((size_t)n, sizeof(*fp->insns));
	fp->n = (size_t)n;
	return get_filter(tid, i, fp->insns) == n;
}

static int filters_read_all(struct filters *f, pid_t tid)
{
	size_t i = 0;

	while (i < MANY && read_one(f, tid, i))
		i++;
	return i && errno == ENOENT ? 0 : -ENOTSUP;	/* ENOENT: there are no more */
}

/*
 * Reads the filters with CAP_SYS_ADMIN in effect for this moment, if the process has the capability
 * and keeps it out of effect otherwise (attach/bpf.c).
 */
int filters_read(struct filters *f, pid_t tid, int mode)
{
	bool had = privilege_have() & PRIVILEGE_ADMIN;
	int r;

	*f = (struct filters){0};
	if (mode == SECCOMP_MODE_DISABLED)
		return 0;
	if (mode != SECCOMP_MODE_FILTER)
		return -ENOTSUP;
	privilege_raise(PRIVILEGE_ADMIN);
	r = filters_read_all(f, tid);
	if (!had)
		privilege_lower(PRIVILEGE_ADMIN);
	return r;
}

void filters_free(struct filters *f)
{
	size_t i;

	for (i = 0; i < f->programs.len; i++)
		free(vec_at(&f->programs, struct filter_program, i)->insns);
	vec_free(&f->programs);
}

bool filters_allow(const struct filters *f, const struct seccomp_data *call)
{
	const struct filter_program *fp;
	uint32_t answer;
	size_t i;

	for (i = 0; i < f->programs.len; i++) {
		fp = vec_at(&f->programs, struct filter_program, i);
		answer = filter_run(fp->insns, fp->n, call) & SECCOMP_RET_ACTION_FULL;
		if (answer != SECCOMP_RET_ALLOW && answer != SECCOMP_RET_LOG)
			return false;
	}
	return true;
}

/*
 * --- one program (Documentation/networking/filter: classic BPF; kernel/seccomp.c,
 * seccomp_check_filter) ---
 */

struct machine {
	uint32_t a, x, mem[BPF_MEMWORDS];
	const struct seccomp_data *call;
};

static bool filter_load(const struct machine *m, const struct sock_filter *in, uint32_t *to)
{
	switch (BPF_MODE(in->code)) {
	case BPF_ABS:
		if (in->k % 4 || in->k > sizeof(*m->call) - 4)
			return false;
		memcpy(to, (const char *)m->call + in->k, 4);
		return true;
	case BPF_LEN:
		*to = sizeof(*m->call);
		return true;
	case BPF_IMM:
		*to = in->k;
		return true;
	case BPF_MEM:
		*to = in->k < BPF_MEMWORDS ? m->mem[in->k] : 0;
		return in->k < BPF_MEMWORDS;
	}
	return false;
}

static bool filter_store(struct machine *m, const struct sock_filter *in, uint32_t value)
{
	if (in->k >= BPF_MEMWORDS)
		return false;
	m->mem[in->k] = value;
	return true;
}

static bool filter_compute(struct machine *m, const struct sock_filter *in)
{
	uint32_t by = BPF_SRC(in->code) == BPF_X ? m->x : in->k;

	switch (BPF_OP(in->code)) {
	case BPF_ADD: m->a += by; return true;
	case BPF_SUB: m->a -= by; return true;
	case BPF_MUL: m->a *= by; return true;
	case BPF_DIV: m->a = by ? m->a / by : 0; return by;
	case BPF_AND: m->a &= by; return true;
	case BPF_OR: m->a |= by; return true;
	case BPF_XOR: m->a ^= by; return true;
	case BPF_LSH: m->a = by < 32 ? m->a << by : 0; return by < 32;
	case BPF_RSH: m->a = by < 32 ? m->a >> by : 0; return by < 32;
	case BPF_NEG: m->a = -m->a; return true;
	}
	return false;
}

/* Stores in *@over how many instructions the jump passes over. */
static bool filter_jump(const struct machine *m, const struct sock_filter *in, size_t *over)
{
	uint32_t with = BPF_SRC(in->code) == BPF_X ? m->x : in->k;
	bool yes;

	switch (BPF_OP(in->code)) {
	case BPF_JA: *over = in->k; return true;
	case BPF_JEQ: yes = m->a == with; break;
	case BPF_JGT: yes = m->a > with; break;
	case BPF_JGE: yes = m->a >= with; break;
	case BPF_JSET: yes = m->a & with; break;
	default: return false;
	}
	*over = yes ? in->jt : in->jf;
	return true;
}

static bool filter_step(struct machine *m, const struct sock_filter *in, size_t *over)
{
	switch (BPF_CLASS(in->code)) {
	case BPF_LD: return filter_load(m, in, &m->a);
	case BPF_LDX: return filter_load(m, in, &m->x);
	case BPF_ST: return filter_store(m, in, m->a);
	case BPF_STX: return filter_store(m, in, m->x);
	case BPF_ALU: return filter_compute(m, in);
	case BPF_JMP: return filter_jump(m, in, over);
	case BPF_MISC:
		*(BPF_MISCOP(in->code) == BPF_TAX ? &m->x : &m->a) =
			BPF_MISCOP(in->code) == BPF_TAX ? m->a : m->x;
		return true;
	}
	return false;
}

uint32_t filter_run(const struct sock_filter *insns, size_t n, const struct seccomp_data *call)
{
	struct machine m = { .call = call };
	size_t i = 0, over;

	for (; i < n; i += 1 + over) {		/* the index only grows, so that the loop ends */
		over = 0;
		if (BPF_CLASS(insns[i].code) == BPF_RET)
			return BPF_RVAL(insns[i].code) == BPF_A ? m.a : insns[i].k;
		if (!filter_step(&m, &insns[i], &over))
			break;
	}
	return SECCOMP_RET_KILL_THREAD;
}
