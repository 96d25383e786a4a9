// SPDX-License-Identifier: Apache-2.0
/* func_values: see func_values.h. */
#define _GNU_SOURCE
#include "target/func_values.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <libelf.h>
#include <stdbool.h>
#include <string.h>

#include "base/isolated.h"
#include "base/vec.h"
#include "release/release.h"
#include "target/dwarf_image.h"

enum {
	WORD = 8,
	DEEPEST = 16,		/* types inside types */
	MEMBERS_MOST = 64,	/* of one struct, for a value that may go into registers */
	TYPES_MOST = 1000,	/* visited for the alignment of one value */
};

/* The values of one list, arguments or results, as they are placed one after the other. */
struct placing {
	const struct goarch *arch;
	bool registers;		/* the release passes arguments in registers */
	unsigned int ints, floats;	/* registers that are taken */
	uint64_t stack;		/* bytes of the stack that are taken */
};

/* --- types --- */

/*
 * Follows typedefs. @name gets that of the first one, or of the type; it is "" if there is none.
 */
static bool values_type_of(Dwarf_Die *die, Dwarf_Die *ret, const char **name)
{
	Dwarf_Die at = *die;
	Dwarf_Attribute attr;
	int i;

	for (i = 0; i < DEEPEST; i++) {
		if (!dwarf_formref_die(dwarf_attr_integrate(&at, DW_AT_type, &attr), ret))
			return false;
		if (!i && name)
			*name = dwarf_diename(ret) ?: "";
		if (dwarf_tag(ret) != DW_TAG_typedef)
			return true;
		at = *ret;
	}
	return false;
}

static uint64_t values_attribute(Dwarf_Die *die, unsigned int which, uint64_t none)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return dwarf_formudata(dwarf_attr(die, which, &attr), &value) ? none : value;
}

/* False: not known. */
static bool values_size(Dwarf_Die *type, uint64_t *size)
{
	int tag = dwarf_tag(type);

	if (tag == DW_TAG_pointer_type || tag == DW_TAG_subroutine_type) {
		*size = WORD;
		return true;
	}
	*size = values_attribute(type, DW_AT_byte_size, UINT64_MAX);
	return *size < 1 << 20;
}

/*
 * The alignment of a value on the stack: that of the member or element that has the largest one.
 * 0: not known. @left is the number of types that may still be visited.
 */
static uint64_t values_align(Dwarf_Die *type, int depth, int *left);

static uint64_t values_align_struct(Dwarf_Die *type, int depth, int *left)
{
	uint64_t align = 1, own;
	Dwarf_Die member, of;
	int r;

	for (r = dwarf_child(type, &member); !r; r = dwarf_siblingof(&member, &member)) {
		if (dwarf_tag(&member) != DW_TAG_member)
			continue;
		own = values_type_of(&member, &of, NULL) ? values_align(&of, depth + 1, left) : 0;
		if (!own)
			return 0;
		if (own > align)
			align = own;
	}
	return align;
}

static uint64_t values_align(Dwarf_Die *type, int depth, int *left)
{
	uint64_t size = values_attribute(type, DW_AT_byte_size, 0);
	Dwarf_Die of;

	if (depth > DEEPEST || !(*left)--)
		return 0;
	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_subroutine_type:
		return WORD;
	case DW_TAG_base_type:
		/* a complex number is as two floats */
		if (values_attribute(type, DW_AT_encoding, 0) == DW_ATE_complex_float)
			size /= 2;
		return size <= WORD ? size : 0;
	case DW_TAG_structure_type:
		return values_align_struct(type, depth, left);
	case DW_TAG_array_type:
		return values_type_of(type, &of, NULL) ? values_align(&of, depth + 1, left) : 0;
	}
	return 0;
}

static bool values_take(struct placing *p, Dwarf_Die *type, int depth);

static bool values_take_struct(struct placing *p, Dwarf_Die *type, int depth)
{
	Dwarf_Die member, of;
	int r, n = 0;

	for (r = dwarf_child(type, &member); !r; r = dwarf_siblingof(&member, &member)) {
		if (dwarf_tag(&member) != DW_TAG_member)
			continue;
		if (++n > MEMBERS_MOST || !values_type_of(&member, &of, NULL) ||
		    !values_take(p, &of, depth + 1))
			return false;
	}
	return true;
}

/* An array of one element is that element; one of more does not go into registers. */
static bool values_take_array(struct placing *p, Dwarf_Die *type, int depth)
{
	uint64_t n = UINT64_MAX;
	Dwarf_Die range, of;
	int r;

	for (r = dwarf_child(type, &range); !r; r = dwarf_siblingof(&range, &range))
		if (dwarf_tag(&range) == DW_TAG_subrange_type)
			n = values_attribute(&range, DW_AT_count, UINT64_MAX);
	return !n || (n == 1 && values_type_of(type, &of, NULL) && values_take(p, &of, depth + 1));
}

