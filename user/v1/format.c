// SPDX-License-Identifier: Apache-2.0
/* format: see format.h. Reads a header, and makes the tables of its format. */
#include "v1/format.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct v1_spec all_specs[] = {
#define V1(number, name, first, last, args, stack) { number, first, last, stack, #name, args },
#include "v1/format.def"
#undef V1
};

static unsigned int count_names(const char *args)
{
	unsigned int n = *args != 0;

	for (; *args; args++)
		n += *args == ' ';
	return n;
}

void v1_format_init(struct v1_format *f, int version)
{
	const struct v1_spec *s = all_specs, *end = s + sizeof(all_specs) / sizeof(*s);

	memset(f, 0, sizeof(*f));
	f->version = version;
	for (; s < end; s++) {
		if (version < s->first || version > s->last)
			continue;
		f->spec[s->type] = s;
		f->nargs[s->type] = count_names(s->args);
	}
}

unsigned int v1_deltas(const struct v1_format *f, unsigned int type)
{
	switch (type) {
	case V1_BATCH:
	case V1_FREQUENCY:
	case V1_STACK:
	case V1_TIMER_GOROUTINE:
	case V1_STRING:
		return 0;
	default:
		return f->version == 5 ? 2 : 1;
	}
}

bool v1_version_known(int version)
{
	static const int known[] = { 5, 7, 8, 9, 10, 11, 19, 21 };
	size_t i;

	for (i = 0; i < sizeof(known) / sizeof(*known); i++)
		if (known[i] == version)
			return true;
	return false;
}

void v1_format_name(char *name, size_t size, int version)
{
	snprintf(name, size, version == V1_GOTRACE ? "gotrace" : "go1.%d", version);
}

/*
 * N of "go 1.N trace", padded with NUL to 16 bytes, N of one to three digits; -1 for other bytes.
 */
static int numbered_header(const uint8_t *p)
{
	static const char tail[] = " trace\0\0\0";
	int i, version = 0;

	if (memcmp(p, "go 1.", 5) || p[5] < '1' || p[5] > '9')
		return -1;
	for (i = 5; i < 8 && p[i] >= '0' && p[i] <= '9'; i++)
		version = version * 10 + p[i] - '0';
	if (memcmp(p + i, tail, 6) || p[V1_HEADER - 1])
		return -1;
	for (i += 6; i < V1_HEADER; i++)
		if (p[i])
			return -1;
	return version;
}

int v1_header_parse(const uint8_t *p, size_t n, int *version, size_t *size, struct error *err)
{
	int v;

	if (n >= V1_GOTRACE_HEADER && !memcmp(p, "gotrace", V1_GOTRACE_HEADER)) {
		*version = V1_GOTRACE;
		*size = V1_GOTRACE_HEADER;
		return 0;
	}
	if (n < V1_HEADER)
		return error_set(err, -EINVAL, "failed to read header: only %zu bytes", n);
	v = numbered_header(p);
	if (v < 0)
		return error_set(err, -EINVAL, "not a trace file");
	if (!v1_version_known(v))
		return error_set(err, -ENOTSUP, "unsupported trace file version go 1.%d", v);
	*version = v;
	*size = V1_HEADER;
	return 0;
}

size_t v1_header_write(uint8_t *p, int version)
{
	char text[V1_HEADER + 1] = "gotrace";

	if (version != V1_GOTRACE)
		snprintf(text, sizeof(text), "go 1.%d trace", version);
	memset(p, 0, V1_HEADER);
	memcpy(p, text, strlen(text));
	return version == V1_GOTRACE ? V1_GOTRACE_HEADER : V1_HEADER;
}
