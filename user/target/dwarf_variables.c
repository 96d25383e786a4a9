// SPDX-License-Identifier: Apache-2.0
/* dwarf_variables: see dwarf_variables.h. */
#include "target/dwarf_variables.h"

#include <dwarf.h>
#include <elfutils/libdw.h>
#include <errno.h>
#include <libelf.h>
#include <stdbool.h>
#include <string.h>

#include "base/isolated.h"
#include "base/vec.h"
#include "target/dwarf_image.h"

enum {
	/* cmd/internal/dwarf: attributes of Go */
	GO_KIND = 0x2900, GO_ELEM = 0x2902, GO_RUNTIME_TYPE = 0x2904,
	/* internal/abi, Kind: up to complex128 a type has no pointers */
	KIND_SLICE = 23, KIND_COMPLEX128 = 16,
	WORD = 8,
	MOST_DEPTH = 16,
	MOST_ELEMENTS = 1024,	/* of one array */
	SECONDS = 10,		/* cmd/compile takes 0.3 */
};

struct walk {
	struct dwarf_variables *ret;
	/* parts of the type of one variable that may still be looked at */
	uint32_t work;
};

static bool walk_attr(Dwarf_Die *die, unsigned int name, Dwarf_Attribute *ret)
{
	return dwarf_attr(die, name, ret) != NULL;
}

static uint64_t walk_number(Dwarf_Die *die, unsigned int name, uint64_t otherwise)
{
	Dwarf_Attribute attr;
	Dwarf_Word value;

	return walk_attr(die, name, &attr) && !dwarf_formudata(&attr, &value) ? value : otherwise;
}

/* 0: the program has no descriptor of this type. */
static uint64_t walk_descriptor(Dwarf_Die *die)
{
	Dwarf_Attribute attr;
	Dwarf_Addr value;

	return walk_attr(die, GO_RUNTIME_TYPE, &attr) && !dwarf_formaddr(&attr, &value) ? value : 0;
}

static bool walk_type_of(Dwarf_Die *die, unsigned int name, Dwarf_Die *ret)
{
	Dwarf_Attribute attr;

	return walk_attr(die, name, &attr) && dwarf_formref_die(&attr, ret);
}

static void walk_take(struct walk *w, uint64_t addr, uint64_t type, enum dwarf_variable_form form)
{
	if (!type)
		return;
	if (w->ret->n == DWARF_VARIABLES)
		w->ret->left_out++;
	else
		w->ret->all[w->ret->n++] = (struct dwarf_variable){ addr, type, form };
}

static void walk_type(struct walk *w, Dwarf_Die *type, uint64_t addr, unsigned int depth);

static void walk_struct(struct walk *w, Dwarf_Die *type, uint64_t addr, unsigned int depth)
{
	Dwarf_Die member, of;
	int r;

	for (r = dwarf_child(type, &member); !r && w->work; r = dwarf_siblingof(&member, &member))
		if (dwarf_tag(&member) == DW_TAG_member && walk_type_of(&member, DW_AT_type, &of))
			walk_type(w, &of,
				  addr + walk_number(&member, DW_AT_data_member_location, 0),
				  depth + 1);
}

static uint64_t walk_elements(Dwarf_Die *array)
{
	Dwarf_Die range;
	uint64_t n = 0;

	if (!dwarf_child(array, &range) && dwarf_tag(&range) == DW_TAG_subrange_type)
		n = walk_number(&range, DW_AT_count, walk_number(&range, DW_AT_upper_bound, 0));
	return n < MOST_ELEMENTS ? n : MOST_ELEMENTS;
}

static void walk_array(struct walk *w, Dwarf_Die *type, uint64_t addr, unsigned int depth)
{
	uint64_t i, n = walk_elements(type), size;
	Dwarf_Die of;

	if (!walk_type_of(type, DW_AT_type, &of))
		return;
	size = walk_number(&of, DW_AT_byte_size, WORD);
	for (i = 0; i < n && w->work; i++)
		walk_type(w, &of, addr + i * size, depth + 1);
}

