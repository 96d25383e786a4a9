// SPDX-License-Identifier: Apache-2.0
/*
 * kinds: what each BPF program of gotap, and each kind of record, costs in
 * process PID, which must be at work meanwhile. One line each:
 *
 *	program NAME RUNS NS_PER_RUN INSTRUCTIONS
 *	kind NAME RECORDS NS_PER_RECORD
 *
 * casgstatus serves many kinds. What it costs where it sends nothing is known
 * (NONE_NS), so a round for each kind alone tells the rest; GoStart needs no
 * call site and is always sent, so its round is one without call sites.
 *
 *	kinds PID MS STACK_DEPTH NONE_NS
 *	kinds PID MS STACK_DEPTH
 *
 * The latter finds out NONE_NS: it lets the program run where each syscall
 * begins, in a process that makes many, which is no transition to it.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attach/bpf.h"
#include "rings/ring_set.h"
#include "live/module.h"
#include "plan/plan.h"
#include "live/process.h"
#include "progstat.h"
#include "record.h"

enum { ALL = 256, DRAIN_NS = 5000000, SHARE = 20 };

static const char *const kind_names[256] = {
	[REC_GO_START] = "GoStart",
	[REC_GO_PARK] = "GoPark",
	[REC_GO_STOP] = "GoStop",
	[REC_GO_DEAD] = "GoDead",
	[REC_GO_READY] = "GoReady",
	[REC_GO_CREATE] = "GoCreate",
	[REC_GO_CREATE_BLOCKED] = "GoCreateBlocked",
	[REC_SYS_ENTER] = "SyscallEnter",
	[REC_SYS_EXIT] = "SyscallExit",
	[REC_SYS_EXIT_NOP] = "SyscallExitNoP",
};

struct round {
	const struct plan *plan;
	const struct process *proc;
	struct bpf_opts opts;
	uint64_t length_ns;
	uint64_t records[256];
	struct progstat from, to;	/* while records flowed */
};

