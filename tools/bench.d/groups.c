// SPDX-License-Identifier: Apache-2.0
/*
 * groups: what each group of events costs in process PID, which must be at work
 * meanwhile, for MS milliseconds. One line per group, in ns of an empty uprobe:
 *
 *	group NAME HITS RECORDS NS
 *	empty NS_EMULATED NS_STEPPED
 *
 * A hit costs what an empty uprobe costs, on an instruction that the kernel
 * emulates or on one that it steps through, and what the kernel counts for the
 * program beyond an empty one. The empty uprobes are measured in this process.
 *
 *	groups PID MS
 */
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "attach/bpf.h"
#include "rings/ring_set.h"
#include "live/module.h"
#include "plan/plan.h"
#include "plan/size_class.h"
#include "live/process.h"
#include "attach/sampler.h"
#include "floor.skel.h"
#include "progstat.h"
#include "op_kind.h"
#include "record.h"
#include "target/x86/insn.h"

enum { DRAIN_NS = 5000000, CALLS = 2000, ROUNDS = 20, CPU_HZ = 1000, MAX_INSN = 15 };

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

/* --- empty uprobes --- */

/* A nop is emulated, lea is not. */
__asm__(".text\n.type probed_emulated, @function\nprobed_emulated: nop\nret\n"
	".type probed_stepped, @function\nprobed_stepped: lea 1(%rdi), %rax\nret\n");
void probed_emulated(void);
void probed_stepped(void);

static uint64_t time_calls(void (*fn)(void))
{
	uint64_t begin = clock_ns(CLOCK_THREAD_CPUTIME_ID), i;

	for (i = 0; i < CALLS; i++)
		fn();
	return (clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin) / CALLS;
}

/* Offset in this file of an address in it, by the mapping that holds it. */
static size_t file_offset(const void *addr)
{
	uint64_t start, end, offset, at = (uintptr_t)addr;
	FILE *f = fopen("/proc/self/maps", "re");
	char line[512];
	size_t ret = 0;

	while (f && fgets(line, sizeof(line), f))
		if (sscanf(line, "%lx-%lx %*s %lx", &start, &end, &offset) == 3 && start <= at &&
		    at < end)
			ret = at - start + offset;
	if (f)
		fclose(f);
	return ret;
}

/* The least of some rounds: others that run meanwhile only add to it. 0 if it cannot be had. */
static uint64_t empty_uprobe(struct floor_bpf *skel, void (*fn)(void))
{
	struct bpf_link *link = bpf_program__attach_uprobe(skel->progs.floor_probe, false, getpid(),
							   "/proc/self/exe", file_offset(fn));
	uint64_t best = UINT64_MAX, ns;
	int i;

	if (!link)
		return 0;
	for (i = 0; i < ROUNDS; i++) {
		ns = time_calls(fn);
		if (ns < best)
			best = ns;
	}
	bpf_link__destroy(link);
	return best;
}

struct empty {
	double emulated, stepped;	/* ns of a hit */
	double program;			/* what the kernel counts of that for the program */
};

static int measure_empty(struct empty *e)
{
	struct floor_bpf *skel = floor_bpf__open_and_load();
	struct bpf_prog_info info;

	if (!skel)
		return -errno;
	e->emulated = (double)empty_uprobe(skel, probed_emulated);
	e->stepped = (double)empty_uprobe(skel, probed_stepped);
	if (program_stat(bpf_program__fd(skel->progs.floor_probe), &info) && info.run_cnt)
		e->program = (double)info.run_time_ns / (double)info.run_cnt;
	floor_bpf__destroy(skel);
	return e->emulated > 0 && e->stepped > 0 ? 0 : -EINVAL;
}

/* --- gotap's --- */

struct round {
	const struct plan *plan;
	const struct gobin *bin;
	struct process *proc;
	struct empty empty;
	uint64_t length_ns;
	uint64_t records[GROUPS];
	struct progstat from, to;
};

