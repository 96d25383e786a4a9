// SPDX-License-Identifier: Apache-2.0
/* folder: see folder.h. */
#include "cmd/tables/folder.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/show.h"
#include "files/leftover.h"
#include "proc/privilege.h"

static const char unknown[] = "unknown";

/* A name of a file has 255 bytes at most, and others are around these. */
enum { VALUE_MOST = 120, STEM_MOST = 80 };

void folder_init(struct folder *f)
{
	enum tables_id i;

	for (i = 0; i < TABLES; i++)
		f->files[i] = (struct output)OUTPUT_CLOSED;
}

/* --- names --- */

static bool is_plain(char c)
{
	return isalnum((unsigned char)c) || strchr("_-.", c);
}

/*
 * Returns @value as a part of a path. Other characters are written as %XX, as Hive and Spark do,
 * and DuckDB reads. The caller frees it.
 */
static char *escaped(const char *value)
{
	struct buf text = {0};
	size_t i;

	for (i = 0; value[i] && text.len < VALUE_MOST; i++) {
		if (is_plain(value[i]) && (value[i] != '.' || i))
			buf_add_byte(&text, (uint8_t)value[i]);
		else
			buf_printf(&text, "%%%02X", (unsigned char)value[i]);
	}
	buf_add_byte(&text, 0);
	return (char *)text.data;
}

static const char *base_of(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash ? slash + 1 : path;
}

/* Returns the name of the files without its end: that of the trace, and its id. */
static char *folder_file_name(const struct folder *f)
{
	const char *base = strcmp(f->trace, "-") ? base_of(f->trace) : "stdin";
	char stem[STEM_MOST + 1];
	size_t i;

	for (i = 0; base[i] && i < STEM_MOST; i++)
		stem[i] = is_plain(base[i]) ? base[i] : '_';
	stem[i] = 0;
	if (*stem == '.' || *stem == '_')	/* engines leave out such files */
		*stem = '-';
	return xasprintf("%s-%016" PRIx64, stem, (uint64_t)f->trace_id);
}

static void date_of(struct folder *f, const struct tableset_place *place)
{
	time_t begin = (time_t)(place->has_wall ? place->begin / 1000000000 : 0);
	struct tm tm;

	f->knows_date = place->has_wall;
	if (!gmtime_r(&begin, &tm) || !strftime(f->date, sizeof(f->date), "%Y-%m-%d", &tm))
		strcpy(f->date, "1970-01-01");
}

static char *value_of(const char *given, const char *found, bool *known)
{
	const char *value = given ? given : found && *found ? found : NULL;

	*known = value;
	return escaped(value ? value : unknown);
}

static void choose_names(struct folder *f, const struct tableset_place *place)
{
	f->name = folder_file_name(f);
	f->used_host = value_of(f->host, place->host, &f->knows_host);
	f->used_service = value_of(f->service, place->program ? base_of(place->program) : NULL,
				   &f->knows_service);
	date_of(f, place);
}

void folder_tell_unknown(const struct folder *f)
{
	const char *missing = f->knows_host ? f->knows_service ? NULL : "service" :
			      f->knows_service ? "host" : "host and service";

	if (missing)
		show_printf(stderr, "gotap: '%s' does not say its %s: the folders are those of "
			    "'unknown'; see --host and --service\n", f->trace, missing);
	if (!f->knows_date)
		show_printf(stderr, "gotap: '%s' does not say the time of day: its times count "
			    "from 1970-01-01\n", f->trace);
}

/* --- files --- */

int folder_make(const char *path, struct error *err)
{
	_cleanup_free_ char *part = xstrdup(path);
	char *slash = part;

	while ((slash = strchr(slash + 1, '/'))) {
		*slash = 0;
		if (mkdir(part, 0777) && errno != EEXIST)
			return error_set(err, -errno, "cannot make the folder '%s': %s", part,
					 strerror(errno));
		*slash = '/';
	}
	return 0;
}

/*
 * Removes the file at @path, which an earlier gotap left when it was killed: without its end nobody
 * can read it. A file that does not begin with the four bytes @begin stays, and is named.
 */
static void remove_leftover(const char *path, const char *begin)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char head[4];

	if (fd >= 0 && read(fd, head, sizeof(head)) == sizeof(head) && !memcmp(head, begin, 4))
		unlink(path);
	else
		leftover_tell(path);
}

int folder_start(struct output *o, const char *path, const char *begin, struct error *err)
{
	int r = output_open(o, path, OUTPUT_BINARY, err);

	if (r)
		return r;
	if (o->leftover)
		remove_leftover(o->leftover, begin);
	return output_begin(o, err);
}

static int folder_open_file(struct folder *f, enum tables_id i, struct error *err)
{
	int r;

	f->paths[i] = xasprintf("%s/host=%s/service=%s/date=%s/%s.parquet", schema_table(i)->name,
				f->used_host, f->used_service, f->date, f->name);
	f->full[i] = xasprintf("%s/%s", f->dir, f->paths[i]);
	r = folder_make(f->full[i], err);
	return r ? r : folder_start(&f->files[i], f->full[i], "PAR1", err);
}

int folder_prepare(const char *dir, struct error *err)
{
	_cleanup_free_ char *inside = xasprintf("%s/x", dir);

	int r = folder_make(inside, err);

	if (!r)
		privilege_reserve_folder(dir);
	return r;
}

static int folder_open_files(struct folder *f, int fds[TABLES], struct error *err)
{
	enum tables_id i;
	int r;

	for (i = 0; i < TABLES; i++) {
		if (!f->wanted[i])
			continue;
		r = folder_open_file(f, i, err);
		if (r)
			return r;
		fds[i] = f->files[i].fd;
	}
	return 0;
}

int folder_open(void *ctx, const struct tableset_place *place, int fds[TABLES], struct error *err)
{
	struct folder *f = ctx;
	int r;

	choose_names(f, place);
	privilege_raise_files();
	r = folder_open_files(f, fds, err);
	privilege_lower_files();
	return r;
}

int folder_keep(struct folder *f, struct error *err)
{
	enum tables_id i;
	int r = 0;

	for (i = 0; i < TABLES && !r; i++)
		if (f->wanted[i])
			r = output_close(&f->files[i], true, err);
	return r;
}

void folder_free(struct folder *f)
{
	enum tables_id i;

	for (i = 0; i < TABLES; i++) {
		output_close(&f->files[i], false, NULL);
		free(f->paths[i]);
		free(f->full[i]);
	}
	free(f->name);
	free(f->used_host);
	free(f->used_service);
}
