/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay: gives the events of a v2 trace to a sink (trace/sink.h), as the model gives those
 * of a recording: all statuses of a generation where it begins. `gotap convert` makes v1
 * traces that way.
 *
 * After damage the replay goes on with the next generation; the sink adds the steps between.
 */
#ifndef GOTAP_REWRITE_REPLAY_H
#define GOTAP_REWRITE_REPLAY_H

#include "read/raw_source.h"
#include "rewrite/rewrite.h"
#include "trace/sink.h"

struct replay;

struct replay *replay_new(bool strip_stacks);
/*
 * Reads @source and closes it. Stacks reach @sink as keys of stackkeys.h. In @result this sets the
 * faults and the events. -ENODATA if there is no event.
 */
int replay_run(struct replay *p, const struct raw_source *source, struct sink sink,
	       struct rewrite_result *result, struct error *err);
/* Accepts NULL. */
void replay_free(struct replay *p);

#endif
