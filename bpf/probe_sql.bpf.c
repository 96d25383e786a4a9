// SPDX-License-Identifier: GPL-2.0
/*
 * probe_sql: queries, transactions and waits for connections of database/sql, in the goroutine
 * that asks for them. A function ends at the entry of the one that it calls last if all is well, as
 * a probe at a RET costs ten times as much (the kernel must step through it); at its RETs if an
 * error is returned, or if there is no such call. The plan leaves out the RETs that are behind such
 * a call in the same function (user/target/ends.h).
 *
 * Results are in registers as arguments are (AX, BX, CX, DI), up to Go 1.16 on the stack behind the
 * arguments: the word numbers count from the return address, which is word 0.
 */
#include "depth.h"
#include "op.h"
#include "sql.h"

/*
 * Is this a hit of the target, and, at an entry, not one that will hit again? Each program asks
 * before it reads the stack: another process may have the same code.
 */
static __always_inline bool sql_hit(struct pt_regs *ctx, bool at_entry, __u64 *pid_tgid)
{
	*pid_tgid = current_ids();
	return is_target(*pid_tgid) && !(at_entry && go_restarts(ctx, INLINE_NONE));
}

/* Sends the begin of an operation of @kind with the statement @text. */
static __always_inline int sql_send_begin(struct pt_regs *ctx, __u64 pid_tgid, __u8 kind,
					  struct text text)
{
	struct annotation a = op_record(REC_OP_BEGIN, kind,
					 sql_literals ? SQL_BEGIN_LITERALS : 0);

	a.pid_tgid = pid_tgid;
	a.task = depth_here(ctx, go_g(ctx));
	a.text[0] = text;
	send_fitting(&a, 0);
	return 0;
}

static __always_inline int sql_send_end(__u64 pid_tgid, __u8 kind, __u8 flags, __u64 id, __u64 rows)
{
	struct annotation a = op_record(REC_OP_END, kind, flags);

	a.pid_tgid = pid_tgid;
	a.task = id;
	a.arg = rows;
	send_fitting(&a, 0);
	return 0;
}

/* For a RET: @error is the first word of the error that the function returns. */
static __always_inline int sql_send_return(__u64 pid_tgid, __u8 kind, __u64 error)
{
	return sql_send_end(pid_tgid, kind, error ? SQL_END_ERROR : 0, 0, 0);
}

/* (*DB).queryDC(ctx, txctx, dc, releaseConn, query string, args) (*Rows, error) */
SEC("uprobe")
int GO_PROGRAM(sql_query_begin)(struct pt_regs *ctx)
{
	__u64 pid_tgid;

	if (!sql_hit(ctx, true, &pid_tgid))
		return 0;
	return sql_send_begin(ctx, pid_tgid, OP_SQL_QUERY, text_at(go_word(ctx, 8, arch_arg8(ctx)),
				      go_word(ctx, 9, arch_arg9(ctx))));
}

SEC("uprobe")
int GO_PROGRAM(sql_query_end)(struct pt_regs *ctx)
{
	__u64 pid_tgid;

	if (!sql_hit(ctx, false, &pid_tgid))
		return 0;
	return sql_send_return(pid_tgid, OP_SQL_QUERY, go_word(ctx, 14, arch_arg2(ctx)));
}

/* (*Rows).initContextClose(ctx, txctx), the last call of a query that has succeeded */
SEC("uprobe")
int GO_PROGRAM(sql_rows_begin)(struct pt_regs *ctx)
{
	__u64 pid_tgid;

	if (!sql_hit(ctx, true, &pid_tgid))
		return 0;
	return sql_send_end(pid_tgid, OP_SQL_QUERY, 0, 0, go_arg1(ctx));
}

/* (*Rows).close(err): also for rows that are closed. */
SEC("uprobe")
int GO_PROGRAM(sql_rows_end)(struct pt_regs *ctx)
{
	__u64 pid_tgid;

	if (!sql_hit(ctx, true, &pid_tgid))
		return 0;
	return sql_send_end(pid_tgid, OP_SQL_ROWS, 0, go_arg1(ctx), 0);
}

/* (*DB).execDC(ctx, dc, release, query string, args) (Result, error) */
SEC("uprobe")
int GO_PROGRAM(sql_exec_begin)(struct pt_regs *ctx)
{
	__u64 pid_tgid;

	if (!sql_hit(ctx, true, &pid_tgid))
		return 0;
	return sql_send_begin(ctx, pid_tgid, OP_SQL_EXEC, text_at(go_word(ctx, 6, arch_arg6(ctx)),
				      go_word(ctx, 7, arch_arg7(ctx))));
}

SEC("uprobe")
int GO_PROGRAM(sql_exec_end)(struct pt_regs *ctx)
{
	__u64 pid_tgid;

	if (!sql_hit(ctx, false, &pid_tgid))
		return 0;
	return sql_send_return(pid_tgid, OP_SQL_EXEC, go_word(ctx, 13, arch_arg3(ctx)));
}

/* (*Stmt).QueryContext(ctx, args) (*Rows, error) */
SEC("uprobe")
int GO_PROGRAM(sql_stmt_query_begin)(struct pt_regs *ctx)
{
	__u64 pid_tgid;

	if (!sql_hit(ctx, true, &pid_tgid))
		return 0;
	return sql_send_begin(ctx, pid_tgid, OP_SQL_QUERY, op_text(go_arg1(ctx) + SQL_STMT_QUERY));
}

