/* SPDX-License-Identifier: Apache-2.0 */
/* check_report: the verdict on one file as a line of text or a line of JSON. */
#ifndef GOTAP_READ_CHECK_REPORT_H
#define GOTAP_READ_CHECK_REPORT_H

#include "base/vec.h"
#include "read/check.h"

/* Both append one line, newline included. */
void check_report_text(struct buf *out, const char *file, const struct check_result *result);
void check_report_json(struct buf *out, const char *file, const struct check_result *result);

#endif
