// SPDX-License-Identifier: Apache-2.0
/* alloc_type: see alloc_type.h. */
#include "target/alloc_type.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "symbol/pclntab.h"
#include "target/code.h"

/* Up to Go 1.16 the length of a name has two bytes; up to 1.19 growslice has the type first. */
enum { MINOR_VARINT_NAMES = 17, MINOR_GROWSLICE_TYPE_LAST = 20 };

/* abi.Type: the places of its tflag and of the offset of its name; abi.TFlagExtraStar. */
enum { TYPE_BYTES = 48, TYPE_FLAGS_AT = 20, TYPE_NAME_AT = 40, TYPE_EXTRA_STAR = 2 };

enum { NAME_MOST = 1 << 10 };

/*
 * The functions of the runtime that Go code calls to allocate. @arg: the argument that is the type;
 * @text: what stands before its name or, if @arg is FIXED, the name. A name that ends with * is the
 * begin of several.
 */
enum { FIXED = -1, GROWSLICE = -2 };

static const struct alloc_call {
	const char *function;
	int arg;
	const char *text;
} alloc_calls[] = {
	{ "runtime.newobject", 0, "" },
	{ "runtime.newarray", 0, "[]" },
	{ "runtime.makeslice", 0, "[]" },
	{ "runtime.makeslice64", 0, "[]" },
	{ "runtime.makeslicecopy", 0, "[]" },
	{ "runtime.growslice", GROWSLICE, "[]" },
	{ "runtime.growsliceNoAlias", GROWSLICE, "[]" },
	{ "runtime.growsliceBuf", GROWSLICE, "[]" },
	{ "runtime.growsliceBufNoAlias", GROWSLICE, "[]" },
	{ "runtime.moveSlice", 0, "[]" },
	{ "runtime.moveSliceNoCap", 0, "[]" },
	{ "runtime.makechan", 0, "" },
	{ "runtime.makechan64", 0, "" },
	{ "runtime.makemap", 0, "" },
	{ "runtime.makemap64", 0, "" },
	{ "runtime.mapassign", 0, "" },
	{ "runtime.mapassign_fast*", 0, "" },
	{ "runtime.convT", 0, "" },
	{ "runtime.convTnoptr", 0, "" },
	{ "runtime.convT2E", 0, "" },
	{ "runtime.convT2Enoptr", 0, "" },
	{ "runtime.convT16", FIXED, "uint16" },
	{ "runtime.convT32", FIXED, "uint32" },
	{ "runtime.convT64", FIXED, "uint64" },
	{ "runtime.convTstring", FIXED, "string" },
	{ "runtime.concatstring*", FIXED, "string" },
	{ "runtime.concatbyte*", FIXED, "[]uint8" },
	{ "runtime.slicebytetostring", FIXED, "string" },
	{ "runtime.slicerunetostring", FIXED, "string" },
	{ "runtime.intstring", FIXED, "string" },
	{ "runtime.stringtoslicebyte", FIXED, "[]uint8" },
	{ "runtime.stringtoslicerune", FIXED, "[]int32" },
	/* since Go 1.26 the compiler calls the functions for a size itself */
	{ "runtime.mallocgc*", 1, "" },
};

/* The runtime provides it to package strings and others, and names no type there. */
static const char make_bytes[] = "internal/bytealg.MakeNoZero";

static bool alloc_is_runtime(const char *name)
{
	static const char a[] = "runtime.", b[] = "internal/runtime/";

	return !strncmp(name, a, sizeof(a) - 1) || !strncmp(name, b, sizeof(b) - 1);
}

static bool alloc_is_named(const char *name, const char *pattern)
{
	size_t n = strlen(pattern);

	return pattern[n - 1] == '*' ? !strncmp(name, pattern, n - 1) : !strcmp(name, pattern);
}

static const struct alloc_call *alloc_call_of(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(alloc_calls) / sizeof(*alloc_calls); i++)
		if (alloc_is_named(name, alloc_calls[i].function))
			return &alloc_calls[i];
	return NULL;
}

static unsigned int alloc_argument(const struct gobin *b, const struct alloc_call *call)
{
	if (call->arg != GROWSLICE)
		return (unsigned int)call->arg;
	return gobin_go_minor(b) >= MINOR_GROWSLICE_TYPE_LAST ? 4 : 0;
}

/* Types lie between these; offsets of names count from *@start. False: they are not known. */
static bool alloc_types_range(const struct gobin *b, uint64_t *start, uint64_t *end)
{
	*start = *end = 0;
	if (gobin_table(b))
		pclntab_types_range(gobin_table(b), start, end);
	return *start < *end || (!gobin_data_symbol(b, "runtime.types", start) &&
				 !gobin_data_symbol(b, "runtime.etypes", end) && *start < *end);
}

