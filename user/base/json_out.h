/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json_out: writes JSON to a stream. The caller opens and closes objects and arrays in pairs. @name
 * is the member's name inside an object, NULL inside an array. Text is written as UTF-8 for any
 * bytes, with control characters (base/show.h) escaped.
 */
#ifndef GOTAP_BASE_JSON_OUT_H
#define GOTAP_BASE_JSON_OUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

struct json_out {
	FILE *f;
	bool comma;		/* the current level has a value already */
};

void json_open_object(struct json_out *j, const char *name);
void json_close_object(struct json_out *j);
void json_open_array(struct json_out *j, const char *name);
void json_close_array(struct json_out *j);
/* @value NULL is written as null. */
void json_put_text(struct json_out *j, const char *name, const char *value);
void json_put_number(struct json_out *j, const char *name, int64_t value);
void json_put_count(struct json_out *j, const char *name, uint64_t value);
/* Writes @value with @digits digits after the decimal point. */
void json_put_real(struct json_out *j, const char *name, double value, int digits);
/* @text is one complete JSON value. */
void json_put_json(struct json_out *j, const char *name, const void *text, size_t n);
void json_put_bool(struct json_out *j, const char *name, bool value);

#endif
