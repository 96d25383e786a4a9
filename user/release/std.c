// SPDX-License-Identifier: Apache-2.0
/* std: the packages of Go's standard library. See release.h. */
#include <stdlib.h>
#include <string.h>

#include "release/release.h"

/*
 * The folders of src that contain packages, sorted: those of Go 1.27, and those that only older or
 * experimental releases have. A module path must not begin with one of these names.
 */
static const char *const std[] = {
	"archive", "arena",   "bufio",    "builtin", "bytes",   "cmp",      "compress", "container",
	"context", "crypto",  "database", "debug",   "embed",   "encoding", "errors",   "expvar",
	"flag",    "fmt",     "go",       "hash",    "html",    "image",    "index",    "internal",
	"io",      "iter",    "log",      "maps",    "math",    "mime",     "net",      "os",
	"path",    "plugin",  "reflect",  "regexp",  "runtime", "simd",     "slices",   "sort",
	"strconv", "strings", "structs",  "sync",    "syscall", "testing",  "text",     "time",
	"unicode", "unique",  "unsafe",   "uuid",    "vendor",  "weak",
};

struct part {
	const char *s;
	size_t n;
};

static int std_compare(const void *key, const void *item)
{
	const struct part *part = key;
	const char *name = *(const char *const *)item;
	int c = strncmp(part->s, name, part->n);

	return c ? c : name[part->n] ? -1 : 0;
}

bool release_is_std(const char *func)
{
	struct part first = { func, strcspn(func, "/[(") };

	if (func[first.n] != '/')
		first.n = strcspn(func, ".");
	return bsearch(&first, std, sizeof(std) / sizeof(*std), sizeof(*std), std_compare) != NULL;
}
