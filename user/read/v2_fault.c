// SPDX-License-Identifier: Apache-2.0
/* v2_fault: see v2_fault.h. */
#include "read/v2_fault.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

int fault_set(struct v2_fault *f, const struct v2_place *place, const char *fmt, ...)
{
	va_list ap;

	if (f->set)
		return -EINVAL;
	f->set = true;
	f->place = *place;
	va_start(ap, fmt);
	vsnprintf(f->rule, sizeof(f->rule), fmt, ap);
	va_end(ap);
	return -EINVAL;
}
