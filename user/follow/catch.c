// SPDX-License-Identifier: Apache-2.0
/* catch: see catch.h. */
#define _GNU_SOURCE
#include "follow/catch.h"

#include <bpf/libbpf.h>
#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/resource.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits.h"
#include "follow_event.h"
#include "live/registers.h"
#include "proc/privilege.h"

enum {
	BUFFER_PAGES = 16,	/* buffer of a CPU: some thousand events */
	PRIORITY = 50,		/* the priority of the kernel's own threads for interrupts */
	STACK_START = 28,	/* field of the stat file */
	LOOK_NS = 50000, LONGEST_LOOK_NS = 5000000,
};

static const uint64_t SECOND_NS = 1000000000;

/* A process that this thread traces. */
struct caught {
	struct follow_exec exec;
	bool stopped;		/* its stop was seen: PTRACE_DETACH is possible */
	bool released;
	/* once stopped: the time at which it is continued, CLOCK_MONOTONIC, ns */
	uint64_t until;
	/* the signal for which it stopped, and which PTRACE_DETACH delivers */
	int signal;
};

struct catcher {
	struct catchers *all;
	int cpu, index;		/* of the kernel's buffer */
	int wake;		/* eventfd */
	pthread_t thread;
	bool runs;
	int failure;		/* why the thread could not give up its rights; 0: it could */
	struct error why;
	struct vec caught;	/* struct caught; under all->lock */
};

struct catchers {
	struct catch_opts opts;
	struct perf_buffer *buffers;
	struct catcher *list;
	int count;
	pthread_mutex_t lock;
	sem_t ready;		/* counts the threads that have their CPU and priority */
	bool stop;
	pid_t own_child;
	uint64_t lost;
};

/* --- one process --- */

/*
 * Returns whether the process has run no instruction that moves the stack pointer. Go's runtime, or
 * a loader, moves it at its begin.
 */
static bool catch_is_at_start(const struct catcher *c, pid_t pid)
{
	uint64_t start = procfs_stat_field(c->all->opts.fs, pid, STACK_START);
	struct user_regs_struct regs;

	return start && registers_read(pid, &regs) && regs.REGISTERS_SP == start;
}

static void catch_say(const struct catcher *c, const struct follow_exec *e)
{
	c->all->opts.caught(c->all->opts.ctx, e);
}

static void catch_take_over(struct catcher *c, const struct follow_exec *e)
{
	struct caught caught = { .exec = *e };

	/* fails if the process is gone, or has another tracer */
	if (ptrace(PTRACE_SEIZE, e->pid, NULL, NULL)) {
		catch_say(c, e);
		return;
	}
	ptrace(PTRACE_INTERRUPT, e->pid, NULL, NULL);
	pthread_mutex_lock(&c->all->lock);
	*(struct caught *)vec_push(&c->caught, sizeof(caught)) = caught;
	pthread_mutex_unlock(&c->all->lock);
}

static void catch_on_event(void *ctx, int cpu, void *data, uint32_t size)
{
	struct catchers *all = ctx;
	const struct follow_event *event = data;
	struct follow_exec e;
	int i;

	if (size < sizeof(*event))
		return;
	e = (struct follow_exec){ .pid = (pid_t)event->tgid, .time = event->time };
	for (i = 0; i < all->count && all->list[i].cpu != cpu; i++)
		;
	if (i < all->count)
		catch_take_over(&all->list[i], &e);
}

static void on_lost(void *ctx, int cpu, __u64 n)
{
	__atomic_fetch_add(&((struct catchers *)ctx)->lost, n, __ATOMIC_RELAXED);
}

/* --- the thread of a CPU --- */

/*
 * Checks whether the process has stopped or ended; false: it has ended. Reaps it as a tracer, so
 * that the kernel then reports its end to its parent. Does not reap gotap's own child: this would
 * hide its end from the thread of gotap that waits for it.
 */
static bool catch_look(struct catcher *c, struct caught *p)
{
	siginfo_t info = {0};
	int status;

	if (waitid(P_PID, (id_t)p->exec.pid, &info,
		   WEXITED | WSTOPPED | WNOHANG | WNOWAIT | __WALL))
		return false;
	if (!info.si_pid)
		return true;
	if (info.si_code != CLD_TRAPPED && info.si_code != CLD_STOPPED) {
		if (p->exec.pid != c->all->own_child)
			waitpid(p->exec.pid, &status, WNOHANG | __WALL);
		return false;
	}
	/* takes a stop only: the process may have been killed since, which the next look sees */
	info.si_pid = 0;
	if (waitid(P_PID, (id_t)p->exec.pid, &info, WSTOPPED | WNOHANG | __WALL) || !info.si_pid)
		return true;
	if (!(info.si_status >> 8))
		p->signal = info.si_status;
	p->stopped = true;
	p->exec.held = catch_is_at_start(c, p->exec.pid);
	p->released = !p->exec.held;
	p->until = now_ns() + FOLLOW_LOOK_SECONDS * SECOND_NS;
	catch_say(c, &p->exec);
	return true;
}

