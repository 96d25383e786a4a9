// SPDX-License-Identifier: Apache-2.0
/*
 * switches: from records of the scheduler's tracepoints to the spans of their threads. See
 * internal.h.
 */
#include "threads/internal.h"

/* --- spans --- */

static void switch_show(struct threads *t, const struct thread_span *span)
{
	if (span->to > span->from)
		SHOW(t, span, span);
}

/* Ends the span that goes on at @time; a span that began later gets length 0. */
static void close_span(struct threads *t, struct thread *th, uint64_t time)
{
	struct thread_span *now = &th->inner->now;

	now->to = time > now->from ? time : now->from;
	switch_show(t, now);
}

static void open_span(struct thread *th, enum thread_state state, uint64_t time)
{
	struct thread_span *now = &th->inner->now;
	uint32_t cpu = now->cpu;

	if (time < now->from)
		time = now->from;
	*now = (struct thread_span){
		.thread = th, .state = state, .from = time, .cpu = cpu, .syscall = -1
	};
}

/*
 * Begins a span with a known length and an unknown begin: it becomes the last @length ns of the
 * span that goes on. The latter keeps at least 1 ns if its begin was recorded: the length is by the
 * kernel's clock, which differs from that of the records by some us, and between two stays on CPUs
 * there is always a time off them.
 */
static void split_before(struct threads *t, struct thread *th, uint64_t time, uint64_t length,
			 enum thread_state state)
{
	struct thread_span *now = &th->inner->now;
	uint64_t room = time > now->from ? time - now->from : 0,
		 most = room && !now->open_begin ? room - 1 : room;
	bool open_begin = now->open_begin && length >= room;

	close_span(t, th, time - (length < most ? length : most));
	open_span(th, state, now->to);
	now->open_begin = open_begin;
}

/* --- states --- */

static enum thread_state switch_state_of(enum rec_off off, int64_t syscall)
{
	switch (off) {
	case REC_OFF_RUNNABLE: return THREAD_QUEUED;
	case REC_OFF_THROTTLED: return THREAD_THROTTLED;
	case REC_OFF_SLEEP: return syscall < 0 ? THREAD_FAULT : THREAD_SLEEPING;
	case REC_OFF_BLOCKED: return syscall < 0 ? THREAD_FAULT : THREAD_BLOCKED;
	case REC_OFF_IO: return syscall < 0 ? THREAD_FAULT : THREAD_IO;
	case REC_OFF_STOPPED: return THREAD_STOPPED;
	case REC_OFF_TRACED: return THREAD_TRACED;
	case REC_OFF_FROZEN: return THREAD_FROZEN;
	default: return THREAD_UNKNOWN;
	}
}

static bool waits_for_cpu(const struct thread *th)
{
	return th->inner->now.state == THREAD_QUEUED || th->inner->now.state == THREAD_THROTTLED;
}

static void set_base(struct thread *th, uint64_t throttled)
{
	th->inner->base = throttled;
	th->inner->throttled = 0;
	th->inner->has_base = throttled != UINT64_MAX;
}

/* Adds the throttled time of the queue that the thread is in, or leaves, up to @counter. */
static void add_throttled(struct thread *th, uint64_t counter)
{
	if (th->inner->has_base && counter > th->inner->base)
		th->inner->throttled += counter - th->inner->base;
	th->inner->base = counter;
}

/*
 * Ends a wait for a CPU. Only the length of its throttled part is known. That part is put first,
 * because the thread waits in the queue for a while once the quota is there again. (A quota that is
 * used up while the thread already waits is dated too early by this.)
 */
static void end_wait(struct threads *t, struct thread *th, uint64_t time)
{
	struct thread_span *now = &th->inner->now, first = *now;
	uint64_t room = time > now->from ? time - now->from : 0;
	uint64_t length = th->inner->throttled < room ? th->inner->throttled : room;

	first.state = THREAD_THROTTLED;
	first.to = now->from + length;
	switch_show(t, &first);
	now->state = THREAD_QUEUED;
	now->from = first.to;
	now->open_begin &= !length;
	close_span(t, th, time);
	th->inner->has_base = false;
	th->inner->throttled = 0;
}

/* --- records --- */

/* Returns the ns since the last record that had the counter @last; 0: there was none. */
static uint64_t switch_advance(uint64_t *last, bool *has, uint64_t counter)
{
	uint64_t more = *has && counter > *last ? counter - *last : 0;

	*last = counter;
	*has = true;
	return more;
}

enum { SLACK_NS = 10 * 1000 * 1000 };

