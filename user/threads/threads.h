/* SPDX-License-Identifier: Apache-2.0 */
/*
 * threads: the program's threads as Linux sees them: from records of the scheduler's tracepoints
 * (family LINUX of include/record.def, group linux) to spans of threads in states: on a CPU, in its
 * queue, throttled by a quota, asleep, and so on, with the task that took the CPU and the task that
 * woke the thread. Sums, other formats and the split of the time that Go calls running are visitors
 * of this stream, as those of user/spans are of Go's events.
 *
 * 	struct threads *t = threads_new();
 * 	threads_visit(t, &(struct threads_visitor){ .ctx = &sum, .span = add_up });
 * 	threads_record(t, r);		each record, in order of time
 * 	threads_finish(t, time);
 * 	threads_free(t);
 *
 * The spans of a thread follow one another without a hole, from the begin of the records, or of the
 * thread, to its end or that of the recording. A thread that is older than the recording appears
 * with its first record or, if there was none before /proc was read, with its state there. Times
 * are CLOCK_MONOTONIC ns, as in all records.
 *
 * If a record is lost, sums remain right: the next record of the thread has the kernel's own sums
 * of its run time and of its waits. If only such a sum is known, and not when the thread ran or
 * waited, the span is UNKNOWN.
 *
 * A damaged file may name any number of threads: at most THREADS_MAX exist at a time. A record of a
 * further thread is left out, and counted as lost.
 */
#ifndef GOTAP_THREADS_THREADS_H
#define GOTAP_THREADS_THREADS_H

#include <stdbool.h>
#include <stdint.h>

#include "record.h"

/* THREADS_TID_MAX is PID_MAX_LIMIT of Linux. */
enum { THREADS_MAX = 1 << 16, THREADS_TID_MAX = 1 << 22 };

/*
 * UNKNOWN    records are missing
 * RUNNING    on a CPU
 * QUEUED     waits for a CPU: another task took it, or the thread was woken, or is new
 * THROTTLED  waits for a CPU, and the CPU quota of its cgroup is used up
 * SLEEPING   waits, interruptibly
 * FAULT      waits in a page fault, for memory that has to be read first or for a lock
 * IO         waits in a system call for a block device
 * BLOCKED    waits in a system call, uninterruptibly: mostly for a lock of the kernel
 * STOPPED    by a signal
 * TRACED     by a debugger
 * FROZEN     by the freezer of its cgroup
 */
enum thread_state {
#define STATE(name, json, words, title) THREAD_##name,
#include "threads/states.def"
#undef STATE
	THREAD_STATES,
};

/* Returns the key in JSON: "on_cpu", "queued", ...; "" if @s is no state. */
const char *thread_state_name(enum thread_state s);
/* Returns the words for messages: "on a CPU", "waiting for a CPU", ...; "" if @s is no state. */
const char *thread_state_words(enum thread_state s);
/* Returns the title of a column: "on a CPU", "woken, queued", ...; "" if @s is no state. */
const char *thread_state_title(enum thread_state s);

/* A task of the machine, of any program. Its ids are those of the initial PID namespace. */
struct task_ref {
	uint32_t tid, pid;	/* tid 0: an idle CPU, or not known */
	char comm[17];
};

/* The cause of a wait for a CPU. */
enum queued_by {
	QUEUED_UNKNOWN,
	QUEUED_PREEMPTED,	/* @by got the thread's CPU */
	QUEUED_YIELDED,		/* @by got the CPU after the thread called sched_yield(2) */
	/* woken by @by; tid 0: a task or an interrupt, not known which (REC_WAKER_EITHER) */
	QUEUED_WOKEN,
	QUEUED_BY_INTERRUPT,	/* woken by a timer or a device, which interrupted @by */
	QUEUED_NEW,		/* made by @by */
};

struct thread {
	uint32_t tid;		/* as the records of Go have it */
	char comm[17];		/* "" not known */
	uint64_t since;		/* when it was created, or the begin of the records */
	bool made;		/* it was created during the recording, not before */
	/* Sums over spans that have ended, by the kernel's own account, as in schedstat: */
	uint64_t ran_ns, waited_ns;
	uint64_t moves;		/* to another CPU */
	struct thread_inner *inner;
};