/* The bytes of the abi.Name at @at; NULL: they are not there. */
static const char *alloc_name_bytes(const struct gobin *b, uint64_t at, size_t *len)
{
	const uint8_t *head = gobin_bytes(b, at, 3);
	size_t begin = 2;

	if (!head)
		return NULL;
	if (gobin_go_minor(b) < MINOR_VARINT_NAMES) {
		*len = (size_t)head[1] << 8 | head[2];
		begin = 3;
	} else {
		*len = head[1] & 0x7f;
		if (head[1] & 0x80) {
			*len |= (size_t)(head[2] & 0x7f) << 7;
			begin = 3;
		}
	}
	return *len <= NAME_MOST ? (const char *)gobin_bytes(b, at + begin, *len) : NULL;
}

/* Puts @prefix and the name of the type at @type into @name. */
static size_t alloc_put_type(const struct gobin *b, uint64_t type, const char *prefix, char *name,
			     size_t room)
{
	uint64_t start, end;
	const uint8_t *t;
	const char *text;
	int32_t offset;
	size_t n, star;

	if (!alloc_types_range(b, &start, &end) || type < start || type >= end)
		return 0;
	t = gobin_bytes(b, type, TYPE_BYTES);
	if (!t)
		return 0;
	memcpy(&offset, t + TYPE_NAME_AT, sizeof(offset));
	if (offset <= 0)
		return 0;
	text = alloc_name_bytes(b, start + (uint64_t)offset, &n);
	star = !!(t[TYPE_FLAGS_AT] & TYPE_EXTRA_STAR);
	if (!text || n <= star)
		return 0;
	snprintf(name, room, "%s%.*s", prefix, (int)(n - star), text + star);
	return strlen(name);
}

/* Returns the address of the direct call that returns to @ret; 0: there is none. */
static uint64_t alloc_call_before(const struct gobin *b, uint64_t ret)
{
	uint64_t call = ret - gobin_arch(b)->call_len, target;

	return code_is_call(b, call, &target) ? call : 0;
}

/* Go code in @fn has called @callee, a function of the runtime, and @ret is where that returns. */
static size_t alloc_type_of_call(const struct gobin *b, const struct gobin_func *fn, uint64_t ret,
				 const char *callee, char *name, size_t room)
{
	const struct alloc_call *row = alloc_call_of(callee);
	uint64_t call, type;

	if (!row)
		return 0;
	if (row->arg == FIXED) {
		snprintf(name, room, "%s", row->text);
		return strlen(name);
	}
	call = alloc_call_before(b, ret);
	type = call ? code_constant_argument(b, fn, call, alloc_argument(b, row)) : 0;
	return type ? alloc_put_type(b, type, row->text, name, room) : 0;
}

/*
 * The functions of the runtime from the leaf on, up to the one that Go code calls. An allocation
 * that the runtime makes for itself while it allocates has the functions of the other one behind
 * its own.
 */
struct alloc_chain {
	const char *callee;	/* the last one so far */
	bool began;		/* profilealloc was the leaf */
	bool left;		/* a function behind mallocgc was seen */
};

/* False: the type of the other allocation would be taken. */
static bool alloc_chain_takes(struct alloc_chain *c, const char *name)
{
	bool inner = alloc_is_named(name, "runtime.mallocgc*") ||
		alloc_is_named(name, "runtime.profilealloc");

	if ((inner && c->left) || (!inner && !c->began))
		return false;
	c->began = true;
	c->left |= !inner;
	c->callee = name;
	return true;
}

size_t alloc_type_name(const void *types, const uint64_t *pcs, size_t n, char *name, size_t room)
{
	const struct alloc_types *t = types;
	struct alloc_chain chain = { .callee = "" };
	struct gobin_func fn;
	size_t i;

	for (i = 0; i < n; i++) {
		uint64_t pc = pcs[i] - t->bias;

		if (gobin_func_at(t->b, pc - 1, &fn))
			return 0;
		if (!strcmp(fn.name, make_bytes)) {
			snprintf(name, room, "[]uint8");
			return strlen(name);
		}
		if (!alloc_is_runtime(fn.name))
			return alloc_type_of_call(t->b, &fn, pc, chain.callee, name,
						  room);
		if (!alloc_chain_takes(&chain, fn.name))
			return 0;
	}
	return 0;
}
