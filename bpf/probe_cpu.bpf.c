// SPDX-License-Identifier: GPL-2.0
/*
 * probe_cpu: samples of a clock per thread of the target: each tick records which goroutine uses
 * the CPU, and where. The g comes from the thread's own memory, or from its registers: on amd64
 * the runtime holds it in thread-local storage, one word below the thread pointer, also while the
 * thread is in the kernel, on its system stack, in a signal handler or in C.
 */
#include "vmlinux.h"
#include <bpf/bpf_core_read.h>

#include "arch_saved.h"
#include "gostate.h"

/*
 * Returns the M of the thread that is on the stack of @g; 0: @g is not one of the runtime's. The
 * check is m.g0.m == m, because m.procid may be an id of another PID namespace.
 */
static __always_inline __u64 m_of(__u64 g)
{
	__u64 m;

	if (!g)
		return 0;
	m = peek_u64(g + off.g_m);
	/* a C thread, or thread-local storage with another meaning */
	if (!m || peek_u64(peek_u64(m + off.m_g0) + off.g_m) != m)
		return 0;
	return m;
}

/*
 * Makes @u the registers of user mode: if they are the kernel's, the kernel has saved those of the
 * thread.
 */
static __always_inline void to_user_mode(struct user_regs *u)
{
	if (u->in_kernel)
		*u = arch_saved(saved_regs());
}

/* The head of a sample, which records of both kinds begin with. */
struct sample {
	__u64 pid_tgid;
	__u64 goid, p;
	__u64 g;		/* find_g() */
	__u16 flags;
};

static __always_inline void fill_sample(struct rec *r, const struct sample *s)
{
	r->flags = s->flags;
	r->id = s->goid;
	r->ptr = s->p;
}

/*
 * Sends the sample of a thread that runs C or the vDSO: its stack begins where the thread left Go.
 */
static __always_inline int sample_outside(const struct sample *s, const struct stack_start *from)
{
	struct rec_long *l = rec_begin(sizeof(*l), s->pid_tgid, REC_CPU_SAMPLE, 0);

	if (!l)
		return 0;
	fill_sample(&l->r, s);
	l->arg = 0;
	submit_with_stack(l, (__u32)s->pid_tgid, from, STACK_CPU, 0);
	return 0;
}

static __always_inline bool is_go_text(__u64 ip)
{
	return ip >= text_start && ip < text_end;
}

/*
 * Returns whether the frame at u->bp, which cannot be read, belongs to the stack. Assembly code
 * keeps any value in the register, and code outside of Go's text has other frames.
 */
static __always_inline bool is_cut(const struct user_regs *u)
{
	return stack_depth > 1 && stacks != STACKS_NONE && is_go_text(u->ip) && is_frame(u->bp) &&
	       u->bp + ARCH_FP_BELOW_SP - u->sp < LARGEST_FRAME;
}

/*
 * Gives user space the address of the frame, to bring its page in, as for the frames of a walk
 * (hash_end() in stack_walk.h).
 */
static __always_inline void note_cut(struct rec_cpu *c, __u64 bp)
{
	struct ring_state *s = ring_of_cpu();

	c->r.flags |= REC_CPU_CUT;
	if (s)
		s->unreadable_frame = bp;
}

/*
 * Sends the sample of a thread that runs Go, on any stack: the interrupted instruction, and the
 * callers by frame pointers. From the system stack the chain leads on to the goroutine's stack
 * (systemstack), or ends (mcall), as in the runtime's own samples. @over: see struct stack_start.
 */
static __always_inline int sample_inside(const struct sample *s, const struct user_regs *u,
					 __u64 over)
{
	struct rec_cpu *c = rec_begin(sizeof(*c), s->pid_tgid, REC_CPU_LEAF, 0);
	struct stack_start callers = {};
	struct frame f = {};
	__u64 key;

	if (!c)
		return 0;
	fill_sample(&c->r, s);
	c->r.flags |= ARCH_SAMPLE_FLAGS;
	if (arch_has_frame(u))
		c->r.flags |= REC_CPU_AT_FRAME;
	if (arch_has_record_below(u))
		c->r.flags |= REC_CPU_RECORD_BELOW;
	c->ip = u->ip;
	arch_words(u, c->words);
	if (is_frame(u->bp) && !bpf_probe_read_user(&f, sizeof(f), (void *)u->bp))
		callers = (struct stack_start){ .pc = arch_code(f.ret), .bp = f.bp,
						.second = over };
	else if (is_cut(u))
		note_cut(c, u->bp);
	key = stack_key(&callers, STACK_CPU);
	c->stack = key;
	rec_submit(c);
	if (stack_is_new(key))
		stack_define(key, &callers, (__u32)s->pid_tgid, STACK_CPU, 0);
	return 0;
}

/*
 * The kernel steps a probed instruction in a copy (slots of 128 bytes) if it cannot emulate it. The
 * sample gets the address of the instruction itself.
 */
