// SPDX-License-Identifier: Apache-2.0
/* snap: `gotap snap`: asks a running `gotap record --flight` for a snapshot, and waits for it. */
#define _GNU_SOURCE
#include <errno.h>
#include <getopt.h>
#include <json-c/json.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json_out.h"
#include "base/show.h"
#include "base/write_all.h"
#include "cmd/cmd.h"
#include "files/claims.h"
#include "files/output.h"
#include "cmd/options.h"
#include "flight/socket.h"
#include "flight/socket_folder.h"

struct snap_options {
	unsigned long pid;
	const char *socket, *message, *output;
	bool json, peers;
	const char *of_peer;	/* "ID HOPS FROM" */
};

static const char *take_message(void *message, const char *arg)
{
	*(const char **)message = arg;
	return strpbrk(arg, "\n\r") ? "takes one line" :
	       strlen(arg) > 250    ? "takes 250 bytes at most" :
				      NULL;
}

static const struct option_row snap_rows[] = {
	OPTION('p', "pid", "PID", OPTION_NUMBER, offsetof(struct snap_options, pid),
	  "the process that is recorded", .min = 1, .max = 1UL << 30, .want = "takes a process id"),
	OPTION(0, "socket", "PATH", OPTION_TAKE, offsetof(struct snap_options, socket),
	  "the PATH that the recording got with --socket", .take = option_take_some),
	OPTION('m', "message", "TEXT", OPTION_TAKE, offsetof(struct snap_options, message),
	  "a reason, which goes into the trace and into the JSON beside it", .take = take_message),
	OPTION('o', "output", "FILE", OPTION_TEXT, offsetof(struct snap_options, output),
	  "copy the snapshot to FILE, too; '-' is stdout, and nothing else is printed there then"),
	OPTION(0, "peers", NULL, OPTION_FLAG, offsetof(struct snap_options, peers),
	  "ask the recordings of its peers, too (gotap record --peers)"),
	/* for gotap serve: all recordings of this user, and their answers as JSON */
	OPTION(0, "of-peer", "ID HOPS HOST", OPTION_TEXT, offsetof(struct snap_options, of_peer),
	  NULL),
	OPTION(0, "json", NULL, OPTION_FLAG, offsetof(struct snap_options, json),
	  "print the answer as JSON: path, bytes, duration_s"),
	{0},
};

static const char *snap_check(void *options, char **operands)
{
	const struct snap_options *o = options;

	if (*operands)
		return option_wrong("'%s' is one argument too many: -p PID is the process",
				    *operands);
	if (o->of_peer)
		return NULL;
	return !o->pid == !o->socket ? "give -p PID or --socket PATH: which recording is asked?" :
				       NULL;
}

static const struct command_line snap_line = {
	.name = "snap",
	.usage = "gotap snap [OPTION...] -p PID | --socket PATH",
	.about =
		"Asks the `gotap record --flight` that records the process for a snapshot, waits\n"
		"until it is written, and prints its name. Needs to be root or the user of that\n"
		"recording.\n",
	.tables = { { snap_rows, 0 } },
	.after =
		"Exit status: 0; 1 if there is no recording, or the snapshot could not be\n"
		"written; 2 for wrong usage.\n",
	.most = -1,
	.check = snap_check,
};

/* --- the answer --- */

static const char *snap_text_of(json_object *j, const char *name)
{
	json_object *v = NULL;

	return json_object_object_get_ex(j, name, &v) ? json_object_get_string(v) : NULL;
}

static int copy_all(int from, const struct output *to, struct error *err)
{
	static char room[1 << 16];
	size_t done;
	ssize_t n;
	int r = 0;

	while (!r && (n = read(from, room, sizeof(room))) > 0)
		r = write_all(to->fd, room, (size_t)n, &done);
	if (!r && n < 0)
		r = -errno;
	return r ? error_set(err, r, "cannot copy the snapshot to '%s': %s", to->path,
			     strerror(-r)) :
		   0;
}

