/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check: do Go's tools accept a v2 trace, and show it without a crash?
 *
 * Three layers of rules, each with its own kind of verdict:
 *   reader     internal/trace.Reader (Go 1.27) refuses the trace
 *   validator  testtrace.Validator refuses it: a reader accepts it, but no writer should make it
 *   trap       both accept it, and a tool that uses the result crashes
 * Warnings are about traces that all tools accept and some tool shows wrong.
 *
 * Verdicts that differ from Go's on purpose:
 *   - a table or sync batch that ends where a number should begin is a fault;
 *     Go's reader returns a bare io.EOF there, which looks like the end;
 *   - a proc status above 255 is a trap; Go's reader takes its low 8 bits;
 *   - a header must be the 16 bytes that runtimes write; Go scans the header
 *     and would accept "go 1.022 trace".
 *
 * The order of events in the first layer is that of the reader (v2_order), which implements the
 * rules of the format and not the model of a writer.
 */
#ifndef GOTAP_READ_CHECK_H
#define GOTAP_READ_CHECK_H

#include <stddef.h>

#include "base/error.h"
#include "read/raw_source.h"
#include "read/v2_fault.h"

enum check_kind {
	CHECK_OK,
	CHECK_HEADER,		/* not a v2 trace */
	CHECK_READER,
	CHECK_VALIDATOR,
	CHECK_TRAP,
};

enum check_warning {
	WARN_NO_PROCS,
	WARN_EMPTY_GENERATION,
	WARN_PC_MEANINGS,
	WARN_P_ON_TWO_THREADS,
	WARN_G_ON_TWO_THREADS,
	WARN_STW_ACROSS,
	WARNINGS,
};

struct check_result {
	enum check_kind kind;	/* verdict of the first fault */
	int version;		/* NN of the header go 1.NN, 0: none */
	uint64_t generations, events, threads;
	uint64_t fault_event;	/* number of events before the first fault */
	uint64_t more;		/* faults after the first */
	struct v2_fault fault;
	struct {
		uint64_t count;
		struct v2_place first;
	} warning[WARNINGS];
};

/*
 * Reads @source to its end and closes it; its first bytes may have been peeked at. Fills @result
 * with the verdict. @lenient: only the rules of the reader. Returns 0 for every verdict, or a
 * negative errno with @err if the source could not be read.
 */
int check_source(const struct raw_source *source, bool lenient, struct check_result *result,
		 struct error *err);
/* As check_source(), for the @n bytes at @data. */
void check_memory(const void *data, size_t n, bool lenient, struct check_result *result);

/* The text of a warning, one clause. */
const char *check_warning_text(enum check_warning warning);
/* The name of a verdict: "reader", "validator", ... */
const char *check_kind_name(enum check_kind kind);

#endif