/*
 * Returns @counted, or the length of the span if @counted is longer by more than is possible: at a
 * switch the kernel's clock may be behind that of the records by some 10 us.
 */
static uint64_t switch_credible(uint64_t counted, uint64_t from, uint64_t to)
{
	uint64_t length = to > from ? to - from : 0;

	return counted <= length + SLACK_NS ? counted : length;
}

/*
 * The record that the thread left its CPU is missing: its state is unknown from the begin of the
 * stay on.
 */
static void lose_stay(struct threads *t, struct thread *th)
{
	th->inner->now.state = THREAD_UNKNOWN;
	th->inner->ran_unseen = true;
	t->missing++;
}

/*
 * Thread @tid is, or was, on @cpu. If another thread's stay there still goes on, the record of that
 * stay's end is missing.
 */
static void end_other_stay(struct threads *t, uint16_t cpu, uint32_t tid)
{
	struct thread *other = threads_find(t, t->on_cpu[cpu]);

	if (other && other->tid != tid && other->inner->now.state == THREAD_RUNNING &&
	    other->inner->now.cpu == cpu)
		lose_stay(t, other);
}

/*
 * Adds @more ns to the sum of waits for a CPU. @more counts from the last record with the kernel's
 * sum, and has also waits before stays without a record of their begin.
 */
static void add_waited(struct thread *th, uint64_t more, uint64_t time)
{
	th->waited_ns += switch_credible(more, th->inner->waited_at, time);
	th->inner->waited_at = time;
}

/* Ends the span before a stay on a CPU; only a wait for the CPU may remain before the stay. */
static void end_off(struct threads *t, struct thread *th, const struct rec *r)
{
	struct thread_inner *in = th->inner;
	bool first = in->now.open_begin && in->now.state == THREAD_UNKNOWN,
	     has_waited = in->has_waited && r->id;
	uint64_t waited = switch_advance(&in->waited, &in->has_waited, r->id);

	if (in->now.state == THREAD_RUNNING)	/* it may have slept since */
		lose_stay(t, th);
	if (first)	/* the wait began before the recording */
		in->now.state = THREAD_QUEUED;
	else if (!waits_for_cpu(th))	/* the record of its wake-up is missing */
		split_before(t, th, r->time, waited, THREAD_QUEUED);
	if (in->has_base)
		add_throttled(th, r->ptr);
	if (!has_waited || in->now.open_begin) {	/* the whole span */
		waited = UINT64_MAX;
		in->waited_at = in->now.from;
	}
	add_waited(th, waited, r->time);
	end_wait(t, th, r->time);
}

void switch_on(struct threads *t, const struct rec *r)
{
	struct thread *th = threads_get(t, r->tid, r->time);
	struct thread_inner *in;

	end_other_stay(t, r->flags, r->tid);
	if (!th)
		return;
	in = th->inner;
	if (in->now.cpu == THREAD_NO_CPU)	/* the thread waited for this CPU */
		in->now.cpu = r->flags;
	end_off(t, th, r);
	if (in->now.cpu != r->flags)
		th->moves++;
	open_span(th, THREAD_RUNNING, r->time);
	in->now.cpu = r->flags;
	t->on_cpu[r->flags] = r->tid;
}

/*
 * Adds @more ns to the sum of run time. @more counts from the last record with the kernel's sum,
 * and has also time in spans without records.
 */
static void add_ran(struct thread *th, uint64_t more, uint64_t time)
{
	th->ran_ns += switch_credible(more, th->inner->ran_at, time);
	th->inner->ran_at = time;
}

/*
 * The first record of a thread that was runnable when the recording began: it leaves a CPU. Returns
 * whether it waited first, because it has run for less than the time since it was read: the record
 * of its stay's begin is then missing. (The sum of a thread that runs may be a tick old when it is
 * read, so that a smaller difference does not count.)
 */
static bool began_unseen(const struct thread_inner *in, bool has_ran, uint64_t more, uint64_t time)
{
	return has_ran && in->read_at && time > in->read_at && more + SLACK_NS < time - in->read_at;
}

/*
 * Ends the span on the CPU, by a record with the kernel's sum of run time. If the record of the
 * span's begin is missing, the CPU is that of the record of its end.
 */
