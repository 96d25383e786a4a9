/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay: passes the events of a v2 trace to a sink (trace/sink.h) as the model passes those of a
 * recording: each generation begins with all its statuses. `gotap convert` makes v1 traces with it.
 *
 * After damage the replay continues with the next generation; the sink adds the missing steps.
 */
#ifndef GOTAP_REWRITE_REPLAY_H
#define GOTAP_REWRITE_REPLAY_H

#include "read/raw_source.h"
#include "rewrite/rewrite.h"
#include "trace/sink.h"

struct replay;

struct replay *replay_new(bool strip_stacks);
/*
 * Reads @source and closes it. @sink gets stacks as keys of stackkeys.h. Sets the faults and events
 * in @result. Returns 0 or -errno with @err; -ENODATA: the trace has no event.
 */
int replay_run(struct replay *p, const struct raw_source *source, struct sink sink,
	       struct rewrite_result *result, struct error *err);
/* Accepts NULL. */
void replay_free(struct replay *p);

#endif
