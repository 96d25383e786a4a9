// SPDX-License-Identifier: Apache-2.0
/* mcp/input.h, mcp/message.h, mcp/shrink.h: lines of any length, messages of any form, answers that are cut. */
#include "unit.h"

#include <stdlib.h>

#include "mcp/input.h"
#include "mcp/message.h"
#include "mcp/shrink.h"

static bool next_is(struct input *in, const char *want)
{
	const char *line;
	size_t n;

	return input_next(in, &line, &n) == INPUT_LINE && n == strlen(want) && !memcmp(line, want, n);
}

static bool has_none(struct input *in)
{
	const char *line;
	size_t n;

	return input_next(in, &line, &n) == INPUT_NONE;
}

static void lines_come_in_pieces(void)
{
	struct input in = {0};

	input_add(&in, "a", 1);
	CHECK(has_none(&in));
	input_add(&in, "b\ncd\r\n\ne", 8);
	CHECK(next_is(&in, "ab"));
	CHECK(next_is(&in, "cd"));
	CHECK(next_is(&in, ""));
	CHECK(has_none(&in));
	in.ended = true;
	CHECK(next_is(&in, "e"));
	CHECK(has_none(&in));
	input_free(&in);
}

static void a_long_line_is_skipped_once(void)
{
	static char piece[1 << 16];
	struct input in = {0};
	const char *line;
	size_t n, i;
	int wrong = 0;

	memset(piece, 'x', sizeof(piece));
	for (i = 0; i < 40; i++) {
		enum input_state state;

		input_add(&in, piece, sizeof(piece));
		while ((state = input_next(&in, &line, &n)) != INPUT_NONE)
			wrong += state == INPUT_TOO_LONG;
		CHECK(in.have.len <= INPUT_MOST + sizeof(piece));
	}
	CHECK_EQ(wrong, 1);
	input_add(&in, "rest\nnext\n", 10);
	CHECK(next_is(&in, "next"));
	CHECK(has_none(&in));
	input_free(&in);
}

/* A line of exactly the most bytes is one, whatever else comes with it. */
static void the_longest_line(void)
{
	char *text = calloc(INPUT_MOST + 3, 1);
	struct input in = {0};
	const char *line;
	size_t n;

	memset(text, 'x', INPUT_MOST + 1);
	text[INPUT_MOST] = '\n';
	input_add(&in, text, INPUT_MOST + 1);
	CHECK(input_next(&in, &line, &n) == INPUT_LINE && n == INPUT_MOST);
	text[INPUT_MOST] = 'x';
	text[INPUT_MOST + 1] = '\n';
	input_add(&in, text, INPUT_MOST + 2);
	CHECK(input_next(&in, &line, &n) == INPUT_TOO_LONG);
	CHECK(has_none(&in));
	input_free(&in);
	free(text);
}

static enum message_kind kind_of(const char *line)
{
	struct message m;
	enum message_kind kind;

	message_parse(&m, line, strlen(line));
	kind = m.kind;
	CHECK(kind != MESSAGE_WRONG || (m.code && m.what));
	message_free(&m);
	return kind;
}

static void messages_have_kinds(void)
{
	CHECK(kind_of("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"x\"}") == MESSAGE_REQUEST);
	CHECK(kind_of("{\"jsonrpc\": \"2.0\", \"id\": \"\", \"method\": \"x\", \"params\": {}}") == MESSAGE_REQUEST);
	CHECK(kind_of("{\"jsonrpc\": \"2.0\", \"method\": \"x\"}") == MESSAGE_NOTIFICATION);
	CHECK(kind_of("{\"jsonrpc\": \"2.0\", \"id\": 1, \"result\": 1}") == MESSAGE_RESPONSE);
	CHECK(kind_of("{\"jsonrpc\": \"2.0\", \"id\": true, \"method\": \"x\"}") == MESSAGE_WRONG);
	CHECK(kind_of("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"a\\u0000b\"}") == MESSAGE_WRONG);
	CHECK(kind_of("{\"jsonrpc\": \"2.0\", \"id\": 1, \"method\": \"x\"} x") == MESSAGE_WRONG);
	CHECK(kind_of("") == MESSAGE_WRONG);
}

/* Timelines go first, as a whole; then the largest list; each keeps an item as long as possible. */
static void an_answer_is_cut(void)
{
	struct json_object *value = json_tokener_parse(
		"{\"text\": \"x\", \"pair\": [1, 2], \"times\": [1,2,3,4,5,6,7,8,9,10], \"few\": [{\"a\": 1}], "
		"\"rows\": [{\"a\": \"xxxxxxxxxx\"}, {\"a\": \"xxxxxxxxxx\"}, {\"a\": \"xxxxxxxxxx\"}, {\"a\": \"xxxxxxxxxx\"}]}");
	struct json_object *left = json_object_new_array();
	const char *text;

	CHECK(shrink(value, 1000, left));
	CHECK_EQ(json_object_array_length(left), 0);
	CHECK(shrink(value, 90, left));
	text = json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN);
	CHECK(!strcmp(text, "{\"text\":\"x\",\"pair\":[1,2],\"times\":[],\"few\":[{\"a\":1}],\"rows\":[{\"a\":\"xxxxxxxxxx\"}]}"));
	text = json_object_to_json_string_ext(left, JSON_C_TO_STRING_PLAIN | JSON_C_TO_STRING_NOSLASHESCAPE);
	CHECK(!strcmp(text, "[{\"at\":\"/times\",\"kept\":0,\"of\":10},{\"at\":\"/rows\",\"kept\":1,\"of\":4}]"));
	CHECK(!shrink(value, 10, left));
	json_object_put(left);
	json_object_put(value);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(lines_come_in_pieces),
		UNIT(a_long_line_is_skipped_once),
		UNIT(the_longest_line),
		UNIT(messages_have_kinds),
		UNIT(an_answer_is_cut),
		{0},
	});
}
