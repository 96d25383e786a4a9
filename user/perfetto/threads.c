// SPDX-License-Identifier: Apache-2.0
/*
 * threads: states of threads as the kernel's scheduler has them. Part of perfetto.c.
 *
 * A state is a GenericKernelTaskStateEvent, which says nothing of other threads, so that those of
 * one process can be written alone. It cannot say who woke a thread, so a state that has a waker is
 * an event of ftrace instead, sched_waking: trace_processor makes a runnable state with a waker of
 * it (tried with v55.3; after both it has none). It ends a sleep, but no stay on a CPU.
 *
 * Perfetto has one state for all that wait for a CPU. Why they do, and why one sleeps
 * uninterruptibly, is a slice of a track below the thread's.
 */
#include "base/protobuf.h"
#include "perfetto/internal.h"

/* The default priority of the scheduler (nice 0), for all threads: records do not have it. */
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
 * The CPU goes to the idle task for no time. trace_processor then ends the stay of the thread that
 * had it, of which no state follows: it has state NULL. (There is no state that says so: after DEAD
 * it refuses all but GONE, and after GONE the id is another thread's.)
 */
static void put_idle(struct packets *p, int64_t time, uint32_t cpu)
{
	struct perfetto_thread_span idle = { .from = time, .comm = "swapper", .cpu = cpu };

	threads_put_state(p, &idle, LINUX_RUNNING);
	threads_put_state(p, &idle, LINUX_RUNNABLE);
}

/*
 * A wait before it ends by a stay of 1 ns at its begin. Nearly all spans without a record begin
 * with a stay on a CPU of which only the begin is recorded (lose_stay() of threads/switches.c). In
 * one of a thread whose end is not recorded (switch_new()) the thread ran, too, but it is not known
 * when. Where the recording ends, a wait stays open.
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
 * trace_processor ends the process at GONE of its main thread. Later states of other threads then
 * make new threads without a process. So a main thread gets DEAD: Linux, too, keeps it as a zombie
 * until all threads have ended.
 */
static enum perfetto_linux_state threads_end_of(uint32_t tid, uint32_t pid)
{
	return tid == pid ? LINUX_DEAD : LINUX_GONE;
}

/*
 * Which process @s is of, before its first state, or the first one after its id was that of a
 * thread that has ended. (The track of one of the program says so, too, but not before an event is
 * on it.) @name: of the process; "" not known, or said already.
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

/* The id, of a thread that has ended, is that of another one. (A main thread's: by an exec.) */
static void put_again(struct packets *p, const struct perfetto_thread_span *s, uint32_t pid_before,
		      uint32_t pid)
{
	if (threads_end_of(s->tid, pid_before) == LINUX_DEAD)
		threads_put_state(p, s, LINUX_GONE);
	threads_put_process(p, s, pid, s->comm);
}

/* A stay on a CPU ends in the table sched only by a state of the same CPU. */
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

/* Threads of other programs whose process is written; of further ones only the states are. */
enum { OTHERS_MAX = 1 << 20 };
#define OTHER_NAMED (1ULL << 32)
#define OTHER_ENDED (1ULL << 33)

/*
 * Before its first state, and when its name has become known, or the id is another one's. NULL:
 * there is no room for it.
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

	if (s->tid > INT32_MAX || s->other > INT32_MAX)	/* no ids of Linux */
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
