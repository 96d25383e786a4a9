/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protobuf: writes messages in the wire format of protocol buffers to the end of a buf. The caller
 * knows the field numbers (one table for each format) and may empty the buf between two fields of
 * the outermost message, which has no length: so a file of any size is written in pieces.
 *
 * 	size_t sample = protobuf_open(out, PROFILE_SAMPLE);
 * 	protobuf_uint(out, SAMPLE_VALUE, 7);
 * 	protobuf_close(out, sample);
 *
 * Fields are written as given, also those with the value 0, which readers take for absent ones.
 */
#ifndef GOTAP_BASE_PROTOBUF_H
#define GOTAP_BASE_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/* int32, int64, uint32, uint64, bool, enum: a varint; a negative number is cast to uint64_t. */
void protobuf_uint(struct buf *b, uint32_t field, uint64_t value);
void protobuf_fixed64(struct buf *b, uint32_t field, uint64_t value);
void protobuf_double(struct buf *b, uint32_t field, double value);
/* string, bytes. */
void protobuf_bytes(struct buf *b, uint32_t field, const void *data, size_t n);
void protobuf_text(struct buf *b, uint32_t field, const char *text);
/*
 * Opens a message inside another one, or a packed field, which protobuf_close() gets as @open;
 * those that were opened later are closed before.
 */
size_t protobuf_open(struct buf *b, uint32_t field);
/* One value of a packed field of varints that is open. */
void protobuf_element(struct buf *b, uint64_t value);
void protobuf_close(struct buf *b, size_t open);

#endif
