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

/*
 * An abi.Type as the linker writes it, and behind it its abi.Name. The text has a "*" in front, which is not part of
 * the name.
 */
static const struct {
	uint64_t size, ptr_bytes;
	uint32_t hash;
	uint8_t flags, aligns[3];
	uint64_t equal, gcdata;
	int32_t name, ptr_to_this;
	char text[16];
} types = {
	.size = 48, .ptr_bytes = 8, .flags = 2, .name = 48, .text = "\0\7*main.t",
};

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
	texts_init(&texts, &proc, (uintptr_t)&types, &missing);
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

/*
 * Makes a REC_OBJECT_TYPE record of a probe that could not read the type's name, with @room bytes for the name. Returns
 * the record after texts_fill() has filled it.
 */
static const struct rec_user *filled_type(uint64_t type, uint32_t room)
{
	const struct rec_user u = { .r = { .kind = REC_OBJECT_TYPE, .sub = REC_MISSING_FIRST, .id = type }, .room = room };
	const char text[ROOM] = "";
	size_t at;

	begin();
	at = chunk_segment_begin(&chunk, 0);
	buf_add(&chunk.data, &u, sizeof(u));
	buf_add(&chunk.data, text, room);
	chunk_segment_end(&chunk, at);
	missing = 1;
	texts_fill(&texts, &chunk, chunk.data.len, NOW);
	return (const void *)(chunk.data.data + sizeof(struct segment));
}

static void a_type_is_in_the_file(void)
{
	const struct rec_user *u = filled_type((uintptr_t)&types, ROOM);

	CHECK_EQ(u->r.sub, 0);
	CHECK_EQ(u->r.ptr, 48);
	CHECK_EQ(u->arg, 8);
	CHECK_EQ(u->len[0], 6);
	CHECK(!memcmp(u->text, "main.t", 6));
	CHECK_EQ(texts.lost, 0);
	end();
	u = filled_type((uintptr_t)&types, 0);
	CHECK_EQ(u->len[0], 0);
	end();
}

static void a_type_elsewhere_is_lost(void)
{
	const struct rec_user *u = filled_type((uintptr_t)variable, ROOM);

	CHECK_EQ(u->r.sub, 0);
	CHECK_EQ(u->len[0], 0);
	CHECK_EQ(texts.lost, 1);
	end();
}

/* Returns record @u, with these @n bytes behind it, as texts_fill() leaves it. A probe could not read all of its texts. */
static const struct rec_user *filled(struct rec_user u, const void *text, size_t n)
{
	char room[ROOM] = "";
	size_t at;

	begin();
	memcpy(room, text, n);
	u.room = ROOM;
	at = chunk_segment_begin(&chunk, 0);
	buf_add(&chunk.data, &u, sizeof(u));
	buf_add(&chunk.data, room, sizeof(room));
	chunk_segment_end(&chunk, at);
	missing = 1;
	texts_fill(&texts, &chunk, chunk.data.len, NOW);
	u = *(const struct rec_user *)(chunk.data.data + sizeof(struct segment));
	CHECK_EQ(u.r.sub, 0);
	return (const void *)(chunk.data.data + sizeof(struct segment));
}

/*
 * Makes a REC_USER_LABELS record of a probe that could not read the label's texts: the probe has written the addresses
 * of @key and @value in place of the texts. Returns the label after texts_fill() has filled it.
 */
static struct rec_label filled_label(const char *key, uint8_t key_len, const char *value, uint8_t value_len)
{
	struct rec_user u = {
		.r = { .kind = REC_USER_LABELS, .sub = REC_MISSING_FIRST, .ptr = 8 },
		.arg = 1,
		.len = { sizeof(struct rec_label) },
	};
	struct rec_label l = {
		.flags = REC_LABEL | REC_LABEL_KEY_MISSING | REC_LABEL_VALUE_MISSING, .key_len = key_len, .value_len = value_len,
	};

	memcpy(l.key, &key, sizeof(key));
	memcpy(l.value, &value, sizeof(value));
	memcpy(&l, filled(u, &l, sizeof(l))->text, sizeof(l));
	return l;
}

static void labels_are_in_the_file(void)
{
	struct rec_label l = filled_label(constant, 10, constant + 2, 1), want = {
		.flags = REC_LABEL, .key_len = 10, .value_len = 1, .key = "a constant", .value = "c",
	};

	CHECK(!memcmp(&l, &want, sizeof(l)));
	CHECK_EQ(texts.lost, 0);
	end();
}

static void labels_elsewhere_are_cut(void)
{
	struct rec_label l = filled_label(variable, 10, constant, 3), want = {
		.flags = REC_LABEL | REC_LABEL_KEY_CUT, .value_len = 3, .value = "a c",
	};

	CHECK(!memcmp(&l, &want, sizeof(l)));
	CHECK_EQ(texts.lost, 1);
	end();
}

static const struct rec_user *filled_message(const void *string)
{
	return filled((struct rec_user){
		.r = { .kind = REC_PROGRAM_DIES, .sub = REC_MISSING_SECOND, .ptr = (uintptr_t)string },
	}, "", 0);
}

/*
 * gotap takes the text from the file if the file has the string header that leads to it. The header is a constant only
 * in a program that is not relocated when it is loaded, which this one is: so the text is lost.
 */
static void a_message_is_where_its_string_says(void)
{
	static const struct { uint64_t at, len; } nowhere = { 8, 7 };
	const struct rec_user *u = filled_message(&nowhere);

	CHECK_EQ(u->r.ptr, 8);
	CHECK_EQ(u->len[0], 0);
	CHECK_EQ(texts.lost, 1);
	end();
	u = filled_message(variable);
	CHECK_EQ(u->len[0], 0);
	CHECK_EQ(texts.lost, 1);
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
		UNIT(a_type_is_in_the_file),
		UNIT(a_type_elsewhere_is_lost),
		UNIT(labels_are_in_the_file),
		UNIT(labels_elsewhere_are_cut),
		UNIT(a_message_is_where_its_string_says),
		{ 0 },
	});
}
