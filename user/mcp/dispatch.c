// SPDX-License-Identifier: Apache-2.0
/*
 * dispatch: from a message to the function that answers it. A request of the revision 2026-07-28
 * has its revision in _meta; all others belong to a session that initialize has begun.
 */
#include <string.h>

#include "mcp/internal.h"

static const char dispatch_modern[] = "2026-07-28";
static const char dispatch_version_key[] = "io.modelcontextprotocol/protocolVersion";
static const char dispatch_capabilities_key[] = "io.modelcontextprotocol/clientCapabilities";
static const char dispatch_server_key[] = "io.modelcontextprotocol/serverInfo";

/* Those with initialize, the newest first. */
static const char *const dispatch_revisions[] = { "2025-11-25", "2025-06-18", "2024-11-05" };

enum { DISPATCH_REVISIONS = sizeof(dispatch_revisions) / sizeof(*dispatch_revisions) };

/* Lists do not change while the server runs, but for traces. */
enum { DISPATCH_FRESH_MS = 3600000 };

static const char dispatch_instructions[] =
	"Diagnoses running Go programs from outside, by eBPF. To find why one is slow: `ps` for "
	"its "
	"pid, `record` for 2 to 10 s, then `report` with the trace; `why`, `diff`, `whatif` and "
	"`profile` look further. A program that hangs: `stacks`, without a recording. One "
	"that takes much memory: `heap`. If `record` "
	"is "
	"refused: `doctor`. Each answer has `losses` (what the trace lacks, and what it cost) and "
	"`accuracy`: do not conclude from time that was not recorded. Fields are described in the "
	"resources gotap://schema/NAME, words in gotap://docs/glossary.";

/* --- answers --- */

static struct json_object *dispatch_info(void)
{
	struct json_object *ret = json_object_new_object();

	json_object_object_add(ret, "name", json_object_new_string("gotap"));
	json_object_object_add(ret, "title", json_object_new_string("gotap: traces Go programs"));
	json_object_object_add(ret, "version", json_object_new_string(GOTAP_VERSION));
	return ret;
}

void mcp_answer(struct mcp *m, struct json_object *id, bool is_modern, struct json_object *result)
{
	struct json_object *meta;

	if (is_modern) {
		meta = json_object_new_object();
		json_object_object_add(meta, dispatch_server_key, dispatch_info());
		json_object_object_add(result, "_meta", meta);
		json_object_object_add(result, "resultType", json_object_new_string("complete"));
	}
	mcp_send(m, message_result(id, result));
}

void mcp_refuse(struct mcp *m, struct json_object *id, enum message_error code, const char *what)
{
	mcp_send(m, message_refusal(id, code, what, NULL));
}

/* What a result of a list or a resource has in the revision 2026-07-28. */
static void dispatch_answer_cached(struct mcp *m, const struct mcp_request *r,
				   struct json_object *result)
{
	if (r->is_modern) {
		json_object_object_add(result, "ttlMs", json_object_new_int(DISPATCH_FRESH_MS));
		json_object_object_add(result, "cacheScope", json_object_new_string("private"));
	}
	mcp_answer(m, r->message->id, r->is_modern, result);
}

/* --- the begin --- */

static struct json_object *dispatch_capabilities(void)
{
	struct json_object *ret = json_object_new_object();

	json_object_object_add(ret, "tools", json_object_new_object());
	json_object_object_add(ret, "resources", json_object_new_object());
	return ret;
}

/*
 * The revision that the client asks for; else the newest one that is not newer. A client knows the
 * revisions before its own, and may know none after it.
 */
static const char *dispatch_revision(const char *asked)
{
	size_t i;

	for (i = 0; i < DISPATCH_REVISIONS; i++)
		if (strcmp(dispatch_revisions[i], asked) <= 0)
			return dispatch_revisions[i];
	return dispatch_revisions[0];
}

static void dispatch_initialize(struct mcp *m, const struct mcp_request *r)
{
	const char *asked = message_text(r->message->params, "protocolVersion");
	struct json_object *result;

	if (!asked) {
		mcp_refuse(m, r->message->id, MESSAGE_INVALID_PARAMS,
			   "initialize needs a protocolVersion");
		return;
	}
	m->initialized = true;
	result = json_object_new_object();
	json_object_object_add(result, "protocolVersion",
			       json_object_new_string(dispatch_revision(asked)));
	json_object_object_add(result, "capabilities", dispatch_capabilities());
	json_object_object_add(result, "serverInfo", dispatch_info());
	json_object_object_add(result, "instructions",
			       json_object_new_string(dispatch_instructions));
	mcp_answer(m, r->message->id, false, result);
}

static void dispatch_discover(struct mcp *m, const struct mcp_request *r)
{
	struct json_object *result = json_object_new_object(), *list = json_object_new_array();

	json_object_array_add(list, json_object_new_string(dispatch_modern));
	json_object_object_add(result, "supportedVersions", list);
	json_object_object_add(result, "capabilities", dispatch_capabilities());
	json_object_object_add(result, "instructions",
			       json_object_new_string(dispatch_instructions));
	dispatch_answer_cached(m, r, result);
}

