// SPDX-License-Identifier: Apache-2.0
/* std: the packages of Go's standard library. See release.h. */
#include <stdlib.h>
#include <string.h>

#include "release/release.h"

/*
 * Folders of src that have packages, sorted: Go 1.27's, and those that an older or experimental
 * release has besides. A module path may not begin with one of them.
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
