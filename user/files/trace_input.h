/* SPDX-License-Identifier: Apache-2.0 */
/*
 * trace_input: a trace of any Go release, from a file or standard input, opened for commands that
 * take its events in order: `gotap text --events`, report, why, pprof, diff.
 */
#ifndef GOTAP_FILES_TRACE_INPUT_H
#define GOTAP_FILES_TRACE_INPUT_H

#include "read/v2_reader.h"
#include "v1/trace.h"

struct trace_input {
	struct trace_reader *reader;
	/* damage in a trace before Go 1.22, which is read before its first event is given */
	struct v1_cut cut;
};

/*
 * Opens @path, "-" for standard input. @binary, which may be NULL, names the stacks of traces
 * before Go 1.7. The file whose name is taken only when it is whole is found under its other name
 * (files/leftover.h).
 */
int trace_input_open(struct trace_input *in, const char *path, const char *binary,
		     struct error *err);
/* The same from @source, which is the input's from now on. */
int trace_input_open_source(struct trace_input *in, struct raw_source *source, const char *binary,
			    struct error *err);
/*
 * To be called when the events were read. Closes the input. @ret and @err: the result of reading.
 * Returns that error, with @name before it; if there is none, the damage that was found before the
 * first event.
 */
int trace_input_close(struct trace_input *in, const char *name, int ret, struct error *err);

#endif
