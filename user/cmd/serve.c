// SPDX-License-Identifier: Apache-2.0
/*
 * serve: `gotap serve`: options, and the end by a signal; user/serve has the rest. Of a build without
 * libmicrohttpd only the message that says so.
 */
#define _GNU_SOURCE
#include <errno.h>
#include <stdio.h>

#include "cmd/cmd.h"

#ifdef GOTAP_NO_SERVE

int cmd_serve(int argc, char **argv)
{
	struct error err;

	error_set(&err, -ENOSYS,
		  "this gotap was built without `serve` (make SERVE=no): build it with libmicrohttpd");
	return cmd_fail(&err);
}

#else

#include <getopt.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/show.h"
#include "cmd/parse.h"
#include "cmd/pick.h"
#include "serve/server.h"

static const char help[] =
	"usage: gotap serve --listen unix:PATH|127.0.0.1:PORT [OPTION...]\n"
	"\n"
	"Answers as Go's net/http/pprof, for programs that have no such port: /debug/pprof/ with\n"
	"?pid=N (or &name=PROGRAM) has trace, goroutine, block and profile; / and /processes list\n"
	"the Go programs. `go tool pprof`, curl and scrapers of profiles can ask. Ends by a signal.\n"
	"\n"
	"      --listen WHERE    unix:PATH: root may ask about each process, another user about his\n"
	"                        own; 127.0.0.1:PORT, [::1]:PORT: takes --token or --no-token\n"
	"      --token FILE      requests must bring the token in that file, which only its owner\n"
	"                        may read: Authorization: Bearer TOKEN, or http://gotap:TOKEN@...\n"
	"      --no-token        all users of this machine may ask about each process\n"
	"      --public          WHERE may be an address that other machines reach; takes --token.\n"
	"                        Nothing is encrypted: put a proxy in front\n"
	"      --max-time TIME   the longest recording that a request may ask for (default 5m)\n"
	"      --max-size SIZE   largest answer, with K, M or G; a recording ends there (default 256M)\n"
	"      --recordings N    at most N recordings at a time (default 2)\n"
	"      --queue N         further requests that may wait, for 30 s at most (default 8)\n"
	"      --budget PERCENT  what the probes of each recording may cost (as for gotap record)\n"
	"      --proc DIR        the host's /proc, where gotap runs in a container itself\n"
	"  -q, --quiet           do not print a line for each recording\n"
	"  -h, --help            show this\n";

enum {
	OPT_LISTEN = 256,
	OPT_TOKEN,
	OPT_NO_TOKEN,
	OPT_PUBLIC,
	OPT_TIME,
	OPT_SIZE,
	OPT_RECORDINGS,
	OPT_QUEUE,
	OPT_BUDGET,
};

static const struct option long_options[] = {
	{ "listen", required_argument, NULL, OPT_LISTEN },
	{ "token", required_argument, NULL, OPT_TOKEN },
	{ "no-token", no_argument, NULL, OPT_NO_TOKEN },
	{ "public", no_argument, NULL, OPT_PUBLIC },
	{ "max-time", required_argument, NULL, OPT_TIME },
	{ "max-size", required_argument, NULL, OPT_SIZE },
	{ "recordings", required_argument, NULL, OPT_RECORDINGS },
	{ "queue", required_argument, NULL, OPT_QUEUE },
	{ "budget", required_argument, NULL, OPT_BUDGET },
	{ "proc", required_argument, NULL, PICK_PROC },
	{ "quiet", no_argument, NULL, 'q' },
	{ "help", no_argument, NULL, 'h' },
	{ 0 },
};

struct options {
	struct serve_options serve;
	const char *listen, *token;
	bool no_token, public;
};

/* --- options --- */

static bool parse_count(const char *arg, unsigned long min, unsigned int *ret)
{
	enum { MOST = 1000 };
	unsigned long n;

	if (!parse_number(arg, min, MOST, &n))
		return false;
	*ret = (unsigned int)n;
	return true;
}

