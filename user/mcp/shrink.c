// SPDX-License-Identifier: Apache-2.0
/*
 * shrink: see shrink.h. Lists at the same place of an answer, in all of its objects, are one: the
 * place with most bytes is cut to half of its items, again and again. Lists of numbers are dropped
 * as a whole, as a part of a timeline or a histogram misleads. Lists of objects keep one item until
 * nothing else is left to cut.
 */
#include "mcp/shrink.h"

#include <stdlib.h>
#include <string.h>

#include "base/vec.h"

enum {
	/* Lists of numbers and texts that are as short have a fixed length: [in A, in B]. */
	SHRINK_TUPLE = 3,
	/* Deeper than any answer. */
	SHRINK_DEPTH = 32,
	/* Bytes of a number, about: sizes only decide which place is cut. */
	SHRINK_NUMBER = 8,
};

/* The lists at one place. */
struct shrink_place {
	char *path;            /* a JSON pointer with * for indexes */
	size_t bytes, longest; /* longest: items of the longest list */
	bool plain;            /* of numbers or texts, or lists of them */
	size_t kept, of;       /* items in all, now and before the first cut */
	bool cut;
};

struct shrink {
	struct vec places; /* struct shrink_place */
	struct buf path;
	struct shrink_place *chosen; /* the place that the walk cuts, to .most items; NULL: none */
	size_t most;
};

size_t shrink_size(struct json_object *value)
{
	size_t n;

	json_object_to_json_string_length(value, JSON_C_TO_STRING_PLAIN, &n);
	return n;
}

/* --- places --- */

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

/* The place of the path; it keeps its address only until the next one is made. */
static struct shrink_place *shrink_place_of(struct shrink *s)
{
	size_t i, end = s->path.len;
	struct shrink_place *p;

	buf_add_byte(&s->path, 0);
	s->path.len = end;
	for (i = 0; i < s->places.len; i++) {
		p = vec_at(&s->places, struct shrink_place, i);
		if (!strcmp(p->path, (char *)s->path.data))
			return p;
	}
	p = vec_push(&s->places, sizeof(*p));
	p->path = xstrdup((char *)s->path.data);
	p->plain = true;
	return p;
}

static bool shrink_is_plain(struct json_object *value)
{
	return !json_object_is_type(value, json_type_object);
}

static bool shrink_is_tuple(struct json_object *list, size_t n)
{
	size_t i;

	for (i = 0; i < n && n <= SHRINK_TUPLE; i++) {
		enum json_type type = json_object_get_type(json_object_array_get_idx(list, i));

		if (type == json_type_object || type == json_type_array)
			return false;
	}
	return n && n <= SHRINK_TUPLE;
}

/* --- the walk --- */

static size_t shrink_walk(struct shrink *s, struct json_object *value, unsigned int depth);

static size_t shrink_walk_list(struct shrink *s, struct json_object *list, unsigned int depth)
{
	size_t i, n = json_object_array_length(list), at = s->path.len, bytes = 2, place;
	struct shrink_place *p = NULL;

	if (!shrink_is_tuple(list, n)) {
		p = shrink_place_of(s);
		if (p == s->chosen && n > s->most) {
			json_object_array_del_idx(list, s->most, n - s->most);
			n = s->most;
		}
	}
	place = p ? (size_t)(p - (struct shrink_place *)s->places.data) : 0;
	if (n)
		buf_add(&s->path, "/*", 2);
	for (i = 0; i < n; i++)
		bytes += shrink_walk(s, json_object_array_get_idx(list, i), depth + 1) + 1;
	s->path.len = at;
	if (!p)
		return bytes;
	p = vec_at(&s->places, struct shrink_place, place);
	p->bytes += bytes;
	p->kept += n;
	p->longest = n > p->longest ? n : p->longest;
	p->plain &= !n || shrink_is_plain(json_object_array_get_idx(list, 0));
	return bytes;
}