static void end_running(struct threads *t, struct thread *th, uint64_t time, uint64_t ran,
			uint16_t cpu)
{
	struct thread_inner *in = th->inner;
	bool has_ran = in->has_ran;
	uint64_t more = switch_advance(&in->ran, &in->has_ran, ran), room;

	if (in->now.open_begin && in->now.state == THREAD_UNKNOWN &&
	    !began_unseen(in, has_ran, more, time)) {
		in->now.state = THREAD_RUNNING;
		in->now.cpu = cpu;
	} else if (in->now.open_begin && in->now.state == THREAD_UNKNOWN) {
		t->missing++;
		in->now.state = THREAD_QUEUED;
		split_before(t, th, time, more, THREAD_RUNNING);
		th->moves += in->now.cpu != cpu;
		in->now.cpu = cpu;
	} else if (in->now.state == THREAD_RUNNING && in->now.cpu != cpu) {
		/* it left the one CPU, and went on the other one */
		t->missing += 2;
		in->now.state = THREAD_UNKNOWN;
		th->moves++;
	} else if (in->now.state == THREAD_UNKNOWN && in->ran_unseen) {
		/* which part of the sum belongs to its last stay is not known */
		t->missing++;
		th->moves += in->now.cpu != cpu;
	} else if (in->now.state != THREAD_RUNNING) {
		t->missing++;
		split_before(t, th, time, more, THREAD_RUNNING);
		th->moves += in->now.cpu != cpu;
		in->now.cpu = cpu;
	}
	if (!has_ran || in->now.open_begin) {	/* the whole span */
		more = UINT64_MAX;
		in->ran_at = in->now.from;
	}
	room = time > in->now.from ? time - in->now.from : 0;
	in->now.ran = switch_credible(more, in->now.from, time);
	if (in->ran_unseen && in->now.ran > room)
		in->now.ran = room;
	in->ran_unseen = false;
	add_ran(th, more, time);
	close_span(t, th, time);
}

/*
 * Returns the thread that leaves its CPU. A thread in a PID namespace that ends has released its id
 * before it leaves the CPU for the last time (release_task()), so that the record has 0: it is then
 * the thread that went on this CPU last. If it is preempted before its end, no later record can be
 * assigned to it: for gotap it has ended here.
 */
static uint32_t tid_of_off(const struct threads *t, const struct rec_thread *r)
{
	uint32_t tid = r->r.tid ? r->r.tid : t->on_cpu[r->r.flags];
	const struct thread *th = threads_find(t, tid);

	if (r->r.tid)
		return tid;
	return th && th->inner->now.state == THREAD_RUNNING && th->inner->now.cpu == r->r.flags ?
		       tid :
		       0;
}

void switch_off(struct threads *t, const struct rec_thread *r)
{
	uint32_t tid = tid_of_off(t, r);
	struct thread *th = tid ? threads_get(t, tid, r->r.time) : NULL;
	struct thread_inner *in;

	if (tid)
		end_other_stay(t, r->r.flags, tid);
	t->on_cpu[r->r.flags] = 0;
	if (!th)
		return;
	in = th->inner;
	if (in->now.cpu == THREAD_NO_CPU)
		in->now.cpu = r->r.flags;
	end_running(t, th, r->r.time, r->stack, r->r.flags);
	if (r->r.sub == REC_OFF_DEAD || !r->r.tid) {
		threads_drop(t, th, r->r.time, true);
		return;
	}
	open_span(th, switch_state_of(r->r.sub, (int64_t)r->arg), r->r.time);
	in->now.cpu = r->r.flags;
	in->now.syscall = (int64_t)r->arg;
	if (!waits_for_cpu(th))
		return;
	set_base(th, r->r.ptr);
	in->now.queued = t->knows_yield && r->arg == t->nr_sched_yield ? QUEUED_YIELDED :
									 QUEUED_PREEMPTED;
	in->now.by = task_of(r);
}

void switch_wake(struct threads *t, const struct rec_thread *r)
{
	struct thread *th = threads_get(t, r->r.tid, r->r.time);
	struct thread_inner *in;

	if (!th)
		return;
	in = th->inner;
	/*
	 * on its way to sleep, it was woken before it got there; or it waits for a CPU, as a record
	 * said that came late
	 */
	if (in->now.state == THREAD_RUNNING || waits_for_cpu(th))
		return;
	if (in->now.open_begin && in->now.state == THREAD_UNKNOWN)
		in->now.state = THREAD_SLEEPING;
	close_span(t, th, r->r.time);
	open_span(th, THREAD_QUEUED, r->r.time);
	set_base(th, r->r.ptr);
	in->now.queued = r->r.sub == REC_WAKER_INTERRUPT ? QUEUED_BY_INTERRUPT : QUEUED_WOKEN;
	if (r->r.sub != REC_WAKER_EITHER)
		in->now.by = task_of(r);
}