/* A type with a descriptor is one value; of others, parts and what they point to may have one. */
static void walk_type(struct walk *w, Dwarf_Die *type, uint64_t addr, unsigned int depth)
{
	uint64_t descriptor = walk_descriptor(type);
	Dwarf_Die of;

	if (depth > MOST_DEPTH || !w->work)
		return;
	w->work--;
	if (walk_number(type, GO_KIND, KIND_SLICE) <= KIND_COMPLEX128)
		return;
	if (descriptor) {
		walk_take(w, addr, descriptor, DWARF_VALUE);
		return;
	}
	switch (dwarf_tag(type)) {
	case DW_TAG_typedef:
		if (walk_type_of(type, DW_AT_type, &of))
			walk_type(w, &of, addr, depth + 1);
		break;
	case DW_TAG_pointer_type:
		if (walk_type_of(type, DW_AT_type, &of))
			walk_take(w, addr, walk_descriptor(&of), DWARF_POINTER);
		break;
	case DW_TAG_array_type:
		walk_array(w, type, addr, depth);
		break;
	case DW_TAG_structure_type:
		if (walk_number(type, GO_KIND, 0) != KIND_SLICE)
			walk_struct(w, type, addr, depth);
		else if (walk_type_of(type, GO_ELEM, &of))
			walk_take(w, addr, walk_descriptor(&of), DWARF_SLICE);
		break;
	default:
		break;
	}
}

/* The address of a variable: DW_OP_addr alone. dwarf_getlocation() takes whole files only. */
static bool walk_address(Dwarf_Die *variable, uint64_t *ret)
{
	Dwarf_Attribute attr;
	Dwarf_Block block;

	if (!walk_attr(variable, DW_AT_location, &attr) || dwarf_formblock(&attr, &block) ||
	    block.length != 1 + sizeof(*ret) || block.data[0] != DW_OP_addr)
		return false;
	memcpy(ret, block.data + 1, sizeof(*ret));
	return true;
}

static void walk_variables(struct walk *w, Dwarf_Die *unit)
{
	Dwarf_Die die, type;
	uint64_t addr;
	int r;

	for (r = dwarf_child(unit, &die); !r; r = dwarf_siblingof(&die, &die)) {
		if (dwarf_tag(&die) != DW_TAG_variable || !walk_address(&die, &addr) ||
		    !walk_type_of(&die, DW_AT_type, &type))
			continue;
		w->work = 4 * MOST_ELEMENTS;
		walk_type(w, &type, addr, 0);
	}
}

static void walk_units(struct walk *w, Dwarf *dwarf)
{
	Dwarf_CU *cu = NULL;
	Dwarf_Die unit;
	uint8_t type;

	while (!dwarf_get_units(dwarf, cu, &cu, NULL, &type, &unit, NULL))
		if (dwarf_tag(&unit) == DW_TAG_compile_unit && dwarf_srclang(&unit) == DW_LANG_Go)
			walk_variables(w, &unit);
}

static int variables_in_image(void *ctx, void *answer, struct error *err)
{
	struct walk w = { .ret = answer };
	struct buf *image = ctx;
	Dwarf *dwarf = NULL;
	Elf *elf;

	w.ret->n = w.ret->left_out = 0;
	elf_version(EV_CURRENT);
	elf = elf_memory((char *)image->data, image->len);
	if (elf)
		dwarf = dwarf_begin_elf(elf, DWARF_C_READ, NULL);
	if (!dwarf)
		return error_set(err, -ENOENT, "its DWARF data cannot be read: %s",
				 dwarf_errmsg(-1) ?: "?");
	walk_units(&w, dwarf);
	dwarf_end(dwarf);
	elf_end(elf);
	return 0;
}

int dwarf_variables_read(const struct elf_file *f, struct dwarf_variables *ret, struct error *err)
{
	struct buf image = {0};
	struct isolated_work work = { .run = variables_in_image, .ctx = &image, .fd = -1,
				      .size = sizeof(*ret), .seconds = SECONDS };
	int r = dwarf_image_make(&image, f);

	if (!r)
		r = isolated_run(&work, ret, err);
	else
		error_set(err, r, r == -E2BIG ? "its DWARF data is broken" : "no DWARF data");
	if (r)
		ret->n = ret->left_out = 0;
	else if (ret->n > DWARF_VARIABLES)
		ret->n = DWARF_VARIABLES;
	buf_free(&image);
	return r;
}
