// SPDX-License-Identifier: Apache-2.0
/*
 * serve: `gotap serve`: options, and the end by a signal; user/serve has the rest. A build without
 * libmicrohttpd has only the message that says so.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>

#include "cmd/cmd.h"

#ifdef GOTAP_NO_SERVE

#include <string.h>

#include "cmd/options.h"

static const struct command_line serve_line = {
	.name = "serve",
	.usage = "gotap serve",
	.about = "This gotap was built without `serve` (make SERVE=no).\n",
	.most = -1,
};

/* The table of commands has it: --help says that it is missing, and all else fails. */
int cmd_serve(int argc, char **argv)
{
	struct error err;

	if (argc == 2 && !strcmp(argv[1], "--help"))
		return command_line_read(&serve_line, NULL, argc, argv) - 1;
	error_set(&err, -ENOSYS,
		  "this gotap was built without `serve` (make "
		  "SERVE=no): build it with libmicrohttpd");
	return cmd_fail(&err);
}

#else

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/show.h"
#include "cmd/options.h"
#include "cmd/parse.h"
#include "serve/server.h"
#include "serve/watches.h"

struct options {
	struct serve_options serve;
	const char *listen, *token;
	bool no_token, public;
};

/* --- options --- */

static const char *take_max_time(void *seconds, const char *arg)
{
	return parse_duration(arg, seconds) && *(double *)seconds <= 86400 ?
		       NULL :
		       "takes a time up to 24h, like 5m";
}

static const char *take_max_size(void *bytes, const char *arg)
{
	return parse_size(arg, 1 << 20, 1ULL << 40, bytes) ?
		       NULL :
		       "takes bytes, like 256M, from 1M to 1024G";
}

/* The recordings get the text. */
static const char *take_budget(void *budget, const char *arg)
{
	double percent;

	*(const char **)budget = arg;
	return option_take_budget(&percent, arg);
}

static const char *take_hosts(void *hosts, const char *arg)
{
	*(const char **)hosts = arg;
	return *arg && strlen(arg) < 1024 &&
			       strspn(arg, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
					   "0123456789.-_,") == strlen(arg) ?
		       NULL :
		       "takes names of hosts, with commas between them";
}

static const char *take_watch(void *list, const char *arg)
{
	struct vec *watch = list;

	if (!*arg || strlen(arg) > 255)
		return "takes a process id, or the name of a program or container";
	*(const char **)vec_push(watch, sizeof(arg)) = arg;
	return watch->len <= WATCH_MOST ? NULL : "may be given 16 times";
}

static const struct option_row serve_rows[] = {
	OPTION(0, "listen", "WHERE", OPTION_TEXT, offsetof(struct options, listen),
	  "unix:PATH: root may ask about each process, another user about "
	  "his own; 127.0.0.1:PORT, [::1]:PORT: takes --token or --no-token"),
	OPTION(0, "token", "FILE", OPTION_TEXT, offsetof(struct options, token),
	  "requests must bring the token in that file, which only its owner "
	  "may read: Authorization: Bearer TOKEN, or http://gotap:TOKEN@..."),
	OPTION(0, "no-token", NULL, OPTION_FLAG, offsetof(struct options, no_token),
	  "all users of this machine may ask about each process"),
	OPTION(0, "public", NULL, OPTION_FLAG, offsetof(struct options, public),
	  "WHERE may be an address that other machines reach; takes "
	  "--token. Nothing is encrypted: put a proxy in front"),
	OPTION(0, "host", "NAME,...", OPTION_TAKE, offsetof(struct options, serve.hosts),
	  "names by which clients ask over TCP, beside localhost and the numbers of "
	  "addresses: node7,node7.example.net", .take = take_hosts),
	OPTION(0, "max-time", "TIME", OPTION_TAKE, offsetof(struct options, serve.max_seconds),
	  "the longest recording that a request may ask for (default 5m)", .take = take_max_time),
	OPTION(0, "max-size", "SIZE", OPTION_TAKE, offsetof(struct options, serve.max_bytes),
	  "largest answer, with K, M or G; a recording ends there (default 256M)",
	  .take = take_max_size),
	OPTION(0, "recordings", "N", OPTION_COUNT, offsetof(struct options, serve.recordings),
	  "at most N recordings at a time (default 2)", .min = 1, .max = 1000),
	OPTION(0, "queue", "N", OPTION_COUNT, offsetof(struct options, serve.queue),
	  "further requests that may wait, for 30 s at most (default 8)", .max = 1000),
	OPTION(0, "budget", "PERCENT", OPTION_TAKE, offsetof(struct options, serve.budget),
	  "what the probes of each recording may cost (as for gotap record)", .take = take_budget),
	OPTION(0, "watch", "WHICH", OPTION_TAKE, offsetof(struct options, serve.watch),
	  "/metrics has histograms and sums of that program, which is recorded all the time: a "
	  "process id, or a name, by which it is found again when it restarts; may be given "
	  "again (docs/metrics.md)", .take = take_watch),
	OPTION(0, "watch-budget", "PERCENT", OPTION_TAKE,
	  offsetof(struct options, serve.watch_budget),
	  "what the probes of each such recording may cost, as --budget (default 10)",
	  .take = take_budget),
	OPTION_PROC(offsetof(struct options, serve.proc_dir)),
	OPTION_BTF,
	OPTION(0, "detect-leaks", NULL, OPTION_FLAG, offsetof(struct options, serve.detect_leaks),
	  "goroutineleak has the program's next collection look for leaked goroutines, as `gotap "
	  "stacks --detect-leaks`: this writes a byte of the program's memory"),
	OPTION('q', "quiet", NULL, OPTION_FLAG, offsetof(struct options, serve.quiet),
	  "do not print a line for each recording"),
	{0},
};