static __always_inline void undo_stepping(struct user_regs *u)
{
	struct task_struct *task = (void *)bpf_get_current_task();
	struct uprobe_task *utask = BPF_CORE_READ(task, utask);
	__u64 slot;

	if (is_go_text(u->ip) || !utask)
		return;
	slot = BPF_CORE_READ(utask, xol_vaddr);
	if (slot && u->ip - slot < ARCH_XOL_SLOT_BYTES)
		u->ip = BPF_CORE_READ(utask, vaddr);
}

/*
 * Finds where the stack begins of a thread in the vDSO, which has no Go frames. Its callers in the
 * runtime (nanotime1, walltime) store their return address and stack pointer in the M.
 */
static __always_inline bool in_vdso(__u64 m, struct stack_start *from)
{
	__u64 sp = 0;

	if (m && off.m_vdso_sp != GO_OFFSET_NONE)
		sp = read_u64(m + off.m_vdso_sp);
	if (!sp)
		return false;
	from->pc = read_u64(m + off.m_vdso_pc);
	from->bp = arch_vdso_fp(sp, from->pc);
	return true;
}

/*
 * Returns whether the goroutine @curg runs C code, and where its stack begins then: where the
 * goroutine called C, as in the runtime's profiler (runtime.sigprof). The profiler begins at the
 * interrupted instruction if the goroutine is in a syscall.
 *
 * Code on g0 that is not Go's (C, the vDSO, the code of --attach inline) has the goroutine's stack
 * where the goroutine left it: g.sched. A goroutine that runtime.execute is about to start for the
 * first time has its entry there, which is no return address, while look-ups subtract 1 from a
 * return address. On gsignal g.sched is of an earlier switch, because a signal interrupted the
 * goroutine.
 *
 * The fields are read one by one: g_read() needs 152 bytes of the stack, of which Linux 6.1 has 256
 * for this program beside its walks.
 */
static __always_inline bool in_c(const struct sample *s, const struct user_regs *u, __u64 m,
				 __u64 curg, struct stack_start *from)
{
	if (off.g_syscallbp != GO_OFFSET_NONE && read_u64(curg + off.g_syscallsp) &&
	    (__s32)read_u32(m + off.m_ncgo) > 0) {
		from->pc = read_u64(curg + off.g_syscallpc);
		from->bp = read_u64(curg + off.g_syscallbp);
		return true;
	}
	if ((s->flags & REC_CPU_SYSTEM) && !is_go_text(u->ip) && s->g == peek_u64(m + off.m_g0)) {
		from->pc = read_u64(curg + off.g_sched_pc);
		from->bp = read_u64(curg + off.g_sched_bp);
		if (from->pc == read_u64(curg + off.g_startpc))
			from->pc++;
		return true;
	}
	return false;
}

/*
 * Returns the frame pointer with which the goroutine left its stack, for a thread on the system
 * stack, if frame pointers do not lead there; else 0.
 */
static __always_inline __u64 sample_over(const struct sample *s, __u64 m, __u64 curg)
{
#ifdef ARCH_HAS_LINK_REGISTER
	if (!systemstack_return && s->goid && s->flags & REC_CPU_SYSTEM &&
	    s->g == peek_u64(m + off.m_g0))
		return read_u64(curg + off.g_sched_bp);
#endif
	return 0;
}

/*
 * Finds the g of the stack that the thread is on: a goroutine's, g0 (the system stack), or gsignal
 * (the stack of signal handlers). Returns the M.
 */
static __always_inline __u64 find_g(const struct user_regs *u, __u64 *g)
{
	bool in_go = is_go_text(u->ip);
	__u64 m, second;

	*g = arch_first_g(u, in_go);
	m = m_of(*g);
	second = m ? 0 : arch_second_g(u, in_go);
	if (second) {
		*g = second;
		m = m_of(second);
	}
	return m;
}

SEC("perf_event")
int cpu_sample(struct bpf_perf_event_data *ctx)
{
	struct user_regs u = arch_interrupted(ctx);
	struct sample s = { .pid_tgid = current_ids() };
	struct stack_start from = {};
	__u64 m, curg;

	/*
	 * this runs in an interrupt, so that nothing can come between is_of_target() and the record
	 */
	if (!is_of_target(s.pid_tgid))
		return 0;
	to_user_mode(&u);
	undo_stepping(&u);
	m = find_g(&u, &s.g);
	curg = m ? read_u64(m + off.m_curg) : 0;
	s.p = m ? read_u64(m + off.m_p) : 0;
	if (s.g != curg)
		s.flags = REC_CPU_SYSTEM;
	if (curg)
		s.goid = read_u64(curg + off.g_goid);
	if (curg && in_c(&s, &u, m, curg, &from))
		return sample_outside(&s, &from);
	if (in_vdso(m, &from))
		return sample_outside(&s, &from);
	return sample_inside(&s, &u, sample_over(&s, m, curg));
}
