/* SPDX-License-Identifier: Apache-2.0 */
/*
 * token: the secret that a request must have. It is read from a file, since all users of a machine
 * can see the arguments of a command. A request has it as "Authorization: Bearer TOKEN", or as the
 * password of "Basic", which clients send for http://gotap:TOKEN@127.0.0.1:PORT/.
 */
#ifndef GOTAP_BASE_TOKEN_H
#define GOTAP_BASE_TOKEN_H

#include <stdbool.h>

#include "base/error.h"

enum { TOKEN_LEAST = 16, TOKEN_MOST = 255 };

struct token {
	char text[TOKEN_MOST + 1];	/* "": none is asked for */
};

/*
 * The first line of the file: printable, without blanks. Refuses a file that other users may read.
 */
int token_read(struct token *t, const char *path, struct error *err);
/*
 * Does the header have it? NULL: there is no header. Takes the same time for every wrong token of
 * one length.
 */
bool token_matches(const struct token *t, const char *authorization);

/* Overwrites it, in a process that must not have it. */
void token_forget(struct token *t);

#endif
