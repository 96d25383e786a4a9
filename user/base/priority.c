// SPDX-License-Identifier: Apache-2.0
/* priority: see priority.h. */
#include "base/priority.h"

#include <sys/resource.h>

static bool raised;
static int first;

bool priority_raise(int nice)
{
	if (!raised)
		first = getpriority(PRIO_PROCESS, 0);
	raised = true;
	return !setpriority(PRIO_PROCESS, 0, nice);
}

void priority_set(pid_t thread, int nice)
{
	setpriority(PRIO_PROCESS, (id_t)thread, nice);
}

void priority_reset(pid_t thread)
{
	if (raised)
		setpriority(PRIO_PROCESS, (id_t)thread, first);
}

void priority_restore(void)
{
	priority_reset(0);
}
