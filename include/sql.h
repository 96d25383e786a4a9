/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql: the records of database/sql that the probes send (bpf/probe_sql.bpf.c), as operations
 * (op_kind.h). Both sides compile this header.
 *
 * SQL_QUERY, SQL_EXEC	begin: the first text is the statement. End: flags; arg is the *sql.Rows, 0:
 *			there are none
 * SQL_BEGIN, SQL_COMMIT, SQL_ROLLBACK	of a transaction; end: flags
 * SQL_CONN		waits for a connection, or opens one; end: flags
 * SQL_ROWS		end: id is the *sql.Rows that are closed
 *
 * The id of each begin is the depth of the stack there: the distance from its high end, which stays
 * the same where the stack moves. A panic of the driver that is recovered further out ends the
 * operation (REC_OP_RECOVERED).
 */
#ifndef GOTAP_SQL_H
#define GOTAP_SQL_H

/* Flags of the kind in the record of a begin. */
enum sql_begin {
	SQL_BEGIN_LITERALS = 1,	/* the user wants the statement as it is */
};

/* Likewise, of an end. */
enum sql_end {
	SQL_END_ERROR = 1,	/* the function returned an error */
	SQL_END_PANIC = 2,	/* it did not return: set by user space */
};

/* In all releases from Go 1.15 to 1.27. */
enum {
	SQL_STMT_QUERY = 8,	/* sql.Stmt.query */
};

#endif
