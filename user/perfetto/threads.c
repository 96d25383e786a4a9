// SPDX-License-Identifier: Apache-2.0
/*
 * threads: states of threads in the kernel's scheduler. Part of perfetto.c.
 *
 * A state is written as a GenericKernelTaskStateEvent, which says nothing about other threads: the
 * states of one process can be written alone. This message has no field for the thread that caused
 * a wake-up. A runnable state with a known waker is therefore written as the ftrace event
 * sched_waking, from which trace_processor makes a runnable state with a waker (tried with v55.3;
 * if both messages are written, the state has no waker). sched_waking ends a sleep, but it does not
 * end a stay on a CPU.
 *
 * Perfetto has one runnable state for all threads that wait for a CPU. The reason of that wait, and
 * of an uninterruptible sleep, is a slice on a track below the thread's.
 */
#include "base/protobuf.h"
#include "perfetto/internal.h"

/* Default priority of the scheduler (nice 0), written for all threads: records have no priority. */
enum { PRIO = 120 };

static void put_waking(struct packets *p, const struct perfetto_thread_span *s)
{
	struct buf *b = packets_buf(p);
	size_t packet = packets_open(p), bundle, event, waking;

	bundle = protobuf_open(b, PACKET_FTRACE_EVENTS);
	protobuf_uint(b, BUNDLE_CPU, s->cpu);
	event = protobuf_open(b, BUNDLE_EVENT);
	protobuf_uint(b, FTRACE_TIMESTAMP, (uint64_t)s->from);
	protobuf_uint(b, FTRACE_PID, s->waker);
	waking = protobuf_open(b, FTRACE_WAKING);
	packets_text(b, WAKING_COMM, s->comm);
	protobuf_uint(b, WAKING_PID, s->tid);
	protobuf_uint(b, WAKING_PRIO, PRIO);
	protobuf_uint(b, WAKING_TARGET_CPU, s->cpu);
	protobuf_close(b, waking);
	protobuf_close(b, event);
	protobuf_close(b, bundle);
	packets_close(p, packet);
}

static void threads_put_state(struct packets *p, const struct perfetto_thread_span *s,
			      enum perfetto_linux_state state)
{
	struct buf *b = packets_buf(p);
	size_t packet = packets_open(p), task;

	packets_time(p, s->from);
	task = protobuf_open(b, PACKET_TASK_STATE);
	protobuf_uint(b, TASK_CPU, s->cpu);
	packets_text(b, TASK_COMM, s->comm);
	protobuf_uint(b, TASK_TID, s->tid);
	protobuf_uint(b, TASK_STATE, state);
	protobuf_uint(b, TASK_PRIO, PRIO);
	protobuf_close(b, task);
	packets_close(p, packet);
}

/*
 * Gives the CPU to the idle task for 0 ns. trace_processor then ends the stay of the thread that
 * had the CPU, and no state of that thread follows: its state is NULL. No message can say so
 * directly: after DEAD trace_processor refuses all states but GONE, and after GONE the tid belongs
 * to a new thread.
 */
static void put_idle(struct packets *p, int64_t time, uint32_t cpu)
{
	struct perfetto_thread_span idle = { .from = time, .comm = "swapper", .cpu = cpu };

	threads_put_state(p, &idle, LINUX_RUNNING);
	threads_put_state(p, &idle, LINUX_RUNNABLE);
}

/*
 * Writes that the state is unknown from s->from on. A stay on a CPU ends there. A wait ends with a
 * stay of 1 ns on a CPU: nearly all spans without a record begin with a stay on a CPU of which only
 * the begin is recorded (lose_stay() of threads/switches.c). A thread of which the end is not
 * recorded (switch_new()) also ran then, at a time that is not known. Where the recording ends, a
 * wait remains open.
 */
static void threads_put_unknown(struct packets *p, const struct perfetto_thread_span *s,
				const struct place *m)
{
	if (m->linux_state == LINUX_RUNNING) {
		put_idle(p, s->from, m->linux_cpu);
	} else if (m->linux_state && m->linux_state != LINUX_UNKNOWN && s->why &&
		   s->to - s->from > 1) {
		threads_put_state(p, s, LINUX_RUNNING);
		put_idle(p, s->from + 1, s->cpu);
	}
}

/*
 * Returns the last state of a thread. trace_processor ends the process at GONE of its main thread:
 * later states of other threads would make new threads without a process. A main thread therefore
 * gets DEAD. (Linux, too, keeps the main thread as a zombie until all threads have ended.)
 */
static enum perfetto_linux_state threads_end_of(uint32_t tid, uint32_t pid)
{
	return tid == pid ? LINUX_DEAD : LINUX_GONE;
}

/*
 * Writes the process of the thread of @s: before its first state, and again if the tid belongs to a
 * new thread. (The track of a thread of the program says so, too, but only when an event is on the
 * track.) @name: of the process; "": not known, or written before.
 */
