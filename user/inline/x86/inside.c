// SPDX-License-Identifier: Apache-2.0
/* inside: see inside.h. */
#define _GNU_SOURCE
#include "inline/inside.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "base/clock.h"
#include "base/map64.h"
#include "inline/apart.h"
#include "inline/hold.h"
#include "inline/threads.h"
#include "inline/vm.h"

#define MS 1000000ULL

enum {
	STACK_BYTES = 65536,	/* Go's signal stack has 32 KiB, those of C programs mostly 8 */
	LOOKS = 3,		/* looks at a thread that runs, before it is stopped */
};

struct question {
	const struct process *p;
	const struct inject_hosts *hosts;	/* NULL: no thread has a call to make */
	uint64_t start, end;
};

struct job {
	struct question q;
	uint64_t deadline;
	int result;
	struct holds held;
	uint64_t stack[STACK_BYTES / 8];
};

/* --- one thread --- */

static bool is_code(const struct job *job, uint64_t addr)
{
	return addr - job->q.start < job->q.end - job->q.start;
}

/*
 * struct rt_sigframe of the kernel (arch/x86/include/asm/sigframe.h), in words from the interrupted
 * pc: where the frame begins its ucontext, and the stack for signals as it was set up when the
 * signal came. The words after the pc are the flags, and cs, gs, fs, ss of 16 bits each.
 */
enum {
	FRAME_FLAGS = 1,
	FRAME_SEGMENTS = 2,
	FRAME_LINK = -20,
	FRAME_STACK = -19,
	FRAME_SIZE = -17,
	FRAME_BEFORE = 21
};

/*
 * Returns whether @pc is the pc of a signal frame of code in [@start, @end). The kernel leaves
 * uc_link 0.
 */
static bool inside_is_frame(const uint64_t *pc, uint64_t start, uint64_t end)
{
	enum { CS = 0x33, FLAGS_MAX = 1 << 22 };

	return *pc - start < end - start && pc[FRAME_FLAGS] < FLAGS_MAX &&
	       (pc[FRAME_SEGMENTS] & 0xffff) == CS && !pc[FRAME_LINK];
}

/*
 * Returns whether a frame at @addr on a stack for signals belongs to this thread: the thread's
 * stack pointer must be on that stack, too. If not, it is an old frame of another thread: after the
 * end of a goroutine's stack comes the heap, with the stacks for signals of the runtime's threads.
 * The thread's signal mask does not show it: a C handler with SA_NODEFER blocks no signal.
 */
static bool inside_is_of_thread(const uint64_t *pc, uint64_t addr, uint64_t sp)
{
	uint64_t stack = pc[FRAME_STACK], size = pc[FRAME_SIZE];

	return addr - stack >= size || sp - stack < size;
}

bool inside_frame(const uint64_t *words, size_t n, uint64_t sp, uint64_t start, uint64_t end)
{
	size_t i;

	for (i = FRAME_BEFORE; i + FRAME_SEGMENTS < n; i++)
		if (inside_is_frame(words + i, start, end) &&
		    inside_is_of_thread(words + i, sp + 8 * i, sp))
			return true;
	return false;
}

static bool stack_is_clean(struct job *job, uint64_t sp)
{
	size_t n = vm_read(job->q.p, sp & ~7ULL, job->stack, STACK_BYTES);

	return !inside_frame(job->stack, n / 8, sp & ~7ULL, job->q.start, job->q.end);
}

/*
 * Returns whether the thread is still where it was, so that its stack did not change while it was
 * read.
 */
static bool is_still_at(const struct job *job, pid_t tid, const struct where *was)
{
	struct where now;

	return !thread_where(job->q.p, tid, &now) && now.blocked && now.sp == was->sp &&
	       now.pc == was->pc;
}

enum verdict { INSIDE, OUTSIDE, UNKNOWN };

/*
 * Returns whether the thread may have a system call to make for a gotap that is gone. A thread with
 * a tracer may still get one from that tracer.
 */
static bool may_have_call(const struct job *job, pid_t tid, const struct where *w)
{
	return job->q.hosts && (thread_has_call(job->q.hosts, w->call, w->pc) ||
			      thread_status(job->q.p, tid, "TracerPid") > 0);
}

static enum verdict inside_look(struct job *job, pid_t tid)
{
	struct where w;
	int r = thread_where(job->q.p, tid, &w);

