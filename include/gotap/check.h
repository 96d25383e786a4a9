/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check: is a trace one that Go's tools take? The verdict of `gotap check`
 * (docs/check.md), on a trace of any release.
 *
 *	struct gotap_input in = { 0 };
 *	struct gotap_check_result result;
 *
 *	in.size = sizeof(in);
 *	in.path = "trace.out";
 *	if (gotap_check(&in, 0, &result, sizeof(result), &err))
 *		errx(2, "%s", err.text);
 *	if (result.verdict != GOTAP_CHECK_OK)
 *		printf("byte %llu: %s\n", (unsigned long long)result.offset, result.rule);
 */
#ifndef GOTAP_CHECK_H
#define GOTAP_CHECK_H

#include <gotap/gotap.h>

#ifdef __cplusplus
extern "C" {
#endif

enum gotap_check_verdict {
	GOTAP_CHECK_OK = 0,
	GOTAP_CHECK_HEADER = 1,		/* it is no trace, or one of a release that is not known */
	GOTAP_CHECK_READER = 2,		/* Go's reader refuses it */
	GOTAP_CHECK_VALIDATOR = 3,	/* legal to read, wrong to write */
	GOTAP_CHECK_TRAP = 4		/* Go's reader accepts it, and a tool behind it panics */
};

/* Warnings: every reader accepts these, and some tool shows them wrong or not at all. */
enum gotap_check_warning {
	GOTAP_WARN_NO_PROCS = 0,
	GOTAP_WARN_EMPTY_GENERATION = 1,
	GOTAP_WARN_PC_MEANINGS = 2,
	GOTAP_WARN_P_ON_TWO_THREADS = 3,
	GOTAP_WARN_G_ON_TWO_THREADS = 4,
	GOTAP_WARN_STW_ACROSS = 5
};

/* How many warnings there are; a later library may have more. */
enum { GOTAP_WARNINGS = 6 };

struct gotap_check_result {
	uint32_t verdict;	/* enum gotap_check_verdict: of the first fault */
	int version;		/* NN of header go 1.NN; 4 for those before Go 1.5; 0: none */
	uint64_t events;	/* that could be read; before Go 1.22 0 if it is not right */
	uint64_t generations;	/* 0 before Go 1.22 ... */
	uint64_t threads;
	uint64_t goroutines;	/* ... and these since, or if the trace is not right */
	uint64_t procs, stacks, strings;
	int64_t duration;	/* ns */
	/* The first fault; before Go 1.22 only its rule, which names the place. */
	uint64_t after_events;	/* how many came before it */
	uint64_t more;		/* faults that follow */
	uint64_t generation;	/* 0: of none */
	int64_t batch;		/* how many batches come before its own, -1: it is in none */
	uint64_t offset;	/* in bytes from the begin of the file */
	uint64_t m;		/* of its batch, GOTAP_NONE: of none */
	char event[200];	/* as text, "" if it is about none */
	char rule[512];		/* the broken rule, in the words of Go's reader if it has any */
	char state[480];	/* state of the goroutine, P and thread of the event; may be "" */
	uint64_t warnings[GOTAP_WARNINGS];	/* by enum gotap_check_warning: how often */
};

/*
 * Reads all of the trace from @in and fills @result, of which @size is the size, with the
 * verdict. @lenient 1: only the rules of Go's reader count. 0 if there is a verdict, whatever it
 * is; else the errno of open(2), read(2) or the caller's read function.
 */
GOTAP_API int gotap_check(const struct gotap_input *in, int lenient,
			  struct gotap_check_result *result, size_t size, struct gotap_error *err);
/* "validator"; NULL if there is no such verdict. */
GOTAP_API const char *gotap_check_verdict_name(unsigned int verdict);
/* "proc that is running on two threads"; NULL if there is no such warning. */
GOTAP_API const char *gotap_check_warning_text(unsigned int warning);

#ifdef __cplusplus
}
#endif

#endif
