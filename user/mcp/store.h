/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store: the folder with the traces of the server: which files it may read, the names and the size
 * of those that it writes, and what is known of the losses of each trace. The folder is held open;
 * a file is read only if it is a regular file in it, and no symbolic link.
 */
#ifndef GOTAP_MCP_STORE_H
#define GOTAP_MCP_STORE_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "base/vec.h"

struct store {
	int fd;              /* the folder */
	char *path;          /* absolute, as it was when it was opened */
	uint64_t most_bytes; /* of files that the server writes */
	unsigned int number; /* of the last recording */
	struct vec known;    /* struct store_known */
};

/* Opens the folder @path. The caller closes the store in both cases. */
int store_open(struct store *s, const char *path, uint64_t most_bytes, struct error *err);
void store_close(struct store *s);

/* Can the trace @name be read? Returns 0 or -errno, with a text for the model. */
int store_check(const struct store *s, const char *name, struct error *err);
/* The bytes of all files in the folder that servers like this one have written. */
uint64_t store_used(const struct store *s);
/* A name for the trace of a recording of @pid, which no file has. The caller frees it. */
char *store_new_name(struct store *s, pid_t pid);

/* Takes @losses, an object as the schema mcp has it, for the file as it is now. */
void store_learn(struct store *s, const char *name, struct json_object *losses, bool recorded);
/* What is known of the trace: a new object. */
struct json_object *store_losses(const struct store *s, const char *name);
/* The answer of the tool traces: a new object. */
struct json_object *store_list(const struct store *s);

#endif
