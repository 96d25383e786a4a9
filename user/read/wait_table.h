/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wait_table: the objects that goroutines wait for, of one generation: reads the strings
 * of trace/waittab.h. Most readers want none of them: the strings are only noted, and read at the
 * first look-up.
 */
#ifndef GOTAP_READ_WAIT_TABLE_H
#define GOTAP_READ_WAIT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/map64.h"
#include "base/vec.h"
#include "read/v2_table.h"
#include "trace/wait.h"

struct wait_table {
	struct vec noted;	/* uint32_t: indices in v2_tables.strings */
	bool read;		/* the tables below have all of them */
	struct map64 reasons, goroutines;	/* string id, goid -> index in words + 1 */
	struct vec words;	/* uint64_t: the head of an entry, then its objects */
	/* struct trace_socket_time, by descriptor and begin; times in units of the trace */
	struct vec sockets;
};

/* A generation begins. Keeps the storage. */
void wait_table_clear(struct wait_table *w);
void wait_table_free(struct wait_table *w);
/* The strings of @t from index @first on are of a batch of TRACEV2_WAITS. */
void wait_table_note(struct wait_table *w, const struct v2_tables *t, size_t first);
/*
 * The object of the string @id of a reason, or of goroutine @id with a status, in *@ret. False: not
 * known. An entry that is damaged ends its string, and the others of the string stay unknown.
 */
bool wait_table_of_reason(struct wait_table *w, const struct v2_tables *t, uint64_t id,
		     struct trace_wait *ret);
bool wait_table_of_goroutine(struct wait_table *w, const struct v2_tables *t, uint64_t goid,
			struct trace_wait *ret);
/*
 * The socket that descriptor @fd was at @time, in units of the trace; protocol TRACE_NO_SOCKET: not
 * known.
 */
struct trace_socket wait_table_socket(struct wait_table *w, const struct v2_tables *t, uint64_t fd,
				      uint64_t time);

#endif
