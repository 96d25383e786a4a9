/* SPDX-License-Identifier: Apache-2.0 */
/* old: the verdict of gotap check on one trace of Go 1.21 or older. */
#ifndef GOTAP_CMD_CHECK_OLD_H
#define GOTAP_CMD_CHECK_OLD_H

#include <stdbool.h>

#include "read/raw_source.h"

/*
 * Reads @source, of the file @in, to its end, and prints one line with the verdict. @binary, which
 * may be NULL, must be the traced program: it names the stacks of formats that hold addresses only.
 * Returns 0 if the trace is well, 1 if it is not, or a negative errno if there is no verdict: the
 * file or the program cannot be read.
 */
int check_old(struct raw_source *source, const char *in, const char *binary, bool json,
	      struct error *err);

#endif