/* @why: the recording's side could not open it; NULL: it could. */
static int copy_to(const char *path, const char *why, int fd, const char *to, struct error *err)
{
	struct output out;
	struct error late;
	int r;

	if (fd < 0)
		return error_set(err, -EIO,
				 "the snapshot '%s' is written, and cannot be copied: %s", path,
				 why ? why : "no further file can be open here (ulimit -n)");
	r = claims_input(fd, path, err);
	if (r)
		return r;
	r = output_open(&out, to, OUTPUT_BINARY, err);
	if (!r)
		r = output_begin(&out, err);
	if (!r)
		r = copy_all(fd, &out, err);
	if (output_close(&out, !r, r ? &late : err) && !r)
		r = err->code;
	return r;
}

static int snap_show(const struct snap_options *o, const char *line, json_object *j, int fd,
		     struct error *err)
{
	const char *path = snap_text_of(j, "path"), *why = snap_text_of(j, "error");
	char size[SHOW_SIZE];
	json_object *v = NULL;
	int r = 0;

	if (!path)
		return error_set(err, -EIO, "there is no snapshot: %s",
				 why ? why : "the recording's answer cannot be read");
	if (o->output)
		r = copy_to(path, snap_text_of(j, "not_open"), fd, o->output, err);
	if (r || (o->output && !strcmp(o->output, "-")))
		return r;
	if (o->json) {
		puts(line);
		return 0;
	}
	json_object_object_get_ex(j, "bytes", &v);
	show_printf(stdout, "%s: ", path);
	show_printf(stdout, "%s", show_size((uint64_t)json_object_get_int64(v), size));
	json_object_object_get_ex(j, "duration_s", &v);
	show_printf(stdout, ", %.2f s\n", json_object_get_double(v));
	return 0;
}

static int snap_one(const struct snap_options *o)
{
	_cleanup_free_ char *question = xasprintf("%s %s", o->peers ? "all" : "snap", o->message);
	_cleanup_close_ int fd = -1;
	char line[SOCKET_LINE];
	struct error err = {0};
	json_object *j;
	int r;

	if (socket_ask(o->socket, (unsigned int)o->pid, question, line, &fd, &err))
		return cmd_fail(&err);
	j = json_tokener_parse(line);
	r = snap_show(o, line, j, fd, &err);
	json_object_put(j);
	return r ? cmd_fail(&err) : EXIT_OK;
}

/* --- for the recordings of peers --- */

/* The answers of recordings; a socket at which nobody listens has none. */
struct snap_peers {
	unsigned int recordings, taken;
	struct json_out out;
};

static void snap_ask_for_peer(struct snap_peers *p, const struct snap_options *o, const char *path)
{
	_cleanup_free_ char *question = xasprintf("peer %s %s", o->of_peer, o->message);
	char line[SOCKET_LINE];
	const char *answer;
	struct error err;
	json_object *j;
	int fd = -1;

	if (socket_ask(path, (unsigned int)o->pid, question, line, &fd, &err))
		return;
	j = json_tokener_parse(line);
	answer = snap_text_of(j, "answer");
	p->recordings++;
	p->taken += answer && !strcmp(answer, "taken");
	json_open_object(&p->out, NULL);
	json_put_text(&p->out, "recording", path ? strrchr(path, '/') + 1 : NULL);
	json_put_text(&p->out, "answer", answer ? answer : snap_text_of(j, "error"));
	json_close_object(&p->out);
	json_object_put(j);
	cleanup_close(&fd);
}

static int snap_for_peer(const struct snap_options *o)
{
	_cleanup_free_ char *answers = NULL;
	struct snap_peers p = {0};
	struct vec paths = {0};
	size_t n, i;

	p.out.f = open_memstream(&answers, &n);
	json_open_array(&p.out, NULL);
	if (o->pid)
		snap_ask_for_peer(&p, o, NULL);
	else
		socket_folder_list(&paths);
	for (i = 0; i < paths.len; i++) {
		snap_ask_for_peer(&p, o, *vec_at(&paths, char *, i));
		free(*vec_at(&paths, char *, i));
	}
	vec_free(&paths);
	json_close_array(&p.out);
	fclose(p.out.f);
	/* the numbers come first: flight/peers.c reads them */
	printf("{\"recordings\": %u, \"taken\": %u, \"answers\": %s}\n", p.recordings, p.taken,
	       answers);
	return EXIT_OK;
}

int cmd_snap(int argc, char **argv)
{
	struct snap_options o = { .message = "" };
	int status = command_line_read(&snap_line, &o, argc, argv);

	if (status)
		return status - 1;
	return o.of_peer ? snap_for_peer(&o) : snap_one(&o);
}