/* Takes the registers of a value of the type; false: it does not fit into registers. */
static bool values_take(struct placing *p, Dwarf_Die *type, int depth)
{
	uint64_t encoding = values_attribute(type, DW_AT_encoding, 0);

	if (depth > DEEPEST)
		return false;
	switch (dwarf_tag(type)) {
	case DW_TAG_pointer_type:
	case DW_TAG_subroutine_type:
		p->ints++;
		break;
	case DW_TAG_base_type:
		if (encoding == DW_ATE_float)
			p->floats++;
		else if (encoding == DW_ATE_complex_float)
			p->floats += 2;
		else
			p->ints++;
		break;
	case DW_TAG_structure_type:
		return values_take_struct(p, type, depth);
	case DW_TAG_array_type:
		return values_take_array(p, type, depth);
	default:
		return false;
	}
	return p->ints <= p->arch->int_args && p->floats <= p->arch->float_args;
}

/* --- one value --- */

/* The place of the next value; false: no later one can be placed either. */
static bool values_place(struct placing *p, Dwarf_Die *type, struct region_value *v)
{
	struct placing tried = *p;
	uint64_t size, align;
	int left = TYPES_MOST;

	if (!values_size(type, &size))
		return false;
	if (p->registers && values_take(&tried, type, 0)) {
		v->place = (unsigned short)p->ints;
		p->ints = tried.ints;
		p->floats = tried.floats;
		return true;
	}
	align = values_align(type, 0, &left);
	if (!align)
		return false;
	p->stack = (p->stack + align - 1) / align * align;
	v->on_stack = 1;
	v->place = (unsigned short)(WORD + p->stack);
	p->stack += size;
	return p->stack < 1 << 15;
}

static unsigned char values_kind(Dwarf_Die *type, const char *name, uint64_t size)
{
	uint64_t encoding = values_attribute(type, DW_AT_encoding, 0);
	bool is_base = dwarf_tag(type) == DW_TAG_base_type;
	const char *own = dwarf_diename(type) ?: "";

	if (!strcmp(name, "error"))
		return REGION_VALUE_ERROR;
	if (dwarf_tag(type) == DW_TAG_structure_type && !strcmp(own, "string"))
		return REGION_VALUE_STRING;
	if (!is_base || size > WORD)
		return REGION_VALUE_NONE;
	switch (encoding) {
	case DW_ATE_boolean:
		return REGION_VALUE_BOOL;
	case DW_ATE_signed:
	case DW_ATE_signed_char:
		return REGION_VALUE_INT;
	case DW_ATE_unsigned:
	case DW_ATE_unsigned_char:
		return REGION_VALUE_UINT;
	}
	return REGION_VALUE_NONE;
}

/* A result without a name is ~r0 in DWARF data. */
static void values_name(struct region_value *v, Dwarf_Die *die)
{
	const char *name = dwarf_diename(die) ?: "";

	name += *name == '~';
	memcpy(v->name, name, strnlen(name, sizeof(v->name) - 1));
}

static bool values_add(struct placing *p, Dwarf_Die *die, struct region_value *list,
		       unsigned char *n, struct func_values *ret)
{
	struct region_value v = {0};
	const char *name = "";
	uint64_t size = 0;
	Dwarf_Die type;

	if (!values_type_of(die, &type, &name) || !values_place(p, &type, &v))
		return false;
	values_size(&type, &size);
	v.kind = values_kind(&type, name, size);
	v.size = (unsigned char)(size < WORD ? size : WORD);
	values_name(&v, die);
	if (v.kind == REGION_VALUE_NONE || *n == REGION_VALUES)
		ret->left_out++;
	else
		list[(*n)++] = v;
	return true;
}

/* --- one function --- */

static bool values_is_result(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	bool is = false;

	return !dwarf_formflag(dwarf_attr_integrate(die, DW_AT_variable_parameter, &attr), &is) &&
	       is;
}

/*
 * Go 1.21 to 1.26 list a result with a name twice if a deferred closure sets it. No two values of a
 * function have one name, but for "_".
 */
static bool values_is_again(Dwarf_Die *die, const char *before)
{
	const char *name = dwarf_diename(die) ?: "";

	return strcmp(name, "_") && !strcmp(name, before);
}

/* Adds the values that are results, or those that are not. False: not all have a known place. */
static bool values_add_all(struct placing *p, Dwarf_Die *function, bool results,
			   struct func_values *ret)
{
	const char *before = "_";
	Dwarf_Die die;
	int r;