static void dispatch_ping(struct mcp *m, const struct mcp_request *r)
{
	mcp_answer(m, r->message->id, false, json_object_new_object());
}

static void dispatch_list_tools(struct mcp *m, const struct mcp_request *r)
{
	struct json_object *result = json_object_new_object(), *list = json_object_new_array();
	const struct tool *t;

	for (t = tools; t->name; t++)
		if (tool_is_offered(t, &m->o->limits))
			json_object_array_add(list, tool_describe(t, &m->o->limits));
	json_object_object_add(result, "tools", list);
	dispatch_answer_cached(m, r, result);
}

/* --- methods --- */

enum dispatch_era { DISPATCH_SESSION = 1, DISPATCH_MODERN = 2, DISPATCH_BOTH = 3 };

static const struct dispatch_method {
	const char *name;
	enum dispatch_era era;
	void (*take)(struct mcp *m, const struct mcp_request *r);
} dispatch_methods[] = {
	{ "initialize", DISPATCH_SESSION, dispatch_initialize },
	{ "ping", DISPATCH_SESSION, dispatch_ping },
	{ "server/discover", DISPATCH_MODERN, dispatch_discover },
	{ "tools/list", DISPATCH_BOTH, dispatch_list_tools },
	{ "tools/call", DISPATCH_BOTH, mcp_call_tool },
	{ "resources/list", DISPATCH_BOTH, mcp_list_resources },
	{ "resources/templates/list", DISPATCH_BOTH, mcp_list_templates },
	{ "resources/read", DISPATCH_BOTH, mcp_read_resource },
};

static const struct dispatch_method *dispatch_find(const struct mcp_request *r)
{
	enum dispatch_era era = r->is_modern ? DISPATCH_MODERN : DISPATCH_SESSION;
	size_t i;

	for (i = 0; i < sizeof(dispatch_methods) / sizeof(*dispatch_methods); i++)
		if (!strcmp(dispatch_methods[i].name, r->message->method) &&
		    dispatch_methods[i].era & era)
			return &dispatch_methods[i];
	return NULL;
}

static void dispatch_refuse_revision(struct mcp *m, const struct mcp_request *r, const char *asked)
{
	struct json_object *data = json_object_new_object(), *list = json_object_new_array();

	json_object_array_add(list, json_object_new_string(dispatch_modern));
	json_object_object_add(data, "supported", list);
	json_object_object_add(data, "requested", json_object_new_string(asked));
	mcp_send(m, message_refusal(r->message->id, MESSAGE_NO_VERSION,
				    "this revision of the protocol is not supported", data));
}

/*
 * Is the request one that may be answered? @r gets the revision. A request of a session has none of
 * the keys of _meta; server/discover is of no session.
 */
static bool dispatch_judge(struct mcp *m, struct mcp_request *r)
{
	struct json_object *id = r->message->id;
	struct json_object *meta = message_member(r->message->params, "_meta", json_type_object);
	const char *asked = message_text(meta, dispatch_version_key);

	r->is_modern = json_object_object_get_ex(meta, dispatch_version_key, NULL) ||
		       json_object_object_get_ex(meta, dispatch_capabilities_key, NULL) ||
		       !strcmp(r->message->method, "server/discover");
	json_object_object_get_ex(meta, "progressToken", &r->token);
	if (!r->is_modern) {
		if (m->initialized || !strcmp(r->message->method, "initialize") ||
		    !strcmp(r->message->method, "ping"))
			return true;
		mcp_refuse(
			m, id, MESSAGE_INVALID_PARAMS,
			"send initialize first, or the revision of the protocol in params._meta");
	} else if (!asked || !message_member(meta, dispatch_capabilities_key, json_type_object)) {
		mcp_refuse(m, id, MESSAGE_INVALID_PARAMS,
			   "params._meta needs io.modelcontextprotocol/protocolVersion and "
			   "io.modelcontextprotocol/clientCapabilities");
	} else if (strcmp(asked, dispatch_modern)) {
		dispatch_refuse_revision(m, r, asked);
	} else {
		return true;
	}
	return false;
}

static void dispatch_request(struct mcp *m, struct message *message)
{
	struct mcp_request r = { .message = message };
	const struct dispatch_method *method;

	if (!dispatch_judge(m, &r))
		return;
	method = dispatch_find(&r);
	if (method)
		method->take(m, &r);
	else
		mcp_refuse(m, message->id, MESSAGE_NO_METHOD, "there is no such method");
}

static void dispatch_notification(struct mcp *m, const struct message *message)
{
	struct json_object *id;

	if (!strcmp(message->method, "notifications/cancelled") &&
	    json_object_object_get_ex(message->params, "requestId", &id))
		mcp_cancel(m, id);
}

void mcp_take(struct mcp *m, const char *line, size_t n)
{
	struct message message;

	if (!n)
		return;
	message_parse(&message, line, n);
	if (message.kind == MESSAGE_WRONG)
		mcp_refuse(m, message.id, message.code, message.what);
	else if (message.kind == MESSAGE_REQUEST)
		dispatch_request(m, &message);
	else if (message.kind == MESSAGE_NOTIFICATION)
		dispatch_notification(m, &message);
	message_free(&message);
}
