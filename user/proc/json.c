// SPDX-License-Identifier: Apache-2.0
/* json: see json.h. */
#define _GNU_SOURCE
#include "proc/json.h"

#include <json-c/json.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 32, MAX_NAME = 128 };

struct json_object *json_parse(const char *text, size_t n)
{
	struct json_tokener *t = json_tokener_new_ex(MAX_DEPTH);
	struct json_object *obj = NULL;

	if (t && n <= INT_MAX)
		obj = json_tokener_parse_ex(t, text, (int)n);
	if (t && json_tokener_get_error(t) != json_tokener_success) {
		json_object_put(obj);
		obj = NULL;
	}
	json_tokener_free(t);
	return obj;
}

void json_close(struct json_object *obj)
{
	json_object_put(obj);
}

struct json_object *json_member(struct json_object *obj, const char *name)
{
	struct json_object *member;

	return json_object_is_type(obj, json_type_object) &&
	       json_object_object_get_ex(obj, name, &member) ? member : NULL;
}

struct json_object *json_at(struct json_object *obj, const char *path)
{
	char name[MAX_NAME];
	size_t n;

	for (; obj && *path; path += n + (path[n] != 0)) {
		n = strcspn(path, "\n");
		snprintf(name, sizeof(name), "%.*s", (int)n, path);
		obj = json_member(obj, name);
	}
	return obj;
}

const char *json_text(struct json_object *obj, const char *path)
{
	obj = json_at(obj, path);
	return json_object_is_type(obj, json_type_string) ? json_object_get_string(obj) : "";
}

int64_t json_number(struct json_object *obj, const char *path)
{
	obj = json_at(obj, path);
	return json_object_is_type(obj, json_type_int) ? json_object_get_int64(obj) : 0;
}

bool json_true(struct json_object *obj, const char *path)
{
	obj = json_at(obj, path);
	return json_object_is_type(obj, json_type_boolean) && json_object_get_boolean(obj);
}

double json_real(struct json_object *obj, const char *path)
{
	obj = json_at(obj, path);
	if (!json_object_is_type(obj, json_type_int) &&
	    !json_object_is_type(obj, json_type_double))
		return 0;
	return json_object_get_double(obj);
}

size_t json_length(struct json_object *obj)
{
	return json_object_is_type(obj, json_type_array) ? json_object_array_length(obj) : 0;
}

struct json_object *json_item(struct json_object *obj, size_t i)
{
	return i < json_length(obj) ? json_object_array_get_idx(obj, i) : NULL;
}
