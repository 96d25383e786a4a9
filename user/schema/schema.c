// SPDX-License-Identifier: Apache-2.0
/*
 * schema: see schema.h. A reference that a schema does not define itself is a definition of
 * common.json, or another schema of that name as a whole.
 */
#include "schema/schema.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define SCHEMA_REFERENCE "#/$defs/"

/* Members that say something to readers, and nothing to a validator. */
static const char *const schema_words[] = { "$schema", "$id", "title", "description", "x-unit" };

enum { SCHEMA_WORDS = sizeof(schema_words) / sizeof(*schema_words) };

static const struct schema_file *schema_file_named(const char *name)
{
	const struct schema_file *f;

	for (f = schema_files; f->name; f++)
		if (!strcmp(f->name, name))
			return f;
	return NULL;
}

/* tests/unit/schema_files.c parses all of them, so that none fails here. */
static struct json_object *schema_parse(const struct schema_file *f)
{
	struct json_object *ret = json_tokener_parse(f->text);

	if (!ret)
		abort();
	return ret;
}

/* --- definitions --- */

struct schema_making {
	struct json_object *defs, *common;
};

static void schema_collect(struct schema_making *m, struct json_object *of);

static struct json_object *schema_definition(struct schema_making *m, const char *name)
{
	const struct schema_file *f = schema_file_named(name);
	struct json_object *ret;
	size_t i;

	if (json_object_object_get_ex(m->common, name, &ret))
		return json_object_get(ret);
	if (!f || !f->says)
		abort();	/* likewise */
	ret = schema_parse(f);
	for (i = 0; i < SCHEMA_WORDS; i++)
		if (strcmp(schema_words[i], "description") && strcmp(schema_words[i], "x-unit"))
			json_object_object_del(ret, schema_words[i]);
	return ret;
}

static void schema_resolve(struct schema_making *m, const char *reference)
{
	const char *name = reference + strlen(SCHEMA_REFERENCE);
	struct json_object *found;

	if (json_object_object_get_ex(m->defs, name, NULL))
		return;
	found = schema_definition(m, name);
	json_object_object_add(m->defs, name, found);
	schema_collect(m, found);
}

/* Adds the definitions of all references in @of, which is no deeper than its source. */
static void schema_collect(struct schema_making *m, struct json_object *of)
{
	size_t i;

	if (json_object_is_type(of, json_type_array))
		for (i = 0; i < json_object_array_length(of); i++)
			schema_collect(m, json_object_array_get_idx(of, i));
	if (!json_object_is_type(of, json_type_object))
		return;
	json_object_object_foreach(of, key, value) {
		if (!strcmp(key, "$ref"))
			schema_resolve(m, json_object_get_string(value));
		else
			schema_collect(m, value);
	}
}

struct json_object *schema_new(const char *name)
{
	const struct schema_file *f = schema_file_named(name);
	struct json_object *ret, *common;
	struct schema_making m = {0};

	if (!f || !f->says)
		return NULL;
	ret = schema_parse(f);
	common = schema_parse(schema_file_named("common"));
	json_object_object_get_ex(common, "$defs", &m.common);
	m.defs = json_object_object_get_ex(ret, "$defs", &m.defs) ? json_object_get(m.defs) :
								    json_object_new_object();
	schema_collect(&m, ret);
	if (json_object_object_length(m.defs))
		json_object_object_add(ret, "$defs", m.defs);
	else
		json_object_put(m.defs);
	json_object_put(common);
	return ret;
}

/* --- without words --- */

/* Below these the keys are names, and no words of a schema. */
static bool schema_has_names(const char *key)
{
	return !strcmp(key, "properties") || !strcmp(key, "$defs");
}

static void schema_strip_all(struct json_object *of, bool are_names)
{
	size_t i;

	if (json_object_is_type(of, json_type_array))
		for (i = 0; i < json_object_array_length(of); i++)
			schema_strip_all(json_object_array_get_idx(of, i), false);
	if (!json_object_is_type(of, json_type_object))
		return;
	for (i = 0; !are_names && i < SCHEMA_WORDS; i++)
		json_object_object_del(of, schema_words[i]);
	json_object_object_foreach(of, key, value)
		schema_strip_all(value, !are_names && schema_has_names(key));
}

void schema_strip(struct json_object *schema)
{
	schema_strip_all(schema, false);
}
