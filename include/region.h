/* SPDX-License-Identifier: Apache-2.0 */
/*
 * region: what the probes of `--region` know of the place that they sit at. User space fills the
 * map `regions` before the probes are attached. Both sides compile this header.
 */
#ifndef GOTAP_REGION_H
#define GOTAP_REGION_H

/* REGIONS_MOST is a power of two. */
enum { REGIONS_MOST = 64, REGION_POINTS_MOST = 4096 };

/* An instruction with a probe. The key is its address in the process. */
struct region_point {
	unsigned long long name;	/* address of the function's name in the program */
	unsigned int len;		/* bytes of it */
	unsigned char number;		/* of the function, from 0 on */
	/*
	 * a hit does not count if the conditional jump there is taken (target/function_sites.h)
	 */
	unsigned char drop_taken;
	unsigned char unused[2];
};

/* Hits of the probes of a function, without those of other processes. */
struct region_hits {
	unsigned long long begins, ends;
};

#endif
