/* SPDX-License-Identifier: Apache-2.0 */
/*
 * region: data of each instruction that has a probe of `--region`. User space fills the
 * map `regions` before the probes are attached. Both sides compile this header.
 */
#ifndef GOTAP_REGION_H
#define GOTAP_REGION_H

/* REGIONS_MOST is a power of two. */
enum { REGIONS_MOST = 64, REGION_POINTS_MOST = 4096 };

enum { REGION_VALUES = 5, REGION_VALUE_TEXT = 64, REGION_VALUE_NAME = 20 };

enum region_value_kind {
	REGION_VALUE_NONE,
	REGION_VALUE_INT,
	REGION_VALUE_UINT,
	REGION_VALUE_BOOL,
	REGION_VALUE_STRING,
	REGION_VALUE_ERROR,	/* an interface: nil, or not */
};

/* An argument or a result, and where it is at the probe. */
struct region_value {
	unsigned char kind, size;	/* enum region_value_kind; bytes of a number */
	unsigned char on_stack;
	unsigned char unused;
	/* number of its first integer register, or its distance from the stack pointer */
	unsigned short place;
	char name[REGION_VALUE_NAME];	/* ends with a NUL */
};

/*
 * A value that a probe has read. REC_CALL_ARGS and REC_CALL_RESULTS have an array of these as
 * their text.
 */
struct region_read {
	unsigned long long word;	/* the number; of a string its length */
	unsigned char kind, size;
	unsigned char len;		/* bytes in text */
	unsigned char missing;		/* bool: the text of a string could not be read */
	char name[REGION_VALUE_NAME];
	char text[REGION_VALUE_TEXT];
};

/* An instruction with a probe. The key is its address in the process. */
struct region_point {
	unsigned long long name;	/* address of the function's name in the program */
	unsigned int len;		/* bytes of it */
	unsigned char number;		/* of the function, from 0 on */
	/*
	 * a hit does not count if the conditional jump there is taken (target/function_sites.h)
	 */
	unsigned char drop_taken;
	unsigned char nvalues;		/* --region-args: that the probe reads */
	unsigned char unused;
	struct region_value values[REGION_VALUES];
};

/* Hits of the probes of a function, without those of other processes. */
struct region_hits {
	unsigned long long begins, ends;
};

#endif