static size_t shrink_walk_object(struct shrink *s, struct json_object *value, unsigned int depth)
{
	size_t at = s->path.len, bytes = 2;

	json_object_object_foreach(value, key, member)
	{
		shrink_add_key(&s->path, key);
		bytes += strlen(key) + 4 + shrink_walk(s, member, depth + 1);
		s->path.len = at;
	}
	return bytes;
}

/* Returns the bytes of @value, about. */
static size_t shrink_walk(struct shrink *s, struct json_object *value, unsigned int depth)
{
	if (depth > SHRINK_DEPTH)
		return SHRINK_NUMBER;
	switch (json_object_get_type(value)) {
	case json_type_array:
		return shrink_walk_list(s, value, depth);
	case json_type_object:
		return shrink_walk_object(s, value, depth);
	case json_type_string:
		return (size_t)json_object_get_string_len(value) + 2;
	default:
		return SHRINK_NUMBER;
	}
}

/* --- rounds --- */

/* How many bytes the next cut of a place would save; 0: it has none. *@most: items after it. */
static size_t shrink_gain(const struct shrink_place *p, size_t least, size_t *most)
{
	if (p->plain) {
		*most = 0;
		return p->longest ? p->bytes : 0;
	}
	*most = p->longest / 2 > least ? p->longest / 2 : least;
	return p->longest > *most ? p->bytes - p->bytes * *most / p->longest : 0;
}

static struct shrink_place *shrink_choose(struct shrink *s, size_t least)
{
	struct shrink_place *best = NULL, *p;
	size_t i, most, gain, best_gain = 0;

	for (i = 0; i < s->places.len; i++) {
		p = vec_at(&s->places, struct shrink_place, i);
		gain = shrink_gain(p, least, &most);
		if (gain <= best_gain)
			continue;
		best = p;
		best_gain = gain;
		s->most = most;
	}
	return best;
}

/* The walk counts anew. */
static void shrink_count(struct shrink *s, struct json_object *value)
{
	size_t i;

	for (i = 0; i < s->places.len; i++) {
		struct shrink_place *p = vec_at(&s->places, struct shrink_place, i);

		p->bytes = p->longest = p->kept = 0;
	}
	shrink_walk(s, value, 0);
}

static void shrink_say(const struct shrink *s, struct json_object *left_out)
{
	size_t i;

	for (i = 0; i < s->places.len; i++) {
		const struct shrink_place *p = vec_at(&s->places, struct shrink_place, i);
		struct json_object *row;

		if (!p->cut)
			continue;
		row = json_object_new_object();
		json_object_object_add(row, "at", json_object_new_string(p->path));
		json_object_object_add(row, "kept", json_object_new_int64((int64_t)p->kept));
		json_object_object_add(row, "of", json_object_new_int64((int64_t)p->of));
		json_object_array_add(left_out, row);
	}
}

static void shrink_free(struct shrink *s)
{
	size_t i;

	for (i = 0; i < s->places.len; i++)
		free(vec_at(&s->places, struct shrink_place, i)->path);
	vec_free(&s->places);
	buf_free(&s->path);
}

/* Cuts one place. False: there is nothing to cut. */
static bool shrink_round(struct shrink *s, struct json_object *value)
{
	s->chosen = shrink_choose(s, 1);
	if (!s->chosen)
		s->chosen = shrink_choose(s, 0);
	if (!s->chosen)
		return false;
	s->chosen->cut = true;
	shrink_count(s, value);
	s->chosen = NULL;
	return true;
}

bool shrink(struct json_object *value, size_t most, struct json_object *left_out)
{
	struct shrink s = {0};
	bool fits = shrink_size(value) <= most;
	size_t i;

	if (!fits) {
		shrink_count(&s, value);
		for (i = 0; i < s.places.len; i++)
			vec_at(&s.places, struct shrink_place, i)->of =
				vec_at(&s.places, struct shrink_place, i)->kept;
	}
	while (!fits && shrink_round(&s, value))
		fits = shrink_size(value) <= most;
	shrink_say(&s, left_out);
	shrink_free(&s);
	return fits;
}