void switch_new(struct threads *t, const struct rec_thread *r)
{
	struct thread *th = threads_find(t, r->r.tid);

	/*
	 * an older thread had the same id; the record of its end is missing, and its time is not
	 * known
	 */
	if (th) {
		t->missing++;
		th->inner->now.state = THREAD_UNKNOWN;
		close_span(t, th, r->r.time);
		threads_drop(t, th, r->r.time, true);
	}
	th = threads_add(t, r->r.tid, r->comm, r->r.time);
	if (!th)
		return;
	th->made = true;
	th->inner->has_ran = th->inner->has_waited = true;	/* both are 0 */
	th->inner->ran_at = th->inner->waited_at = r->r.time;
	threads_begin(t, th);
	open_span(th, THREAD_QUEUED, r->r.time);
	set_base(th, r->r.ptr);
	th->inner->now.queued = QUEUED_NEW;
	th->inner->now.by = task_of(r);
	th->inner->now.by.comm[0] = 0;	/* the record has the thread's own name */
}

void switch_move(struct threads *t, const struct rec_long *r)
{
	struct thread *th = threads_find(t, r->r.tid);

	if (!th || !th->inner->has_base)
		return;
	add_throttled(th, r->r.ptr);
	th->inner->base = r->stack;
	th->inner->has_base = r->stack != UINT64_MAX;
}

/*
 * Takes the state that was read from /proc. If the thread had a record before, the record is newer,
 * and only the name is taken. If it had none, it has been in this state since the begin. Its next
 * record shows whether a runnable thread was on a CPU.
 */
void switch_read_first(struct threads *t, const struct rec_thread *r)
{
	struct thread *th = threads_find(t, r->r.tid);
	struct thread_inner *in;
	bool found = th;

	if (!th)
		th = threads_add(t, r->r.tid, r->comm, t->begin);
	if (!th)
		return;
	put_comm(th->comm, r->comm);
	in = th->inner;
	if (in->now.cpu == THREAD_NO_CPU)
		in->now.cpu = r->r.flags;
	if (found)
		return;
	in->now.open_begin = true;
	threads_begin(t, th);
	in->ran = r->stack;
	in->waited = r->r.id;
	in->has_ran = in->has_waited = true;
	in->ran_at = in->waited_at = t->begin;
	in->read_at = r->r.time;
	if (r->r.sub == REC_OFF_RUNNABLE || r->r.sub == REC_OFF_THROTTLED)
		return;
	in->now.state = switch_state_of(r->r.sub, (int64_t)r->arg);
	in->now.syscall = (int64_t)r->arg;
}

/*
 * Takes the state at the end. A thread that was runnable all the time was on a CPU if the kernel's
 * sum of its run time has grown. If the sum of a thread that is off its CPU has grown since its
 * last record, records of a stay are missing. (One that went on a CPU after its sum was read has
 * not run more.) The same holds for the sum of its waits, which does not include a wait that goes
 * on.
 */
void switch_read_last(struct threads *t, const struct rec_thread *r)
{
	struct thread *th = threads_find(t, r->r.tid);
	struct thread_inner *in = th ? th->inner : NULL;
	bool runnable = r->r.sub == REC_OFF_RUNNABLE || r->r.sub == REC_OFF_THROTTLED;

	if (!th)
		return;
	if (runnable && in->now.state == THREAD_UNKNOWN && in->now.open_begin)
		in->now.state = r->stack > in->ran ? THREAD_RUNNING : THREAD_QUEUED;
	if (!runnable && in->now.state == THREAD_RUNNING && in->has_ran && r->stack > in->ran) {
		add_ran(th, switch_advance(&in->ran, &in->has_ran, r->stack), r->r.time);
		in->now.state = THREAD_UNKNOWN;
		t->missing++;
	}
	if (in->has_waited && r->r.id > in->waited)
		add_waited(th, switch_advance(&in->waited, &in->has_waited, r->r.id), r->r.time);
}

void switch_end(struct threads *t, struct thread *th, uint64_t time)
{
	struct thread_span *now = &th->inner->now;
	uint64_t length = time > now->from ? time - now->from : 0;

	now->open_end = true;
	if (now->state == THREAD_RUNNING) {
		now->ran = length;
		th->ran_ns += length;
	}
	if (waits_for_cpu(th))
		th->waited_ns += length;
	close_span(t, th, time);
	threads_drop(t, th, time, false);
}
