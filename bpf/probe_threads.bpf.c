// SPDX-License-Identifier: GPL-2.0
/*
 * probe_threads: threads of the target on CPUs and off them, from the scheduler's tracepoints
 * (group linux). Every context switch and wake-up of the machine runs these programs; for other
 * processes they compare a number.
 *
 * All programs that make records run with interrupts off, some with a run queue locked: they take
 * no lock, wake no task, and read only memory of the kernel. The programs of a CPU therefore follow
 * one another, and only they write the CPU's second ring. If a wake-up interrupts a uprobe program,
 * each of the two programs writes to its own ring, and a loss in one ring takes no record of the
 * other. (A task that wakes itself does so with interrupts on: threads_wake() makes no record of
 * that.)
 *
 * The programs ask by CO-RE whether the kernel has a field that some kernels lack; vmlinux.h says
 * since which release each field exists.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>

#include "arch_saved.h"
#include "emit.h"

/* From include/linux/sched.h; the values are the same from 5.8 to 7.3. */
enum {
	STATE_INTERRUPTIBLE = 1,
	STATE_UNINTERRUPTIBLE = 2,
	STATE_STOPPED = 4,
	STATE_TRACED = 8,
	STATE_DEAD = 0x80,
	STATE_RTLOCK = 0x1000,		/* since 5.15, PREEMPT_RT */
	STATE_FROZEN = 0x8000,		/* since 6.1 */
	/* PF_FROZEN, up to 6.0; since 6.1 only kernel threads have the bit */
	FLAG_FROZEN = 0x10000,
	FLAG_KTHREAD = 0x200000,	/* PF_KTHREAD: has no user mode */
	/* MAX_RT_PRIO: a CPU quota does not hold for a task below it */
	PRIO_FAIR = 100,
};

/* --- is a task one of the target? --- */

/*
 * Sets threads_tgid if user space could not: gotap itself runs in a PID namespace, and knows only
 * the target's id there. A running task of the target has both ids.
 */
static __always_inline void learn_tgid(struct task_struct *current)
{
	if (threads_tgid == ~0U && (current_ids() >> 32) == target_tgid)
		threads_tgid = current->tgid;
}

static __always_inline bool is_ours(struct task_struct *task)
{
	return (__u32)task->tgid == (target_ns_ino ? threads_tgid : target_tgid);
}

/*
 * Returns the id of @task that records have: the one in the target's innermost PID namespace
 * (target_ns_ino), which is the last one in struct pid.
 */
static __always_inline __u32 tid_of(struct task_struct *task)
{
	struct pid *pid;
	__u32 tid = 0;

	if (!target_ns_ino)
		return task->pid;
	pid = task->thread_pid;
	bpf_core_read(&tid, sizeof(tid),
		      (void *)&pid->numbers[0].nr + pid->level * bpf_core_type_size(struct upid));
	return tid;
}

static __always_inline __u64 ids_of(struct task_struct *task)
{
	return (__u64)task->tgid << 32 | (__u32)task->pid;
}

/* --- records --- */

/*
 * Reserves room in this CPU's ring for threads. NULL: the ring is full, or there is none; the
 * record is counted as lost.
 */
static __always_inline void *thread_room(__u32 cpu, const __u32 size)
{
	struct ring_state *s = ring_state_at(RING_THREADS + (cpu > RING_CPUS ? RING_CPUS : cpu));
	void *room = s ? ring_take(s, size) : 0;

	if (s && !room)
		count_lost_record(s);
	return room;
}

static __always_inline void thread_fill(struct rec *r, __u64 time, __u32 tid, __u8 kind, __u8 sub,
					__u32 cpu)
{
	r->time = time;
	r->tid = tid;
	rec_set_kind(r, kind | REC_BUSY);
	r->sub = sub;
	r->flags = cpu;
}

static __always_inline void *thread_begin(const __u32 size, __u32 tid, __u8 kind, __u8 sub)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct rec *r = thread_room(cpu, size);

	if (r)
		thread_fill(r, bpf_ktime_get_ns(), tid, kind, sub, cpu);
	return r;
}

static __always_inline void put_name(struct rec_thread *t, struct task_struct *task)
{
	*(__u64 *)t->comm = *(const __u64 *)task->comm;
	*(__u64 *)(t->comm + 8) = *(const __u64 *)(task->comm + 8);
}

/* --- the kernel's own sums: run time, waits, throttled time --- */

/*
 * Reads the word at @at. @far: the verifier does not know @at as a pointer into the kernel, so that
 * a helper reads it.
 */
