/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check: is a v2 trace one that Go's tools take, and take without harm?
 *
 * Three layers of rules, each with its own kind of verdict:
 *   reader     what internal/trace.Reader (Go 1.27) refuses to read
 *   validator  what testtrace.Validator refuses: legal to read, wrong to write
 *   trap       what both take, and some tool that uses the result crashes on
 * and warnings about what is taken everywhere and shown wrong.
 *
 * Where the verdict differs from Go's, on purpose:
 *   - a table or sync batch that ends where a number should begin is a fault;
 *     Go's reader returns a bare io.EOF there, which passes for the end;
 *   - a proc status beyond 255 is a trap; Go's reader takes its low 8 bits;
 *   - a header is taken only in the 16 bytes that runtimes write, while Go
 *     scans it and would take "go 1.022 trace".
 *
 * The ordering behind the first layer is the reader's own (v2_order), written
 * from the format's rules and not from any writer's model.
 */
#ifndef GOTAP_READ_CHECK_H
#define GOTAP_READ_CHECK_H

#include <stddef.h>

#include "base/error.h"
#include "read/raw_source.h"
#include "read/v2_fault.h"

enum check_kind {
	CHECK_OK,
	CHECK_HEADER,		/* no v2 trace at all */
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
	enum check_kind kind;	/* of the first fault */
	int version;		/* NN of header go 1.NN, 0 if there is none */
	uint64_t generations, events, threads;
	uint64_t fault_event;	/* how many events had been read at the first fault */
	uint64_t more;		/* faults after the first */
	struct v2_fault fault;
	struct {
		uint64_t count;
		struct v2_place first;
	} warning[WARNINGS];
};

/*
 * Reads all of @source, whose first bytes may have been looked at, closes it, and says what is
 * wrong with it. @lenient: only the reader's rules. Returns 0 whenever there is a verdict in
 * @result, a negative errno with @err set if the source could not be read.
 */
int check_source(const struct raw_source *source, bool lenient, struct check_result *result,
		 struct error *err);
/* The same for the @n bytes at @data. */
void check_memory(const void *data, size_t n, bool lenient, struct check_result *result);

/* The subject of the warning, in one clause. */
const char *check_warning_text(enum check_warning warning);
/* "reader", "validator", ... */
const char *check_kind_name(enum check_kind kind);

#endif
