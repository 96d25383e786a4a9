/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json: values from JSON files of other programs, by json-c (this is the only room that includes
 * json-c). The files belong to container runtimes: a value that is missing or of another type
 * counts as absent, and is never an error.
 */
#ifndef GOTAP_PROC_JSON_H
#define GOTAP_PROC_JSON_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct json_object;

/* Parses @text. Returns NULL if it is no JSON. The caller frees the result by json_close(). */
struct json_object *json_parse(const char *text, size_t n);
/* Accepts NULL. */
void json_close(struct json_object *obj);

/*
 * Values inside @obj, which may be NULL. @path has names of members from the outside inwards,
 * separated by newlines, because names of labels have dots and slashes.
 */
struct json_object *json_at(struct json_object *obj, const char *path);
/* Returns one member; its name may be empty. */
struct json_object *json_member(struct json_object *obj, const char *name);
const char *json_text(struct json_object *obj, const char *path);	/* "" if absent */
int64_t json_number(struct json_object *obj, const char *path);		/* 0 if absent */
double json_real(struct json_object *obj, const char *path);		/* 0 if absent */
bool json_true(struct json_object *obj, const char *path);		/* false if absent */
/* Length and items of an array: 0 and NULL if @obj is no array. */
size_t json_length(struct json_object *obj);
struct json_object *json_item(struct json_object *obj, size_t i);

#endif
