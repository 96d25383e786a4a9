/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_text: one record as one line of text, for `gotap records`. The names of kinds and of
 * their words are from record.def.
 */
#ifndef GOTAP_STREAM_RECORD_TEXT_H
#define GOTAP_STREAM_RECORD_TEXT_H

#include "base/vec.h"
#include "record.h"

/*
 * Appends the text of the complete record @r: time, thread, kind, then WORD=VALUE, without a line
 * feed. @minor is the Go release (1.NN), which decides the meaning of a wait reason's number.
 */
void record_text(struct buf *out, const struct rec *r, int minor);

#endif
