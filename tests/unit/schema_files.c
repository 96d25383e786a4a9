// SPDX-License-Identifier: Apache-2.0
/* schema/schema.h: every source is JSON, every reference has its definition, words go, rules stay. */
#include "unit.h"

#include <string.h>

#include "schema/schema.h"

static int count_of(const char *text, const char *word)
{
	int n = 0;

	while ((text = strstr(text, word))) {
		text += strlen(word);
		n++;
	}
	return n;
}

static void each_schema_is_whole(void)
{
	const struct schema_file *f;
	struct json_object *schema, *id;
	char want[64];

	for (f = schema_files; f->name; f++) {
		schema = schema_new(f->name);
		if (!f->says) {
			CHECK(!schema);
			continue;
		}
		CHECK(schema && json_object_object_get_ex(schema, "$id", &id));
		snprintf(want, sizeof(want), "urn:gotap:%s:", f->name);
		CHECK(!strncmp(json_object_get_string(id), want, strlen(want)));
		json_object_put(schema);
	}
	CHECK(!schema_new("nothing"));
}

/* A property may have the name of a word: "title" and "description" are no words below properties. */
static void words_go_and_rules_stay(void)
{
	struct json_object *schema = json_tokener_parse(
		"{\"title\": \"x\", \"properties\": {\"title\": {\"description\": \"x\", \"type\": "
		"\"string\"}, \"properties\": {\"type\": \"object\", \"x-unit\": \"s\"}}, "
		"\"oneOf\": [{\"description\": \"x\", \"const\": 1}]}");

	schema_strip(schema);
	CHECK(!strcmp(json_object_to_json_string_ext(schema, JSON_C_TO_STRING_PLAIN),
		      "{\"properties\":{\"title\":{\"type\":\"string\"},\"properties\":{\"type\":"
		      "\"object\"}},\"oneOf\":[{\"const\":1}]}"));
	json_object_put(schema);
	schema = schema_new("report");
	schema_strip(schema);
	CHECK(!count_of(json_object_to_json_string(schema), "\"x-unit\""));
	CHECK(count_of(json_object_to_json_string(schema), "\"scheduling_latency\"") == 2);
	json_object_put(schema);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(each_schema_is_whole),
		UNIT(words_go_and_rules_stay),
		{0},
	});
}
