// SPDX-License-Identifier: Apache-2.0
/*
 * snapshot: the JSON beside a snapshot of a flight recording. See parts.h. A file of gotap's own,
 * which may be damaged or another's: what is missing, or of another type, is left out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/units.h"
#include "cmd/report/parts.h"
#include "proc/json.h"

enum { SNAPSHOT_MOST = 1 << 18, STACKS = 3, FRAMES = 3 };

/* A frame of the JSON, "FUNCTION FILE:LINE", cut into its parts; the caller frees @text. */
struct snapshot_frame {
	char *text;
	const char *function, *file;
	uint64_t line;
};

static struct snapshot_frame snapshot_frame(struct json_object *frame)
{
	struct snapshot_frame ret = { .text = xstrdup(json_text(frame, "")) };
	char *space = strrchr(ret.text, ' '), *colon = strrchr(ret.text, ':');

	ret.function = ret.text;
	ret.file = "";
	if (!space || !colon || colon < space)
		return ret;
	*space = *colon = 0;
	ret.file = space + 1;
	ret.line = strtoull(colon + 1, NULL, 10);
	return ret;
}

static void snapshot_say_stack(struct buf *text, struct json_object *stack)
{
	struct json_object *frames = json_at(stack, "stack");
	size_t i, n = json_length(frames);

	for (i = 0; i < n && i < FRAMES; i++) {
		struct snapshot_frame f = snapshot_frame(json_item(frames, i));

		buf_printf(text, "%s%.200s", i ? " < " : "", f.function);
		free(f.text);
	}
}

/* A time that no recording can have is 0. */
static struct unit_text snapshot_seconds(struct json_object *obj, const char *name)
{
	double seconds = json_real(obj, name);

	return unit_time(seconds > 0 && seconds < 1e9 ? (int64_t)(1e9 * seconds) : 0);
}

/* Is the profile a part of the program's, or of two moments? */
static bool snapshot_is_part(struct json_object *heap)
{
	return *json_text(heap, "cut") || json_number(heap, "refused") > 0 ||
	       json_true(heap, "moved");
}

static void snapshot_say_heap(struct buf *text, struct json_object *heap)
{
	struct json_object *stacks = json_at(heap, "stacks");
	int64_t whole = json_number(heap, "inuse_bytes"), bytes;
	size_t i, n = json_length(stacks);

	buf_printf(text, "By the heap profile of %s before, %s held%s:",
		   snapshot_seconds(heap, "age_s").text,
		   unit_bytes(whole > 0 ? (uint64_t)whole : 0).text,
		   snapshot_is_part(heap) ? ", of what was read (docs/flight.md)" : "");
	for (i = 0; i < n && i < STACKS; i++) {
		bytes = json_number(json_item(stacks, i), "bytes");
		buf_printf(text, "%s %.0f %% ", i ? "," : "",
			   whole > 0 ? 100 * (double)bytes / (double)whole : 0);
		snapshot_say_stack(text, json_item(stacks, i));
	}
	buf_printf(text, ". The profile is %.300s", json_text(heap, "file"));
	if (*json_text(heap, "diff_file"))
		buf_printf(text, ", and what grew in the %s before it %.300s",
			   snapshot_seconds(heap, "diff_s").text,
			   json_text(heap, "diff_file"));
	buf_printf(text, ".");
}

static void snapshot_say_limit(struct buf *text, struct json_object *memory)
{
	const char *of = json_text(memory, "limit_of");

	if (json_number(memory, "limit_bytes") <= 0 || json_number(memory, "used_bytes") < 0)
		return;
	buf_printf(text, "Of %s that %s, %s were used. ",
		   unit_bytes((uint64_t)json_number(memory, "limit_bytes")).text,
		   !strcmp(of, "machine") ? "the machine has" :
		   !strcmp(of, "parent")  ? "a cgroup above its own may have" :
					    "its cgroup may have",
		   unit_bytes((uint64_t)json_number(memory, "used_bytes")).text);
}

/* @sigkill: SIGKILL is known to have ended the program; else its status is not known. */
static void snapshot_say_end(struct buf *text, const char *known_by, bool sigkill)
{
	if (!strcmp(known_by, "runtime"))
		buf_printf(text, "Out of memory: the kernel gave the runtime none, which ended the "
				 "program. ");
	else if (!strcmp(known_by, "oom_kill"))
		buf_printf(text, "Out of memory, most likely: %s, and its cgroup counts one more "
				 "victim of the kernel's OOM killer. ",
			   sigkill ? "SIGKILL ended the program" :
				     "the program ended, with a status that is not known");
	else if (sigkill)
		buf_printf(text, "Out of memory: the kernel's OOM killer ended the program. ");
	else
		buf_printf(text, "Out of memory, most likely: the kernel's OOM killer chose the "
				 "program, the status of which is not known. ");
}

static void snapshot_say_memory(struct buf *text, struct json_object *memory)
{
	struct json_object *heap = json_at(memory, "heap");

	snapshot_say_end(text, json_text(memory, "known_by"),
			 json_true(memory, "sigkill_known"));
	if (strcmp(json_text(memory, "known_by"), "runtime"))
		snapshot_say_limit(text, memory);
	if (heap)
		snapshot_say_heap(text, heap);
	else
		buf_printf(text, "There is no heap profile: %.200s.", json_text(memory, "no_heap"));
}

static void snapshot_find_memory(struct findings *f, struct json_object *memory)
{
	struct json_object *stacks = json_at(memory, "heap\nstacks");
	struct snapshot_frame leaf = { .function = "", .file = "" };
	struct buf text = {0};

	snapshot_say_memory(&text, memory);
	if (json_length(stacks))
		leaf = snapshot_frame(json_item(json_at(json_item(stacks, 0), "stack"), 0));
	findings_out_of_memory(f, &(struct finding_memory){ (const char *)text.data, leaf.function,
							    leaf.file, leaf.line });
	free(leaf.text);
	buf_free(&text);
}

void report_snapshot(const char *trace, struct units *u, struct findings *f)
{
	_cleanup_free_ char *name = xasprintf("%s.json", trace);
	_cleanup_free_ char *text = xcalloc(1, SNAPSHOT_MOST);
	FILE *file = fopen(name, "re");
	size_t n = file ? fread(text, 1, SNAPSHOT_MOST, file) : 0;
	struct json_object *all = n ? json_parse(text, n) : NULL;
	int64_t time = json_number(all, "trigger\nmonotonic_ns");

	if (time > 0)
		units_expect(u, json_text(all, "trigger\nname"), time);
	if (time > 0 && json_at(all, "memory"))
		snapshot_find_memory(f, json_at(all, "memory"));
	json_close(all);
	if (file)
		fclose(file);
}
