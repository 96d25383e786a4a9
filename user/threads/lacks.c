// SPDX-License-Identifier: Apache-2.0
/* lacks: see lacks.h. */
#include "threads/lacks.h"

#include "record.h"

static const struct {
	uint64_t bit;
	const char *text;
} lacks[THREADS_LACKS] = {
	{ REC_WITHOUT_QUOTAS, "when a CPU quota keeps threads off (CONFIG_CFS_BANDWIDTH)" },
	{ REC_WITHOUT_QUOTA_CLOCK, "throttled time in which a CPU idles (before Linux 6.6)" },
	{ REC_WITHOUT_QUEUES,
	  "throttled time of a thread after it was moved to another CPU "
	  "(since Linux 7.3, and in 7.2.12)" },
	{ REC_WITHOUT_DELAYS,
	  "how long threads wait for a CPU by its own account (CONFIG_SCHED_INFO)" },
	{ REC_WITHOUT_PRESSURE, "pressure (CONFIG_PSI, psi=1)" },
};

unsigned int threads_lacks(uint64_t with, const char *ret[THREADS_LACKS])
{
	unsigned int i, n = 0;

	for (i = 0; i < THREADS_LACKS; i++)
		if (with & lacks[i].bit)
			ret[n++] = lacks[i].text;
	return n;
}
