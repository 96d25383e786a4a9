// SPDX-License-Identifier: GPL-2.0
/*
 * probe_user: annotations. NewTask, Task.End, WithRegion and Log of runtime/trace call these hooks
 * of the runtime even when the program's own tracing is off. StartRegion then makes no call at the
 * region's end, and Logf returns before it formats.
 */
#include "annotation.h"

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
