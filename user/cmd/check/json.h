/* SPDX-License-Identifier: Apache-2.0 */
/* json: the verdict of gotap check on one v2 trace as a line of JSON. */
#ifndef GOTAP_CMD_CHECK_JSON_H
#define GOTAP_CMD_CHECK_JSON_H

#include <stdio.h>

#include "read/check.h"

/* Writes one object and a newline to @f. */
void check_json(FILE *f, const char *file, const struct check_result *result);

#endif
