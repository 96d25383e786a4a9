// SPDX-License-Identifier: Apache-2.0
/* recorder: see recorder.h. */
#define _GNU_SOURCE
#include "cmd/follow/recorder.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/parent.h"
#include "cmd/cmd.h"
#include "cmd/record/signals.h"

enum {
	RINGS = 64 << 20,	/* of all recorders together */
	RING_LEAST = 256 << 10, RING_MOST = 16 << 20,
};

/*
 * Bytes of the ring of each CPU: the recorders that may run at a time share the memory of one
 * ordinary recording.
 */
static size_t ring_size(const struct record_options *o)
{
	long cpus = sysconf(_SC_NPROCESSORS_CONF);
	size_t each = RINGS / o->most / (size_t)(cpus > 0 ? cpus : 1), size = RING_LEAST;

	while (size * 2 <= each && size < RING_MOST)
		size *= 2;
	return size;
}

static void add_word(struct vec *words, char *word)
{
	*(char **)vec_push(words, sizeof(word)) = word;
}

static void free_words(struct vec *words)
{
	size_t i;

	for (i = 0; i < words->len; i++)
		free(*vec_at(words, char *, i));
	vec_free(words);
}

/* The command line; @theirs: its end of the socket. */
static void make_words(struct vec *ret, const struct recorder *r, const struct record_options *o,
		       int theirs)
{
	size_t i;

	add_word(ret, xstrdup("gotap"));
	add_word(ret, parent_option());
	add_word(ret, xstrdup("record"));
	if (!o->capture.bpf.ring_size)
		add_word(ret, xasprintf("--ring-size=%zu", ring_size(o)));
	for (i = 0; i < o->words.len; i++)
		add_word(ret, xstrdup(*vec_at(&o->words, char *, i)));
	if (o->json || o->quiet)
		add_word(ret, xstrdup(o->json ? "--json" : "--quiet"));
	add_word(ret, xasprintf("--pid=%d", r->target));
	add_word(ret, xasprintf("--output=%s", r->output));
	add_word(ret, xasprintf(r->held ? "--held-by=%d" : "--tell-begin=%d", theirs));
	*(char **)vec_push(ret, sizeof(char *)) = NULL;
}

/*
 * In the child, between fork and exec. Its group is not the terminal's: Ctrl-C is for gotap
 * alone.
 */
static void exec_recorder(char **words, int theirs, int report)
{
	int null = open("/dev/null", O_RDWR | O_CLOEXEC);

	setpgid(0, 0);
	signals_block_snapshot();
	signals_restore();
	if (null < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(report, STDERR_FILENO) < 0 ||
	    dup2(null, STDOUT_FILENO) < 0 || fcntl(theirs, F_SETFD, 0))
		_exit(EXIT_FAIL);
	execv("/proc/self/exe", words);
	_exit(EXIT_FAIL);
}

static int make_files(struct recorder *r, int ends[2], struct error *err)
{
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends))
		return error_set(err, -errno, "cannot make a socket: %s", strerror(errno));
	r->socket = ends[0];
	r->report = memfd_create("gotap-report", MFD_CLOEXEC);
	return r->report < 0 ?
		       error_set(err, -errno, "cannot make a file in memory: %s", strerror(errno)) :
		       0;
}

int recorder_start(struct recorder *r, const struct record_options *o, struct error *err)
{
	int ends[2] = { -1, -1 }, e;
	struct vec words = {0};

	r->socket = r->report = -1;
	r->from_start = r->held;
	r->since = now_ns();
	e = make_files(r, ends, err);
	if (e)
		return e;
	make_words(&words, r, o, ends[1]);
	r->pid = fork();
	if (!r->pid)
		exec_recorder(words.data, ends[1], r->report);
	e = errno;
	close(ends[1]);
	free_words(&words);
	return r->pid < 0 ? error_set(err, -e, "cannot fork: %s", strerror(e)) : 0;
}

/*
 * Frees the part of the recorder's file that was read. Output that nobody takes is kept only at
 * its end.
 */
static void recorder_drop_old(struct recorder *r)
{
	enum { MOST = 1 << 20, KEEP = MOST / 2 };

	fallocate(r->report, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, 0, r->read);
	if (r->said.len <= MOST)
		return;
	memmove(r->said.data, r->said.data + r->said.len - KEEP, KEEP);
	r->said.len = KEEP;
}

static void read_report(struct recorder *r)
{
	enum { PIECE = 4096 };
	bool any = false;
	ssize_t n;

	for (;;) {
		buf_reserve(&r->said, PIECE);
		n = pread(r->report, r->said.data + r->said.len, PIECE, r->read);
		if (n <= 0)
			break;
		r->said.len += (size_t)n;
		r->read += n;
		any = true;
	}
	if (any)
		recorder_drop_old(r);
}

void recorder_look(struct recorder *r)
{
	if (!r->ended && r->pid > 0)
		r->ended = waitpid(r->pid, &r->status, WNOHANG) == r->pid;
	read_report(r);
}

void recorder_free(struct recorder *r)
{
	if (r->socket >= 0)
		close(r->socket);
	if (r->report >= 0)
		close(r->report);
	buf_free(&r->said);
	free(r->exe);
	free(r->output);
	*r = (struct recorder){ .socket = -1, .report = -1 };
}
