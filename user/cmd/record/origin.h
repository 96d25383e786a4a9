/* SPDX-License-Identifier: Apache-2.0 */
/* origin: states in a recording which program it is of (read/origin.h). */
#ifndef GOTAP_CMD_RECORD_ORIGIN_H
#define GOTAP_CMD_RECORD_ORIGIN_H

#include <stdbool.h>

#include "live/process.h"
#include "stream/spool.h"
#include "target/gobin.h"

/*
 * Fills info->origin. The other fields of @info are filled. Facts that cannot be read are left
 * out.
 */
void origin_fill(struct capture_info *info, const struct process *proc, const struct gobin *bin,
		 bool without_command);

#endif
