/* SPDX-License-Identifier: Apache-2.0 */
/*
 * listing: the Go processes that a client may ask about, as `gotap ps --json` has them, as text,
 * JSON or a page; and the one among them that has a name. Any user can choose the names.
 */
#ifndef GOTAP_SERVE_LISTING_H
#define GOTAP_SERVE_LISTING_H

#include <json-c/json.h>

#include "base/vec.h"
#include "serve/peer.h"
#include "serve/request.h"

struct listing {
	struct json_object *root, *processes;	/* processes is part of root */
};

/*
 * Reads the @n bytes of JSON that `gotap ps` wrote, and drops the processes that @who may not ask
 * about. False: it is not such JSON; listing_free() in any case.
 */
bool listing_parse(struct listing *l, const char *json, size_t n, const struct procfs *fs,
		   const struct peer *who);
void listing_free(struct listing *l);

/*
 * Finds the process with a program or container of that name. False: there is none, or several;
 * @why has the answer.
 */
bool listing_find(const struct listing *l, const char *name, pid_t *ret, struct refusal *why);

/* A text of a process, or of its container; "": it has none. Valid as long as the list. */
const char *listing_text_of(struct json_object *of, const char *name);
const char *listing_container_of(struct json_object *process, const char *name);
/* The name of its file, without its folder. */
const char *listing_program_of(struct json_object *process);
pid_t listing_pid_of(struct json_object *process);
/* Has its program or its container that name? */
bool listing_has_name(struct json_object *process, const char *name);
/* How many processes are missing in the list. */
int64_t listing_left_out(const struct listing *l);

/* Each appends to @out. */
void listing_text(const struct listing *l, struct buf *out);
void listing_json(const struct listing *l, struct buf *out);
void listing_page(const struct listing *l, struct buf *out);
/* The page of one process: its profiles. */
void listing_page_of(pid_t pid, struct buf *out);

#endif