/* database/sql has the kinds from SQL_QUERY to SQL_ROWS, gRPC those from GRPC_SERVED on. */
static enum group group_of_op(const struct rec *rec)
{
	unsigned int kind = rec->flags & OP_KIND_MASK;

	if (kind >= OP_GRPC_SERVED)
		return GROUP_GRPC;
	return kind >= OP_SQL_QUERY && kind <= OP_SQL_ROWS ? GROUP_SQL : GROUP_HTTP;
}

static enum group group_of(uint8_t kind)
{
	static const struct { uint8_t first, last; enum group group; } of[] = {
		{ REC_GO_START, REC_GO_SWITCH_DEAD, GROUP_SCHED },
		{ REC_SYS_ENTER, REC_EXTRA_LEAVE, GROUP_SYSCALL },
		{ REC_P_START, REC_P_STOP, GROUP_SCHED },
		{ REC_P_STEAL, REC_P_HANDOFF, GROUP_SYSCALL },
		{ REC_PROCS, REC_PROCS, GROUP_SCHED },
		{ REC_GSTACK_ALLOC, REC_GSTACK_FREE, GROUP_STACKS },
		{ REC_SPAN_ALLOC, REC_SPAN_FREE, GROUP_SPANS },
		{ REC_OBJECT_ALLOC, REC_OBJECT_FREE, GROUP_OBJECTS },
		{ REC_CPU_LEAF, REC_CPU_LEAF, GROUP_CPU },
		{ REC_STW_BEGIN, REC_STW_END, GROUP_SCHED },
		{ REC_GC_BEGIN, REC_ASSIST_END, GROUP_GC },
		{ REC_HEAP_ALLOC, REC_HEAP_GOAL, GROUP_HEAP },
		{ REC_USER_TASK_BEGIN, REC_USER_LOG, GROUP_USER },
		{ REC_USER_LABELS, REC_USER_LABELS, GROUP_LABELS },
		{ REC_ALLOC_SAMPLED, REC_SAMPLE_FREED, GROUP_ALLOC },
		{ REC_HTTP_BEGIN, REC_HTTP_END, GROUP_HTTP },
		{ REC_CPU_SAMPLE, REC_CPU_SAMPLE, GROUP_CPU },
		{ REC_SWEEP_SPAN, REC_SWEEP_MARK, GROUP_SWEEP },
	};
	size_t i;

	for (i = 0; i < sizeof(of) / sizeof(of[0]); i++)
		if (of[i].first <= kind && kind <= of[i].last)
			return of[i].group;
	return GROUPS;
}

static void count_records(struct round *r, const struct buf *b)
{
	size_t at, n;

	for (at = 0; at < b->len; at += n) {
		const struct rec *rec = (const struct rec *)(b->data + at);
		enum group g = rec->kind == REC_OP_BEGIN || rec->kind == REC_OP_END ||
				rec->kind == REC_OP_NOTE || rec->kind == REC_OP_STEP ?
					group_of_op(rec) : group_of(rec->kind);

		n = record_size(rec, b->len - at);
		if (!n)
			return;
		if (g < GROUPS)
			r->records[g]++;
	}
}

static void drain(struct round *r, struct bpf_side *side)
{
	struct buf b = {0};
	size_t i;

	for (i = 0; i < bpf_rings(side)->rings.len; i++) {
		b.len = 0;
		ring_drain(vec_at(&bpf_rings(side)->rings, struct ring, i), &b);
		count_records(r, &b);
	}
	buf_free(&b);
}

static void record(struct round *r, struct bpf_side *side)
{
	struct timespec pause = { .tv_nsec = DRAIN_NS };
	uint64_t end = clock_ns(CLOCK_MONOTONIC) + r->length_ns;

	progstat_read(&r->from);
	bpf_activate(side);
	bpf_names_known(side, 0, 0);
	while (clock_ns(CLOCK_MONOTONIC) < end) {
		nanosleep(&pause, NULL);
		drain(r, side);
	}
	bpf_deactivate(side);
	progstat_read(&r->to);
	bpf_detach(side, BPF_ALL);
	drain(r, side);
}

