// SPDX-License-Identifier: Apache-2.0
/* tools_read: checks the arguments of a call, and makes the words of its command. See tools.h. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/show.h"
#include "mcp/arguments.h"
#include "mcp/tools.h"

static void tools_add(struct vec *list, char *word)
{
	*(char **)vec_push(list, sizeof(char *)) = word;
}

static int tools_wrong(struct error *err, const char *name, const char *what)
{
	return error_set(err, -EINVAL, "argument %s: %s", name, what);
}

/* --- values --- */

static int tools_read_integer(struct tool_call *call, const struct tool_argument *a,
			      struct json_object *value, struct error *err)
{
	double number = json_object_get_double(value);

	if (!json_object_is_type(value, json_type_int) ||
	    !(number >= a->least && number <= a->most))
		return error_set(err, -EINVAL,
				 "argument %s: takes a whole number from %.0f to %.0f", a->name,
				 a->least, a->most);
	tools_add(&call->words, xasprintf("%s=%" PRId64, a->option, json_object_get_int64(value)));
	return 0;
}

/* A time has the suffix that gotap's options take. */
static int tools_read_number(struct tool_call *call, const struct tool_argument *a,
			     struct json_object *value, const struct tool_limits *limits,
			     struct error *err)
{
	bool is_length = a->kind == TAKES_LENGTH;
	double number = json_object_get_double(value);
	double most = is_length && limits->most_seconds < a->most ? limits->most_seconds : a->most;

	if ((!json_object_is_type(value, json_type_int) &&
	     !json_object_is_type(value, json_type_double)) ||
	    !(number >= a->least && number <= most))
		return error_set(err, -EINVAL, "argument %s: takes a number from %.6g to %.6g",
				 a->name, a->least, most);
	if (is_length)
		call->seconds = number;
	tools_add(&call->words,
		  xasprintf("%s=%.6f%s", a->option, number, a->kind == TAKES_NUMBER ? "" : "s"));
	return 0;
}

static const char *tools_text_of(struct json_object *value, size_t most)
{
	const char *text =
		json_object_is_type(value, json_type_string) ? json_object_get_string(value) : NULL;
	size_t n = text ? strlen(text) : 0;

	return n && n <= most && n == (size_t)json_object_get_string_len(value) ? text : NULL;
}

static int tools_read_text(struct tool_call *call, const struct tool_argument *a,
			   struct json_object *value, struct error *err)
{
	const char *text = tools_text_of(value, TOOLS_TEXT);

	if (!text)
		return tools_wrong(err, a->name, "takes a text of 1 to 256 bytes");
	tools_add(&call->words, xasprintf("%s=%s", a->option, text));
	return 0;
}

static bool tools_is_choice(const char *choices, const char *text)
{
	size_t n = strlen(text);

	for (; *choices; choices += strcspn(choices, " "), choices += *choices == ' ')
		if (strcspn(choices, " ") == n && !memcmp(choices, text, n))
			return true;
	return false;
}

static int tools_read_choice(struct tool_call *call, const struct tool_argument *a,
			     struct json_object *value, const struct tool_limits *limits,
			     struct error *err)
{
	const char *text = tools_text_of(value, TOOLS_TEXT);

	if (!text || !tools_is_choice(a->choices, text))
		return error_set(err, -EINVAL, "argument %s: takes one of: %s", a->name,
				 a->choices);
	if (!strcmp(text, "inline") && !limits->inline_allowed)
		return tools_wrong(err, a->name,
				   "inline changes code of the program, and takes "
				   "`gotap mcp --allow-inline`");
	tools_add(&call->words, xasprintf("%s=%s", a->option, text));
	return 0;
}

bool tool_is_file_name(const char *name)
{
	enum { LONGEST = 200 };
	const char *p;
	int n;

	for (p = name; *p; p += n)
		if (!show_rune(p, &n) || show_is_control(show_rune(p, &n)) || *p == '/')
			return false;
	return *name && *name != '.' && *name != '-' && p - name <= LONGEST;
}

static int tools_read_trace(struct tool_call *call, const struct tool_argument *a,
			    struct json_object *value, struct error *err)
{
	const char *name = tools_text_of(value, TOOLS_TEXT);

	if (!name || !tool_is_file_name(name))
		return tools_wrong(err, a->name,
				   "takes the name of a trace in the folder of the "
				   "server, without a path: call `traces`");
	tools_add(&call->traces, xstrdup(name));
	return 0;
}

static int tools_read_traces(struct tool_call *call, const struct tool_argument *a,
			     struct json_object *value, struct error *err)
{
	size_t i, n = json_object_is_type(value, json_type_array) ?
			      json_object_array_length(value) :
			      0;
	int r = 0;

