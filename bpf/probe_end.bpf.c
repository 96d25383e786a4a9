// SPDX-License-Identifier: GPL-2.0
/*
 * probe_end: the places where the runtime has decided that the program dies: of a panic that is not
 * recovered, of a fatal error, of a signal. One record has the cause, the goroutine and its stack.
 * The runtime then prints all stacks, which takes some milliseconds; gotap reads the rings even
 * after the program has ended. None of these functions returns, so that no probe here is frequent.
 */
#include "gostate.h"

struct end {
	__u64 pid_tgid;
	__u64 goid;		/* 0: no goroutine caused it */
	struct stack_start from;
	/* top word of the goroutine's stack when a signal or a switch to g0 came; 0: none */
	__u64 top;
	__u64 text;
	__u64 len;
	bool unknown;		/* text is the address of the string, which could not be read */
	__u16 how;		/* enum rec_end, and the signal */
};

enum { END_TEXT = 512 };

static __always_inline void message_missing(struct rec_user *u, enum rec_missing which)
{
	__sync_fetch_and_add(&texts_missing, 1);
	u->r.sub = which;
}

/*
 * Most messages are constants of the program. Their page is not in memory if no code has read it
 * yet: then the record is marked, and user space takes the message from the program's file
 * (user/capture/texts.h).
 */
static __always_inline void read_message(struct rec_user *u, const struct end *e)
{
	__u32 n = e->len > END_TEXT ? END_TEXT : (__u32)e->len;

	u->len[0] = n;
	if (e->unknown)
		message_missing(u, REC_MISSING_SECOND);
	else if (n && bpf_probe_read_user(u->text, n, (void *)e->text))
		message_missing(u, REC_MISSING_FIRST);
}

/*
 * Sends the whole stack, even if the budget has turned stacks off: the program dies and sends no
 * other stack.
 */
static __always_inline int send_end(const struct end *e)
{
	struct rec_user *u = ring_reserve(ring_of_cpu(), sizeof(*u) + END_TEXT);
	__u64 key = 0;

	if (!u)
		return 0;
	rec_fill(&u->r, (__u32)e->pid_tgid, REC_PROGRAM_DIES, 0);
	u->r.id = e->goid;
	u->r.ptr = e->text;
	u->r.flags = e->how;
	u->arg = e->top;
	u->len[1] = 0;
	u->room = END_TEXT;
	read_message(u, e);
	if (stack_depth && e->from.pc)
		key = stack_hash_slowly(e->from.pc, e->from.second, e->from.bp, STACK_END,
					stack_end(e->from.bp));
	u->stack = key;
	rec_submit(u);
	if (stack_is_new(key))
		stack_define(key, &e->from, (__u32)e->pid_tgid, STACK_END, 0);
	return 0;
}

/* Begins the stack where @curg was when its thread switched to g0, for the runtime or for C. */
static __always_inline void begin_at_switch(struct end *e, __u64 curg)
{
	struct g_chunk c;
	__u64 top;

	g_read(&c, curg);
	e->from = start_at_sched(&c);
	top = return_of_left(&c);
	if (program_abi == GO_ABI_PUSH || SWITCH_HAS_FRAME)
		e->top = top;
	else
		e->from.second = top;
}

/*
 * Fills in m.curg, the user goroutine of the thread that runs @g. If m.curg is @g itself, its stack
 * begins at @ret with the frame pointer @fp. If @g is g0, the stack begins where the goroutine left
 * it (g.sched). If @g is gsignal, a signal interrupted the goroutine and g.sched is older than the
 * signal: there is no stack.
 */
static __always_inline void blame(struct end *e, __u64 g, __u64 ret, __u64 fp)
{
	__u64 m = g_m(g), curg = read_u64(m + off.m_curg);

	if (!curg)
		return;
	e->goid = read_u64(curg + off.g_goid);
	if (curg == g)
		e->from = (struct stack_start){ .pc = ret, .bp = fp };
	else if (g == read_u64(m + off.m_g0))
		begin_at_switch(e, curg);
}

/*
 * Takes the string from the interface value at @eface; preprintpanics has made a string of every
 * error and Stringer.
 */
static __always_inline void read_panic_text(struct end *e, __u64 eface)
{
	/* internal/abi, Type and Kind */
	enum { KIND_AT = 23, KIND_MASK = 31, KIND_STRING = 24 };
	__u64 words[2] = {}, text[2] = {};

	if (!read_user(words, sizeof(words), eface) || !words[0])
		return;
	if ((read_u8(words[0] + KIND_AT) & KIND_MASK) != KIND_STRING)
		return;
	e->unknown = bpf_probe_read_user(text, sizeof(text), (void *)words[1]);
	e->text = e->unknown ? words[1] : text[0];
	e->len = text[1];
}

/*
 * A signal that became a panic: sigpanic looks as if the faulting instruction had called it.
 * Returns the word that was on top of the stack at the fault, or in the link register: if the
 * faulting function has no frame, this word is the address of its caller.
 */
static __always_inline __u64 top_at_fault(__u64 bp)
{
	struct frame f;
	int i;

	for (i = 0; i < 12; i++) {
		if (!is_frame(bp) || !read_frame(&f, bp))
			return 0;
		if (f.ret >= sigpanic_start && f.ret < sigpanic_end)
			return sigpanic_top ? read_u64(f.bp + sigpanic_top) : 0;
		bp = f.bp;
	}
	return 0;
}

