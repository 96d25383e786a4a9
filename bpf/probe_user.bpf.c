// SPDX-License-Identifier: GPL-2.0
/*
 * probe_user: annotations. NewTask, Task.End, WithRegion and Log of runtime/trace call these hooks
 * of the runtime even when the program's own tracing is off. StartRegion then makes no call at the
 * region's end, and Logf returns before it formats.
 */
#include "emit.h"
#include "stack.h"

/* A Go string: its address, and how many of its bytes the trace format takes. */
struct text {
	__u64 ptr;
	__u32 len;
};

static __always_inline struct text text_at(__u64 ptr, __u64 len)
{
	return (struct text){ ptr, len > REC_TEXT_MAX ? REC_TEXT_MAX : (__u32)len };
}

struct annotation {
	__u64 pid_tgid;
	__u64 task, arg;
	struct stack_start from;
	struct text text[2];
	__u8 kind;
	__u8 skip;		/* leaf frames that the runtime's tracer leaves out */
};

/*
 * Reads @n bytes of a text to @to. A text that is not in memory is most likely a constant of the
 * program: either the program has not touched its page yet, or the kernel has reclaimed the page.
 * The record is then marked, and user space takes the text from the program's file
 * (user/capture/texts.h).
 */
static __always_inline __u8 read_text(char *to, __u32 n, __u64 from, enum rec_missing mark)
{
	if (!bpf_probe_read_user(to, n, (void *)from))
		return 0;
	__sync_fetch_and_add(&texts_missing, 1);
	return mark;
}

static __always_inline bool send_room(const struct annotation *a, __u64 key, const __u32 room)
{
	struct rec_user *u = ring_reserve(ring_of_cpu(), sizeof(*u) + room);
	__u32 first = a->text[0].len, second = a->text[1].len;
	__u8 missing = 0;

	if (!u)
		return false;
	rec_fill(&u->r, (__u32)a->pid_tgid, a->kind, 0);
	u->r.id = a->task;
	u->r.ptr = a->text[0].ptr;
	u->stack = key;
	u->arg = a->arg;
	u->room = room;
	/* The verifier wants both bounds right before each read. */
	if (first > room)
		first = room;
	if (first)
		missing = read_text(u->text, first, a->text[0].ptr, REC_MISSING_FIRST);
	if (second > room - first)
		second = room - first;
	/*
	 * The compiler knows the bounds that follow and would drop the test. The verifier of Linux
	 * 5.10 has forgotten them, because it keeps no bounds of a spilled register.
	 */
	asm volatile("" : "+r"(first), "+r"(second));
	if (second && first <= room / 2 && second <= room / 2) {
		missing |= read_text(u->text + first, second, a->text[1].ptr, REC_MISSING_SECOND);
	} else {
		second = 0;
	}
	u->len[0] = first;
	u->len[1] = second;
	u->r.sub = missing;
	rec_submit(u);
	return true;
}

static __always_inline void define_if_new(const struct annotation *a, __u64 key)
{
	if (stack_is_new(key))
		stack_define(key, &a->from, (__u32)a->pid_tgid, STACK_USER, a->skip);
}

static __always_inline int send_annotation(const struct annotation *a)
{
	__u64 key = stack_key(&a->from, STACK_USER);
	__u32 most = a->text[0].len > a->text[1].len ? a->text[0].len : a->text[1].len;

	if (STACK_FIRST)
		define_if_new(a, key);

	/* Each text gets at most half of the room. */
	if (most <= 64)
		send_room(a, key, 128);
	else if (most <= 256)
		send_room(a, key, 512);
	else
		send_room(a, key, REC_USER_MAX);
	if (!STACK_FIRST)
		define_if_new(a, key);
	return 0;
}

/*
 * The common end of all hooks: completes the annotation @a with stack, time and texts, and sends
 * it. The hooks run on the goroutine's own stack; the stack in the record begins at the caller of
 * the hook.
 */
static __always_inline int annotate(struct pt_regs *ctx, struct annotation *a,
				    enum inline_program program)
{
	a->pid_tgid = current_ids();
	if (!is_target(a->pid_tgid) || go_restarts(ctx, program))
		return 0;
	a->from = (struct stack_start){ .pc = go_caller(ctx, program), .bp = go_fp(ctx) };
	return send_annotation(a);
}

/* userTaskCreate(id, parent uint64, taskType string) */
SEC("uprobe")
int GO_PROGRAM(user_task_begin)(struct pt_regs *ctx)
{
	struct annotation a = {
		.kind = REC_USER_TASK_BEGIN,
		.skip = 1,
		.task = go_arg1(ctx),
		.arg = go_arg2(ctx),
		.text = { text_at(go_arg3(ctx), go_arg4(ctx)) },
	};

	return annotate(ctx, &a, INLINE_user_task_begin);
}

/* userTaskEnd(id uint64) */
SEC("uprobe")
int GO_PROGRAM(user_task_end)(struct pt_regs *ctx)
{
	struct annotation a = {
		.kind = REC_USER_TASK_END,
		.task = go_arg1(ctx),
	};

	return annotate(ctx, &a, INLINE_user_task_end);
}

/* userRegion(id, mode uint64, regionType string): mode 0 begins, 1 ends */
SEC("uprobe")
int GO_PROGRAM(user_region)(struct pt_regs *ctx)
{
	struct annotation a = {
		.kind = go_arg2(ctx) ? REC_USER_REGION_END : REC_USER_REGION_BEGIN,
		.skip = 1,
		.task = go_arg1(ctx),
		.text = { text_at(go_arg3(ctx), go_arg4(ctx)) },
	};

	return annotate(ctx, &a, INLINE_user_region);
}

/* userLog(id uint64, category, message string) */
SEC("uprobe")
int GO_PROGRAM(user_log)(struct pt_regs *ctx)
{
	struct annotation a = {
		.kind = REC_USER_LOG,
		.skip = 1,
		.task = go_arg1(ctx),
		.arg = go_arg4(ctx),
		.text = { text_at(go_arg2(ctx), go_arg3(ctx)),
			  text_at(go_arg4(ctx), go_arg5(ctx)) },
	};

	return annotate(ctx, &a, INLINE_user_log);
}
