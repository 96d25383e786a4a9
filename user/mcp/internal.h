/* SPDX-License-Identifier: Apache-2.0 */
/* internal: what the files of the server share; see server.h. */
#ifndef GOTAP_MCP_INTERNAL_H
#define GOTAP_MCP_INTERNAL_H

#include <json-c/json.h>
#include <stdbool.h>

#include "base/vec.h"
#include "mcp/input.h"
#include "mcp/job.h"
#include "mcp/message.h"
#include "mcp/server.h"
#include "mcp/store.h"
#include "mcp/tools.h"

enum {
	/* calls that run at the same time, and recordings among them */
	MCP_CALLS = 4,
	MCP_RECORDINGS = 1,
	/* bytes of answers that wait for a client that does not read: then its input waits, too */
	MCP_WAITING = 16 << 20,
};

/* A call that runs as a child process. */
struct mcp_call {
	struct job job;
	struct tool_call call;
	struct json_object *id, *token; /* token: of progress; NULL: none was given */
	char *written;                  /* name of its trace; NULL: it writes none */
	bool is_modern;                 /* of a revision without initialize */
	bool cancelled;                 /* nobody waits for the answer */
	bool full;                      /* it was ended, as the folder is full */
	bool late;                      /* it was ended, as it took too long */
	uint64_t deadline;	/* ns */
	uint64_t progressed;	/* ns; time of the last progress notification */
};

struct mcp {
	const struct mcp_options *o;
	struct store store;
	struct input input;
	struct buf out;   /* lines for the client */
	size_t written;   /* bytes of out that the client has */
	struct vec calls; /* struct mcp_call * */
	bool initialized; /* the client has sent initialize */
};

/* A request while it is answered. */
struct mcp_request {
	struct message *message;
	bool is_modern;
	struct json_object *token; /* NULL: no progress was asked for */
};

/* --- server.c --- */

/* Queues a message for the client. Takes @message. */
void mcp_send(struct mcp *m, struct json_object *message);

/* --- dispatch.c --- */

/* Answers the message in a line, or begins a call. */
void mcp_take(struct mcp *m, const char *line, size_t n);
/* The answer of a request. Takes @result, and adds what its revision demands. */
void mcp_answer(struct mcp *m, struct json_object *id, bool is_modern, struct json_object *result);
/* Refuses a request. */
void mcp_refuse(struct mcp *m, struct json_object *id, enum message_error code, const char *what);

/* --- resources.c --- */

void mcp_list_resources(struct mcp *m, const struct mcp_request *r);
void mcp_list_templates(struct mcp *m, const struct mcp_request *r);
void mcp_read_resource(struct mcp *m, const struct mcp_request *r);

/* --- calls.c --- */

void mcp_call_tool(struct mcp *m, const struct mcp_request *r);
/* The client does not want the answer of the request @id any more. */
void mcp_cancel(struct mcp *m, struct json_object *id);
/* Looks after all calls: progress, limits, answers of those that have ended. */
void mcp_step_calls(struct mcp *m);
/* Ends all calls, and waits for that, some seconds at most. */
void mcp_end_calls(struct mcp *m);

#endif