/* Where all is well, the entry of initContextClose was the end. */
SEC("uprobe")
int GO_PROGRAM(sql_stmt_query_end)(struct pt_regs *ctx)
{
	__u64 pid_tgid, error;

	if (!sql_hit(ctx, false, &pid_tgid))
		return 0;
	error = go_word(ctx, 8, arch_arg2(ctx));
	return error ? sql_send_return(pid_tgid, OP_SQL_QUERY, error) : 0;
}

/* (*Stmt).ExecContext(ctx, args) (Result, error) */
SEC("uprobe")
int GO_PROGRAM(sql_stmt_exec_begin)(struct pt_regs *ctx)
{
	__u64 pid_tgid;

	if (!sql_hit(ctx, true, &pid_tgid))
		return 0;
	return sql_send_begin(ctx, pid_tgid, OP_SQL_EXEC, op_text(go_arg1(ctx) + SQL_STMT_QUERY));
}

SEC("uprobe")
int GO_PROGRAM(sql_stmt_exec_end)(struct pt_regs *ctx)
{
	__u64 pid_tgid;

	if (!sql_hit(ctx, false, &pid_tgid))
		return 0;
	return sql_send_return(pid_tgid, OP_SQL_EXEC, go_word(ctx, 9, arch_arg3(ctx)));
}

/* (*DB).beginDC(ctx, dc, release, opts) (*Tx, error) */
SEC("uprobe")
int GO_PROGRAM(sql_tx_begin)(struct pt_regs *ctx)
{
	__u64 pid_tgid;

	if (!sql_hit(ctx, true, &pid_tgid))
		return 0;
	return sql_send_begin(ctx, pid_tgid, OP_SQL_BEGIN, text_at(0, 0));
}

SEC("uprobe")
int GO_PROGRAM(sql_tx_begun)(struct pt_regs *ctx)
{
	__u64 pid_tgid;

	if (!sql_hit(ctx, false, &pid_tgid))
		return 0;
	return sql_send_return(pid_tgid, OP_SQL_BEGIN, go_word(ctx, 8, arch_arg2(ctx)));
}

/*
 * (*Tx).Commit() error, where it calls withLock to ask the driver: not if the transaction is done.
 */
SEC("uprobe")
int GO_PROGRAM(sql_commit_begin)(struct pt_regs *ctx)
{
	__u64 pid_tgid;

	if (!sql_hit(ctx, false, &pid_tgid))
		return 0;
	return sql_send_begin(ctx, pid_tgid, OP_SQL_COMMIT, text_at(0, 0));
}

SEC("uprobe")
int GO_PROGRAM(sql_commit_end)(struct pt_regs *ctx)
{
	__u64 pid_tgid;

	if (!sql_hit(ctx, false, &pid_tgid))
		return 0;
	return sql_send_return(pid_tgid, OP_SQL_COMMIT, go_word(ctx, 2, arch_arg1(ctx)));
}

/* (*Tx).rollback(discardConn bool) error, likewise. */
SEC("uprobe")
int GO_PROGRAM(sql_rollback_begin)(struct pt_regs *ctx)
{
	__u64 pid_tgid;

	if (!sql_hit(ctx, false, &pid_tgid))
		return 0;
	return sql_send_begin(ctx, pid_tgid, OP_SQL_ROLLBACK, text_at(0, 0));
}

SEC("uprobe")
int GO_PROGRAM(sql_rollback_end)(struct pt_regs *ctx)
{
	__u64 pid_tgid;

	if (!sql_hit(ctx, false, &pid_tgid))
		return 0;
	return sql_send_return(pid_tgid, OP_SQL_ROLLBACK, go_word(ctx, 3, arch_arg1(ctx)));
}

/* (*DB).conn(ctx, strategy) (*driverConn, error) */
SEC("uprobe")
int GO_PROGRAM(sql_conn_begin)(struct pt_regs *ctx)
{
	__u64 pid_tgid;

	if (!sql_hit(ctx, true, &pid_tgid))
		return 0;
	return sql_send_begin(ctx, pid_tgid, OP_SQL_CONN, text_at(0, 0));
}

SEC("uprobe")
int GO_PROGRAM(sql_conn_end)(struct pt_regs *ctx)
{
	__u64 pid_tgid;

	if (!sql_hit(ctx, false, &pid_tgid))
		return 0;
	return sql_send_return(pid_tgid, OP_SQL_CONN, go_word(ctx, 6, arch_arg2(ctx)));
}

/* The call of (*driverConn).resetSession in it: the connection is there, and was in use before. */
SEC("uprobe")
int GO_PROGRAM(sql_conn_got)(struct pt_regs *ctx)
{
	__u64 pid_tgid;

	if (!sql_hit(ctx, false, &pid_tgid))
		return 0;
	return sql_send_return(pid_tgid, OP_SQL_CONN, 0);
}

/*
 * recovery(gp), on the system stack, where it calls gogo: a deferred function has recovered a
 * panic, and the goroutine goes on in the function that has deferred it, at gp.sched.sp. A driver
 * that panics returns to none of the functions above.
 */
SEC("uprobe")
int GO_PROGRAM(sql_recovered)(struct pt_regs *ctx)
{
	__u64 pid_tgid, g;
	struct rec *r;

	if (!sql_hit(ctx, false, &pid_tgid))
		return 0;
	g = FIELD_OF_THREAD(64, g_m(go_g(ctx)), m_curg);
	r = rec_begin(sizeof(*r), pid_tgid, REC_OP_RECOVERED, 0);
	if (!r)
		return 0;
	r->id = depth_of(g, FIELD(64, g, g_sched_sp));
	rec_submit(r);
	return 0;
}
