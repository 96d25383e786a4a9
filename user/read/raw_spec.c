// SPDX-License-Identifier: Apache-2.0
/*
 * raw_spec: see raw_spec.h. Input: the rows of tracev2.def. Output: a table indexed by event
 * number.
 */
#include "read/raw_spec.h"

#include <string.h>

static const struct row {
	struct raw_spec spec;
	uint16_t stacks;
	uint8_t number;
} rows[] = {
#define FRAMING RAW_FRAMING
#define STRUCTURAL RAW_STRUCTURAL
#define TIMED RAW_TIMED
#define EXPERIMENT RAW_EXPERIMENT
#define EV(num, ev, since, kind, names, stack_bits, string_bits)                          \
	{ .number = (num), .stacks = (stack_bits),                                        \
	  .spec = { .name = #ev, .args = (names), .class = (kind), .version = (since),    \
		    .strings = (string_bits) } },
#include "tracev2.def"
#undef EV
};

static uint8_t count_words(const char *s)
{
	uint8_t n = *s != 0;

	for (; *s; s++)
		n += *s == ' ';
	return n;
}

static uint8_t highest_bit(unsigned bits)
{
	return bits ? (uint8_t)(31 - __builtin_clz(bits)) : 0;
}

/* Three letters of a name and its length: nearly all names differ in them. */
static uint8_t name_hash(const char *name, size_t n)
{
	uint8_t first = n ? (uint8_t)name[0] : 0, middle = n ? (uint8_t)name[n / 2] : 0,
		last = n ? (uint8_t)name[n - 1] : 0;

	return (uint8_t)(n * 37 + first * 5u + middle * 11u + last * 3u);
}

static void add_name(struct raw_specs *specs, unsigned type)
{
	struct raw_spec *spec = &specs->of[type];
	uint8_t at;

	spec->name_len = (uint8_t)strlen(spec->name);
	at = name_hash(spec->name, spec->name_len);
	while (specs->by_name[at])
		at++;
	specs->by_name[at] = (uint8_t)type;
}

void raw_specs_init(struct raw_specs *specs)
{
	size_t i;

	memset(specs, 0, sizeof(*specs));
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct raw_spec *spec = &specs->of[rows[i].number];
		unsigned stacks = rows[i].stacks;

		*spec = rows[i].spec;
		add_name(specs, rows[i].number);
		spec->nargs = count_words(spec->args);
		/*
		 * The event's own stack is always its last stack argument (tracev2/events.go,
		 * 1.27).
		 */
		spec->stack = highest_bit(stacks);
		if (stacks)
			spec->new_stack = highest_bit(stacks & ~(1u << spec->stack));
	}
	/* ClockSnapshot has a dt, so readers treat it as a timed event. */
	specs->of[EV_ClockSnapshot].class = RAW_TIMED;
	for (i = 0; i < RAW_SPECS; i++)
		if (raw_spec_timed(&specs->of[i]))
			specs->timed_args[i] = specs->of[i].nargs;
}

bool raw_spec_is_later(const struct raw_specs *specs, unsigned type)
{
	return specs->header && type < RAW_SPECS && specs->of[type].version > specs->header;
}

void raw_specs_limit(struct raw_specs *specs, int version)
{
	unsigned type;

	specs->header = version;
	for (type = 0; type < RAW_SPECS; type++)
		if (raw_spec_is_later(specs, type))
			specs->timed_args[type] = 0;
}

const struct raw_spec *raw_spec_get(const struct raw_specs *specs, unsigned type, int version)
{
	if (type >= RAW_SPECS || !specs->of[type].name || specs->of[type].version > version)
		return NULL;
	return &specs->of[type];
}

unsigned raw_spec_named(const struct raw_specs *specs, const char *name, size_t n, int version)
{
	uint8_t at = name_hash(name, n);
	unsigned type;

	for (; (type = specs->by_name[at]); at++) {
		const struct raw_spec *spec = &specs->of[type];

		if (spec->name_len == n && !memcmp(spec->name, name, n))
			return spec->version <= version ? type : 0;
	}
	return 0;
}
