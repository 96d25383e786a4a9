/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check: do Go's tools accept a trace? The verdict of `gotap check` (docs/check.md), on a trace of
 * any release.
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
	GOTAP_CHECK_HEADER = 1,		/* not a trace, or a trace of an unknown release */
	GOTAP_CHECK_READER = 2,		/* Go's reader refuses the trace */
	/* Go's reader accepts it, Go's validator of written traces does not */
	GOTAP_CHECK_VALIDATOR = 3,
	/* Go's reader accepts it, but another of Go's tools panics on it */
	GOTAP_CHECK_TRAP = 4
};

/*
 * Warnings: every reader accepts the trace, but some tool shows a part of it wrong or not at all.
 */
enum gotap_check_warning {
	GOTAP_WARN_NO_PROCS = 0,
	GOTAP_WARN_EMPTY_GENERATION = 1,
	GOTAP_WARN_PC_MEANINGS = 2,
	GOTAP_WARN_P_ON_TWO_THREADS = 3,
	GOTAP_WARN_G_ON_TWO_THREADS = 4,
	GOTAP_WARN_STW_ACROSS = 5
};

/* The number of warnings. A later version of the library may have more. */
enum { GOTAP_WARNINGS = 6 };

struct gotap_check_result {
	uint32_t verdict;	/* enum gotap_check_verdict of the first fault */
	/* NN of the header go 1.NN; 4: the format before Go 1.5; 0: no header */
	int version;
	uint64_t events;	/* events that were read; 0 for a damaged trace before Go 1.22 */
	uint64_t generations;	/* 0 before Go 1.22, as threads */
	uint64_t threads;
	uint64_t goroutines;	/* 0 since Go 1.22, as the next four; 0 for a damaged trace */
	uint64_t procs, stacks, strings;
	int64_t duration;	/* in ns */
	/*
	 * From here on: the first fault. In a trace before Go 1.22 only its rule is set and names
	 * the place.
	 */
	uint64_t after_events;	/* number of events before the fault */
	uint64_t more;		/* number of faults that follow the first one */
	uint64_t generation;	/* generation of the fault, 0: none */
	/* number of batches before the fault's batch, -1: the fault lies in no batch */
	int64_t batch;
	uint64_t offset;	/* byte offset of the fault in the file */
	uint64_t m;		/* thread of the fault's batch, GOTAP_NONE: none */
	char event[200];	/* the event as text, "" if the fault is not about an event */
	/* the broken rule, in the words of Go's reader if it has an error for it */
	char rule[512];
	/* states of the goroutine, P and thread of the event; "": not known */
	char state[480];
	/* how often each came; index: enum gotap_check_warning */
	uint64_t warnings[GOTAP_WARNINGS];
};

/*
 * Reads the whole trace from @in and fills @result with the verdict. @size is sizeof(*@result).
 * @lenient 1: only the rules of Go's reader count. Returns 0 for every verdict, also for a refused
 * trace. On an error it returns the negative errno of open(2), of read(2) or of the caller's read
 * function.
 */
GOTAP_API int gotap_check(const struct gotap_input *in, int lenient,
			  struct gotap_check_result *result, size_t size, struct gotap_error *err);
/* The name of a verdict, such as "validator"; NULL if @verdict is none. Constant text. */
GOTAP_API const char *gotap_check_verdict_name(unsigned int verdict);
/*
 * The text of a warning, such as "proc that is running on two threads"; NULL if @warning is none.
 */
GOTAP_API const char *gotap_check_warning_text(unsigned int warning);

#ifdef __cplusplus
}
#endif

#endif