	if (r == -ESRCH)
		return OUTSIDE;
	if (r || !w.blocked)
		return UNKNOWN;
	if (is_code(job, w.pc) || may_have_call(job, tid, &w) || !stack_is_clean(job, w.sp))
		return INSIDE;
	return is_still_at(job, tid, &w) ? OUTSIDE : UNKNOWN;
}

/*
 * Returns whether the held thread has a call to make. If it has not begun the system call yet,
 * orig_rax is negative, and rax has the number.
 */
static bool has_call(const struct job *job, const struct user_regs_struct *regs)
{
	long call = (long)((long)regs->orig_rax < 0 ? regs->rax : regs->orig_rax);

	return job->q.hosts && thread_has_call(job->q.hosts, call, regs->rip);
}

static enum verdict stop_and_look(struct job *job, pid_t tid)
{
	enum verdict v;
	struct hold h;
	int r = hold_begin(&h, tid);

	if (r)
		return r == -ESRCH ? OUTSIDE : UNKNOWN;
	v = is_code(job, h.regs.rip) || has_call(job, &h.regs) || !stack_is_clean(job, h.regs.rsp) ?
		INSIDE : OUTSIDE;
	hold_end(&h);
	holds_add(&job->held, &h);
	return v;
}

static bool is_outside(struct job *job, pid_t tid)
{
	enum verdict v;
	int i;

	for (i = 0; i < LOOKS; i++) {
		v = inside_look(job, tid);
		if (v != UNKNOWN)
			return v == OUTSIDE;
		sleep_ns(MS / 10);
	}
	return stop_and_look(job, tid) == OUTSIDE;
}

/* --- all threads --- */

/*
 * Returns true if all threads are in @outside. A thread that was outside once does not get in
 * again, and neither do threads that it makes. One reading of the list may miss a thread, because
 * others end meanwhile; two readings are made.
 */
static bool all_outside(struct job *job, struct map64 *outside)
{
	struct vec tids = {0};
	bool all = true;
	size_t i;

	procfs_tids(&job->q.p->fs, job->q.p->pid, &tids);
	for (i = 0; i < tids.len && now_ns() < job->deadline; i++) {
		uint64_t tid = (uint64_t)*vec_at(&tids, pid_t, i);

		if (map64_get(outside, tid))
			continue;
		if (is_outside(job, (pid_t)tid))
			map64_put(outside, tid, NULL);
		else
			all = false;
	}
	all = all && i == tids.len;
	vec_free(&tids);
	return all;
}

static void wait_apart(void *shared)
{
	struct map64 outside = {0};
	struct job *job = shared;
	int clean = 0;

	while (clean < 2 && now_ns() < job->deadline) {
		clean = all_outside(job, &outside) ? clean + 1 : 0;
		if (!clean)
			sleep_ns(MS);
	}
	job->result = clean == 2 ? 0 : -EBUSY;
	map64_free(&outside);
}

static int wait_for_all(const struct question *q, int timeout_ms, struct holds *held,
			struct error *err)
{
	struct job *job = apart_memory(sizeof(*job));
	int r;

	if (!job)
		return error_set(err, -errno, "no memory to look at the threads of process %d",
				 q->p->pid);
	job->q = *q;
	job->deadline = now_ns() + (uint64_t)timeout_ms * MS;
	job->result = -EBUSY;
	apart_run(wait_apart, job, timeout_ms);
	r = job->result;
	holds_join(held, &job->held);
	munmap(job, sizeof(*job));
	return r;
}

int inside_wait(const struct process *p, uint64_t start, uint64_t end, int timeout_ms,
		struct holds *held, struct error *err)
{
	struct question q = { .p = p, .start = start, .end = end };
	int r = wait_for_all(&q, timeout_ms, held, err);

	return r ? error_set(err, r,
			     "a thread of process %d may still be in gotap's code there, which is "
			     "off and remains in its memory",
			     p->pid) :
		   0;
}

int inside_settle(const struct process *p, const struct inject_hosts *hosts, int timeout_ms,
		  struct holds *held, struct error *err)
{
	struct question q = { .p = p, .hosts = hosts };
	int r = wait_for_all(&q, timeout_ms, held, err);

	return r ? error_set(err, r,
			     "a thread of process %d has not yet made a system call for a gotap "
			     "that is gone",
			     p->pid) :
		   0;
}