static uint64_t now(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static void count_records(struct round *r, const struct buf *b)
{
	size_t at, n;

	for (at = 0; at < b->len; at += n) {
		const struct rec *rec = (const struct rec *)(b->data + at);

		n = record_size(rec, b->len - at);
		if (!n)
			return;
		r->records[rec->kind]++;
	}
}

static void drain(struct round *r, struct bpf_side *side, struct buf *b)
{
	size_t i;

	for (i = 0; i < bpf_rings(side)->rings.len; i++) {
		b->len = 0;
		ring_drain(vec_at(&bpf_rings(side)->rings, struct ring, i), b);
		count_records(r, b);
	}
}

static void record(struct round *r, struct bpf_side *side)
{
	struct timespec pause = { .tv_nsec = DRAIN_NS };
	uint64_t end = now() + r->length_ns;
	struct buf b = {0};

	progstat_read(&r->from);
	bpf_activate(side);
	bpf_names_known(side, 0, 0);	/* as while a recording lasts */
	while (now() < end) {
		nanosleep(&pause, NULL);
		drain(r, side, &b);
	}
	bpf_deactivate(side);
	progstat_read(&r->to);
	bpf_detach(side, BPF_ALL);
	drain(r, side, &b);
	buf_free(&b);
}

static void print_programs(const struct round *r)
{
	enum program p;

	for (p = 0; p < PROGRAMS; p++) {
		struct progdiff d = progstat_diff(&r->from, &r->to, program_name(p));

		if (d.found)
			printf("program %s %.0f %.1f %u\n", program_name(p), d.runs,
			       d.runs > 0 ? d.ns / d.runs : 0, d.instructions);
	}
}

/* The plan with the call sites of one kind only; those that tell callers of callers stay. */
static struct plan plan_for(const struct plan *plan, unsigned int kind)
{
	struct plan only = *plan;
	size_t i;

	only.sites = (struct vec){0};
	for (i = 0; i < plan->sites.len; i++) {
		const struct site_row *row = vec_at(&plan->sites, struct site_row, i);

		if (kind == ALL || row->class.kind == kind || (!row->old && !row->new_))
			*(struct site_row *)vec_push(&only.sites, sizeof(*row)) = *row;
	}
	return only;
}

/* Records all or one kind. */
static int run(struct round *r, unsigned int kind, struct error *err)
{
	struct plan only = plan_for(r->plan, kind);
	struct bpf_side *side = NULL;
	int e = bpf_load(&side, &only, r->proc, &r->opts, err);

	memset(r->records, 0, sizeof(r->records));
	if (!e)
		e = bpf_attach(side, BPF_ALL, err);
	if (!e)
		record(r, side);
	bpf_free(side);
	vec_free(&only.sites);
	return e;
}

/* Of the time of casgstatus, what @others cost is known; the rest is due to @n records. */
static double due_to(const struct progdiff *d, double n, double others_ns)
{
	return n > 0 ? (d->ns - others_ns) / n : 0;
}

/* @start is what a GoStart costs. */
static void print_kind(const struct round *r, unsigned int kind, double none, double start)
{
	struct progdiff d = progstat_diff(&r->from, &r->to, "casgstatus");
	double n = (double)r->records[kind], starts = (double)r->records[REC_GO_START];

	if (n * SHARE < d.runs)		/* too few to be told from the others' noise */
		return;
	/* else another program sends it in this release; a few may run before the first count */
	if (d.runs * (SHARE + 1) >= (n + starts) * SHARE)
		printf("kind %s %.0f %.1f\n", kind_names[kind], n,
		       due_to(&d, n, starts * start + (d.runs - n - starts) * none));
}

static double print_start(const struct round *r, double none)
{
	struct progdiff d = progstat_diff(&r->from, &r->to, "casgstatus");
	double n = (double)r->records[REC_GO_START];
	double ns = due_to(&d, n, (d.runs - n) * none);

	if (n > 0)
		printf("kind %s %.0f %.1f\n", kind_names[REC_GO_START], n, ns);
	return ns;
}

static int run_all(struct round *r, double none, struct error *err)
{
	uint64_t seen[256];
	unsigned int kind;
	double start;
	int e = run(r, ALL, err);

	if (e)
		return e;
	print_programs(r);
	memcpy(seen, r->records, sizeof(seen));
	e = run(r, REC_GO_START, err);
	start = print_start(r, none);
	for (kind = 0; kind < 256 && !e; kind++) {
		if (!kind_names[kind] || kind == REC_GO_START || seen[kind] < 100)
			continue;
		e = run(r, kind, err);
		if (!e)
			print_kind(r, kind, none, start);
	}
	return e;
}

/* Puts casgstatus, and nothing else, at the beginning of syscalls. */
static int run_none(struct round *r, struct plan *plan, struct error *err)
{
	struct progdiff d;
	size_t i, n = 0;
	int e;

	for (i = 0; i < plan->points.len; i++) {
		struct probe_point *pt = vec_at(&plan->points, struct probe_point, i);

		if (pt->program != PROGRAM_syscall_enter)
			continue;
		pt->program = PROGRAM_casgstatus;
		*vec_at(&plan->points, struct probe_point, n++) = *pt;
	}
	plan->points.len = n;
	e = run(r, ALL, err);
	d = progstat_diff(&r->from, &r->to, "casgstatus");
	if (!e)
		printf("kind none %.0f %.1f\n", d.runs, d.runs > 0 ? d.ns / d.runs : 0);
	return e;
}

static int prepare(struct process *proc, struct plan *plan, struct gobin **bin, pid_t pid,
		   struct error *err)
{
	struct vec plugins = {0};
	struct procfs fs;
	int e = procfs_open(&fs, NULL, err);

	if (!e)
		e = process_open(proc, &fs, pid, err);
	if (!e)
		e = module_open(proc, bin, &plugins, err);
	plugins_free(&plugins);
	return e ? e : plan_make(plan, *bin, groups_default(), err);
}

int main(int argc, char **argv)
{
	struct process proc = PROCESS_CLOSED;
	static struct round r;
	struct gobin *bin = NULL;
	struct plan plan = {0};
	struct error err = {0};
	int e = -1;

	if (argc != 4 && argc != 5) {
		fputs("usage: kinds PID MS STACK_DEPTH [NONE_NS]\n", stderr);
		return 2;
	}
	r.plan = &plan;
	r.proc = &proc;
	r.length_ns = strtoull(argv[2], NULL, 10) * 1000000;
	r.opts.stack_depth = (unsigned int)atoi(argv[3]);
	if (stats_on() < 0)
		error_set(&err, -errno, "cannot have statistics: %s", strerror(errno));
	else
		e = prepare(&proc, &plan, &bin, atoi(argv[1]), &err);
	if (!e)
		e = argc > 4 ? run_all(&r, atof(argv[4]), &err) : run_none(&r, &plan, &err);
	if (e)
		fprintf(stderr, "kinds: %s\n", err.text);
	plan_release(&plan);
	gobin_free(bin);
	process_close(&proc);
	return e ? 1 : 0;
}
