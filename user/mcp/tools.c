// SPDX-License-Identifier: Apache-2.0
/* tools: see tools.h: which tools are offered, and the schemas that describe them. */
#include "mcp/tools.h"

#include <string.h>

#include "mcp/arguments.h"
#include "schema/schema.h"

bool tool_is_offered(const struct tool *tool, const struct tool_limits *limits)
{
	return !limits->read_only || !(tool->flags & (TOOL_ATTACHES | TOOL_WRITES));
}

const struct tool *tool_named(const char *name, const struct tool_limits *limits)
{
	const struct tool *t;

	for (t = tools; t->name; t++)
		if (!strcmp(t->name, name))
			return tool_is_offered(t, limits) ? t : NULL;
	return NULL;
}

/* --- the schema of the arguments --- */

static void tools_put(struct json_object *of, const char *name, const char *text)
{
	json_object_object_add(of, name, json_object_new_string(text));
}

/* A number, as an integer where it is one. */
static void tools_put_number(struct json_object *of, const char *name, double value)
{
	json_object_object_add(of, name,
			       value == (double)(int64_t)value ?
				       json_object_new_int64((int64_t)value) :
				       json_object_new_double(value));
}

static void tools_put_range(struct json_object *p, const struct tool_argument *a,
			    const struct tool_limits *limits)
{
	bool bounded = a->kind == TAKES_LENGTH && limits->most_seconds < a->most;

	tools_put(p, "type", a->kind == TAKES_INTEGER ? "integer" : "number");
	tools_put_number(p, "minimum", a->least);
	tools_put_number(p, "maximum", bounded ? limits->most_seconds : a->most);
}

/* Is a word of .choices one that the limits forbid? */
static bool tools_choice_is_offered(const char *word, size_t n, const struct tool_limits *limits)
{
	return limits->inline_allowed || n != 6 || memcmp(word, "inline", n);
}

static void tools_put_choices(struct json_object *p, const char *choices,
			      const struct tool_limits *limits)
{
	struct json_object *list = json_object_new_array();
	size_t n;

	for (; *choices; choices += n + (choices[n] == ' ')) {
		n = strcspn(choices, " ");
		if (tools_choice_is_offered(choices, n, limits))
			json_object_array_add(list, json_object_new_string_len(choices, (int)n));
	}
	tools_put(p, "type", "string");
	json_object_object_add(p, "enum", list);
}

static void tools_put_text(struct json_object *p, int most)
{
	tools_put(p, "type", "string");
	json_object_object_add(p, "minLength", json_object_new_int(1));
	json_object_object_add(p, "maxLength", json_object_new_int(most));
}

static void tools_put_traces(struct json_object *p)
{
	struct json_object *items = json_object_new_object();

	tools_put_text(items, TOOLS_TEXT);
	tools_put(p, "type", "array");
	json_object_object_add(p, "items", items);
	json_object_object_add(p, "minItems", json_object_new_int(1));
	json_object_object_add(p, "maxItems", json_object_new_int(TOOLS_TRACES));
}

static struct json_object *tools_argument_schema(const struct tool_argument *a,
						 const struct tool_limits *limits)
{
	struct json_object *p = json_object_new_object();

	tools_put(p, "description", a->says);
	switch (a->kind) {
	case TAKES_FLAG:
		tools_put(p, "type", "boolean");
		break;
	case TAKES_CHOICE:
		tools_put_choices(p, a->choices, limits);
		break;
	case TAKES_TRACES:
		tools_put_traces(p);
		break;
	case TAKES_TEXT:
	case TAKES_TRACE:
		tools_put_text(p, TOOLS_TEXT);
		break;
	default:
		tools_put_range(p, a, limits);
	}
	return p;
}

/* Those of struct tool_call that all tools have. */
static void tools_put_common(struct json_object *properties)
{
	struct json_object *bytes = json_object_new_object(), *part = json_object_new_object();

	tools_put(bytes, "description",
		  "Largest answer in bytes of JSON (default 49152). Lists are cut to it, and "
		  "left_out says which.");
	tools_put(bytes, "type", "integer");
	tools_put_number(bytes, "minimum", TOOLS_LEAST_BYTES);
	tools_put_number(bytes, "maximum", TOOLS_MOST_BYTES);
	json_object_object_add(properties, "max_bytes", bytes);
	tools_put(
		part, "description",
		"Only this part of the answer, a JSON pointer like /goroutines/3: to see what was "
		"left out of an earlier answer.");
	tools_put_text(part, TOOLS_TEXT);
	json_object_object_add(properties, "part", part);
}

static struct json_object *tools_input_schema(const struct tool *tool,
					      const struct tool_limits *limits)
{
	struct json_object *ret = json_object_new_object(), *properties = json_object_new_object();
	struct json_object *required = json_object_new_array();
	const struct tool_argument *a;

	for (a = tool->arguments; a->name; a++) {
		json_object_object_add(properties, a->name, tools_argument_schema(a, limits));
		if (a->required)
			json_object_array_add(required, json_object_new_string(a->name));
	}
	tools_put_common(properties);
	tools_put(ret, "type", "object");
	json_object_object_add(ret, "properties", properties);
	if (json_object_array_length(required))
		json_object_object_add(ret, "required", required);
	else
		json_object_put(required);
	json_object_object_add(ret, "additionalProperties", json_object_new_boolean(false));
	return ret;
}

/* --- the schema of the answer --- */

/* The envelope with words; the answer within it without, which gotap://schema/NAME has. */
static struct json_object *tools_output_schema(const struct tool *tool)
{
	struct json_object *ret = schema_new("mcp"), *answer = schema_new(tool->schema);
	struct json_object *properties, *defs, *more;

	schema_strip(answer);
	json_object_object_get_ex(ret, "properties", &properties);
	json_object_object_get_ex(ret, "$defs", &defs);
	if (json_object_object_get_ex(answer, "$defs", &more)) {
		json_object_object_foreach(more, name,
					   value) if (!json_object_object_get_ex(defs, name, NULL))
			json_object_object_add(defs, name, json_object_get(value));
		json_object_object_del(answer, "$defs");
	}
	json_object_object_add(properties, "answer", answer);
	json_object_object_del(ret, "$id");
	return ret;
}

static struct json_object *tools_annotations(const struct tool *tool)
{
	struct json_object *ret = json_object_new_object();
	bool changes = tool->flags & (TOOL_ATTACHES | TOOL_WRITES);

	tools_put(ret, "title", tool->title);
	json_object_object_add(ret, "readOnlyHint", json_object_new_boolean(!changes));
	/* a program is slower for a time, and nothing is deleted */
	json_object_object_add(ret, "destructiveHint", json_object_new_boolean(false));
	json_object_object_add(ret, "idempotentHint",
			       json_object_new_boolean(!(tool->flags & TOOL_WRITES)));
	json_object_object_add(ret, "openWorldHint", json_object_new_boolean(false));
	return ret;
}

struct json_object *tool_describe(const struct tool *tool, const struct tool_limits *limits)
{
	struct json_object *ret = json_object_new_object();

	tools_put(ret, "name", tool->name);
	tools_put(ret, "title", tool->title);
	tools_put(ret, "description", tool->says);
	json_object_object_add(ret, "inputSchema", tools_input_schema(tool, limits));
	json_object_object_add(ret, "outputSchema", tools_output_schema(tool));
	json_object_object_add(ret, "annotations", tools_annotations(tool));
	return ret;
}