/* NULL, or what is wrong. */
static const char *take_option(struct options *o, int opt, const char *arg)
{
	double percent;

	switch (opt) {
	case OPT_LISTEN:
		o->listen = arg;
		return NULL;
	case OPT_TOKEN:
		o->token = arg;
		return NULL;
	case OPT_NO_TOKEN:
		o->no_token = true;
		return NULL;
	case OPT_PUBLIC:
		o->public = true;
		return NULL;
	case OPT_TIME:
		return parse_duration(arg, &o->serve.max_seconds) && o->serve.max_seconds <= 86400 ? NULL :
			"--max-time takes a time up to 24h, like 5m";
	case OPT_SIZE:
		return parse_size(arg, 1 << 20, 1ULL << 40, &o->serve.max_bytes)
			       ? NULL
			       : "--max-size takes bytes, like 256M, from 1M to 1024G";
	case OPT_RECORDINGS:
		return parse_count(arg, 1, &o->serve.recordings)
			       ? NULL
			       : "--recordings takes a number from 1 to 1000";
	case OPT_QUEUE:
		return parse_count(arg, 0, &o->serve.queue) ? NULL : "--queue takes a number up to 1000";
	case OPT_BUDGET:
		o->serve.budget = arg;
		return parse_budget(arg, &percent) ? NULL : "--budget takes percent of a CPU, or none";
	case PICK_PROC:
		o->serve.proc_dir = arg;
		return NULL;
	default:
		o->serve.quiet = true;
		return NULL;
	}
}

static const char *check(const struct options *o)
{
	const struct address *a = &o->serve.address;

	if (!a->is_loopback && !o->public)
		return "other machines reach that address, and recordings tell much of a program: give "
		       "127.0.0.1:PORT, "
		       "unix:PATH, or --public with --token";
	if (!a->is_loopback && !o->token)
		return "--public takes --token FILE";
	if (o->token && o->no_token)
		return "--token and --no-token exclude each other";
	if (!a->is_unix && !o->token && !o->no_token)
		return "each user of this machine can connect to a port, and could look into each program: "
		       "give --token "
		       "FILE, --no-token to allow that, or --listen unix:PATH";
	return NULL;
}

/* 0 to go on, else the exit status + 1. */
static int read_options(struct options *o, int argc, char **argv)
{
	const char *wrong = NULL;
	struct error err;
	int opt;

	while (!wrong && (opt = getopt_long(argc, argv, ":qh", long_options, NULL)) != -1) {
		if (opt == 'h') {
			fputs(help, stdout);
			return EXIT_OK + 1;
		}
		if (opt == '?' || opt == ':')
			return cmd_bad_option("serve", opt, argv) + 1;
		wrong = take_option(o, opt, optarg);
	}
	if (!wrong && optind < argc)
		return cmd_usage("serve", "what is '%s'? gotap serve takes options only", argv[optind]) + 1;
	if (!wrong && !o->listen)
		wrong = "--listen unix:PATH or 127.0.0.1:PORT is needed";
	if (!wrong && address_parse(&o->serve.address, o->listen, &err))
		wrong = err.text;
	if (!wrong)
		wrong = check(o);
	return wrong ? cmd_usage("serve", "%s", wrong) + 1 : 0;
}

/* --- signals --- */

static const int ends[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT };

enum { ENDS = sizeof(ends) / sizeof(ends[0]) };

/* Blocks the signals that end the server, in its threads, too: sigwait() takes them. SIGHUP stays ignored under nohup(1). */
static void block_signals(sigset_t *set)
{
	struct sigaction old;
	int i;

	sigemptyset(set);
	for (i = 0; i < ENDS; i++)
		if (sigaction(ends[i], NULL, &old) || ends[i] != SIGHUP || old.sa_handler != SIG_IGN)
			sigaddset(set, ends[i]);
	pthread_sigmask(SIG_BLOCK, set, NULL);
	signal(SIGPIPE, SIG_IGN);
}

/*
 * Ends recordings, and waits until their answers are sent, for some seconds at most, or until a second signal. A signal within two
 * seconds of the first one does not count: it may be a copy (signals.h).
 */
static void end(struct server *s, const sigset_t *set)
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

static int run(struct options *o)
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
	while (sigtimedwait(&set, NULL, &tick) < 0)
		server_tick(s);
	end(s, &set);
	return EXIT_OK;
}

int cmd_serve(int argc, char **argv)
{
	struct options o = {
		.serve = { .max_seconds = 300, .max_bytes = 256 << 20, .recordings = 2, .queue = 8 }
	};
	int status = read_options(&o, argc, argv);

	return status ? status - 1 : run(&o);
}

#endif
