// SPDX-License-Identifier: Apache-2.0
/* output: see output.h. */
#define _GNU_SOURCE
#include "mcp/output.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/show.h"

/* Deeper than any JSON of gotap. */
enum { OUTPUT_DEPTH = 64 };

static struct json_object *output_json(const char *text, size_t n)
{
	struct json_tokener *tok = json_tokener_new_ex(OUTPUT_DEPTH);
	struct json_object *ret = NULL;

	if (tok)
		json_tokener_set_flags(tok, JSON_TOKENER_VALIDATE_UTF8 |
						    JSON_TOKENER_ALLOW_TRAILING_CHARS);
	if (tok && n && n <= INT32_MAX)
		ret = json_tokener_parse_ex(tok, text, (int)n);
	json_tokener_free(tok);
	if (ret && !json_object_is_type(ret, json_type_object)) {
		json_object_put(ret);
		ret = NULL;
	}
	return ret;
}

/* The last line that begins as an object. */
static struct json_object *output_last_line(const struct buf *said, size_t *before)
{
	const char *text = (const char *)said->data;
	size_t end = said->len, at;

	while (end) {
		for (at = end - 1; at && text[at - 1] != '\n'; at--)
			;
		if (text[at] == '{') {
			*before = at;
			return output_json(text + at, said->len - at);
		}
		end = at;
	}
	return NULL;
}

/* Each line is an object: the lists of them. */
static struct json_object *output_lines(const struct buf *out)
{
	struct json_object *ret = json_object_new_object(), *list = json_object_new_array(), *one;
	const char *at = (const char *)out->data, *stop = at + out->len, *end;

	for (; at < stop; at = end + 1) {
		end = memchr(at, '\n', (size_t)(stop - at));
		end = end ? end : stop;
		one = output_json(at, (size_t)(end - at));
		if (one)
			json_object_array_add(list, one);
	}
	json_object_object_add(ret, "traces", list);
	return ret;
}

/* --- profiles --- */

struct output_profile {
	struct json_object *stacks;    /* list of value, stack */
	struct json_object *functions; /* by name: function, self, total */
	int64_t total;
};

/* The counts of a forged trace may be any. */
static int64_t output_sum(int64_t a, int64_t b)
{
	int64_t sum;

	return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

static void output_add_to(struct json_object *row, const char *name, int64_t value)
{
	struct json_object *old;

	json_object_object_get_ex(row, name, &old);
	json_object_set_int64(old, output_sum(json_object_get_int64(old), value));
}

static struct json_object *output_function(struct output_profile *p, const char *name)
{
	struct json_object *ret;

	if (json_object_object_get_ex(p->functions, name, &ret))
		return ret;
	ret = json_object_new_object();
	json_object_object_add(ret, "function", json_object_new_string(name));
	json_object_object_add(ret, "self", json_object_new_int64(0));
	json_object_object_add(ret, "total", json_object_new_int64(0));
	json_object_object_add(p->functions, name, ret);
	return ret;
}

/* A function that calls itself counts once. At the leaf may be states, "[running]", and reasons. */
static void output_count(struct output_profile *p, struct json_object *stack, int64_t value)
{
	size_t i, k, n = json_object_array_length(stack);
	bool is_leaf = true;
	const char *name;

	for (i = 0; i < n; i++) {
		name = json_object_get_string(json_object_array_get_idx(stack, i));
		if (*name == '[')
			continue;
		for (k = 0; k < i; k++)
			if (!strcmp(json_object_get_string(json_object_array_get_idx(stack, k)),
				    name))
				break;
		if (k == i)
			output_add_to(output_function(p, name), "total", value);
		if (is_leaf)
			output_add_to(output_function(p, name), "self", value);
		is_leaf = false;
	}
}

/*
 * "root;...;leaf VALUE". A function name may hold blanks, and no semicolon; that of a forged trace
 * may be no UTF-8.
 */
static void output_stack(struct output_profile *p, const char *text)
{
	_cleanup_free_ char *line = show_dup(text);
	char *value = strrchr(line, ' '), *name;
	struct json_object *row, *stack;
	int64_t n;

	if (!value)
		return;
	*value = 0;
	n = strtoll(value + 1, NULL, 10);
	n = n < 0 ? 0 : n;
	stack = json_object_new_array();
	while ((name = strrchr(line, ';'))) {
		json_object_array_add(stack, json_object_new_string(name + 1));
		*name = 0;
	}
	json_object_array_add(stack, json_object_new_string(line));
	output_count(p, stack, n);
	p->total = output_sum(p->total, n);
	row = json_object_new_object();
	json_object_object_add(row, "value", json_object_new_int64(n));
	json_object_object_add(row, "stack", stack);
	json_object_array_add(p->stacks, row);
}

static int output_compare(const void *a, const void *b, const char *name)
{
	struct json_object *x = *(struct json_object *const *)a,
			   *y = *(struct json_object *const *)b;
	struct json_object *xv, *yv;
	int64_t p, q;

	json_object_object_get_ex(x, name, &xv);
	json_object_object_get_ex(y, name, &yv);
	p = json_object_get_int64(xv);
	q = json_object_get_int64(yv);
	return p < q ? 1 : p > q ? -1 : 0;
}

static int output_most_value(const void *a, const void *b)
{
	return output_compare(a, b, "value");
}

static int output_most_self(const void *a, const void *b)
{
	return output_compare(a, b, "self");
}

static const char *output_option(const struct tool_call *call, const char *option)
{
	size_t i, n = strlen(option);

	for (i = 0; i < call->words.len; i++)
		if (!strncmp(*vec_at(&call->words, char *, i), option, n))
			return *vec_at(&call->words, char *, i) + n;
	return "";
}

static struct json_object *output_profile(const struct tool_call *call, const struct buf *out)
{
	_cleanup_free_ char *all = xstrndup(out->len ? (const char *)out->data : "", out->len);
	struct output_profile p = { .stacks = json_object_new_array(),
				    .functions = json_object_new_object() };
	struct json_object *ret = json_object_new_object(), *list = json_object_new_array();
	const char *type = output_option(call, "--type=");
	bool counts = !strcmp(type, "goroutine") || !strcmp(type, "cpu");
	char *line, *save = NULL;

	for (line = strtok_r(all, "\n", &save); line; line = strtok_r(NULL, "\n", &save))
		output_stack(&p, line);
	json_object_object_foreach(p.functions, name, row)
	{
		(void)name;
		json_object_array_add(list, json_object_get(row));
	}
	json_object_put(p.functions);
	json_object_array_sort(list, output_most_self);
	json_object_array_sort(p.stacks, output_most_value);
	json_object_object_add(ret, "type", json_object_new_string(type));
	json_object_object_add(ret, "unit", json_object_new_string(counts ? "count" : "ns"));
	json_object_object_add(ret, "total", json_object_new_int64(p.total));
	json_object_object_add(ret, "functions", list);
	json_object_object_add(ret, "stacks", p.stacks);
	return ret;
}

struct json_object *output_parse(const struct tool_call *call, const struct job *j, size_t *said)
{
	const char *name = call->tool->name;

	*said = j->said.len;
	if (!strcmp(name, "record"))
		return output_last_line(&j->said, said);
	if (!j->out.len)
		return NULL;
	if (!strcmp(name, "check"))
		return output_lines(&j->out);
	if (!strcmp(name, "profile"))
		return output_profile(call, &j->out);
	return output_json((const char *)j->out.data, j->out.len);
}