/* Who can connect, and what such a user needs. */
static const char *check_access(const struct options *o)
{
	const struct address *a = &o->serve.address;

	if (!a->is_loopback && !o->public)
		return "other machines reach that address, and recordings show much of a "
		       "program: give 127.0.0.1:PORT, unix:PATH, or --public with --token";
	if (!a->is_loopback && !o->token)
		return "--public takes --token FILE";
	if (o->token && o->no_token)
		return "--token and --no-token exclude each other";
	if (!a->is_unix && !o->token && !o->no_token)
		return "each user of this machine can connect to a port, and "
		       "could look into each program: give --token FILE, "
		       "--no-token to allow that, or --listen unix:PATH";
	return NULL;
}

static const char *serve_check(void *options, char **operands)
{
	struct options *o = options;
	struct error err;

	if (*operands)
		return option_wrong("'%s' is one argument too many: gotap serve takes options only",
				    *operands);
	if (!o->listen)
		return "--listen unix:PATH or 127.0.0.1:PORT is needed";
	if (address_parse(&o->serve.address, o->listen, &err))
		return option_wrong("%s", err.text);
	return check_access(o);
}

static const struct command_line serve_line = {
	.name = "serve",
	.usage = "gotap serve --listen unix:PATH|127.0.0.1:PORT [OPTION...]",
	.about =
		"Answers as Go's net/http/pprof, for programs that have no such port:\n"
		"/debug/pprof/ with ?pid=N (or &name=PROGRAM) has trace, goroutine, block and\n"
		"profile; / and /processes list the Go programs; /metrics is for Prometheus.\n"
		"`go tool pprof`, curl and scrapers of profiles can ask. Ends by a signal.\n",
	.tables = { { serve_rows, 0 } },
	.most = -1,
	.check = serve_check,
};

/* --- signals --- */

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

enum { ENDS = sizeof(ends) / sizeof(ends[0]) };

/*
 * Blocks the signals that end the server, in its threads, too: sigwait() takes them. SIGHUP stays
 * ignored under nohup(1).
 */
static void block_signals(sigset_t *set)
{
	struct sigaction old;
	int i;

	sigemptyset(set);
	for (i = 0; i < ENDS; i++)
		if (sigaction(ends[i], NULL, &old) || ends[i] != SIGHUP ||
		    old.sa_handler != SIG_IGN)
			sigaddset(set, ends[i]);
	pthread_sigmask(SIG_BLOCK, set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/*
 * Ends recordings, and waits until their answers are sent, for some seconds at most, or until a
 * second signal. A signal within two seconds of the first one does not count: it may be a copy
 * (signals.h).
 */
static void serve_end(struct server *s, const sigset_t *set)
{
	enum { SECONDS = 15, COPIES_SECONDS = 2, LOOKS_PER_SECOND = 20 };
	static const struct timespec look = { .tv_nsec = 1000000000 / LOOKS_PER_SECOND };
	int i;

	server_quiesce(s);
	for (i = 0; i < SECONDS * LOOKS_PER_SECOND && !server_idle(s); i++)
		if (sigtimedwait(set, NULL, &look) > 0 && i > COPIES_SECONDS * LOOKS_PER_SECOND)
			break;
	server_stop(s);
}

static int serve_run(struct options *o)
{
	static const struct timespec tick = { .tv_sec = 1 };
	char text[ADDRESS_TEXT];
	struct error err = {0};
	struct server *s;
	sigset_t set;

	if (o->token && token_read(&o->serve.token, o->token, &err))
		return cmd_fail(&err);
	block_signals(&set);
	s = server_start(&o->serve, &err);
	if (!s)
		return cmd_fail(&err);
	show_printf(stderr, "gotap: listens on %s\n", server_text(s, text));
	while (sigtimedwait(&set, NULL, &tick) < 0 && !server_is_broken(s, &err))
		;
	serve_end(s, &set);
	return err.code ? cmd_fail(&err) : EXIT_OK;
}

int cmd_serve(int argc, char **argv)
{
	struct options o = {
		.serve = { .max_seconds = 300, .max_bytes = 256 << 20, .recordings = 2, .queue = 8 }
	};
	int status = command_line_read(&serve_line, &o, argc, argv);


	status = status ? status - 1 : serve_run(&o);
	vec_free(&o.serve.watch);
	return status;
}

#endif
