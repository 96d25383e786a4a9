// SPDX-License-Identifier: Apache-2.0
/*
 * op_sql: queries, transactions and waits for connections of database/sql (sql.h). Each is a region
 * and a log event; the rows of a query are a log event when they are closed. Names and messages
 * have the form of the statement (base/sql_text.h), no literals, unless the user asked for them.
 */
#include <stdio.h>
#include <string.h>

#include "base/sql_text.h"
#include "read/sql.h"
#include "sched/op.h"
#include "sql.h"

enum {
	SQL_NAME_MOST = 128,
	SQL_LEFT = SQL_END_ERROR | SQL_END_PANIC,
};

/* Writes the text of the statement to @to, of REC_TEXT_MAX bytes. Returns its length. */
static size_t op_sql_text(char *to, const struct op *op)
{
	if (op->flags & SQL_BEGIN_LITERALS) {
		memcpy(to, op->text, op->len[0]);
		return op->len[0];
	}
	return sql_text_form(to, op->text, op->len[0]);
}

/* Cuts @n bytes of text to @most, and not inside a character. */
static size_t op_sql_cut(const char *text, size_t n, size_t most)
{
	if (n <= most)
		return n;
	for (n = most; n && (text[n] & 0xc0) == 0x80; n--)
		;
	return n;
}

static size_t op_sql_name(char name[OP_NAME_MOST], const struct op *op,
			  const struct rec_user *end)
{
	char text[REC_TEXT_MAX];
	size_t n;

	if (end)
		return 0;
	n = op_sql_text(text, op);
	if (!n)
		return (size_t)snprintf(name, OP_NAME_MOST, "SQL");
	n = op_sql_cut(text, n, SQL_NAME_MOST);
	memcpy(name, text, n);
	return n;
}

/* The keys of all, and the statement if there is one: the last one, as the trace may cut it. */
static void op_sql_put(struct buf *out, const char *what, const struct op *op,
		       const struct rec_user *end)
{
	char text[REC_TEXT_MAX];

	op_log_word(out, "op", what);
	op_log_number(out, "ns", end->r.time - op->began);
	if (op_flags_of(end) & SQL_END_ERROR)
		op_log_number(out, "error", 1);
	if (op_flags_of(end) & SQL_END_PANIC)
		op_log_word(out, "end", "panic");
	if (op->len[0])
		op_log_text(out, "query", text, op_sql_text(text, op));
}

#define SQL_LOG(kind, word) \
	static void op_sql_log_##kind(struct buf *out, const struct op *op, \
				      const struct rec_user *end) \
	{ \
		op_sql_put(out, word, op, end); \
	}
SQL_LOG(query, "query")
SQL_LOG(exec, "exec")
SQL_LOG(begin, "begin")
SQL_LOG(commit, "commit")
SQL_LOG(rollback, "rollback")
SQL_LOG(conn, "conn")
SQL_LOG(rows, "rows")

#define SQL_NAME(kind, text) \
	static size_t op_sql_name_##kind(char name[OP_NAME_MOST], const struct op *op, \
					 const struct rec_user *end) \
	{ \
		return end ? 0 : (size_t)snprintf(name, OP_NAME_MOST, "%s", text); \
	}
SQL_NAME(begin, "BEGIN")
SQL_NAME(commit, "COMMIT")
SQL_NAME(rollback, "ROLLBACK")
SQL_NAME(conn, SQL_CONN_NAME)

/* The rows that a query has returned. */
static uint64_t op_sql_rows_of(const struct op *op, const struct rec_user *end)
{
	return end->arg;
}

const struct op_traits op_sql_query = {
	.form = OP_FORM_REGION, .category = SQL_CATEGORY, .panic_flags = SQL_LEFT,
	.most = { REC_TEXT_MAX },
	.followed_by = OP_SQL_ROWS, .next_key = op_sql_rows_of,
	.name = op_sql_name, .log = op_sql_log_query,
};
const struct op_traits op_sql_exec = {
	.form = OP_FORM_REGION, .category = SQL_CATEGORY, .panic_flags = SQL_LEFT,
	.most = { REC_TEXT_MAX },
	.name = op_sql_name, .log = op_sql_log_exec,
};
const struct op_traits op_sql_begin = {
	.form = OP_FORM_REGION, .category = SQL_CATEGORY, .panic_flags = SQL_LEFT,
	.name = op_sql_name_begin, .log = op_sql_log_begin,
};
const struct op_traits op_sql_commit = {
	.form = OP_FORM_REGION, .category = SQL_CATEGORY, .panic_flags = SQL_LEFT,
	.name = op_sql_name_commit, .log = op_sql_log_commit,
};
const struct op_traits op_sql_rollback = {
	.form = OP_FORM_REGION, .category = SQL_CATEGORY, .panic_flags = SQL_LEFT,
	.name = op_sql_name_rollback, .log = op_sql_log_rollback,
};
const struct op_traits op_sql_conn = {
	.form = OP_FORM_REGION, .category = SQL_CATEGORY, .panic_flags = SQL_LEFT,
	.name = op_sql_name_conn, .log = op_sql_log_conn,
};
const struct op_traits op_sql_rows = {
	.form = OP_FORM_LOG, .category = SQL_CATEGORY, .log = op_sql_log_rows,
};
