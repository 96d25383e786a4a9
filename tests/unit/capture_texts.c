// SPDX-License-Identifier: Apache-2.0
/* texts: of our own memory and file, which of them can be had later. */
#define _GNU_SOURCE
#include "unit.h"

#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <unistd.h>

#include "capture/texts.h"

enum { ROOM = 128, NOW = 4711 };

static const char constant[] = "a constant";
static char variable[] = "a variable";

static struct process proc = PROCESS_CLOSED;
static uint64_t missing;
static struct texts texts;
static struct chunk chunk;

/* The first one is the program. */
static int bias_of_program(struct dl_phdr_info *info, size_t size, void *bias)
{
	*(uint64_t *)bias = info->dlpi_addr;
	return 1;
}

static void begin(void)
{
	missing = 0;
	texts_init(&texts, &proc, &missing);
	chunk_reset(&chunk);
}

static void end(void)
{
	texts_free(&texts);
	chunk_free(&chunk);
}

/* A log with a text that a probe has read, where @marks do not say that it could not. */
static void add_log(const char *first, const char *second, unsigned int marks)
{
	size_t at = chunk_segment_begin(&chunk, 0);
	struct rec_user u = {
		.r = { .time = 1, .kind = REC_USER_LOG, .sub = (uint8_t)marks, .ptr = (uintptr_t)first },
		.arg = (uintptr_t)second,
		.len = { (uint16_t)strlen(first), (uint16_t)strlen(second) },
		.room = ROOM,
	};
	char text[ROOM] = "";

	memcpy(text, first, marks & REC_MISSING_FIRST ? 0 : u.len[0]);
	memcpy(text + u.len[0], second, marks & REC_MISSING_SECOND ? 0 : u.len[1]);
	buf_add(&chunk.data, &u, sizeof(u));
	buf_add(&chunk.data, text, sizeof(text));
	chunk_segment_end(&chunk, at);
	missing += (uint64_t)__builtin_popcount(marks);
}

/* What the log holds once the texts are there, and how many the record behind it says are lost. */
static void check_log(const char *first, const char *second, uint64_t lost)
{
	size_t before = chunk.data.len;
	const struct rec_user *u;
	const struct rec_long *l;
	char got[ROOM] = "", want[ROOM];

	texts_fill(&texts, &chunk, before, NOW);
	u = (const void *)(chunk.data.data + sizeof(struct segment));
	CHECK_EQ(u->r.sub, 0);
	CHECK_EQ(u->len[0], strlen(first));
	CHECK_EQ(u->len[1], strlen(second));
	memcpy(got, u->text, u->len[0] + u->len[1]);
	snprintf(want, sizeof(want), "%s%s", first, second);
	CHECK_STR(got, want);
	CHECK_EQ(chunk.data.len - before, lost ? sizeof(*l) : 0);
	l = (const void *)(chunk.data.data + before);
	if (lost) {
		CHECK_EQ(l->r.kind, REC_UNREADABLE);
		CHECK_EQ(l->r.time, NOW);
		CHECK_EQ(l->arg, lost);
	}
}

static void a_constant_is_in_the_file(void)
{
	begin();
	add_log(constant, constant + 2, REC_MISSING_FIRST | REC_MISSING_SECOND);
	check_log(constant, constant + 2, 0);
	end();
}

/* Its bytes in the file are those that it began with. */
static void a_variable_is_lost(void)
{
	variable[0] = 'A';
	begin();
	add_log(variable, constant, REC_MISSING_FIRST | REC_MISSING_SECOND);
	check_log("", constant, 1);
	end();
	begin();
	add_log(constant, variable, REC_MISSING_SECOND);
	check_log(constant, "", 1);
	end();
}

static void what_was_read_stays(void)
{
	begin();
	add_log(variable, constant, 0);
	check_log(variable, constant, 0);
	end();
}

static void what_lies_nowhere_is_lost(void)
{
	begin();
	add_log(constant, constant, REC_MISSING_FIRST);
	((struct rec_user *)(chunk.data.data + sizeof(struct segment)))->r.ptr = 8;
	check_log("", constant, 1);
	end();
}

int main(void)
{
	CHECK(!procfs_open(&proc.fs, NULL, &(struct error){0}));
	proc.pid = getpid();
	proc.exe_file = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	process_file_path(proc.exe_file, proc.module);
	dl_iterate_phdr(bias_of_program, &proc.bias);
	return unit_main((struct unit_case[]){
		UNIT(a_constant_is_in_the_file),
		UNIT(a_variable_is_lost),
		UNIT(what_was_read_stays),
		UNIT(what_lies_nowhere_is_lost),
		{ 0 },
	});
}
