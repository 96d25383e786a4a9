// SPDX-License-Identifier: Apache-2.0
/*
 * threads: what a context switch with its wake-up costs a process of two threads on one CPU that wake one another through pipes: with
 * nothing attached, with empty programs at the scheduler's tracepoints, with those of group linux for another process, for another one
 * with --system, and for this one. They take turns; "switch HOW NS" is the least of all rounds, as others that run meanwhile only add to it.
 *
 *	threads PID ROUNDS
 *
 * PID: a Go process, only for a plan to load the programs by; no uprobe is attached to it.
 */
#define _GNU_SOURCE
#include <bpf/libbpf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "attach/bpf.h"
#include "live/module.h"
#include "live/process.h"
#include "plan/plan.h"
#include "rings/ring_set.h"
#include "threads.skel.h"

enum { SLICE_NS = 20 * 1000 * 1000 };

enum how { NOTHING, EMPTY, OF_OTHERS, OF_ALL, OF_IT, HOWS };

static const char *const how_names[HOWS] = { "nothing", "empty", "others", "system", "itself" };

/* --- the process that is measured --- */

struct pair {
	pid_t pid;
	clockid_t clock;	/* CPU time of the process */
	uint64_t *switches;	/* shared with it */
};

static int pipes[2][2];

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
}

static void *relay(void *ctx)
{
	uint64_t *switches = ctx;
	char c;

	while (read(pipes[0][0], &c, 1) == 1 && write(pipes[1][1], &c, 1) == 1)
		++*switches;
	return NULL;
}

static void be_pair(uint64_t *switches)
{
	pthread_t thread;
	char c = 0;

	prctl(PR_SET_PDEATHSIG, SIGKILL);
	pin(0);
	if (pipe(pipes[0]) || pipe(pipes[1]) || pthread_create(&thread, NULL, relay, switches + 8))
		_exit(1);
	while (write(pipes[0][1], &c, 1) == 1 && read(pipes[1][0], &c, 1) == 1)
		++*switches;
	_exit(1);
}

static int start_pair(struct pair *p)
{
	p->switches = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	if (p->switches == MAP_FAILED)
		return -errno;
	p->pid = fork();
	if (!p->pid)
		be_pair(p->switches);
	return p->pid < 0 ? -errno : -clock_getcpuclockid(p->pid, &p->clock);
}

static uint64_t clock_ns(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
}

static uint64_t count(const struct pair *p)
{
	return *(volatile uint64_t *)&p->switches[0] + *(volatile uint64_t *)&p->switches[8];
}

/* --- what is attached --- */

struct attached {
	struct threads_bpf *empty;
	struct bpf_side *side;
};

static int attach_ours(struct attached *a, const struct plan *plan, struct process *proc, uint32_t tgid, bool system, struct error *err)
{
	struct bpf_opts opts = { .stack_depth = 127, .every_switch = system };
	int r;

	proc->bpf_tgid = (pid_t)tgid;
	r = bpf_load(&a->side, plan, proc, &opts, err);
	if (!r)
		r = bpf_attach_threads(a->side, err);
	if (!r)
		bpf_begin_threads(a->side);
	return r;
}

static int attach_empty(struct attached *a, struct error *err)
{
	a->empty = threads_bpf__open_and_load();
	if (!a->empty || threads_bpf__attach(a->empty))
		return error_set(err, -errno, "cannot attach empty programs (root?): %s", strerror(errno));
	return 0;
}

static void detach(struct attached *a)
{
	if (a->empty)
		threads_bpf__destroy(a->empty);
	if (a->side)
		bpf_end_threads(a->side);
	bpf_free(a->side);
}

static void drain(struct bpf_side *side)
{
	struct buf b = {0};
	size_t i;

	for (i = 0; side && i < bpf_rings(side)->rings.len; i++) {
		b.len = 0;
		ring_drain(vec_at(&bpf_rings(side)->rings, struct ring, i), &b);
	}
	buf_free(&b);
}

/* --- rounds --- */

static double measure(const struct pair *p, struct bpf_side *side)
{
	struct timespec pause = { .tv_nsec = 2000000 };
	uint64_t cpu = clock_ns(p->clock), n = count(p), end = cpu + SLICE_NS;

	while (clock_ns(p->clock) < end) {
		nanosleep(&pause, NULL);
		drain(side);
	}
	cpu = clock_ns(p->clock) - cpu;
	n = count(p) - n;
	return n ? (double)cpu / (double)n : 0;
}

static int one_way(const struct pair *p, enum how how, const struct plan *plan, struct process *proc, double *ns, struct error *err)
{
	struct attached a = {0};
	int r = 0, i;

	if (how == EMPTY)
		r = attach_empty(&a, err);
	else if (how != NOTHING)
		r = attach_ours(&a, plan, proc, (uint32_t)(how == OF_IT ? p->pid : proc->pid), how == OF_ALL, err);
	for (i = 0; !r && i < 5; i++) {
		double now = measure(p, a.side);

		if (now > 0 && (!*ns || now < *ns))
			*ns = now;
	}
	detach(&a);
	return r;
}

static int run(const struct plan *plan, struct process *proc, unsigned long rounds, struct error *err)
{
	double ns[HOWS] = {0};
	struct pair p;
	enum how how;
	int r;

	r = start_pair(&p);
	if (r)
		return error_set(err, r, "cannot start a process: %s", strerror(-r));
	pin(sysconf(_SC_NPROCESSORS_ONLN) > 1 ? 1 : 0);
	for (; !r && rounds; rounds--)
		for (how = NOTHING; !r && how < HOWS; how++)
			r = one_way(&p, how, plan, proc, &ns[how], err);
	kill(p.pid, SIGKILL);
	waitpid(p.pid, NULL, 0);
	for (how = NOTHING; !r && how < HOWS; how++)
		printf("switch %s %.1f\n", how_names[how], ns[how]);
	return r;
}

static int prepare(struct plan *plan, struct process *proc, struct gobin **bin, pid_t pid, struct error *err)
{
	struct vec plugins = {0};
	struct procfs fs;
	int r = procfs_open(&fs, NULL, err);

	if (!r)
		r = process_open(proc, &fs, pid, err);
	if (!r)
		r = module_open(proc, bin, &plugins, err);
	plugins_free(&plugins);
	return r ? r : plan_make(plan, *bin, 1u << GROUP_SCHED | 1u << GROUP_LINUX, err);
}

int main(int argc, char **argv)
{
	struct process proc = PROCESS_CLOSED;
	struct gobin *bin = NULL;
	struct plan plan = {0};
	struct error err = {0};
	int r;

	if (argc != 3) {
		fputs("usage: threads PID ROUNDS\n", stderr);
		return 2;
	}
	r = prepare(&plan, &proc, &bin, atoi(argv[1]), &err);
	if (!r)
		r = run(&plan, &proc, strtoul(argv[2], NULL, 10), &err);
	if (r)
		fprintf(stderr, "threads: %s\n", err.text);
	plan_release(&plan);
	gobin_free(bin);
	process_close(&proc);
	return r ? 1 : 0;
}
