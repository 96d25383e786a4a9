/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json: values out of other programs' JSON files, by json-c (the only room
 * that includes it). The files belong to container runtimes: a value that is
 * missing or of another type is "not there", never an error.
 */
#ifndef GOTAP_PROC_JSON_H
#define GOTAP_PROC_JSON_H

#include <stddef.h>
#include <stdint.h>

struct json_object;

/* NULL if the text is no JSON. Give it to json_close(). */
struct json_object *json_parse(const char *text, size_t n);
/* Accepts NULL. */
void json_close(struct json_object *obj);

/*
 * Values inside @obj, which may be NULL. @path names members from the outside
 * inwards, separated by newlines: names of labels hold dots and slashes.
 */
struct json_object *json_at(struct json_object *obj, const char *path);
/* One member, whose name may be empty. */
struct json_object *json_member(struct json_object *obj, const char *name);
const char *json_text(struct json_object *obj, const char *path);	/* "" if not there */
int64_t json_number(struct json_object *obj, const char *path);		/* 0 if not there */
/* Arrays: 0 and NULL if @obj is none. */
size_t json_length(struct json_object *obj);
struct json_object *json_item(struct json_object *obj, size_t i);

#endif
