// SPDX-License-Identifier: Apache-2.0
/* shrink: see shrink.h. */
#include "mcp/shrink.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum {
	/* Lists of numbers and texts that are as short have a fixed length: [in A, in B]. */
	SHRINK_TUPLE = 3,
	/* The longest lists are cut to this first. */
	SHRINK_FIRST = 512,
	/* Deeper than any answer. */
	SHRINK_DEPTH = 32,
};

struct shrink {
	size_t cap;               /* items that a list may have */
	struct buf path;          /* the place, as a JSON pointer with * for indexes */
	struct json_object *cuts; /* path: [kept, of] */
};

size_t shrink_size(struct json_object *value)
{
	size_t n;

	json_object_to_json_string_length(value, JSON_C_TO_STRING_PLAIN, &n);
	return n;
}

static void shrink_note(struct shrink *s, size_t kept, size_t of)
{
	struct json_object *cut;
	size_t end = s->path.len;

	buf_add_byte(&s->path, 0);
	if (!json_object_object_get_ex(s->cuts, (char *)s->path.data, &cut)) {
		cut = json_object_new_array();
		json_object_array_add(cut, json_object_new_int64(0));
		json_object_array_add(cut, json_object_new_int64(0));
		json_object_object_add(s->cuts, (char *)s->path.data, cut);
	}
	s->path.len = end;
	json_object_array_put_idx(
		cut, 0,
		json_object_new_int64(json_object_get_int64(json_object_array_get_idx(cut, 0)) +
				      (int64_t)kept));
	json_object_array_put_idx(
		cut, 1,
		json_object_new_int64(json_object_get_int64(json_object_array_get_idx(cut, 1)) +
				      (int64_t)of));
}

/* Is @list of a fixed length? Those of objects and lists are not. */
static bool shrink_is_tuple(struct json_object *list, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++) {
		enum json_type type = json_object_get_type(json_object_array_get_idx(list, i));

		if (type == json_type_object || type == json_type_array)
			return false;
	}
	return n <= SHRINK_TUPLE;
}

/* As a part of a JSON pointer (RFC 6901). */
static void shrink_add_key(struct buf *path, const char *key)
{
	buf_add_byte(path, '/');
	for (; *key; key++) {
		if (*key == '~' || *key == '/')
			buf_add_byte(path, '~');
		buf_add_byte(path, (uint8_t)(*key == '~' ? '0' : *key == '/' ? '1' : *key));
	}
}

static void shrink_walk(struct shrink *s, struct json_object *value, unsigned int depth);

static void shrink_list(struct shrink *s, struct json_object *list, unsigned int depth)
{
	size_t i, n = json_object_array_length(list), at = s->path.len;

	if (n > s->cap && !shrink_is_tuple(list, n)) {
		json_object_array_del_idx(list, s->cap, n - s->cap);
		shrink_note(s, s->cap, n);
		n = s->cap;
	}
	buf_add(&s->path, "/*", 2);
	for (i = 0; i < n; i++)
		shrink_walk(s, json_object_array_get_idx(list, i), depth + 1);
	s->path.len = at;
}

static void shrink_walk(struct shrink *s, struct json_object *value, unsigned int depth)
{
	size_t at = s->path.len;

	if (depth > SHRINK_DEPTH)
		return;
	if (json_object_is_type(value, json_type_array))
		shrink_list(s, value, depth);
	if (!json_object_is_type(value, json_type_object))
		return;
	json_object_object_foreach(value, key, member)
	{
		shrink_add_key(&s->path, key);
		shrink_walk(s, member, depth + 1);
		s->path.len = at;
	}
}

/*
 * A list that is cut again has the length after the first cut as .of: the first one counts. Cuts of
 * one round are added to those of the rounds before by the place.
 */
static void shrink_merge(struct json_object *all, struct json_object *round)
{
	json_object_object_foreach(round, place, cut)
	{
		struct json_object *before;
		int64_t kept = json_object_get_int64(json_object_array_get_idx(cut, 0));
		int64_t of = json_object_get_int64(json_object_array_get_idx(cut, 1));

		if (json_object_object_get_ex(all, place, &before))
			of += json_object_get_int64(json_object_array_get_idx(before, 1)) -
			      json_object_get_int64(json_object_array_get_idx(before, 0));
		before = json_object_new_array();
		json_object_array_add(before, json_object_new_int64(kept));
		json_object_array_add(before, json_object_new_int64(of));
		json_object_object_add(all, place, before);
	}
}

static void shrink_say(struct json_object *cuts, struct json_object *left_out)
{
	json_object_object_foreach(cuts, place, cut)
	{
		struct json_object *row = json_object_new_object();

		json_object_object_add(row, "at", json_object_new_string(place));
		json_object_object_add(row, "kept",
				       json_object_get(json_object_array_get_idx(cut, 0)));
		json_object_object_add(row, "of",
				       json_object_get(json_object_array_get_idx(cut, 1)));
		json_object_array_add(left_out, row);
	}
}

bool shrink(struct json_object *value, size_t most, struct json_object *left_out)
{
	struct json_object *all = json_object_new_object();
	struct shrink s = { .cap = SHRINK_FIRST };
	size_t size = shrink_size(value);

	for (; size > most; s.cap /= 2) {
		s.cuts = json_object_new_object();
		shrink_walk(&s, value, 0);
		shrink_merge(all, s.cuts);
		json_object_put(s.cuts);
		size = shrink_size(value);
		if (!s.cap)
			break;
	}
	shrink_say(all, left_out);
	json_object_put(all);
	buf_free(&s.path);
	return size <= most;
}