/*
 * Continues the process. False: it was killed meanwhile, and is still traced: catch_look() has to
 * reap it before its parent can.
 */
static bool let_run(const struct caught *p)
{
	return !ptrace(PTRACE_DETACH, p->exec.pid, NULL, (long)p->signal);
}

/* Checks all processes of the list. False: one of them has neither stopped nor ended yet. */
static bool look_at_all(struct catcher *c)
{
	bool settled = true;
	size_t i, kept = 0;

	pthread_mutex_lock(&c->all->lock);
	for (i = 0; i < c->caught.len; i++) {
		struct caught *p = vec_at(&c->caught, struct caught, i);

		if (!catch_look(c, p))
			continue;
		if (p->stopped && (p->released || now_ns() >= p->until)) {
			if (let_run(p))
				continue;
			settled = false;
		}
		settled &= p->stopped;
		*vec_at(&c->caught, struct caught, kept++) = *p;
	}
	c->caught.len = kept;
	pthread_mutex_unlock(&c->all->lock);
	return settled;
}

static void catch_wait_for_work(struct catcher *c, long ns)
{
	struct pollfd fds[2] = {
		{ .fd = (int)perf_buffer__buffer_fd(c->all->buffers, (size_t)c->index),
		  .events = POLLIN },
		{ .fd = c->wake, .events = POLLIN },
	};
	struct timespec at_most = { .tv_nsec = ns };
	uint64_t n;

	if (ppoll(fds, 2, c->caught.len ? &at_most : NULL, NULL) > 0 && fds[1].revents &&
	    read(c->wake, &n, sizeof(n)) < 0)
		return;
}

static void go_before_others(int cpu)
{
	struct sched_param priority = { .sched_priority = PRIORITY };
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	sched_setaffinity(0, sizeof(set), &set);
	if (sched_setscheduler(0, SCHED_FIFO | SCHED_RESET_ON_FORK, &priority))
		/*
		 * for this thread only. If the thread comes too late without a real-time priority,
		 * catch_is_at_start() notices it
		 */
		setpriority(PRIO_PROCESS, 0, -20);
}

/*
 * Continues all processes. The kernel continues tracees when their tracer ends (exit_ptrace()), but
 * then the signal for which they stopped is lost.
 */
static void let_all_run(struct catcher *c)
{
	size_t i;

	for (i = 0; i < c->caught.len; i++)
		if (vec_at(&c->caught, struct caught, i)->stopped)
			let_run(vec_at(&c->caught, struct caught, i));
}

static void *catcher_thread(void *arg)
{
	struct catcher *c = arg;
	long ns = LOOK_NS;

	go_before_others(c->cpu);
	c->failure = privilege_keep(PRIVILEGE_PTRACE, &c->why);
	if (!c->failure)
		c->failure = privilege_filter(false, &c->why);
	sem_post(&c->all->ready);
	while (!__atomic_load_n(&c->all->stop, __ATOMIC_ACQUIRE)) {
		perf_buffer__consume_buffer(c->all->buffers, (size_t)c->index);
		ns = look_at_all(c)           ? LONGEST_LOOK_NS :
		     ns * 2 < LONGEST_LOOK_NS ? ns * 2 :
						LONGEST_LOOK_NS;
		catch_wait_for_work(c, ns);
		if (ns == LONGEST_LOOK_NS)
			ns = LOOK_NS;
	}
	let_all_run(c);
	return NULL;
}

/* --- all threads --- */

static bool is_online(int cpu)
{
	char path[64], c = '1';
	FILE *f;

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d", cpu);
	if (access(path, F_OK))
		return false;
	strcat(path, "/online");	/* CPU 0 may have no such file */
	f = fopen(path, "re");
	if (f) {
		c = (char)fgetc(f);
		fclose(f);
	}
	return c == '1';
}

static void list_cpus(struct catchers *all)
{
	int cpu, possible = libbpf_num_possible_cpus();

	all->list = xcalloc((size_t)(possible > 0 ? possible : 1), sizeof(*all->list));
	for (cpu = 0; cpu < possible; cpu++)
		if (is_online(cpu)) {
			all->list[all->count] = (struct catcher){
				.all = all, .cpu = cpu, .index = all->count, .wake = -1
			};
			all->count++;
		}
}

static enum bpf_perf_event_ret on_raw(void *ctx, int cpu, struct perf_event_header *e)
{
	struct {
		struct perf_event_header h;
		uint32_t size;
		char data[];
	} *sample = (void *)e;
	struct {
		struct perf_event_header h;
		uint64_t id, lost;
	} *lost = (void *)e;

	if (e->type == PERF_RECORD_SAMPLE)
		catch_on_event(ctx, cpu, sample->data, sample->size);
	else if (e->type == PERF_RECORD_LOST)
		on_lost(ctx, cpu, lost->lost);
	return LIBBPF_PERF_EVENT_CONT;
}