	if (!n || n > TOOLS_TRACES)
		return tools_wrong(err, a->name, "takes a list of 1 to 16 names of traces");
	for (i = 0; i < n && !r; i++)
		r = tools_read_trace(call, a, json_object_array_get_idx(value, i), err);
	return r;
}

/* A flag that has the value of its absence adds no word. */
static int tools_read_flag(struct tool_call *call, const struct tool_argument *a,
			   struct json_object *value, struct error *err)
{
	if (!json_object_is_type(value, json_type_boolean))
		return tools_wrong(err, a->name, "takes true or false");
	if (json_object_get_boolean(value))
		tools_add(&call->words, xstrdup(a->option));
	return 0;
}

static int tools_read_value(struct tool_call *call, const struct tool_argument *a,
			    struct json_object *value, const struct tool_limits *limits,
			    struct error *err)
{
	switch (a->kind) {
	case TAKES_INTEGER:
		return tools_read_integer(call, a, value, err);
	case TAKES_TEXT:
		return tools_read_text(call, a, value, err);
	case TAKES_FLAG:
		return tools_read_flag(call, a, value, err);
	case TAKES_CHOICE:
		return tools_read_choice(call, a, value, limits, err);
	case TAKES_TRACE:
		return tools_read_trace(call, a, value, err);
	case TAKES_TRACES:
		return tools_read_traces(call, a, value, err);
	default:
		return tools_read_number(call, a, value, limits, err);
	}
}

/* --- arguments --- */

static int tools_read_argument(struct tool_call *call, const struct tool_argument *a,
			       struct json_object *arguments, const struct tool_limits *limits,
			       struct error *err)
{
	struct json_object *value;

	if (json_object_object_get_ex(arguments, a->name, &value))
		return tools_read_value(call, a, value, limits, err);
	if (a->required)
		return tools_wrong(err, a->name, a->says);
	if (a->is_default)
		tools_add(&call->words, xstrdup(a->option));
	return 0;
}

static int tools_read_common(struct tool_call *call, struct json_object *arguments,
			     struct error *err)
{
	struct json_object *value;
	const char *text;
	int64_t n;

	call->most_bytes = TOOLS_BYTES;
	if (json_object_object_get_ex(arguments, "max_bytes", &value)) {
		n = json_object_get_int64(value);
		if (!json_object_is_type(value, json_type_int) || n < TOOLS_LEAST_BYTES ||
		    n > TOOLS_MOST_BYTES)
			return tools_wrong(err, "max_bytes",
					   "takes a whole number from 2048 to "
					   "4194304");
		call->most_bytes = (size_t)n;
	}
	if (!json_object_object_get_ex(arguments, "part", &value))
		return 0;
	text = tools_text_of(value, TOOLS_TEXT);
	if (!text || *text != '/')
		return tools_wrong(err, "part", "takes a JSON pointer, like /goroutines/3");
	call->part = xstrdup(text);
	return 0;
}

static int tools_check_names(const struct tool *tool, struct json_object *arguments,
			     struct error *err)
{
	const struct tool_argument *a;

	json_object_object_foreach(arguments, name, value)
	{
		(void)value;
		for (a = tool->arguments; a->name && strcmp(a->name, name); a++)
			;
		if (!a->name && strcmp(name, "max_bytes") && strcmp(name, "part"))
			return error_set(err, -EINVAL, "the tool %s has no argument '%.64s'",
					 tool->name, name);
	}
	return 0;
}

int tool_read(struct tool_call *call, const struct tool *tool, struct json_object *arguments,
	      const struct tool_limits *limits, struct error *err)
{
	struct json_object *none = NULL;
	const struct tool_argument *a;
	size_t i;
	int r;

	*call = (struct tool_call){ .tool = tool };
	if (!arguments)
		arguments = none = json_object_new_object();
	for (i = 0; i < sizeof(tool->command) / sizeof(*tool->command) && tool->command[i]; i++)
		tools_add(&call->words, xstrdup(tool->command[i]));
	r = tools_check_names(tool, arguments, err);
	for (a = tool->arguments; a->name && !r; a++)
		r = tools_read_argument(call, a, arguments, limits, err);
	if (!r)
		r = tools_read_common(call, arguments, err);
	json_object_put(none);
	return r;
}

static void tools_free_texts(struct vec *list)
{
	size_t i;

	for (i = 0; i < list->len; i++)
		free(*vec_at(list, char *, i));
	vec_free(list);
}

void tool_call_free(struct tool_call *call)
{
	tools_free_texts(&call->words);
	tools_free_texts(&call->traces);
	free(call->part);
	*call = (struct tool_call){0};
}
