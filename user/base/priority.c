// SPDX-License-Identifier: Apache-2.0
/* priority: see priority.h. */
#include "base/priority.h"

#include <stdbool.h>
#include <sys/resource.h>

static bool raised;
static int first;

void priority_raise(int nice)
{
	if (!raised)
		first = getpriority(PRIO_PROCESS, 0);
	raised = true;
	setpriority(PRIO_PROCESS, 0, nice);
}

void priority_restore(void)
{
	if (raised)
		setpriority(PRIO_PROCESS, 0, first);
}
