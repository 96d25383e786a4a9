// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_mcp: messages of a client of `gotap mcp`, in pieces, or the output of one of its child processes; the first byte
 * of the input chooses. No child is started: as many calls run as may run. The fuzzer asserts that each answer is a line of
 * JSON-RPC, that accepted arguments are options of the command, and that an answer has the size that was asked for.
 */
#include "fuzz.h"

#include <string.h>
#include <unistd.h>

#include "mcp/answer.h"
#include "mcp/internal.h"
#include "mcp/shrink.h"

/* A list of tools is 100,000 allocations: freed ones fill the quarantine, which counts for the limit of memory. */
const char *__asan_default_options(void);
const char *__asan_default_options(void) { return "quarantine_size_mb=16"; }

static const struct mcp_options options = { .dir = "/tmp", .most_bytes = 1 << 30, .limits.most_seconds = 60 };

static void check_utf8(struct json_object *value)
{
	struct json_tokener *tok = json_tokener_new_ex(64);
	struct json_object *again;

	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	again = json_tokener_parse_ex(tok, json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN), -1);
	must(again, "an answer is JSON in UTF-8");
	json_object_put(again);
	json_tokener_free(tok);
}

/* --- a client --- */

static void check_lines(const struct mcp *m)
{
	const char *at = (const char *)m->out.data, *stop = at + m->out.len, *end;
	struct json_tokener *tok = json_tokener_new_ex(64);	/* a list of tools is deep */
	struct json_object *json;

	json_tokener_set_flags(tok, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	for (; at < stop; at = end + 1) {
		end = memchr(at, '\n', (size_t)(stop - at));
		must(end, "each message ends its line");
		json = json_tokener_parse_ex(tok, at, (int)(end - at));
		must(json_object_is_type(json, json_type_object), "each message is an object");
		must(!strcmp(message_text(json, "jsonrpc"), "2.0"), "it is of JSON-RPC");
		must(json_object_object_get_ex(json, "result", NULL) != json_object_object_get_ex(json, "error", NULL),
		     "it is an answer");
		json_object_put(json);
	}
	json_tokener_free(tok);
}

/* Runs as the calls that may run at the same time, and never ends. */
static struct mcp_call busy = { .call.tool = tools, .job = { .out_fd = -1, .said_fd = -1 } };

static void run_client(const uint8_t *data, size_t size, size_t piece)
{
	struct mcp m = { .o = &options, .initialized = piece % 2 };
	enum input_state state;
	const char *line;
	struct error err;
	size_t n, i;

	must(!store_open(&m.store, "/proc/self/task", 1 << 30, &err), "there is a folder");
	for (i = 0; i < MCP_CALLS; i++)
		*(struct mcp_call **)vec_push(&m.calls, sizeof(struct mcp_call *)) = &busy;
	for (; size; data += n, size -= n) {
		n = size < piece ? size : piece;
		input_add(&m.input, data, n);
		m.input.ended = n == size;
		while ((state = input_next(&m.input, &line, &i)) != INPUT_NONE)
			if (state == INPUT_LINE)
				mcp_take(&m, line, i);
		must(m.input.have.len <= INPUT_MOST + piece, "a client cannot make it grow");
	}
	if (m.out.len)
		check_lines(&m);
	vec_free(&m.calls);
	input_free(&m.input);
	buf_free(&m.out);
	store_close(&m.store);
}

/* --- arguments --- */

static void run_arguments(const char *text, const struct tool *tool)
{
	struct json_object *arguments = json_tokener_parse(text);
	struct tool_call call;
	struct error err;
	size_t i;

	if (json_object_is_type(arguments, json_type_object)) {
		if (!tool_read(&call, tool, arguments, &options.limits, &err))
			for (i = 1; i < call.words.len; i++)
				must(!strncmp(*vec_at(&call.words, char *, i), "--", 2), "each word is an option");
		for (i = 0; i < call.traces.len; i++)
			must(tool_is_file_name(*vec_at(&call.traces, char *, i)), "a trace is a name");
		tool_call_free(&call);
	}
	json_object_put(arguments);
}

/* --- a child --- */

static void run_child(const uint8_t *data, size_t size, const struct tool *tool)
{
	struct tool_call call = { .tool = tool, .most_bytes = 4096 };
	struct job job = { .out_fd = -1, .said_fd = -1 };
	struct store store = {0};
	struct answer_context c = { .store = &store, .call = &call };
	struct json_object *answer, *whole = NULL;
	struct error err;

	must(!store_open(&store, "/proc/self/task", 1 << 30, &err), "there is a folder");
	buf_add(&job.out, data, size);
	buf_add(&job.said, data, size);
	answer = answer_of_job(&c, &job);
	must(json_object_object_get_ex(answer, "content", NULL), "an answer has a content");
	check_utf8(answer);
	if (json_object_object_get_ex(answer, "structuredContent", &whole))
		must(shrink_size(whole) < 4096 + 24 * 1024, "an answer has about the size that was asked for");
	json_object_put(answer);
	buf_free(&job.out);
	buf_free(&job.said);
	store_close(&store);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static size_t count;
	char *text;

	for (; !count || tools[count].name; count++)
		;
	if (size < 2)
		return 0;
	if (*data < 128) {
		run_client(data + 1, size - 1, 1 + *data * 16);
		return 0;
	}
	run_child(data + 1, size - 1, &tools[*data % count]);
	text = strndup((const char *)data + 1, size - 1);
	run_arguments(text, &tools[*data % count]);
	free(text);
	return 0;
}
