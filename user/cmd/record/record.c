// SPDX-License-Identifier: Apache-2.0
/*
 * record: `gotap record`: from a process to a trace. Stages, each with its own struct: options
 * (options.c) -> files (here) -> target (process, binary, plan, symbols; target.c) -> session
 * (capture, assembler, spool, outputs, report; session.c).
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "files/claims.h"
#include "files/leftover.h"
#include "cmd/record/record.h"
#include "cmd/record/signals.h"
#include "cmd/tables/folder.h"
#include "flight/exec.h"
#include "files/thread_file.h"
#include "proc/kernel_btf.h"


static bool record_is_regular(int fd)
{
	struct stat st;

	return !fstat(fd, &st) && S_ISREG(st.st_mode);
}

/* Before a command runs. Messages must not go to where a trace goes: they would damage it. */
static int open_files(struct record_files *f, const struct record_options *o, struct error *err)
{
	int r = o->flight.time ? flight_check(o->flight.pattern, err) : 0;

	if (!r && kernel_btf_file())
		r = claims_input_file(kernel_btf_file(), err);
	if (!r && o->flight.peers)
		r = peers_check(o->flight.peers, o->flight.peer_token, err);
	if (!r && o->flight.exec)
		r = exec_prepare(o->flight.exec, signals_restore, err);
	if (o->flight.socket)
		socket_reserve(o->flight.socket);
	if (!r)
		r = output_open(&f->trace, o->output, OUTPUT_BINARY, err);
	if (!r && o->spool)
		r = output_open(&f->spool, o->spool, OUTPUT_BINARY, err);
	if (!r && o->perfetto)
		r = output_open(&f->perfetto, o->perfetto, OUTPUT_BINARY, err);
	if (!r && f->trace.name && o->groups & 1u << GROUP_LINUX)
		r = thread_file_place(&f->threads, &f->trace, err);
	if (!r && (output_is(&f->trace, STDERR_FILENO) || output_is(&f->perfetto, STDERR_FILENO)))
		r = error_set(err, -EINVAL,
			      "the trace and stderr, which has the report and errors, are the same "
			      "file: redirect one of them");
	if (!r && (o->report || o->tables) &&
	    (f->trace.fd < 0 || !record_is_regular(f->trace.fd)))
		r = error_set(err, -EINVAL,
			      "--%s reads the trace again: that needs a file, give one with -o",
			      o->report ? "report" : "tables");
	if (!r && o->tables)
		r = folder_prepare(o->tables, err);
	return r;
}

static void tell_leftovers(const struct record_files *f)
{
	if (f->trace.leftover)
		leftover_tell(f->trace.leftover);
	if (f->spool.leftover)
		leftover_tell(f->spool.leftover);
	if (f->perfetto.leftover)
		leftover_tell(f->perfetto.leftover);
	if (f->threads.out.leftover)
		leftover_tell(f->threads.out.leftover);
}

/* A command that ended before it came to a Go program keeps its status, if that is a failure. */
static int failed(const struct record_options *o, const struct process *p, const struct error *err)
{
	cmd_fail(err);
	return p->reaped && process_exit_status(p) ? process_exit_status(p) : record_failure(o);
}

int record_run(const struct record_options *o)
{
	struct record_files files = { OUTPUT_CLOSED, OUTPUT_CLOSED, OUTPUT_CLOSED,
				      THREAD_FILE_CLOSED };
	struct target *t;
	struct error err = {0};
	int status;

	/* Before the first memory is taken. */
	vec_failure_status(record_failure(o));
	t = xcalloc(1, sizeof(*t));
	*t = (struct target)TARGET_CLOSED;
	signals_catch(o->command != NULL);
	if (o->flight.time)
		signals_catch_snapshot();
	if (!open_files(&files, o, &err)) {
		signals_partial_stays(record_main_file(o, &files)->partial);
		tell_leftovers(&files);
		status = target_open(t, o, &files, &err) ? failed(o, &t->proc, &err) :
			 session_record(o, t, &files, &err);
	} else {
		status = failed(o, &t->proc, &err);
	}
	thread_file_finish(&files.threads, false, NULL);
	output_close(&files.spool, false, NULL);
	output_close(&files.perfetto, false, NULL);
	output_close(&files.trace, false, NULL);
	target_close(t);
	free(t);
	return status;
}
