// SPDX-License-Identifier: Apache-2.0
/* dwarf_offsets: see dwarf_offsets.h. */
#define _GNU_SOURCE
#include "target/dwarf_offsets.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <libelf.h>
#include <stdbool.h>
#include <string.h>

#include "base/isolated.h"
#include "base/vec.h"
#include "target/dwarf_image.h"

static const struct row {
	const char *type, *path;
	int since;
	size_t at;	/* of the unsigned int in struct go_offsets */
} rows[] = {
#define F(member, type, path, since) { type, path, since, offsetof(struct go_offsets, member) },
	GO_OFFSETS(F)
#undef F
};

/* The structs that the rows name. */
static const char *const wanted[] = {
	"runtime.g", "runtime.m", "runtime.p", "runtime.gcControllerState", "runtime.mspan",
	"runtime.mheap", "runtime.sudog", "runtime.hchan", "runtime.pollDesc",
};
enum { NWANTED = sizeof(wanted) / sizeof(wanted[0]) };

struct structs {
	Dwarf_Die die[NWANTED];
	bool found[NWANTED];
	int left;
};

/* --- finding the structs --- */

static bool die_is_named(Dwarf_Die *die, const char *name)
{
	const char *s = dwarf_diename(die);

	return s && !strcmp(s, name);
}

static void take_struct(struct structs *s, Dwarf_Die *die)
{
	int i;

	for (i = 0; i < NWANTED; i++) {
		if (s->found[i] || !die_is_named(die, wanted[i]))
			continue;
		s->die[i] = *die;
		s->found[i] = true;
		s->left--;
		return;
	}
}

static void walk_unit(struct structs *s, Dwarf_Die *unit)
{
	Dwarf_Die die;
	int r;

	for (r = dwarf_child(unit, &die); !r && s->left; r = dwarf_siblingof(&die, &die)) {
		if (dwarf_tag(&die) == DW_TAG_structure_type)
			take_struct(s, &die);
	}
}

/*
 * Finds the structs. Several units are named "runtime": one for its Go code, one for each of its
 * assembly files; one of them has the types of the whole program. In other packages only the unit
 * header is read.
 */
static void find_structs(struct structs *s, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;

	*s = (struct structs){ .left = NWANTED };
	while (s->left && !dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL)) {
		if (dwarf_tag(&unit) == DW_TAG_compile_unit && die_is_named(&unit, "runtime"))
			walk_unit(s, &unit);
	}
}

/* --- one field --- */

/*
 * Reads the offset of a member. Up to Go 1.12 it is a block DW_OP_plus_uconst N, since then a
 * constant.
 */
static bool member_offset(Dwarf_Die *member, uint64_t *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;
	Dwarf_Op *op;
	size_t n;

	if (!dwarf_attr(member, DW_AT_data_member_location, &attr))
		return false;
	if (!dwarf_formudata(&attr, &value)) {
		*ret = value;
		return true;
	}
	if (dwarf_getlocation(&attr, &op, &n) || n != 1 || op->atom != DW_OP_plus_uconst)
		return false;
	*ret = op->number;
	return true;
}

static bool find_member(Dwarf_Die *type, const char *name, size_t len, Dwarf_Die *ret)
{
	int r;

	for (r = dwarf_child(type, ret); !r; r = dwarf_siblingof(ret, ret)) {
		const char *s = dwarf_tag(ret) == DW_TAG_member ? dwarf_diename(ret) : NULL;

		if (s && strlen(s) == len && !memcmp(s, name, len))
			return true;
	}
	return false;
}

/*
 * Follows typedefs to the type of a member. dwarf_peel_type() would not end if they lead in a
 * circle.
 */
static bool offsets_type_of(Dwarf_Die *die, Dwarf_Die *ret)
{
	enum { MAX_TYPEDEFS = 16 };
	Dwarf_Die at = *die;
	Dwarf_Attribute attr;
	int i;

	for (i = 0; i < MAX_TYPEDEFS; i++) {
		if (!dwarf_formref_die(dwarf_attr(&at, DW_AT_type, &attr), ret))
			return false;
		if (dwarf_tag(ret) != DW_TAG_typedef)
			return true;
		at = *ret;
	}
	return false;
}

/*
 * Stores the offset of the field at @path ("sched.sp", which ends at a '|' or at the end) in struct
 * @type.
 */
static bool path_offset(Dwarf_Die *type, const char *path, uint64_t *ret)
{
	Dwarf_Die at = *type, member;
	uint64_t offset;

	for (*ret = 0; ; path++) {
		size_t len = strcspn(path, ".|");

		if (!find_member(&at, path, len, &member) || !member_offset(&member, &offset))
			return false;
		*ret += offset;
		path += len;
		if (*path != '.')
			return *ret < GO_OFFSET_NONE;
		if (!offsets_type_of(&member, &at))
			return false;
	}
}

/* Stores the offset of the first of the paths ("new|old") that the struct has. */
static bool field_offset(Dwarf_Die *type, const char *paths, uint64_t *ret)
{
	const char *path;

	for (path = paths; path; path = strchr(path, '|')) {
		path += *path == '|';
		if (path_offset(type, path, ret))
			return true;
	}
	return false;
}

static int read_row(struct structs *s, const struct row *row, int minor,
		    struct go_offsets *ret, struct error *err)
{
	uint64_t offset = GO_OFFSET_NONE;
	unsigned int value;
	bool found = false;
	int i;

	for (i = 0; i < NWANTED; i++) {
		if (s->found[i] && !strcmp(row->type, wanted[i]))
			found = field_offset(&s->die[i], row->path, &offset);
	}
	if (!found && minor >= row->since)
		return error_set(err, -ENOENT, "no field %s.%s in its DWARF data",
				 row->type, row->path);
	value = found ? (unsigned int)offset : GO_OFFSET_NONE;
	memcpy((char *)ret + row->at, &value, sizeof(value));
	return 0;
}

static int read_rows(Dwarf *dwarf, int minor, struct go_offsets *ret, struct error *err)
{
	struct structs structs;
	size_t i;
	int r = 0;

	find_structs(&structs, dwarf);
	for (i = 0; !r && i < sizeof(rows) / sizeof(rows[0]); i++)
		r = read_row(&structs, &rows[i], minor, ret, err);
	return r;
}

struct question {
	struct buf image;
	int minor;
};

static int read_image(void *ctx, void *answer, struct error *err)
{
	struct question *q = ctx;
	Dwarf *dwarf = NULL;
	Elf *elf;
	int r;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)q->image.data, q->image.len);
	if (elf)
		dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (dwarf)
		r = read_rows(dwarf, q->minor, answer, err);
	else
		r = error_set(err, -ENOENT, "its DWARF data cannot be read: %s",
			      dwarf_errmsg(-1) ?: "?");
	dwarf_end(dwarf);
	elf_end(elf);
	return r;
}

/* Runs libdw, which was not made for hostile files, in a process without privileges. */
int dwarf_offsets_read(const struct elf_file *f, int minor, struct go_offsets *ret,
		       struct error *err)
{
	struct question q = { .minor = minor };
	struct isolated_work work = {
		.run = read_image, .ctx = &q, .fd = -1, .size = sizeof(*ret)
	};
	int r = dwarf_image_make(&q.image, f);

	if (!r)
		r = isolated_run(&work, ret, err);
	else
		error_set(err, r, r == -E2BIG ? "its DWARF data is broken" : "no DWARF data");
	buf_free(&q.image);
	return r;
}