static void threads_put_process(struct packets *p, const struct perfetto_thread_span *s,
				uint32_t pid, const char *name)
{
	struct buf *b = packets_buf(p);
	size_t packet = packets_open(p), tree, at;

	packets_time(p, s->from);
	tree = protobuf_open(b, PACKET_PROCESS_TREE);
	at = protobuf_open(b, TREE_PROCESS);
	protobuf_uint(b, TREE_PROCESS_PID, pid);
	if (s->tid == pid && *name)
		packets_text(b, TREE_PROCESS_COMMAND, name);
	protobuf_close(b, at);
	at = protobuf_open(b, TREE_THREAD);
	protobuf_uint(b, TREE_THREAD_TID, s->tid);
	if (*s->comm)
		packets_text(b, TREE_THREAD_NAME, s->comm);
	protobuf_uint(b, TREE_THREAD_PID, pid);
	protobuf_close(b, at);
	protobuf_close(b, tree);
	packets_close(p, packet);
}

/*
 * Writes that the tid of a thread that has ended belongs to a new thread. (An exec, too, gives the
 * tid of the main thread to another one.)
 */
static void put_again(struct packets *p, const struct perfetto_thread_span *s, uint32_t pid_before,
		      uint32_t pid)
{
	if (threads_end_of(s->tid, pid_before) == LINUX_DEAD)
		threads_put_state(p, s, LINUX_GONE);
	threads_put_process(p, s, pid, s->comm);
}

/*
 * Writes the state of a thread of the program. In the table sched a stay on a CPU ends only by a
 * state with the same CPU.
 */
static void put_own_state(struct perfetto *p, const struct perfetto_thread_span *span,
			  const struct place *m)
{
	struct perfetto_thread_span s = *span;
	uint32_t pid = p->process.pid;
	bool ran = m->linux_state == LINUX_RUNNING;

	if (ran && s.state != LINUX_RUNNING)
		s.cpu = m->linux_cpu;
	if (!m->linux_state)
		threads_put_process(&p->packets, &s, pid, "");
	if (m->linux_state == LINUX_GONE)
		put_again(&p->packets, &s, pid, pid);
	if (s.state == LINUX_RUNNABLE && s.waker && !ran)
		put_waking(&p->packets, &s);
	else if (s.state == LINUX_UNKNOWN)
		threads_put_unknown(&p->packets, &s, m);
	else if (s.state != LINUX_GONE)
		threads_put_state(&p->packets, &s, s.state);
	else if (m->linux_state)
		threads_put_state(&p->packets, &s, threads_end_of(s.tid, pid));
}

static void put_why(struct perfetto *p, struct place *m, const struct perfetto_thread_span *s)
{
	struct packets_event e = { .type = EVENT_BEGIN,
				   .time = s->from,
				   .category = CATEGORY_LINUX };
	struct packets_event end = { .type = EVENT_END, .time = s->to };

	e.track = end.track = tracks_lane(&p->tracks, &m->off, places_m(p, s->tid, s->from)->track,
					  "off CPU", s->from, s->to);
	e.name = interned_name(&p->interned, s->why);
	if (*s->by)
		perfetto_note_text(p, NOTE_BY, s->by);
	e.more = &p->more;
	packets_event(&p->packets, &e);
	p->more.len = 0;
	packets_event(&p->packets, &end);
}

/* --- other programs --- */

/*
 * Limit on threads of other programs with a known process; of further threads only the states are
 * written.
 */
enum { OTHERS_MAX = 1 << 20 };
#define OTHER_NAMED (1ULL << 32)
#define OTHER_ENDED (1ULL << 33)

/*
 * Writes the process of the thread of another program: before its first state, when its name has
 * become known, and when its tid belongs to a new thread. Returns its entry in p->others; NULL:
 * there is no room for an entry.
 */
static uint64_t *threads_introduce(struct perfetto *p, const struct perfetto_thread_span *s)
{
	uint64_t *known = map64_get(&p->others, s->tid),
		 is = s->other | (*s->comm ? OTHER_NAMED : 0);

	if (known && (*known == is || *known == (is | OTHER_NAMED)))
		return known;
	if (!known && p->others.len == OTHERS_MAX)
		return NULL;
	if (known && *known & OTHER_ENDED)
		put_again(&p->packets, s, (uint32_t)*known, s->other);
	else
		threads_put_process(&p->packets, s, s->other, s->comm);
	known = map64_put(&p->others, s->tid, NULL);
	*known = is;
	return known;
}

static void other_span(struct perfetto *p, const struct perfetto_thread_span *s)
{
	uint64_t *known;

	if (s->tid > INT32_MAX || s->other > INT32_MAX)	/* such ids are not from Linux */
		return;
	known = threads_introduce(p, s);
	if (s->state != LINUX_GONE) {
		threads_put_state(&p->packets, s, s->state);
		return;
	}
	threads_put_state(&p->packets, s, known ? threads_end_of(s->tid, s->other) : LINUX_GONE);
	if (known)
		*known |= OTHER_ENDED;
}

bool perfetto_began(const struct perfetto *p)
{
	return p->began;
}

void perfetto_thread_span(struct perfetto *p, const struct perfetto_thread_span *s)
{
	struct place *m;

	if (s->other) {
		other_span(p, s);
		return;
	}
	m = places_thread(p, s->tid);
	if (m->linux_state == LINUX_GONE && (s->state == LINUX_GONE || s->state == LINUX_UNKNOWN))
		return;
	put_own_state(p, s, m);
	m->linux_state = s->state;
	m->linux_cpu = s->cpu;
	if (s->why)
		put_why(p, m, s);
}
