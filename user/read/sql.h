/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sql: the log events of group sql, about calls of database/sql. Their category is SQL_CATEGORY;
 * the message is a line of KEY=VALUE as in read/http.h, in this order:
 *
 *	op	query, exec, begin, commit, rollback; conn: a connection was waited for, or opened;
 *		rows: the rows of a query were closed
 *	ns	duration; of rows, since the query returned them
 *	error	1: the call returned an error, or has not returned
 *	end	panic: the driver panicked (or called runtime.Goexit), and the call has not returned
 *	query	the statement, of query, exec and rows; the last one, as it may be cut
 *
 * Each, but for rows, stands in a region that has the statement's first bytes as its name.
 */
#ifndef GOTAP_READ_SQL_H
#define GOTAP_READ_SQL_H

#define SQL_CATEGORY "gotap.sql"
/* The name of the regions of conn. */
#define SQL_CONN_NAME "database/sql connection"

#endif
