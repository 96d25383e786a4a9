/* SPDX-License-Identifier: Apache-2.0 */
/*
 * job: a gotap that runs as a child process for one call: its output, its messages, its end.
 * Nothing here waits: server.c polls. The child runs in the folder of the server, in a process
 * group of its own, gets no input, and SIGTERM when the server ends for any reason (base/parent.h).
 */
#ifndef GOTAP_MCP_JOB_H
#define GOTAP_MCP_JOB_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/vec.h"

enum {
	JOB_OUT = 32 << 20, /* bytes of output: a child that prints more is ended */
	JOB_SAID = 1 << 20, /* last bytes of standard error that are kept */
};

struct job {
	pid_t pid;           /* 0: none, or waited for */
	int out_fd, said_fd; /* -1: closed */
	struct buf out, said;
	bool too_long;       /* it printed more than JOB_OUT */
	int status;          /* of wait4(2), when job_ended() */
	uint64_t begin, end; /* ns on CLOCK_MONOTONIC; .end 0: it runs */
	double cpu_seconds;  /* when it has ended */
	uint64_t kill_at;    /* ns: it was asked to end, and is killed then; 0: it was not */
};

/* Starts gotap with the @n words behind its name, in the folder @dir_fd. 0 or -errno. */
int job_start(struct job *j, int dir_fd, char *const *words, size_t n, struct error *err);
/* Reads what is there, and looks for the end. Returns whether the child has ended. */
bool job_step(struct job *j);
/* Asks the child to end: a recording ends with a whole trace. It is killed 10 s later. */
void job_ask(struct job *j);
/* Kills the child if it is still there, waits for it, and frees. */
void job_free(struct job *j);

#endif