static int run(struct round *r, struct error *err)
{
	struct bpf_opts opts = { .stack_depth = 127, .cpu_hz = CPU_HZ, .object_min = OBJECT_MIN };
	struct sampler sampler = {0};
	struct bpf_side *side = NULL;
	int e = bpf_load(&side, r->plan, r->proc, &opts, err);

	if (!e)
		e = bpf_attach(side, BPF_ALL, err);
	if (!e)
		e = sampler_start(&sampler, r->proc, bpf_sampling_program(side), CPU_HZ, err);
	if (!e)
		record(r, side);
	sampler_stop(&sampler);
	bpf_free(side);
	return e;
}

static bool is_emulated(const struct round *r, uint64_t addr)
{
	const uint8_t *code = gobin_bytes(r->bin, addr, MAX_INSN);
	struct x86_insn insn;

	return code && !x86_decode(&insn, code, MAX_INSN) && x86_is_emulated(&insn);
}

/* An empty uprobe where @p sits; if in several places, where it is dearest. */
static double trap_ns(const struct round *r, enum program p)
{
	size_t i;

	for (i = 0; i < r->plan->points.len; i++) {
		const struct probe_point *pt = vec_at(&r->plan->points, struct probe_point, i);

		if (pt->program == p && !is_emulated(r, pt->addr))
			return r->empty.stepped;
	}
	return r->empty.emulated;
}

static void print_groups(const struct round *r)
{
	double hits[GROUPS] = {0}, ns[GROUPS] = {0};
	struct progdiff d = progstat_diff(&r->from, &r->to, "cpu_sample");
	enum program p;
	enum group g;

	for (p = 0; p < PROGRAMS; p++) {
		struct progdiff of = progstat_diff(&r->from, &r->to, program_name(p));

		g = plan_group_of(p);
		if (!of.found)
			continue;
		hits[g] += of.runs;
		ns[g] += of.ns + of.runs * (trap_ns(r, p) - r->empty.program);
	}
	hits[GROUP_CPU] = d.runs;	/* an interrupt, no trap */
	ns[GROUP_CPU] = d.ns;
	for (g = 0; g < GROUPS; g++)
		printf("group %s %.0f %lu %.0f\n", group_name(g), hits[g], r->records[g], ns[g]);
	printf("empty %.0f %.0f\n", r->empty.emulated, r->empty.stepped);
}

static int prepare(struct round *r, struct plan *plan, struct gobin **bin, pid_t pid,
		   struct error *err)
{
	struct vec plugins = {0};
	struct procfs fs;
	int e = procfs_open(&fs, NULL, err);

	if (!e)
		e = process_open(r->proc, &fs, pid, err);
	if (!e)
		e = module_open(r->proc, bin, &plugins, err);
	plugins_free(&plugins);
	return e ? e : plan_make(plan, *bin, (1u << GROUPS) - 1, err);
}

int main(int argc, char **argv)
{
	struct process proc = PROCESS_CLOSED;
	struct gobin *bin = NULL;
	struct plan plan = {0};
	struct error err = {0};
	static struct round r;
	int e;

	if (argc != 3) {
		fputs("usage: groups PID MS\n", stderr);
		return 2;
	}
	r.plan = &plan;
	r.proc = &proc;
	r.length_ns = strtoull(argv[2], NULL, 10) * 1000000;
	e = stats_on() < 0 ? -errno : measure_empty(&r.empty);
	if (e)
		error_set(&err, e, "cannot measure empty uprobes (root?): %s", strerror(-e));
	if (!e)
		e = prepare(&r, &plan, &bin, atoi(argv[1]), &err);
	r.bin = bin;
	if (!e)
		e = run(&r, &err);
	if (e)
		fprintf(stderr, "groups: %s\n", err.text);
	else
		print_groups(&r);
	plan_release(&plan);
	gobin_free(bin);
	process_close(&proc);
	return e ? 1 : 0;
}