static __always_inline __u64 word_at(const __u64 *at, bool far)
{
	__u64 v = 0;

	if (!far)
		return *at;
	bpf_probe_read_kernel(&v, sizeof(v), at);
	return v;
}

/*
 * Returns for how many ns a quota, of this queue or of a group above it, kept the queue off its
 * CPU. Only differences mean anything. In 5.10 and 6.1 the ns are of the clock of the load
 * averages, which does not run while the CPU is idle.
 */
static __always_inline __u64 throttled_ns(struct cfs_rq *q, const bool far)
{
	struct rq *rq;
	__u64 ns, since;

	if (!bpf_core_field_exists(q->throttle_count) || !bpf_core_field_exists(q->rq))
		return 0;
	if (far)
		bpf_core_read(&rq, sizeof(rq), &q->rq);
	else
		rq = q->rq;
	if (bpf_core_field_exists(q->throttled_clock_self_time)) {
		since = word_at(&q->throttled_clock_self, far);
		ns = word_at(&q->throttled_clock_self_time, far);
		return since ? ns + word_at(&rq->clock, far) - since : ns;
	}
	if ((far ? BPF_CORE_READ(q, throttle_count) : q->throttle_count) <= 0)
		since = 0;
	else if (bpf_core_field_exists(q->throttled_clock_pelt_time))
		since = word_at(&rq->clock_pelt, far) - word_at(&rq->lost_idle_time, far) -
			word_at(&q->throttled_clock_pelt, far);
	else
		since = word_at(&rq->clock_task, far) - word_at(&q->throttled_clock_task, far);
	if (bpf_core_field_exists(q->throttled_clock_pelt_time))
		return word_at(&q->throttled_clock_pelt_time, far) + since;
	return word_at(&q->throttled_clock_task_time, far) + since;
}

/*
 * Returns for how many ns @task has waited for CPUs since it was made. @task gets this CPU now and
 * has been in its run queue until now: the kernel adds that last wait to run_delay only after the
 * tracepoint. After that /proc/PID/task/TID/schedstat shows the same sum.
 */
static __always_inline __u64 waited_ns(struct task_struct *task)
{
	__u64 queued;

	if (!bpf_core_field_exists(task->sched_info.run_delay))
		return 0;
	queued = task->sched_info.last_queued;
	if (!queued || !bpf_core_field_exists(task->se.cfs_rq->rq))
		return task->sched_info.run_delay;
	return task->sched_info.run_delay + (task->se.cfs_rq->rq->clock - queued);
}

/* --- why --- */

/*
 * Returns whether a CPU quota keeps @task from running. Since 6.18 the kernel throttles each task
 * when the task is about to return to user mode; before, it throttled the run queue with all tasks
 * in it.
 */
static __always_inline bool is_throttled(struct task_struct *task)
{
	if (task->prio < PRIO_FAIR)
		return false;
	if (bpf_core_field_exists(task->throttled))
		return task->throttled;
	if (bpf_core_field_exists(task->se.cfs_rq->throttle_count))
		return task->se.cfs_rq->throttle_count > 0;
	return false;
}

/*
 * Returns throttled_ns() at the begin of a wait for a CPU; ~0: @task is not throttled. Since 6.18
 * the queue of a task that is not throttled may count the throttled time of its other tasks, which
 * is no part of this wait.
 */
static __always_inline __u64 throttled_base(struct task_struct *task)
{
	if (task->prio < PRIO_FAIR || (bpf_core_field_exists(task->throttled) && !task->throttled))
		return ~0ULL;
	return throttled_ns(task->se.cfs_rq, false);
}

/*
 * Returns whether a cgroup's freezer keeps @task from running. Version 2 makes a thread sleep in
 * do_freezer_trap(), interruptibly. A thread that waits, uninterruptibly, for the program that its
 * vfork(2) starts (wait_for_vfork_done), as in each os/exec of Go, has task->frozen, too, but its
 * own wait keeps it from running.
 */
static __always_inline bool is_frozen(struct task_struct *task, __u32 state)
{
	if (state & STATE_FROZEN)
		return true;
	if (task->flags & FLAG_FROZEN)
		return true;
	return (state & STATE_INTERRUPTIBLE) && bpf_core_field_exists(task->frozen) &&
		BPF_CORE_READ_BITFIELD(task, frozen);
}

/*
 * Returns whether @task can run. A task that was preempted within the kernel, or that a signal
 * keeps from going to sleep, has the state of a sleeper and remains in the run queue. Sleepers
 * remain in it since 6.12, until they come to its head (sched_delayed), and since 7.3 also some
 * tasks that wait for a lock.
 */
