/* SPDX-License-Identifier: Apache-2.0 */
/* check_report: the verdict on one file as a line of text. */
#ifndef GOTAP_READ_CHECK_REPORT_H
#define GOTAP_READ_CHECK_REPORT_H

#include "base/vec.h"
#include "read/check.h"

/* Appends the line, with its newline. */
void check_report_text(struct buf *out, const char *file, const struct check_result *result);

#endif
