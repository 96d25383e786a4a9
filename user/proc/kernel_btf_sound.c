// SPDX-License-Identifier: Apache-2.0
/* kernel_btf_sound: see kernel_btf.h. */
#include <bpf/btf.h>
#include <stdint.h>

#include "proc/kernel_btf.h"

/*
 * LINKS: typedefs, const and the like that follow one another; DEPTH: structs without a name in
 * one another. Kernels have 5 of either. STEPS bounds the time.
 */
enum { SOUND_LINKS = 64, SOUND_DEPTH = 32, SOUND_STEPS = 20000000 };

struct sound {
	const struct btf *btf;
	uint32_t types;
	unsigned int steps;
};

static bool sound_id(const struct sound *s, uint32_t id)
{
	return id < s->types;
}

static bool sound_name(const struct sound *s, uint32_t at)
{
	return btf__name_by_offset(s->btf, at);
}

static bool sound_link(const struct btf_type *t)
{
	return btf_is_mod(t) || btf_is_typedef(t);
}

/* Follows typedefs and the like to the type that they stand for; NULL: they lead nowhere. */
static const struct btf_type *sound_resolve(struct sound *s, uint32_t id)
{
	const struct btf_type *t;
	int i;

	for (i = 0; i < SOUND_LINKS && sound_id(s, id); i++) {
		t = btf__type_by_id(s->btf, id);
		if (!t || !sound_link(t))
			return t;
		id = t->type;
	}
	return NULL;
}

static bool sound_members(const struct sound *s, const struct btf_type *t)
{
	unsigned int i;

	for (i = 0; i < btf_vlen(t); i++)
		if (!sound_name(s, btf_members(t)[i].name_off) ||
		    !sound_id(s, btf_members(t)[i].type))
			return false;
	return true;
}

static bool sound_params(const struct sound *s, const struct btf_type *t)
{
	unsigned int i;

	for (i = 0; i < btf_vlen(t); i++)
		if (!sound_name(s, btf_params(t)[i].name_off) ||
		    !sound_id(s, btf_params(t)[i].type))
			return false;
	return sound_id(s, t->type);
}

static bool sound_enum(const struct sound *s, const struct btf_type *t)
{
	unsigned int i;

	for (i = 0; i < btf_vlen(t); i++)
		if (!sound_name(s, btf_is_enum(t) ? btf_enum(t)[i].name_off :
						    btf_enum64(t)[i].name_off))
			return false;
	return true;
}

static bool sound_section(const struct sound *s, const struct btf_type *t)
{
	unsigned int i;

	for (i = 0; i < btf_vlen(t); i++)
		if (!sound_id(s, btf_var_secinfos(t)[i].type))
			return false;
	return true;
}

/* The references of one type. */
static bool sound_type(struct sound *s, const struct btf_type *t)
{
	if (!sound_name(s, t->name_off))
		return false;
	if (btf_is_composite(t))
		return sound_members(s, t);
	if (btf_is_array(t))
		return sound_id(s, btf_array(t)->type) && sound_id(s, btf_array(t)->index_type);
	if (btf_is_func_proto(t))
		return sound_params(s, t);
	if (btf_is_any_enum(t))
		return sound_enum(s, t);
	if (btf_is_datasec(t))
		return sound_section(s, t);
	if (btf_is_int(t) || btf_is_float(t) || btf_is_fwd(t))
		return true;
	return sound_id(s, t->type);
}

/* Members of @t without a name, whose members count as those of @t: not endlessly deep. */
static bool sound_depth(struct sound *s, const struct btf_type *t, int depth)
{
	const struct btf_type *inner;
	unsigned int i;

	if (depth > SOUND_DEPTH || ++s->steps > SOUND_STEPS)
		return false;
	for (i = 0; i < btf_vlen(t); i++) {
		inner = sound_resolve(s, btf_members(t)[i].type);
		if (inner && btf_is_composite(inner) && !btf_members(t)[i].name_off &&
		    !sound_depth(s, inner, depth + 1))
			return false;
	}
	return true;
}

/* Arrays of arrays, through typedefs: an element must not be the array itself. */
static bool sound_element(struct sound *s, const struct btf_type *t)
{
	int depth;

	for (depth = 0; depth <= SOUND_DEPTH; depth++) {
		if (!t || !btf_is_array(t))
			return true;
		t = sound_resolve(s, btf_array(t)->type);
	}
	return false;
}

bool kernel_btf_is_sound(const struct btf *btf)
{
	struct sound s = { .btf = btf, .types = btf__type_cnt(btf) };
	const struct btf_type *t;
	uint32_t id;

	for (id = 1; id < s.types; id++)
		if (!sound_type(&s, btf__type_by_id(btf, id)))
			return false;
	for (id = 1; id < s.types; id++) {
		t = btf__type_by_id(btf, id);
		if (sound_link(t) && !sound_resolve(&s, id))
			return false;
		if ((btf_is_composite(t) && !sound_depth(&s, t, 0)) || !sound_element(&s, t))
			return false;
	}
	return true;
}
