// SPDX-License-Identifier: Apache-2.0
/* ids: see ids.h. */
#include "otlp/ids.h"

#include <sha256.h>
#include <string.h>

enum {
	TRACEPARENT = 55,	/* bytes of version 00 */
	AT_TRACE = 3, AT_PARENT = 36, AT_FLAGS = 53,
};

static void otlp_ids_add(SHA256_CTX *sum, uint64_t value)
{
	uint8_t bytes[8];
	int i;

	for (i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(value >> 8 * i);
	SHA256Update(sum, bytes, sizeof(bytes));
}

/* With its NUL, so that no two lists of facts are the same bytes. */
static void otlp_ids_add_fact(SHA256_CTX *sum, const char *fact)
{
	SHA256Update(sum, (const uint8_t *)(fact ? fact : ""), fact ? strlen(fact) + 1 : 1);
}

void otlp_ids_init(struct otlp_ids *ids, const struct origin *origin, int64_t wall, int64_t begin)
{
	static const enum origin_fact facts[] = {
		ORIGIN_PROGRAM, ORIGIN_BUILD, ORIGIN_PID, ORIGIN_HOST,
	};
	SHA256_CTX sum;
	size_t i;

	SHA256Init(&sum);
	otlp_ids_add(&sum, (uint64_t)wall);
	otlp_ids_add(&sum, (uint64_t)begin);
	for (i = 0; i < sizeof(facts) / sizeof(*facts); i++)
		otlp_ids_add_fact(&sum, origin->facts[facts[i]]);
	SHA256Final(ids->seed, &sum);
}

static void ids_make(const struct otlp_ids *ids, const char *kind, const uint64_t *of, size_t n,
		     uint8_t *ret, size_t size)
{
	uint8_t digest[SHA256_DIGEST_LENGTH];
	SHA256_CTX sum;
	size_t i;

	SHA256Init(&sum);
	SHA256Update(&sum, ids->seed, sizeof(ids->seed));
	otlp_ids_add_fact(&sum, kind);
	for (i = 0; i < n; i++)
		otlp_ids_add(&sum, of[i]);
	SHA256Final(digest, &sum);
	memcpy(ret, digest, size);
	ret[size - 1] |= !memcmp(ret, (const uint8_t[OTLP_TRACE_ID]){0}, size);
}

void otlp_ids_trace(const struct otlp_ids *ids, uint64_t task, uint8_t ret[OTLP_TRACE_ID])
{
	ids_make(ids, "trace", &task, 1, ret, OTLP_TRACE_ID);
}

void otlp_ids_task(const struct otlp_ids *ids, uint64_t task, uint8_t ret[OTLP_SPAN_ID])
{
	ids_make(ids, "task", &task, 1, ret, OTLP_SPAN_ID);
}

void otlp_ids_region(const struct otlp_ids *ids, uint64_t g, int64_t from, uint32_t depth,
		     uint8_t ret[OTLP_SPAN_ID])
{
	const uint64_t of[] = { g, (uint64_t)from, depth };

	ids_make(ids, "region", of, 3, ret, OTLP_SPAN_ID);
}

/* --- traceparent --- */

/* A hexadecimal digit in lower case, as the standard wants it; -1: none. */
static int ids_digit(char c)
{
	return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static bool ids_read_hex(const char *text, uint8_t *ret, size_t n)
{
	uint8_t any = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		int high = ids_digit(text[2 * i]), low = ids_digit(text[2 * i + 1]);

		if (high < 0 || low < 0)
			return false;
		ret[i] = (uint8_t)(high << 4 | low);
		any |= ret[i];
	}
	return any || n == 1;
}

bool traceparent_parse(const char *text, size_t n, struct traceparent *ret)
{
	uint8_t version;

	if (n < TRACEPARENT || text[2] != '-' || text[AT_PARENT - 1] != '-' ||
	    text[AT_FLAGS - 1] != '-' || !ids_read_hex(text, &version, 1) || version == 0xff)
		return false;
	if (version ? n > TRACEPARENT && text[TRACEPARENT] != '-' : n != TRACEPARENT)
		return false;
	return ids_read_hex(text + AT_TRACE, ret->trace, OTLP_TRACE_ID) &&
	       ids_read_hex(text + AT_PARENT, ret->parent, OTLP_SPAN_ID) &&
	       ids_read_hex(text + AT_FLAGS, &ret->flags, 1);
}