	for (r = dwarf_child(function, &die); !r; r = dwarf_siblingof(&die, &die)) {
		if (dwarf_tag(&die) != DW_TAG_formal_parameter ||
		    values_is_result(&die) != results || values_is_again(&die, before))
			continue;
		before = dwarf_diename(&die) ?: "_";
		if (!values_add(p, &die, results ? ret->results : ret->args,
				results ? &ret->nresults : &ret->nargs, ret))
			return false;
	}
	return true;
}

static void values_of(Dwarf_Die *function, const struct gobin *b, struct func_values *ret)
{
	struct placing p = { .arch = gobin_arch(b), .registers = gobin_register_args(b) };

	ret->known = 1;
	if (!values_add_all(&p, function, false, ret))
		return;
	/* results on the stack follow the arguments there; registers begin anew */
	p.stack = (p.stack + WORD - 1) / WORD * WORD;
	p.ints = p.floats = 0;
	values_add_all(&p, function, true, ret);
}

/* --- finding the functions --- */

struct values_question {
	struct buf image;
	const char *const *names;
	size_t n;
	const struct gobin *b;
};

/* Does the name of a package's unit begin the name of function @name? */
static bool values_is_package(const char *unit, const char *name)
{
	size_t n = unit ? strlen(unit) : 0;

	return n && !strncmp(name, unit, n) && name[n] == '.';
}

static void values_take_function(const struct values_question *q, Dwarf_Die *die,
				 struct func_values *ret)
{
	const char *name = dwarf_diename(die);
	size_t i;

	for (i = 0; name && i < q->n; i++)
		if (!ret[i].known && !strcmp(name, q->names[i]))
			values_of(die, q->b, &ret[i]);
}

static void values_walk_unit(const struct values_question *q, Dwarf_Die *unit,
			     struct func_values *ret)
{
	const char *name = dwarf_diename(unit);
	bool wanted = false;
	Dwarf_Die die;
	size_t i;
	int r;

	for (i = 0; i < q->n; i++)
		wanted |= values_is_package(name, q->names[i]);
	if (!wanted)
		return;
	for (r = dwarf_child(unit, &die); !r; r = dwarf_siblingof(&die, &die))
		if (dwarf_tag(&die) == DW_TAG_subprogram)
			values_take_function(q, &die, ret);
}

static int values_run(void *ctx, void *answer, struct error *err)
{
	struct values_question *q = ctx;
	Dwarf *dwarf = NULL;
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;
	Elf *elf;

	elf_version(EV_CURRENT);
	elf = elf_memory((char *)q->image.data, q->image.len);
	if (elf)
		dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (!dwarf)
		return error_set(err, -ENOENT, "its DWARF data cannot be read: %s",
				 dwarf_errmsg(-1) ?: "?");
	while (!dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL))
		if (dwarf_tag(&unit) == DW_TAG_compile_unit)
			values_walk_unit(q, &unit, answer);
	dwarf_end(dwarf);
	elf_end(elf);
	return 0;
}

/* --- what the process said --- */

static bool values_is_sound(const struct gobin *b, const struct region_value *v)
{
	bool two = v->kind == REGION_VALUE_STRING || v->kind == REGION_VALUE_ERROR;

	return v->kind > REGION_VALUE_NONE && v->kind <= REGION_VALUE_ERROR && v->size <= WORD &&
	       v->size && memchr(v->name, 0, sizeof(v->name)) &&
	       (v->on_stack ? v->place >= WORD && v->place < 1 << 15 :
			      v->place + two < gobin_arch(b)->int_args);
}

static bool values_are_sound(const struct gobin *b, const struct region_value *list, size_t n)
{
	size_t i;

	for (i = 0; i < n && i < REGION_VALUES; i++)
		if (!values_is_sound(b, &list[i]))
			return false;
	return n <= REGION_VALUES;
}

int func_values_read(const struct gobin *b, const char *const *names, size_t n,
		     struct func_values *ret, struct error *err)
{
	struct values_question q = { .names = names, .n = n, .b = b };
	struct isolated_work work = { .run = values_run, .ctx = &q, .fd = -1,
				      .size = n * sizeof(*ret) };
	const struct elf_file *f = gobin_dwarf_file(b);
	size_t i;
	int r = f ? dwarf_image_make(&q.image, f) : -ENOENT;

	memset(ret, 0, n * sizeof(*ret));
	if (!r)
		r = isolated_run(&work, ret, err);
	else
		error_set(err, r, r == -E2BIG ? "its DWARF data is broken" : "no DWARF data");
	buf_free(&q.image);
	for (i = 0; i < n && !r; i++)
		if (!values_are_sound(b, ret[i].args, ret[i].nargs) ||
		    !values_are_sound(b, ret[i].results, ret[i].nresults))
			memset(&ret[i], 0, sizeof(ret[i]));
	return r;
}
