// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_heap: any changes to the memory that has the buckets of a profile. The process is the fuzzer
 * itself. A change may be an address in that memory, so that lists lead somewhere; a hash becomes
 * the right one where the input asks for it, so that records get beyond it.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <string.h>
#include <unistd.h>

#include "heap/buckets.h"
#include "heap/heap.h"

enum {
	WORDS = 1 << 12, TEXT = 0x1000, TEXT_END = 0x2000, HEAD_WORDS = 4, HEADER = 6,
	FIRST = 16, BUCKETS = 8, STACK = 4, EACH = HEADER + STACK + BUCKET_COUNTS, CHANGE = 10,
};

static uint64_t memory[WORDS];
static struct process self = PROCESS_CLOSED;

/* Gives the bucket at word @i the hash of its stack. */
static void seal_bucket(size_t i)
{
	uint64_t n = memory[i + 5];

	if (n < BUCKET_DEPTH && i + HEADER + n < WORDS)
		memory[i + 3] = bucket_hash(memory + i + HEADER, n, memory[i + 4]);
}

static void seal_all(void)
{
	size_t i;

	for (i = HEAD_WORDS; i + HEADER < WORDS; i++)
		if (memory[i + 3] == 'S')
			seal_bucket(i);
}

/* A list of sound buckets, the first one at word FIRST. */
static void make_list(int minor, enum heap_kind kind)
{
	size_t i, k, at;

	memset(memory, 0, sizeof(memory));
	memory[0] = (uint64_t)(uintptr_t)&memory[FIRST];
	memory[1] = 512 << 10;
	memory[2] = 9;
	for (i = 0; i < BUCKETS; i++) {
		at = FIRST + i * EACH;
		memory[at + 1] = i + 1 < BUCKETS ? (uint64_t)(uintptr_t)&memory[at + EACH] : 0;
		memory[at + 2] = kind;
		memory[at + 4] = kind == HEAP_MEMORY ? 48 : 0;
		memory[at + 5] = STACK;
		for (k = 0; k < STACK; k++)
			memory[at + HEADER + k] = TEXT + 16 * i + k + 1;
		memory[at + HEADER + STACK] = 5;
		memory[at + HEADER + STACK + 2] = minor < 27 && kind == HEAP_MEMORY ? 5 * 48 : 0;
		seal_bucket(at);
	}
}

/*
 * Each change is two bytes, the number of a word, and eight bytes of its value; a value with the
 * upper bits 1 << 40 becomes the address of a word.
 */
static void change_memory(const uint8_t *data, size_t size)
{
	uint64_t value;
	uint16_t at;

	for (; size >= CHANGE; data += CHANGE, size -= CHANGE) {
		memcpy(&at, data, sizeof(at));
		memcpy(&value, data + sizeof(at), sizeof(value));
		if (value >> 40 == 1)
			value = (uint64_t)(uintptr_t)&memory[value % WORDS];
		memory[at % WORDS] = value;
	}
	seal_all();
}

static void check_profile(const struct heap_profile *p, int minor)
{
	size_t i;

	for (i = 0; i < p->records.len; i++) {
		const struct heap_record *r = vec_at(&p->records, struct heap_record, i);

		must(r->first + r->n <= p->pcs.len, "a stack lies in the list of addresses");
		must(r->n <= (minor < 23 ? 32 : BUCKET_DEPTH), "it is no deeper than those of Go");
		must(r->published.frees <= r->published.allocs, "no more is freed than allocated");
		(void)heap_scaled((int64_t)(r->now.allocs - r->now.frees), r->size,
				  heap_scale(r->size, p->rate));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const int minors[] = { 15, 19, 22, 23, 26, 27 };
	static const struct heap_text text = { TEXT, TEXT_END };
	uint64_t at = (uint64_t)(uintptr_t)memory;
	struct profile_vars vars = { at, at, at, at + 16, at + 8, at + 24, at + 24, 0 };
	struct heap_opts opts = { .proc = &self, .vars = &vars, .text = &text, .ntext = 1 };
	struct heap_profile p;
	struct error err;

	if (size < 2)
		return 0;
	if (!self.pid) {
		self.pid = getpid();
		if (procfs_open(&self.fs, NULL, &err))
			abort();
	}
	opts.minor = minors[data[0] % (sizeof(minors) / sizeof(minors[0]))];
	opts.kind = 1 + data[1] % 3;
	make_list(opts.minor, opts.kind);
	change_memory(data + 2, size - 2);
	if (!heap_read(&p, &opts, &err))
		check_profile(&p, opts.minor);
	heap_free(&p);
	return 0;
}
