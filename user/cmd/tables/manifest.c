// SPDX-License-Identifier: Apache-2.0
/* manifest: the list of the files of one trace, with sizes and checksums. See folder.h. */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sha256.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/json_out.h"
#include "cmd/tables/folder.h"
#include "files/leftover.h"
#include "proc/privilege.h"

/* Stores the SHA-256 of the bytes of the file in hexadecimal digits. */
static int checksum_of(const char *path, char ret[65], struct error *err)
{
	_cleanup_close_ int fd = open(path, O_RDONLY | O_CLOEXEC);
	uint8_t part[16384], digest[SHA256_DIGEST_LENGTH];
	SHA256_CTX sum;
	ssize_t n = -1;
	size_t i;

	SHA256Init(&sum);
	while (fd >= 0 && (n = read(fd, part, sizeof(part))) > 0)
		SHA256Update(&sum, part, (size_t)n);
	if (n < 0)
		return error_set(err, -errno, "cannot read '%s': %s", path, strerror(errno));
	SHA256Final(digest, &sum);
	for (i = 0; i < sizeof(digest); i++)
		sprintf(&ret[2 * i], "%02x", digest[i]);
	return 0;
}

int manifest_check(struct manifest *m, struct error *err)
{
	enum tables_id i;
	int r = 0;

	privilege_raise_files();
	for (i = 0; i < TABLES && !r; i++)
		if (m->folder->wanted[i])
			r = checksum_of(m->folder->full[i], m->checksums[i], err);
	privilege_lower_files();
	return r;
}

static void manifest_put_file(struct json_out *j, const struct manifest *m, enum tables_id i)
{
	json_open_object(j, NULL);
	json_put_text(j, "table", schema_table(i)->name);
	json_put_text(j, "path", m->folder->paths[i]);
	json_put_count(j, "rows", tableset_rows(m->tables, i));
	json_put_count(j, "bytes", tableset_bytes(m->tables, i));
	json_put_text(j, "sha256", m->checksums[i]);
	json_close_object(j);
}

static void manifest_put_trace(struct json_out *j, const struct manifest *m)
{
	const struct folder *f = m->folder;
	const char *slash = strrchr(f->trace, '/');
	char id[24];

	json_open_object(j, "trace");
	json_put_text(j, "name", slash ? slash + 1 : f->trace);
	/* As text: many readers of JSON have numbers of 53 bits. */
	snprintf(id, sizeof(id), "%" PRId64, f->trace_id);
	json_put_text(j, "trace_id", id);
	json_put_count(j, "events", tableset_events(m->tables));
	json_put_text(j, "fault", m->fault);
	json_close_object(j);
}

void manifest_put(FILE *out, const void *manifest)
{
	const struct manifest *m = manifest;
	struct json_out j = { .f = out };
	char schema[24];
	enum tables_id i;

	snprintf(schema, sizeof(schema), "%d.%d", SCHEMA_MAJOR, SCHEMA_MINOR);
	json_open_object(&j, NULL);
	json_put_text(&j, "schema", schema);
	json_put_text(&j, "gotap", GOTAP_VERSION);
	manifest_put_trace(&j, m);
	json_put_text(&j, "host", m->folder->used_host);
	json_put_text(&j, "service", m->folder->used_service);
	json_put_text(&j, "date", m->folder->date);
	json_open_array(&j, "files");
	for (i = 0; i < TABLES; i++)
		if (m->folder->wanted[i])
			manifest_put_file(&j, m, i);
	json_close_array(&j);
	json_close_object(&j);
	fputc('\n', out);
}

static char *manifest_path(const struct manifest *m)
{
	return xasprintf("%s/_manifest/%s.json", m->folder->dir, m->folder->name);
}

int manifest_remove(const struct manifest *m, struct error *err)
{
	_cleanup_free_ char *path = manifest_path(m);
	int r = 0;

	privilege_raise_files();
	if (unlink(path) && errno != ENOENT && errno != ENOTDIR)
		r = error_set(err, -errno, "cannot remove '%s': %s", path, strerror(errno));
	privilege_lower_files();
	return r;
}

int manifest_write(const struct manifest *m, struct error *err)
{
	_cleanup_free_ char *path = manifest_path(m);
	struct output o = OUTPUT_CLOSED;
	int r;

	privilege_raise_files();
	r = folder_make(path, err);
	if (!r)
		r = folder_start(&o, path, "{\"sc", err);
	if (!r)
		r = output_put(&o, manifest_put, m, err);
	r = output_end(&o, r, err);
	privilege_lower_files();
	return r;
}
