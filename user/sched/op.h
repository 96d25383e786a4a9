/* SPDX-License-Identifier: Apache-2.0 */
/*
 * op: what a kind of operation is, for ops.c, which begins and ends all of them, and for the
 * files of the kinds, which make their texts.
 */
#ifndef GOTAP_SCHED_OP_H
#define GOTAP_SCHED_OP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"
#include "op_kind.h"
#include "record.h"

struct model;

enum { OP_NAME_MOST = 256 };

/* An operation that has begun and not ended. */
struct op {
	struct op *outer;	/* the one around it in the goroutine */
	struct op *next, **at;	/* of model.ops; the pointer that points here */
	struct G *g;		/* NULL: form FREE */
	uint64_t key;		/* of its records */
	uint64_t task;		/* its own; of form REGION and LOG that around it, 0: none */
	uint64_t began;		/* time of its begin, ns */
	struct region *region;	/* that of this operation, among those of the goroutine */
	bool named;		/* the name is in the trace */
	bool has_children;	/* goroutines that are created meanwhile work for it */
	bool lost;		/* its end is not known (ops_lose()) */
	/* records were lost since it began: its end may be one of them (ops_lose()) */
	bool doubtful;
	bool gone;		/* the probe of its end is removed (ops_gone()) */
	bool in_child;		/* form REGION: its task is the request that created @g */
	uint8_t kind;		/* enum op_kind */
	uint8_t flags;		/* of its begin */
	uint64_t stack, arg;	/* likewise, the words of these names */
	struct child *children;	/* of a request (children.h) */
	struct child_name *children_name;	/* NULL: it has had none */
	struct rec_user *note;	/* the first note of its result (REC_OP_NOTE); NULL: none */
	struct http_call *call;	/* op_http_call.c owns it; NULL: it is no such operation */
	uint64_t route_stack;	/* of the handler; 0: not known (route.c) */
	/* found during the request: its pattern, or a handler of model.handlers; may be NULL */
	const char *route;
	size_t route_len;
	bool by_handler;	/* the route is the function of the handler */
	uint16_t peer;		/* the flags of HTTP_BEGIN (http.h) */
	size_t name_len;
	size_t len[2];		/* of the texts of its begin */
	char name[OP_NAME_MOST], text[];
};

enum op_form { OP_FORM_TASK, OP_FORM_REGION, OP_FORM_FREE, OP_FORM_LOG };

struct op_traits {
	enum op_form form;
	const char *category;	/* of the log event at its end; NULL: it has none */
	size_t most[2];		/* bytes that are kept of each text */
	/*
	 * A goroutine has one of these at a time: where another one begins, the end of the first
	 * is missing.
	 */
	bool single;
	/* It is a request: goroutines that are created while it is open work for it. */
	bool has_children;
	/*
	 * The key is a depth of the stack: where one begins or ends, those that are as deep or
	 * deeper have been left. log() is then called with NULL, and there is no event if it adds
	 * nothing.
	 */
	bool by_depth;
	/*
	 * The key is a depth of the stack: a panic that is recovered further out ends it, with
	 * these flags. 0: not so.
	 */
	uint8_t panic_flags;
	bool is_call;	/* its task is no request that the program serves (read/http.h) */
	/*
	 * An operation of kind @followed_by (form LOG) begins where one ends, if next_key() is not
	 * 0: that is its key. OP_NONE: none does.
	 */
	uint8_t followed_by;
	uint64_t (*next_key)(const struct op *op, const struct rec_user *end);
	/*
	 * Makes the name, of at most OP_NAME_MOST bytes, and returns its length. @end: the record
	 * of the end; NULL: the operation begins. 0: it has the name that it has.
	 */
	size_t (*name)(char name[OP_NAME_MOST], const struct op *op, const struct rec_user *end);
	/* Is this the end of @op? NULL: if the keys are equal, or that of the end is 0. */
	bool (*ends)(const struct op *op, const struct rec_user *end);
	/* Adds the message of the log event to @out. May be NULL if category is. */
	void (*log)(struct buf *out, const struct op *op, const struct rec_user *end);
	/* The rest may be NULL. @op has begun; it ends, before its log event; it is freed. */
	void (*begun)(struct model *s, struct op *op);
	void (*ending)(struct model *s, struct op *op, const struct rec_user *end);
	void (*freed)(struct model *s, struct op *op);
	/* A step (REC_OP_STEP) of @op, the innermost one of the goroutine; NULL: there is none. */
	void (*step)(struct model *s, struct op *op, const struct rec_long *r);
	/* The end of an operation that is not known. */
	void (*unknown)(struct model *s, const struct rec_user *end);
};

/* Each in the file of its kind; ops.c has the table of all. */
extern const struct op_traits op_http_served, op_function;
extern const struct op_traits op_http_call, op_http_dial, op_http_tls, op_http_body;
extern const struct op_traits op_sql_query, op_sql_exec, op_sql_begin, op_sql_commit,
	op_sql_rollback, op_sql_conn, op_sql_rows;
extern const struct op_traits op_grpc_served, op_grpc_call, op_grpc_stream;

/* op_http_call.c: the model ends. */
void http_calls_free(struct model *s);

/* op_function.c: the messages of records CALL_ARGS and CALL_RESULTS about the call @op. */
void function_args_text(struct buf *out, const struct op *op, const struct rec_user *u);
void function_results_text(struct buf *out, const struct op *op, const struct rec_user *u);

/* The bits of @u that its kind defines. */
static inline uint8_t op_flags_of(const struct rec_user *u)
{
	return (uint8_t)(u->r.flags >> OP_FLAGS_SHIFT);
}

/* --- op_text.c: names, and the parts of messages, as read/http.h has them --- */

/*
 * Makes the name "A B", which is cut at OP_NAME_MOST - 1 bytes; each of the two ends at a NUL.
 * Returns its length.
 */
size_t op_name_two(char name[OP_NAME_MOST], const char *a, size_t na, const char *b, size_t nb);

/* " KEY=VALUE", without the space if it is the first one. */
void op_log_number(struct buf *out, const char *key, uint64_t value);
/* Likewise; the value is quoted if it has to be. */
void op_log_text(struct buf *out, const char *key, const char *text, size_t n);
void op_log_word(struct buf *out, const char *key, const char *word);

#endif