static __always_inline bool is_runnable(struct task_struct *task, bool preempted, __u32 state)
{
	if (preempted || !state)
		return true;
	if (!task->on_rq)
		return false;
	if (bpf_core_field_exists(task->is_blocked) && task->is_blocked)
		return false;
	return !bpf_core_field_exists(task->se.sched_delayed) || !task->se.sched_delayed;
}

static __always_inline __u8 why_off(struct task_struct *task, bool preempted, __u32 state)
{
	if (state & STATE_DEAD)
		return REC_OFF_DEAD;
	if (is_runnable(task, preempted, state))
		return is_throttled(task) ? REC_OFF_THROTTLED : REC_OFF_RUNNABLE;
	/*
	 * before is_frozen(): a stopped thread counts as frozen, too (do_signal_stop, ptrace_stop)
	 */
	if (state & STATE_STOPPED)
		return REC_OFF_STOPPED;
	if (state & STATE_TRACED)
		return REC_OFF_TRACED;
	if (is_frozen(task, state))
		return REC_OFF_FROZEN;
	if (state & (STATE_UNINTERRUPTIBLE | STATE_RTLOCK))
		return BPF_CORE_READ_BITFIELD(task, in_iowait) ? REC_OFF_IO : REC_OFF_BLOCKED;
	return REC_OFF_SLEEP;
}

static __always_inline __u32 state_of(const __u64 *ctx, struct task_struct *task)
{
	if (switch_has_state)
		return ctx[3];
	if (bpf_core_field_exists(task->__state))
		return task->__state;
	return ((struct task_struct___before_5_14 *)task)->state;
}

/* --- tracepoints --- */

static __always_inline void put_off(struct rec_thread *t, struct task_struct *prev,
				    struct task_struct *next)
{
	t->r.id = ids_of(next);
	t->r.ptr = throttled_base(prev);
	t->stack = prev->se.sum_exec_runtime;
	t->arg = arch_syscall();
	put_name(t, next);
	rec_submit(t);
}

static __always_inline void put_on(struct rec *r, struct task_struct *next)
{
	r->id = waited_ns(next);
	r->ptr = throttled_ns(next->se.cfs_rq, false);
	rec_submit(r);
}

/*
 * Sends the records of a context switch. Both have the same time, taken after both have their room
 * (emit.h).
 */
static __always_inline void send_switch(struct task_struct *prev, struct task_struct *next,
					bool leaves, bool comes, __u8 why)
{
	__u32 cpu = bpf_get_smp_processor_id();
	struct rec_thread *off = leaves ? thread_room(cpu, sizeof(*off)) : 0;
	struct rec *on = comes ? thread_room(cpu, sizeof(*on)) : 0;
	__u64 now = bpf_ktime_get_ns();

	if (off) {
		thread_fill(&off->r, now, tid_of(prev), REC_THREAD_OFF, why, cpu);
		put_off(off, prev, next);
	}
	if (on) {
		thread_fill(on, now, tid_of(next), REC_THREAD_ON, 0, cpu);
		put_on(on, next);
	}
}

static __always_inline void send_foreign(struct task_struct *prev, struct task_struct *next,
					 __u8 why, bool comes)
{
	struct rec_thread *t = thread_begin(sizeof(*t), prev->pid, REC_CPU_SWITCH, why);

	if (!t)
		return;
	t->r.id = ids_of(next);
	t->r.ptr = prev->se.sum_exec_runtime;
	t->stack = prev->tgid;
	t->arg = comes;
	put_name(t, next);
	rec_submit(t);
}

SEC("tp_btf/sched_switch")
int threads_switch(__u64 *ctx)
{
	struct task_struct *prev = (void *)ctx[1], *next = (void *)ctx[2];
	bool leaves, comes;

	if (target_ns_ino)
		learn_tgid(prev);
	leaves = is_ours(prev);
	comes = is_ours(next);
	if ((!leaves && !comes && !every_switch) || !threads_active)
		return 0;
	if (every_switch && !leaves)
		send_foreign(prev, next, why_off(prev, ctx[0], state_of(ctx, prev)), comes);
	if (leaves || comes)
		send_switch(prev, next, leaves, comes,
			    leaves ? why_off(prev, ctx[0], state_of(ctx, prev)) : 0);
	return 0;
}

