// SPDX-License-Identifier: Apache-2.0
/* claims: see claims.h. */
#include "files/claims.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/vec.h"

struct claim_id {
	dev_t dev;
	ino_t ino;
};

struct claim {
	struct claim_id file, before;	/* .ino 0: none */
	struct claim_id dir;
	char *name, *partial;
	bool open, conflict;
};

static struct vec claimed_inputs;	/* struct claim_id */
static struct vec claimed_outputs;	/* struct claim */

static struct claim_id claim_id_of(const struct stat *st)
{
	return st ? (struct claim_id){ st->st_dev, st->st_ino } : (struct claim_id){0};
}

static bool claim_id_same(struct claim_id a, struct claim_id b)
{
	return a.ino && a.dev == b.dev && a.ino == b.ino;
}

/* --- inputs --- */

static bool claim_has_file(const struct claim *c, struct claim_id id)
{
	return claim_id_same(id, c->file) || claim_id_same(id, c->before);
}

static bool claim_meets_output(struct claim_id id)
{
	bool met = false;
	size_t i;

	for (i = 0; i < claimed_outputs.len; i++) {
		struct claim *c = vec_at(&claimed_outputs, struct claim, i);

		if (c->open && claim_has_file(c, id))
			c->conflict = met = true;
	}
	return met;
}

static bool claim_is_standard(struct claim_id id, int fd)
{
	struct stat st;

	return !fstat(fd, &st) && claim_id_same(id, claim_id_of(&st));
}

static bool claim_is_input(struct claim_id id)
{
	size_t i;

	for (i = 0; i < claimed_inputs.len; i++)
		if (claim_id_same(id, *vec_at(&claimed_inputs, struct claim_id, i)))
			return true;
	return false;
}

static int claim_input(const struct stat *st, const char *path, struct error *err)
{
	struct claim_id id = claim_id_of(st);

	if (!S_ISREG(st->st_mode) || claim_is_input(id))
		return 0;
	/*
	 * Remembers the file as an input also if it is refused: a command that goes on without it
	 * must not write there.
	 */
	*(struct claim_id *)vec_push(&claimed_inputs, sizeof(id)) = id;
	if (!strcmp(path, "-"))
		path = "stdin";
	if (claim_meets_output(id))
		return error_set(err, -EINVAL,
				 "'%s' is input and output: name another file for the output",
				 path);
	if (claim_is_standard(id, STDOUT_FILENO) || claim_is_standard(id, STDERR_FILENO))
		return error_set(
			err, -EINVAL,
			"'%s' is input and output: redirect stdout and stderr to another file",
			path);
	return 0;
}

int claims_input(int fd, const char *path, struct error *err)
{
	struct stat st;

	return fstat(fd, &st) ? 0 : claim_input(&st, path, err);
}

int claims_input_named(const char *path, const char *name, struct error *err)
{
	struct stat st;

	return stat(path, &st) ? 0 : claim_input(&st, name, err);
}

int claims_input_file(const char *path, struct error *err)
{
	return claims_input_named(path, path, err);
}

int claims_input_files(char *const *paths, struct error *err)
{
	int r = 0;

	for (; *paths && !r; paths++)
		r = strcmp(*paths, "-") ? claims_input_file(*paths, err) :
					  claims_input(STDIN_FILENO, *paths, err);
	return r;
}

bool claims_is_input(const char *path)
{
	struct stat st;

	return !stat(path, &st) && claim_is_input(claim_id_of(&st));
}

/* --- outputs --- */

static bool claim_has_name(const struct claim *c, struct claim_id dir, const char *name)
{
	return name && claim_id_same(dir, c->dir) &&
	       (!strcmp(name, c->name) || (c->partial && !strcmp(name, c->partial)));
}

/* Two outputs may write to one device, such as /dev/null: neither harms the other. */
static struct claim_id claim_before(const struct claims_output *o)
{
	return claim_id_of(o->before && S_ISCHR(o->before->st_mode) ? NULL : o->before);
}

static struct claim_id claim_folder(const struct claims_output *o)
{
	return claim_id_of(o->before && S_ISCHR(o->before->st_mode) ? NULL : o->dir);
}

int claims_check_output(const struct claims_output *o, struct error *err)
{
	struct claim_id before = claim_before(o), dir = claim_folder(o);
	size_t i;

	if (claim_is_input(before))
		return error_set(err, -EINVAL,
				 "'%s' is input and output: name another file for the output",
				 o->path);
	for (i = 0; i < claimed_outputs.len; i++) {
		const struct claim *c = vec_at(&claimed_outputs, struct claim, i);

		if (claim_has_file(c, before) || claim_has_name(c, dir, o->name) ||
		    claim_has_name(c, dir, o->partial))
			return error_set(
				err, -EINVAL,
				"two outputs are the same file: '%s'; name a file for each",
				o->path);
	}
	return 0;
}

int claims_add_output(const struct claims_output *o, int fd)
{
	struct claim *c = vec_push(&claimed_outputs, sizeof(*c));
	struct stat st;

	*c = (struct claim){
		.before = claim_before(o),
		.dir = claim_folder(o),
		.open = true,
		.name = o->name ? xstrdup(o->name) : NULL,
		.partial = o->partial ? xstrdup(o->partial) : NULL,
	};
	if (!fstat(fd, &st) && !S_ISCHR(st.st_mode))
		c->file = claim_id_of(&st);
	return (int)claimed_outputs.len;
}

bool claims_conflict(int number)
{
	return number && vec_at(&claimed_outputs, struct claim, (size_t)number - 1)->conflict;
}

void claims_close_output(int number, bool keep)
{
	struct claim *c = number ? vec_at(&claimed_outputs, struct claim, (size_t)number - 1) :
				   NULL;

	if (!c)
		return;
	c->open = false;
	/* after a rename the old file is gone, and another one may get its inode */
	if (!keep || c->partial)
		c->before = (struct claim_id){0};
	if (!keep)
		c->file = c->dir = (struct claim_id){0};
}
