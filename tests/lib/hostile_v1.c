// SPDX-License-Identifier: Apache-2.0
/*
 * hostile_v1 KIND BYTES: a trace of header go 1.21 of about that size that
 * makes a reader do as much as it can for each byte. To standard output.
 * Without arguments it names the kinds. Keys are chosen for the splitmix64
 * finalizer, as a hash without a seed.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { BATCH = 1, FREQUENCY = 2, STACK = 3, GO_CREATE = 13, GO_START = 14, GO_END = 15, GO_SCHED = 17,
       GO_SYSCALL = 28, SYSEXIT = 29, GO_SYSBLOCK = 30, STRING = 37, START_LOCAL = 38,
       USER_LOG = 48 };
enum { BY_LENGTH = 3 << 6, RUNNABLE = 1 };

static uint64_t written;

static void put(uint64_t c)
{
	putchar((int)(c & 0xff));
	written++;
}

static void put_number(uint64_t v)
{
	for (; v >= 0x80; v >>= 7)
		put(v | 0x80);
	put(v);
}

static size_t size_of(uint64_t v)
{
	size_t n = 1;

	while (v >>= 7)
		n++;
	return n;
}

/* Up to three values are counted by the type byte; more come with their length. */
static void record(unsigned int type, size_t n, const uint64_t *values)
{
	size_t i, length = 0;

	for (i = 0; i < n; i++)
		length += size_of(values[i]);
	put(n > 3 || type == STACK ? type | BY_LENGTH : type | (unsigned int)(n - 1) << 6);
	if (n > 3 || type == STACK)
		put_number(length);
	for (i = 0; i < n; i++)
		put_number(values[i]);
}

#define RECORD(type, ...) \
	record(type, sizeof((uint64_t[]){ __VA_ARGS__ }) / 8, (uint64_t[]){ __VA_ARGS__ })

static uint64_t hash(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

static uint64_t unhash(uint64_t x)
{
	x = (x ^ x >> 31 ^ x >> 62) * 0x319642b2d24d8ec3ULL;
	x = (x ^ x >> 27 ^ x >> 54) * 0x96de1b173f119089ULL;
	return x ^ x >> 30 ^ x >> 60;
}

/* Their hashes end with the same 40 bits. */
static uint64_t colliding(uint64_t i)
{
	return unhash(i << 40 | 0x5a5a5a5a5aULL);
}

static void goroutines(uint64_t bytes)
{
	uint64_t i;

	for (i = 1; written < bytes; i++)
		RECORD(GO_CREATE, 1, colliding(i), 0, 0);
}

static void plain(uint64_t bytes)
{
	uint64_t i;

	for (i = 1; written < bytes; i++)
		RECORD(GO_CREATE, 1, i << 56 | i, 0, 0);
}

static void stacks(uint64_t bytes)
{
	uint64_t i;

	RECORD(GO_CREATE, 1, 1, 0, 0);
	for (i = 1; written < bytes; i++)
		RECORD(STACK, colliding(i), 1, 1, 0, 0, 1);
}

static void strings(uint64_t bytes)
{
	uint64_t i;

	RECORD(GO_CREATE, 1, 1, 0, 0);
	for (i = 1; written < bytes; i++) {
		RECORD(STRING, colliding(i));
		put_number(1);
		put('x');
	}
}

/* Many Ps wait, and whenever goroutine 7 can run it seems to be what each of them waits for. */
static void needs(uint64_t bytes)
{
	const uint64_t runs = hash(7) ^ hash(UINT64_MAX + 1);
	uint64_t p;

	for (p = 1; written < bytes / 2; p++) {
		RECORD(BATCH, p, 1);
		RECORD(GO_START, 1, p + 100, unhash(runs ^ hash(p + 100)) - 1);
	}
	RECORD(BATCH, 0, 1);
	RECORD(GO_CREATE, 1, 7, 0, 0);
	while (written < bytes) {
		RECORD(START_LOCAL, 1, 7);
		RECORD(GO_SCHED, 1, 0);
	}
}

/* All of one P's text is different. */
static void logs(uint64_t bytes)
{
	uint64_t i;

	RECORD(GO_CREATE, 1, 1, 0, 0);
	RECORD(START_LOCAL, 1, 1);
	for (i = 1; written < bytes; i++) {
		RECORD(USER_LOG, 1, 0, 0, 0);
		put_number(size_of(i));
		put_number(i);
	}
}

/* As programs do: batches of 64 KiB from two Ps, goroutines that come and go, in system calls as well. */
static void batches(uint64_t bytes)
{
	/* A created goroutine is at 1, each GoStartLocal and each GoSysExit moves it on by 1. */
	uint64_t begin, ticks = 1000, g, seq[3] = { 0, 1, 1 };

	for (g = 1; g <= 2; g++)
		RECORD(GO_CREATE, 1, g, 0, 0);
	for (g = 1; written < bytes; g = 3 - g) {
		RECORD(BATCH, g, ticks);
		for (begin = written; written < begin + 65536; ticks += 800) {
			RECORD(START_LOCAL, 200, g);
			RECORD(GO_SYSCALL, 200, 300);
			RECORD(GO_SYSBLOCK, 200);
			RECORD(SYSEXIT, 200, g, seq[g] + 1, ticks + 700);
			seq[g] += 2;
		}
	}
}

/* As in servers: each goroutine makes a system call and ends, and another one begins. */
static void requests(uint64_t bytes)
{
	uint64_t begin, ticks = 1000, g = 1;

	while (written < bytes) {
		RECORD(BATCH, 0, ticks);
		for (begin = written; written < begin + 65536; ticks += 600, g++) {
			RECORD(GO_CREATE, 200, g, 0, 0);
			RECORD(START_LOCAL, 200, g);
			RECORD(GO_SYSCALL, 100, 300);
			RECORD(GO_END, 100);
		}
	}
}

static const struct kind {
	const char *name;
	void (*put)(uint64_t bytes);
} kinds[] = {
	{ "plain", plain },
	{ "goroutines", goroutines },
	{ "stacks", stacks },
	{ "strings", strings },
	{ "needs", needs },
	{ "logs", logs },
	{ "batches", batches },
	{ "requests", requests },
};

int main(int argc, char **argv)
{
	size_t i;

	for (i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		if (argc != 3) {
			puts(kinds[i].name);
		} else if (!strcmp(argv[1], kinds[i].name)) {
			fwrite("go 1.21 trace\0\0", 1, 16, stdout);
			RECORD(BATCH, 0, 1);
			RECORD(FREQUENCY, 1000000000);
			kinds[i].put(strtoull(argv[2], NULL, 10));
		}
	}
	return ferror(stdout) || fflush(stdout);
}
