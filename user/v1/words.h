/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words: v1 has numbers and kinds of events where v2 has texts: why a goroutine blocks, why
 * the world is stopped. One list of each, for reading (convert_*.c) and writing (v1write/sink_*.c).
 */
#ifndef GOTAP_V1_WORDS_H
#define GOTAP_V1_WORDS_H

#include <stddef.h>

/* The reason of a GoBlock that event @type of v1 stands for, NULL if it is no block. */
const char *v1_block_reason(unsigned int type);
/*
 * The event that stands for a GoBlock with this reason; V1_GO_BLOCK, which gives none, for all
 * others.
 */
unsigned int v1_block_type(const char *reason, size_t len);

/* The reason of a stop-the-world of this kind, "" for an unknown one. */
const char *v1_stw_reason(int version, unsigned long long kind);
/* The kind that stands for a reason in a format, -1 if it has none. */
int v1_stw_kind(int version, const char *reason, size_t len);

#endif
