/* SPDX-License-Identifier: Apache-2.0 */
/*
 * report: the output of `gotap record --follow`: the lines of each recorder as it prints them,
 * its report when it has ended, and at the end how many programs were not recorded. With --json
 * each recording is one object on a line, and so are the counts at the end. Nothing is kept in
 * memory, since with --wait there is no end. For follow.c.
 */
#ifndef GOTAP_CMD_FOLLOW_REPORT_H
#define GOTAP_CMD_FOLLOW_REPORT_H

#include "cmd/follow/recorder.h"

struct follow_report {
	size_t recorded, failed;
	/* Go programs that were not recorded, because --follow-max others were being recorded */
	size_t skipped;
	uint64_t not_followed, not_reported;
};

/* A recorder runs, and may have printed something. */
void follow_report_look(struct recorder *r, const struct record_options *o);
/* A recorder has ended. */
void follow_report_take(struct follow_report *rep, struct recorder *r,
			const struct record_options *o);
/* Prints the counts, when all recordings have ended. */
void follow_report_end(struct follow_report *rep, const struct record_options *o);

#endif