/*
 * Returns from which context a wake-up comes. Interrupts that find the CPU in the kernel run on a
 * stack of the CPU, and so do soft interrupts. A task also raises soft interrupts itself and runs
 * them as it goes on (local_bh_enable), for instance for each packet over loopback: the stack does
 * not distinguish these from the others.
 *
 * An interrupt that finds the CPU in user mode runs on the stack of the current task. The saved
 * registers of the task then say that the task is in no system call; they say the same after a page
 * fault. @tid: 0 is an idle CPU. @sp: any address on the stack in use.
 */
static __always_inline __u8 waker_kind(__u32 tid, __u64 stack, __u32 flags, __u64 sp)
{
	bool kthread = flags & FLAG_KTHREAD, in_kernel = kthread ? tid : arch_syscall() >= 0;

	if (sp - stack >= ARCH_THREAD_SIZE)
		return in_kernel ? REC_WAKER_EITHER : REC_WAKER_INTERRUPT;
	return in_kernel || kthread ? REC_WAKER_TASK : REC_WAKER_INTERRUPT;
}

/* Before 5.11 the verifier takes the current task for a number, so that helpers read its fields. */
#ifdef OLD_KERNEL
static __always_inline void put_waker(struct rec_thread *t, __u64 sp, bool named)
{
	struct task_struct *current = (void *)bpf_get_current_task();

	t->r.id = bpf_get_current_pid_tgid();
	t->r.sub = waker_kind(t->r.id, (__u64)BPF_CORE_READ(current, stack),
			      BPF_CORE_READ(current, flags), sp);
	if (named)
		bpf_core_read(t->comm, sizeof(t->comm), &current->comm);
}
#else
static __always_inline void put_waker(struct rec_thread *t, __u64 sp, bool named)
{
	struct task_struct *current = bpf_get_current_task_btf();

	t->r.id = ids_of(current);
	t->r.sub = waker_kind(current->pid, (__u64)current->stack, current->flags, sp);
	if (named)
		put_name(t, current);
}
#endif

/*
 * Sends a wake-up. Runs in the waker's context, with @task off its CPU or on its way off. The name
 * in the record is the waker's, or for a new thread the thread's own.
 */
static __always_inline int send_wake(const __u64 *ctx, struct task_struct *task, __u8 kind)
{
	struct rec_thread *t = thread_begin(sizeof(*t), tid_of(task), kind, REC_WAKER_UNKNOWN);

	if (!t)
		return 0;
	/*
	 * The context lies on the waker's stack. The verifier takes the address for a number once
	 * it was stored in memory.
	 */
	t->arg = (__u64)ctx;
	put_waker(t, *(volatile __u64 *)&t->arg, kind == REC_THREAD_WAKE);
	if (kind == REC_THREAD_NEW)
		put_name(t, task);
	t->r.ptr = throttled_base(task);
	t->stack = 0;
	t->arg = 0;
	rec_submit(t);
	return 0;
}

/*
 * A task on its way to sleep may wake itself (try_to_wake_up of the current task): it goes on and
 * never leaves the CPU. That runs with interrupts on, so that an interrupt's wake-up could write to
 * the same ring meanwhile.
 */
SEC("tp_btf/sched_waking")
int threads_wake(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];

	if (!is_ours(task) || !threads_active ||
	    (__u32)task->pid == (__u32)bpf_get_current_pid_tgid())
		return 0;
	return send_wake(ctx, task, REC_THREAD_WAKE);
}

SEC("tp_btf/sched_wakeup_new")
int threads_new(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];

	return is_ours(task) && threads_active ? send_wake(ctx, task, REC_THREAD_NEW) : 0;
}

/* Returns the run queue of @cpu for the group that @task is in. */
static __always_inline struct cfs_rq *queue_at(struct task_struct *task, __u32 cpu)
{
	struct cfs_rq **queues, *q = 0;

	if (!queue_pointers)
		return 0;
	queues = BPF_CORE_READ(task, sched_task_group, cfs_rq);
	bpf_probe_read_kernel(&q, sizeof(q), queues + cpu);
	return q;
}

SEC("tp_btf/sched_migrate_task")
int threads_move(__u64 *ctx)
{
	struct task_struct *task = (void *)ctx[0];
	__u32 to = ctx[1];
	struct cfs_rq *q;
	struct rec_long *l;

	if (!is_ours(task) || !threads_active)
		return 0;
	l = thread_begin(sizeof(*l), tid_of(task), REC_THREAD_MOVE, 0);
	if (!l)
		return 0;
	l->r.id = to;
	l->r.ptr = throttled_ns(task->se.cfs_rq, false);
	q = queue_at(task, to);
	l->stack = q ? throttled_ns(q, true) : ~0ULL;
	l->arg = 0;
	rec_submit(l);
	return 0;
}
