// SPDX-License-Identifier: Apache-2.0
/*
 * image: see image.h. tools/inline-image makes inline_image.h, with the embedded file, of
 * bpf/inline.
 */
#define _GNU_SOURCE
#include "inline/image.h"

#include <cpuid.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "gooffsets.h"
#include "inline_image.h"

enum { STUB_LEN = 16 };		/* bpf/inline/stub.S */

struct symbol {
	const char *name;
	size_t at, size;
};

static const struct symbol symbols[] = {
#define INLINE_SYMBOL(name, at, size) { #name, at, size },
	INLINE_IMAGE_SYMBOLS
#undef INLINE_SYMBOL
};

/*
 * Offsets of fields that stand in instructions of the stub, which has no register to spare for
 * them.
 */
static const struct {
	const char *symbol;
	size_t offset;
} stub_offsets[] = {
	{ "stub_g_m", offsetof(struct go_offsets, g_m) },
	{ "stub_m_curg", offsetof(struct go_offsets, m_curg) },
	{ "stub_m_g0", offsetof(struct go_offsets, m_g0) },
	{ "stub_g_sched_sp", offsetof(struct go_offsets, g_sched_sp) },
};

/*
 * Finds a symbol. A name that is not there is an error in gotap's own source, which any of its
 * tests would show.
 */
static const struct symbol *inline_image_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(symbols) / sizeof(*symbols); i++)
		if (!strcmp(symbols[i].name, name))
			return &symbols[i];
	fprintf(stderr, "gotap: the code for --attach inline has no '%s'\n", name);
	abort();
}

static void inline_image_put(struct image *im, const char *name, const void *value, size_t size)
{
	const struct symbol *s = inline_image_find(name);

	if (s->size != size) {
		fprintf(stderr,
			"gotap: '%s' of the code for --attach inline has %zu bytes, not %zu\n",
			name, s->size, size);
		abort();
	}
	memcpy(im->code + s->at, value, size);
}

/*
 * Writes those of @words, a struct that has entries from @first on in the section .fields, into
 * the instructions.
 */
static void inline_image_fill(struct image *im, uint32_t first, const void *words, size_t size)
{
	size_t i;

	for (i = 0; i < sizeof(inline_image_fields) / sizeof(*inline_image_fields); i++) {
		const struct inline_field *f = &inline_image_fields[i];

		if (f->word >= first && f->word - first < size)
			memcpy(im->code + f->at, (const uint8_t *)words + f->word - first,
			       sizeof(uint32_t));
	}
}

/* bit_RDPID of CPUID leaf 7, ecx. */
static bool has_rdpid(void)
{
	enum { LEAF = 7, RDPID = 1 << 22 };
	unsigned int a, b, c, d;

	return __get_cpuid_count(LEAF, 0, &a, &b, &c, &d) && c & RDPID;
}

void image_init(struct image *im)
{
	bool rdpid = has_rdpid();

	im->size = sizeof(inline_image);
	im->code = xcalloc(1, im->size);
	memcpy(im->code, inline_image, im->size);
	inline_image_put(im, "has_rdpid", &rdpid, sizeof(rdpid));
}

void image_free(struct image *im)
{
	free(im->code);
	*im = (struct image){0};
}

static void put_stub_offsets(struct image *im, const uint8_t *off)
{
	size_t i;

	for (i = 0; i < sizeof(stub_offsets) / sizeof(*stub_offsets); i++)
		inline_image_put(im, stub_offsets[i].symbol, off + stub_offsets[i].offset,
				 sizeof(uint32_t));
}

void image_put(struct image *im, const char *name, const void *value, size_t size)
{
	inline_image_put(im, name, value, size);
	if (strcmp(name, "off"))
		return;
	put_stub_offsets(im, value);
	inline_image_fill(im, 0, value, size);
}

void image_set_layout(struct image *im, const struct inline_shared *shared)
{
	struct inline_layout layout = {
		.n_states = shared->n_states,
		.n_chunks = (uint32_t)((shared->size - shared->chunks) / RING_CHUNK),
		.states = shared->states,
		.seen = shared->seen,
		.hints = shared->hints,
		.ms = shared->hints + INLINE_HINTS * sizeof(struct inline_hints),
		.chunks = shared->chunks,
	};

	inline_image_fill(im, INLINE_FIELD_LAYOUT, &layout, sizeof(layout));
}

void image_set_site(struct image *im, size_t i, const struct inline_site *site)
{
	memcpy(im->code + inline_image_find("sites")->at + i * sizeof(*site), site, sizeof(*site));
}

size_t image_stub(size_t i)
{
	return inline_image_find("stubs")->at + i * STUB_LEN;
}

size_t image_true_byte(void)
{
	return inline_image_find("true_byte")->at;
}
