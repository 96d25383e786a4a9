/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words: the texts of v2 for numbers and kinds of events of v1: reasons of a block, reasons of a
 * stop-the-world. One list of each, for reading (convert_*.c) and writing (v1write/sink_*.c).
 */
#ifndef GOTAP_V1_WORDS_H
#define GOTAP_V1_WORDS_H

#include <stddef.h>

/* The reason in a GoBlock for v1 event @type; NULL if @type is not a block. */
const char *v1_block_reason(unsigned int type);
/* The event for a GoBlock with this reason; V1_GO_BLOCK, which has no reason, for unknown ones. */
unsigned int v1_block_type(const char *reason, size_t len);

/* The reason of a stop-the-world of this kind; "" for an unknown one. */
const char *v1_stw_reason(int version, unsigned long long kind);
/* The kind for a reason in format @version; -1 if the format has none. */
int v1_stw_kind(int version, const char *reason, size_t len);

#endif
