/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields: words of a struct of the runtime that was read into @bytes, at a field's @offset
 * (target/offsets.h).
 */
#ifndef GOTAP_LIVE_FIELDS_H
#define GOTAP_LIVE_FIELDS_H

#include <stdint.h>
#include <string.h>

static inline uint64_t u64_at(const uint8_t *bytes, unsigned int offset)
{
	uint64_t v;

	memcpy(&v, bytes + offset, sizeof(v));
	return v;
}

static inline uint32_t u32_at(const uint8_t *bytes, unsigned int offset)
{
	uint32_t v;

	memcpy(&v, bytes + offset, sizeof(v));
	return v;
}

#endif
