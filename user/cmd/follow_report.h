/* SPDX-License-Identifier: Apache-2.0 */
/*
 * follow_report: what `gotap record --follow` says of its recordings: each line of a recorder when it has printed it, its
 * report when it has ended, and in the end those that there are none of. With --json one object for each recording, and
 * one for the numbers, each a line. Nothing is kept, since with --wait there is no end. For follow.c.
 */
#ifndef GOTAP_CMD_FOLLOW_REPORT_H
#define GOTAP_CMD_FOLLOW_REPORT_H

#include "cmd/recorder.h"

struct follow_report {
	size_t recorded, failed;
	size_t skipped;		/* Go programs that were not recorded, because as many as may be were already */
	uint64_t not_followed, not_said;
};

/* A recorder runs, and may have printed something. */
void follow_report_look(struct recorder *r, const struct record_options *o);
/* A recorder has ended. */
void follow_report_take(struct follow_report *rep, struct recorder *r, const struct record_options *o);
void follow_report_end(struct follow_report *rep, const struct record_options *o);

#endif