/* The place in gopanic that calls fatalpanic(msgs): no deferred call has recovered. */
SEC("uprobe")
int GO_PROGRAM(end_panic)(struct pt_regs *ctx)
{
	struct end e = { .pid_tgid = current_ids(), .how = REC_END_PANIC };
	__u64 msgs;

	if (!is_target(e.pid_tgid))
		return 0;
	msgs = loaded(go_call_arg1(ctx));
	blame(&e, go_g(ctx), loaded(arch_ip(ctx)) + ARCH_CALL_LEN, go_fp(ctx));
	e.top = top_at_fault(go_fp(ctx));
	read_panic_text(&e, msgs + panic_arg);
	return send_end(&e);
}

/* throw(s string), fatal(s string) */
SEC("uprobe")
int GO_PROGRAM(end_throw)(struct pt_regs *ctx)
{
	struct end e = { .pid_tgid = current_ids(), .how = REC_END_FATAL };

	if (!is_target(e.pid_tgid))
		return 0;
	e.text = go_arg1(ctx);
	e.len = go_arg2(ctx);
	blame(&e, go_g(ctx), go_return(loaded(go_link(ctx))), go_fp(ctx));
	return send_end(&e);
}

/*
 * dieFromSignal(sig uint32): another process sent the signal, and the program does not handle it.
 */
SEC("uprobe")
int GO_PROGRAM(end_kill)(struct pt_regs *ctx)
{
	struct end e = { .pid_tgid = current_ids() };

	if (!is_target(e.pid_tgid))
		return 0;
	e.how = REC_END_SIGNAL | (__u16)(__u8)go_arg1(ctx) << 8;
	return send_end(&e);
}

/* siginfo_t: si_code and si_pid (asm-generic/siginfo.h), after si_signo */
enum { SI_CODE_AT = 8, SI_PID_AT = 16, SENT_BY_TKILL = -6 };
enum { ILL = 4, TRAP = 5, ABORT = 6, BUS = 7, FPE = 8, SEGV = 11 };

/* A signal that sighandler() found to be fatal. */
struct fatal_signal {
	__u32 number;
	__u64 info, ucontext;
	__u64 gp;		/* the runtime.g that ran as the signal came */
	__u64 m;
};

/*
 * Returns whether the thread that got the signal caused it, by an instruction or by abort(3). The
 * kernel may deliver any other signal to any thread, so that the goroutine there says nothing.
 */
static __always_inline bool is_cause(const struct fatal_signal *s, __u32 tgid)
{
	__s32 code = (__s32)read_u32(s->info + SI_CODE_AT);
	__u32 n = s->number;

	if (n == ABORT)
		return code == SENT_BY_TKILL && read_u32(s->info + SI_PID_AT) == tgid;
	return code > 0 && (n == ILL || n == TRAP || n == BUS || n == FPE || n == SEGV);
}

/*
 * The stack begins at the interrupted instruction. Its pc gets 1 added, because symbols of a stack
 * are looked up at pc - 1.
 */
static __always_inline void begin_at_fault(struct end *e, __u64 ucontext)
{
	e->from.pc = arch_uc_ip(ucontext) + 1;
	e->from.bp = arch_uc_fp(ucontext);
	e->top = arch_uc_caller(ucontext);
}

static __always_inline int send_signal(struct end *e, const struct fatal_signal *s)
{
	__u64 curg = is_cause(s, e->pid_tgid >> 32) ? read_u64(s->m + off.m_curg) : 0;

	e->how = REC_END_SIGNAL | (__u16)(__u8)s->number << 8;
	if (!curg)
		return send_end(e);
	e->goid = read_u64(curg + off.g_goid);
	if (curg == s->gp)
		begin_at_fault(e, s->ucontext);
	else
		begin_at_switch(e, curg);
	return send_end(e);
}

#ifndef GO_OLD
/* fatalsignal(sig uint32, c *sigctxt, gp *g, mp *m): a sigctxt is { info, context } */
SEC("uprobe")
int end_signal(struct pt_regs *ctx)
{
	struct end e = { .pid_tgid = current_ids() };
	struct fatal_signal s = { .number = (__u32)go_arg1(ctx),
				  .gp = go_arg3(ctx),
				  .m = go_arg4(ctx) };
	__u64 c[2] = {}, at = go_arg2(ctx);

	if (!is_target(e.pid_tgid))
		return 0;
	read_user(c, sizeof(c), at);
	s.info = c[0];
	s.ucontext = c[1];
	return send_signal(&e, &s);
}
#else
/*
 * sighandler(sig uint32, info *siginfo, ctxt unsafe.Pointer, gp *g), at its call of startpanic_m().
 * The arguments lie above its frame, also those that came in registers (1.15 and 1.19), and its
 * sigctxt lies at the end of the frame. If they do not, si_signo differs from the argument, and no
 * record is made.
 */
SEC("uprobe")
int end_signal_old(struct pt_regs *ctx)
{
	struct end e = { .pid_tgid = current_ids() };
	__u64 fp = go_fp(ctx), c[2] = {}, args;
	struct fatal_signal s = {};

	if (!is_target(e.pid_tgid))
		return 0;
	args = go_frame_args(fp);
	read_user(c, sizeof(c), arch_frame_end(fp) - sizeof(c));
	s.info = c[0];
	s.ucontext = c[1];
	s.number = read_u32(args);
	s.gp = read_u64(args + 24);
	s.m = g_m(go_g(ctx));
	return s.number && read_u32(s.info) == s.number ? send_signal(&e, &s) : 0;
}
#endif
