/* SPDX-License-Identifier: Apache-2.0 */
/*
 * protobuf: writes messages in the wire format of protocol buffers to the end of a buf. The caller
 * knows the field numbers (one table for each format). The outermost message has no length, so the
 * caller may write the buf to a file and empty it between two of its fields: memory does not grow
 * with the file.
 *
 *	size_t sample = protobuf_open(out, PROFILE_SAMPLE);
 *	protobuf_uint(out, SAMPLE_VALUE, 7);
 *	protobuf_close(out, sample);
 *
 * Fields with the value 0 are written, too; readers treat them as absent.
 */
#ifndef GOTAP_BASE_PROTOBUF_H
#define GOTAP_BASE_PROTOBUF_H

#include <stddef.h>
#include <stdint.h>

#include "base/vec.h"

/*
 * Types int32, int64, uint32, uint64, bool, enum: a varint. The caller casts a negative number to
 * uint64_t.
 */
void protobuf_uint(struct buf *b, uint32_t field, uint64_t value);
void protobuf_fixed64(struct buf *b, uint32_t field, uint64_t value);
void protobuf_fixed32(struct buf *b, uint32_t field, uint32_t value);
/* Types string, bytes. */
void protobuf_bytes(struct buf *b, uint32_t field, const void *data, size_t n);
void protobuf_text(struct buf *b, uint32_t field, const char *text);
/*
 * Opens a message inside another one, or a packed field. Returns the argument @open for
 * protobuf_close(). Messages are closed in the reverse order of their opening.
 */
size_t protobuf_open(struct buf *b, uint32_t field);
/* Adds a value to the open packed field of varints. */
void protobuf_element(struct buf *b, uint64_t value);
void protobuf_close(struct buf *b, size_t open);

#endif
