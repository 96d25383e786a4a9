// SPDX-License-Identifier: Apache-2.0
/*
 * write_trace: a small Go execution trace, written by hand: two goroutines on
 * one P, one of which creates, wakes and waits for the other.
 *
 *	cc -o write_trace write_trace.c $(pkg-config --cflags --libs gotap)
 *	./write_trace new.trace && go tool trace new.trace
 */
#include <gotap/writer.h>

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { THREAD = 100, P = 0, MAIN = 1, CHILD = 18 };

static struct gotap_writer *w;
static uint64_t now = 1000000;

/* What this program writes is known to be right, so a failure ends it. */
static void emit(unsigned int kind, unsigned int nargs, const uint64_t *args)
{
	now += 50000;
	if (gotap_write(w, THREAD, now, kind, nargs, args)) {
		fprintf(stderr, "%s: %s\n", gotap_kind_name(kind), gotap_writer_error(w)->text);
		exit(1);
	}
}

#define EMIT(kind, ...) \
	emit(kind, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, (uint64_t[]){ __VA_ARGS__ })

static uint64_t text(const char *s)
{
	return (uint64_t)gotap_write_string(w, s, strlen(s));
}

/* One frame, or two if it has a caller; a pc of 0 lets the library choose. */
static uint64_t stack(const char *func, uint64_t line, const char *caller, uint64_t caller_line)
{
	struct gotap_frame f[2] = {
		{ .line = line, .func = { func, strlen(func) }, .file = { "main.go", 7 } },
		{ .line = caller_line, .func = { caller, caller ? strlen(caller) : 0 },
		  .file = { "main.go", 7 } },
	};

	return (uint64_t)gotap_write_stack(w, f, sizeof(f[0]), caller ? 2 : 1);
}

static void write_events(void)
{
	EMIT(GOTAP_PROC_STATUS, P, GOTAP_STATUS_PROC_RUNNING);
	EMIT(GOTAP_GO_STATUS, MAIN, THREAD, GOTAP_STATUS_GO_RUNNING);
	EMIT(GOTAP_PROCS_CHANGE, 1, 0);
	EMIT(GOTAP_GO_CREATE, CHILD, stack("main.child", 20, NULL, 0),
	     stack("main.start", 9, "main.main", 14));
	EMIT(GOTAP_GO_BLOCK, text("chan receive"), stack("main.main", 15, NULL, 0));
	EMIT(GOTAP_GO_START, CHILD, 1);
	EMIT(GOTAP_USER_REGION_BEGIN, 0, text("answer"), stack("main.child", 21, NULL, 0));
	EMIT(GOTAP_GO_UNBLOCK, MAIN, 1, stack("main.child", 22, NULL, 0));
	EMIT(GOTAP_USER_REGION_END, 0, text("answer"), stack("main.child", 23, NULL, 0));
	emit(GOTAP_GO_DESTROY, 0, NULL);
	EMIT(GOTAP_GO_START, MAIN, 2);
}

/* A generation begins with the state of all that live. */
static void write_more(void)
{
	EMIT(GOTAP_PROC_STATUS, P, GOTAP_STATUS_PROC_RUNNING);
	EMIT(GOTAP_GO_STATUS, MAIN, THREAD, GOTAP_STATUS_GO_RUNNING);
	EMIT(GOTAP_GO_BLOCK, text("sleep"), stack("main.main", 17, NULL, 0));
	gotap_write_sample(w, THREAD, now, P, GOTAP_NONE, stack("main.main", 17, NULL, 0));
}

int main(int argc, char **argv)
{
	struct gotap_write_options options = { .size = sizeof(options), .version = 26 };
	struct gotap_error err = { 0 };
	int fd;

	if (argc < 2 || argc > 3) {
		fprintf(stderr, "usage: %s FILE [HEADER]\n", argv[0]);
		return 2;
	}
	if (argc == 3)
		options.version = atoi(argv[2]);
	fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC, 0644);
	if (fd < 0) {
		perror(argv[1]);
		return 1;
	}
	if (gotap_writer_new(&w, fd, &options, &err) || gotap_generation(w, NULL)) {
		fprintf(stderr, "%s: %s\n", argv[1], err.text);
		return 1;
	}
	write_events();
	if (gotap_generation(w, NULL)) {
		fprintf(stderr, "%s: %s\n", argv[1], gotap_writer_error(w)->text);
		return 1;
	}
	write_more();
	if (gotap_writer_close(w, &err)) {
		fprintf(stderr, "%s: %s\n", argv[1], err.text);
		return 1;
	}
	return close(fd) != 0;
}