enum { THREAD_NO_CPU = UINT16_MAX };

struct thread_span {
	const struct thread *thread;
	enum thread_state state;
	enum queued_by queued;	/* of QUEUED and THROTTLED */
	/* the span began before the recording; it goes on when the recording ends */
	bool open_begin, open_end;
	uint64_t from, to;
	/*
	 * RUNNING: the CPU; other states: the CPU of the last stay; THREAD_NO_CPU: no record has it
	 */
	uint32_t cpu;
	/* in waits: the number of the system call; below 0: none, or not known */
	int64_t syscall;
	/*
	 * RUNNING: ns of run time by the kernel's account. It is less than the span, which also has
	 * interrupts, the time that a hypervisor took, and the time from the kernel's reading of
	 * its clock to the tracepoint (15 us on a small virtual machine).
	 */
	uint64_t ran;
	struct task_ref by;	/* QUEUED and THROTTLED: the task of enum queued_by */
};

/* Each function may be NULL. Its arguments are valid until it returns. */
struct threads_visitor {
	void *ctx;
	/* Gets each record before the record has its effect. */
	void (*record)(void *ctx, const struct rec *r);
	void (*thread_begin)(void *ctx, const struct thread *t);
	/*
	 * Gets the spans in the order of their ends. Only the spans of one wait come together, when
	 * the wait ends.
	 */
	void (*span)(void *ctx, const struct thread_span *span);
	/*
	 * After the last span of @t. @ended: the thread has ended; if not, only the recording has.
	 */
	void (*thread_end)(void *ctx, const struct thread *t, uint64_t time, bool ended);
	/* --system: @cpu switches from the task @from, of another program, to @to. */
	void (*cpu_switch)(void *ctx, uint64_t time, uint32_t cpu, enum rec_off why,
			   const struct task_ref *from, const struct task_ref *to);
	void (*cgroup)(void *ctx, const struct rec_cgroup *c);
	void (*pressure)(void *ctx, const struct rec *r);
	void (*finish)(void *ctx, uint64_t time);
};

struct threads;

/* Makes an empty set of threads, which the caller frees by threads_free(). */
struct threads *threads_new(void);
/*
 * Sets the machine that was recorded (e_machine; 0: amd64), which gives sched_yield(2) its number.
 * Without it a thread that yielded its CPU counts as preempted.
 */
void threads_set_machine(struct threads *t, uint16_t machine);
/* Accepts NULL. */
void threads_free(struct threads *t);
/* Adds a copy of @visitor. */
void threads_visit(struct threads *t, const struct threads_visitor *visitor);
/* Takes a record of family LINUX, in order of time. */
void threads_record(struct threads *t, const struct rec *r);
/* Ends all spans that still go on, at @time. */
void threads_finish(struct threads *t, uint64_t time);

/*
 * Stores the span of thread @tid that goes on, as far as it is known now; its @to is 0. Which part
 * of a wait for a CPU is throttled is known only when the wait ends. False: there is no such
 * thread.
 */
bool threads_now(const struct threads *t, uint32_t tid, struct thread_span *ret);

/* Returns whether there was a record of the family, which means that group linux was recorded. */
bool threads_any(const struct threads *t);
/* Times of the first and of the last record, ns. */
uint64_t threads_begin_time(const struct threads *t);
uint64_t threads_end_time(const struct threads *t);
/*
 * Returns how many records of the family were lost, by the counts of REC_THREADS_LOST and by
 * records beyond THREADS_MAX.
 */
uint64_t threads_lost(const struct threads *t);
/*
 * Returns how many switches to or from a CPU have no record, as the records of the thread before
 * and after show: lost records, and switches for which the kernel ran no tracepoint. (Linux may
 * hide a task from tracing, and with it the switch from that task.)
 */
uint64_t threads_missing(const struct threads *t);
/* Returns bits of enum rec_threads_with. */
uint64_t threads_with(const struct threads *t);

#endif
