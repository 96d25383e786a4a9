// SPDX-License-Identifier: Apache-2.0
/* place: see place.h. */
#include "why/place.h"

#include <stdlib.h>
#include <string.h>

/* Folders of src of Go 1.27 that have packages, sorted. A module path may not begin with one of them. */
static const char *const std[] = {
	"archive", "bufio", "builtin", "bytes", "cmp", "compress", "container", "context", "crypto", "database",
	"debug", "embed", "encoding", "errors", "expvar", "flag", "fmt", "go", "hash", "html", "image", "index",
	"internal", "io", "iter", "log", "maps", "math", "mime", "net", "os", "path", "plugin", "reflect",
	"regexp", "runtime", "simd", "slices", "sort", "strconv", "strings", "structs", "sync", "syscall",
	"testing", "text", "time", "unicode", "unique", "unsafe", "uuid", "vendor", "weak",
};

struct part {
	const char *s;
	size_t n;
};

static int compare(const void *key, const void *item)
{
	const struct part *part = key;
	const char *name = *(const char *const *)item;
	int c = strncmp(part->s, name, part->n);

	return c ? c : name[part->n] ? -1 : 0;
}

bool place_is_std(const char *func)
{
	struct part first = { func, strcspn(func, "/[(") };

	if (func[first.n] != '/')
		first.n = strcspn(func, ".");
	return bsearch(&first, std, sizeof(std) / sizeof(*std), sizeof(*std), compare) != NULL;
}

static bool is_runtime(const char *func)
{
	return !strncmp(func, "runtime.", 8) || !strncmp(func, "internal/runtime/", 17);
}

struct place place_of(const struct stack_set *stacks, uint32_t stack)
{
	struct place place = {0}, inner = {0};
	const uint32_t *frames;
	uint32_t n, i;

	frames = stack_set_of(stacks, stack, &n);
	for (i = 0; i < n; i++) {
		const char *func = stack_set_frame_at(stacks, frames[i])->func;

		if (*func && !place_is_std(func)) {
			place = (struct place){ i ? frames[i - 1] : 0, frames[i] };
			break;
		}
		if (!inner.at && !is_runtime(func))
			inner = (struct place){ i ? frames[i - 1] : 0, frames[i] };
	}
	if (place.at)
		return place;
	return inner.at ? inner : (struct place){ 0, n ? frames[0] : 0 };
}

bool place_is_unlock(const struct stack_set *stacks, uint32_t stack)
{
	static const char *const unlocks[] = { "sync.(*Mutex).Unlock", "sync.(*RWMutex).Unlock",
					       "sync.(*RWMutex).RUnlock" };
	const uint32_t *frames;
	uint32_t n, i, j;

	frames = stack_set_of(stacks, stack, &n);
	for (i = 0; i < n && i < 4; i++)
		for (j = 0; j < 3; j++)
			if (!strcmp(stack_set_frame_at(stacks, frames[i])->func, unlocks[j]))
				return true;
	return false;
}

bool place_is_poll(const struct stack_set *stacks, uint32_t stack)
{
	const struct stack_frame *leaf = stack_set_at(stacks, stack, 0);

	return leaf && (!strncmp(leaf->func, "internal/poll.", 14) || !strncmp(leaf->func, "net.", 4));
}
