/* SPDX-License-Identifier: Apache-2.0 */
/* report_left: says what a v1 trace could not take over from what it was made from. */
#ifndef GOTAP_CMD_RECORD_REPORT_LEFT_H
#define GOTAP_CMD_RECORD_REPORT_LEFT_H

#include <stdint.h>
#include <stdio.h>

/* A line for each kind of user/v1write/left.def that is counted in @left, each behind @prefix. */
void report_print_left(int version, const uint64_t *left, const char *prefix, FILE *f);

#endif