static int open_buffers(struct catchers *all, struct error *err)
{
	struct perf_event_attr attr = {
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_BPF_OUTPUT,
		.type = PERF_TYPE_SOFTWARE,
		.sample_type = PERF_SAMPLE_RAW,
		.sample_period = 1,
		.wakeup_events = 1,
	};
	int *cpus = xcalloc((size_t)all->count, sizeof(*cpus)), i;
	LIBBPF_OPTS(perf_buffer_raw_opts, opts, .cpu_cnt = all->count, .cpus = cpus,
		    .map_keys = cpus);

	for (i = 0; i < all->count; i++)
		cpus[i] = all->list[i].cpu;
	all->buffers =
		perf_buffer__new_raw(all->opts.events, BUFFER_PAGES, &attr, on_raw, all, &opts);
	free(cpus);
	return all->buffers ?
		       0 :
		       error_set(err, -errno, "cannot make buffers for the execs of programs: %s",
				 strerror(errno));
}

static int start_one(struct catcher *c, struct error *err)
{
	int r;

	c->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (c->wake < 0)
		return error_set(err, -errno, "cannot make an eventfd: %s", strerror(errno));
	r = thread_start(&c->thread, catcher_thread, c);
	if (r)
		return error_set(err, -r, "cannot start a thread: %s", strerror(r));
	c->runs = true;
	pthread_setname_np(c->thread, CATCH_NAME);
	return 0;
}

/*
 * Makes the lock with priority inheritance: a thread that holds the lock runs at the priority of
 * the real-time threads that wait for it.
 */
static void make_lock(pthread_mutex_t *lock)
{
	pthread_mutexattr_t attr;

	pthread_mutexattr_init(&attr);
	pthread_mutexattr_setprotocol(&attr, PTHREAD_PRIO_INHERIT);
	pthread_mutex_init(lock, &attr);
	pthread_mutexattr_destroy(&attr);
}

int catch_start(struct catchers **ret, const struct catch_opts *opts, struct error *err)
{
	struct catchers *all = xcalloc(1, sizeof(*all));
	int i, r;

	all->opts = *opts;
	make_lock(&all->lock);
	sem_init(&all->ready, 0, 0);
	list_cpus(all);
	r = open_buffers(all, err);
	for (i = 0; i < all->count && !r; i++)
		r = start_one(&all->list[i], err);
	if (r) {
		catch_stop(all);
		return r;
	}
	for (i = 0; i < all->count; i++)
		while (sem_wait(&all->ready) && errno == EINTR)
			;
	for (i = 0; i < all->count && !r; i++)
		if (all->list[i].failure)
			r = error_set(err, all->list[i].failure, "%s", all->list[i].why.text);
	if (r) {
		catch_stop(all);
		return r;
	}
	*ret = all;
	return 0;
}

void catch_own_child(struct catchers *all, pid_t pid)
{
	pthread_mutex_lock(&all->lock);
	all->own_child = pid;
	pthread_mutex_unlock(&all->lock);
}

static void catch_wake(const struct catcher *c)
{
	uint64_t one = 1;

	if (write(c->wake, &one, sizeof(one)) < 0)
		return;		/* the thread is awake already */
}

/*
 * Finds the process, and in *@by the thread that holds it; NULL: none does. The caller holds the
 * lock.
 */
static struct caught *catch_find(struct catchers *all, pid_t pid, struct catcher **by)
{
	size_t i;
	int k;

	for (k = 0; k < all->count; k++)
		for (i = 0; i < all->list[k].caught.len; i++) {
			struct caught *p = vec_at(&all->list[k].caught, struct caught, i);

			*by = &all->list[k];
			if (p->exec.pid == pid)
				return p;
		}
	return NULL;
}

bool catch_hold(struct catchers *all, pid_t pid)
{
	struct catcher *by;
	struct caught *p;
	bool is_held;

	pthread_mutex_lock(&all->lock);
	p = catch_find(all, pid, &by);
	is_held = p && p->stopped && !p->released;
	if (is_held)
		p->until = now_ns() + FOLLOW_HOLD_SECONDS * SECOND_NS;
	pthread_mutex_unlock(&all->lock);
	return is_held;
}

void catch_release(struct catchers *all, pid_t pid)
{
	struct catcher *by;
	struct caught *p;

	pthread_mutex_lock(&all->lock);
	p = catch_find(all, pid, &by);
	if (p) {
		p->released = true;
		catch_wake(by);
	}
	pthread_mutex_unlock(&all->lock);
}

uint64_t catch_lost(const struct catchers *all)
{
	return __atomic_load_n(&all->lost, __ATOMIC_RELAXED);
}

void catch_stop(struct catchers *all)
{
	int i;

	if (!all)
		return;
	__atomic_store_n(&all->stop, true, __ATOMIC_RELEASE);
	for (i = 0; i < all->count; i++) {
		struct catcher *c = &all->list[i];

		if (c->runs) {
			catch_wake(c);
			pthread_join(c->thread, NULL);
		}
		if (c->wake >= 0)
			close(c->wake);
		vec_free(&c->caught);
	}
	perf_buffer__free(all->buffers);
	pthread_mutex_destroy(&all->lock);
	sem_destroy(&all->ready);
	free(all->list);
	free(all);
}
