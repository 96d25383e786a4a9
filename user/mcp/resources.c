// SPDX-License-Identifier: Apache-2.0
/*
 * resources: what a client can read: the schemas of answers, the glossary and the kinds of
 * findings, and of each trace in the folder its losses, its cost and its place. The directive
 * .incbin reads the pages, relative to the folder of the Makefile, where make runs the compiler.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/show.h"
#include "mcp/internal.h"
#include "schema/schema.h"

#define PAGES(PAGE) \
	PAGE(glossary, "the words of reports and other answers") \
	PAGE(findings, "the kinds of findings, and which time is lost") \
	PAGE(report, "what `gotap report` shows, and how it is measured") \
	PAGE(why, "the critical path") \
	PAGE(json, "the JSON of all commands, and what later versions may change")

#define INCLUDE(name, says) \
	__asm__(".pushsection .rodata\n" \
		"mcp_page_" #name ": .incbin \"docs/" #name ".md\"\n" \
		".byte 0\n" \
		".globl mcp_page_" #name "\n" \
		".popsection\n"); \
	extern const char mcp_page_##name[];
#define ROW(name, says) { #name, mcp_page_##name, says },

PAGES(INCLUDE)

static const struct resources_page {
	const char *name, *text, *says;
} resources_pages[] = { PAGES(ROW) };

enum { RESOURCES_PAGES = sizeof(resources_pages) / sizeof(*resources_pages) };

static const char resources_schema[] = "gotap://schema/", resources_docs[] = "gotap://docs/",
		  resources_trace[] = "gotap://trace/";

static void resources_put(struct json_object *of, const char *name, const char *text)
{
	json_object_object_add(of, name, json_object_new_string(text));
}

/* --- the list --- */

static void resources_add(struct json_object *list, const char *kind, const char *name,
			  const char *says, const char *type)
{
	struct json_object *one = json_object_new_object();
	char uri[512];

	snprintf(uri, sizeof(uri), "%s%s", kind, name);
	resources_put(one, "uri", uri);
	resources_put(one, "name", name);
	resources_put(one, "description", says);
	resources_put(one, "mimeType", type);
	json_object_array_add(list, one);
}

static void resources_add_traces(struct mcp *m, struct json_object *list)
{
	struct json_object *all = store_list(&m->store), *traces, *name;
	size_t i;

	json_object_object_get_ex(all, "traces", &traces);
	for (i = 0; i < json_object_array_length(traces); i++) {
		json_object_object_get_ex(json_object_array_get_idx(traces, i), "name", &name);
		resources_add(list, resources_trace, json_object_get_string(name),
			      "losses, cost and place of a trace", "application/json");
	}
	json_object_put(all);
}

/* Traces come and go: nothing of it may be kept. */
static void resources_answer(struct mcp *m, const struct mcp_request *r, struct json_object *result)
{
	if (r->is_modern) {
		json_object_object_add(result, "ttlMs", json_object_new_int(0));
		resources_put(result, "cacheScope", "private");
	}
	mcp_answer(m, r->message->id, r->is_modern, result);
}

void mcp_list_resources(struct mcp *m, const struct mcp_request *r)
{
	struct json_object *result = json_object_new_object(), *list = json_object_new_array();
	const struct schema_file *f;
	size_t i;

	for (i = 0; i < RESOURCES_PAGES; i++)
		resources_add(list, resources_docs, resources_pages[i].name,
			      resources_pages[i].says, "text/markdown");
	for (f = schema_files; f->name; f++)
		if (f->says)
			resources_add(list, resources_schema, f->name, f->says,
				      "application/schema+json");
	resources_add_traces(m, list);
	json_object_object_add(result, "resources", list);
	resources_answer(m, r, result);
}

void mcp_list_templates(struct mcp *m, const struct mcp_request *r)
{
	struct json_object *result = json_object_new_object();

	json_object_object_add(result, "resourceTemplates", json_object_new_array());
	resources_answer(m, r, result);
}

/* --- reading --- */

static void resources_give(struct mcp *m, const struct mcp_request *r, const char *uri,
			   const char *type, const char *text)
{
	struct json_object *result = json_object_new_object(), *list = json_object_new_array();
	struct json_object *one = json_object_new_object();

	resources_put(one, "uri", uri);
	resources_put(one, "mimeType", type);
	resources_put(one, "text", text);
	json_object_array_add(list, one);
	json_object_object_add(result, "contents", list);
	resources_answer(m, r, result);
}

/* Takes @value. */
static void resources_give_json(struct mcp *m, const struct mcp_request *r, const char *uri,
				const char *type, struct json_object *value)
{
	resources_give(m, r, uri, type,
		       json_object_to_json_string_ext(
			       value, JSON_C_TO_STRING_PRETTY | JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(value);
}

static bool resources_give_page(struct mcp *m, const struct mcp_request *r, const char *uri,
				const char *name)
{
	size_t i;

	for (i = 0; i < RESOURCES_PAGES; i++)
		if (!strcmp(resources_pages[i].name, name)) {
			resources_give(m, r, uri, "text/markdown", resources_pages[i].text);
			return true;
		}
	return false;
}

static bool resources_give_schema(struct mcp *m, const struct mcp_request *r, const char *uri,
				  const char *name)
{
	struct json_object *schema = schema_new(name);

	if (schema)
		resources_give_json(m, r, uri, "application/schema+json", schema);
	return schema;
}

static bool resources_give_trace(struct mcp *m, const struct mcp_request *r, const char *uri,
				 const char *name)
{
	struct json_object *value;
	_cleanup_free_ char *folder = show_dup(m->store.path);
	struct error err;
	struct buf path = {0};

	if (!tool_is_file_name(name) || store_check(&m->store, name, &err))
		return false;
	buf_printf(&path, "%s/%s", folder, name);
	buf_add_byte(&path, 0);
	value = json_object_new_object();
	resources_put(value, "path", (char *)path.data);
	json_object_object_add(value, "losses", store_losses(&m->store, name));
	buf_free(&path);
	resources_give_json(m, r, uri, "application/json", value);
	return true;
}

/* Since 2026-07-28 it is a wrong parameter. */
static void resources_refuse(struct mcp *m, const struct mcp_request *r, const char *uri)
{
	struct json_object *data = json_object_new_object();

	resources_put(data, "uri", uri);
	mcp_send(m, message_refusal(r->message->id,
				    r->is_modern ? MESSAGE_INVALID_PARAMS : MESSAGE_NO_RESOURCE,
				    "there is no such resource: resources/list has all", data));
}

void mcp_read_resource(struct mcp *m, const struct mcp_request *r)
{
	static const struct {
		const char *kind;
		bool (*give)(struct mcp *m, const struct mcp_request *r, const char *uri,
			     const char *name);
	} kinds[] = {
		{ resources_docs, resources_give_page },
		{ resources_schema, resources_give_schema },
		{ resources_trace, resources_give_trace },
	};
	const char *uri = message_text(r->message->params, "uri");
	size_t i, n;

	if (!uri) {
		mcp_refuse(m, r->message->id, MESSAGE_INVALID_PARAMS, "resources/read needs a uri");
		return;
	}
	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		n = strlen(kinds[i].kind);
		if (!strncmp(uri, kinds[i].kind, n) && kinds[i].give(m, r, uri, uri + n))
			return;
	}
	resources_refuse(m, r, uri);
}
