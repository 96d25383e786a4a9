// SPDX-License-Identifier: Apache-2.0
/*
 * fuzz_live: any bytes as the memory of a Go program, read as at an attach (live/snapshot.h) and by
 * `gotap stacks` (stacks/goroutines.h). Each record of a snapshot must be whole, and no goroutine
 * has more than its memory can hold.
 *
 * The memory begins with some goroutines, Ms and Ps that point at each other, with the offsets of
 * the release that the first byte of the input chooses. The rest of the input changes words of it:
 * two bytes, the address in units of 4, and eight bytes of a value. Stacks are unwound with the
 * function table of Go's own command, where tests have fetched it.
 */
#define _GNU_SOURCE
#include "fuzz.h"

#include <elf.h>
#include <fcntl.h>
#include <glob.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "live/snapshot.h"
#include "stacks/goroutines.h"
#include "target/offsets.h"

enum {
	PAGE = 4096, BYTES = 64 << 10, CHANGE = 10,
	ALLGS = PAGE, ALLP = PAGE + 32, GCPHASE = PAGE + 64, GS = PAGE + 128, PS = PAGE + 512,
	G_AT = 2 * PAGE, P_AT = 6 * PAGE, M_AT = 10 * PAGE, STACK_AT = 12 * PAGE, STACK = 2048,
	N_GS = 8, N_PS = 2, P_SIZE = 2 * PAGE, PC = 0x401000,
};

static uint8_t memory[BYTES];

static void put(uint64_t at, uint64_t v)
{
	if (at <= BYTES - sizeof(v))
		memcpy(memory + at, &v, sizeof(v));
}

static void put_list(uint64_t slice, uint64_t list, uint64_t first, uint64_t size, uint64_t n)
{
	uint64_t i;

	put(slice, list);
	put(slice + 8, n);
	put(slice + 16, n);
	for (i = 0; i < n; i++)
		put(list + 8 * i, first + i * size);
}

static void put_goroutine(const struct go_offsets *off, uint64_t i)
{
	uint64_t g = G_AT + i * STACK, lo = STACK_AT + i * STACK;

	put(g + off->g_stack_lo, lo);
	put(g + off->g_stack_hi, lo + STACK);
	put(g + off->g_sched_pc, PC);
	put(g + off->g_sched_sp, lo + STACK / 2);
	put(g + off->g_goid, i + 1);
	put(g + off->g_startpc, PC);
	memcpy(memory + g + off->g_atomicstatus, &(uint32_t){ G_RUNNABLE + i % G_WAITING }, 4);
	if (i < N_PS)
		put(g + off->g_m, M_AT + i * PAGE);
}

static void put_thread(const struct go_offsets *off, uint64_t i)
{
	uint64_t m = M_AT + i * PAGE, p = P_AT + i * P_SIZE;

	put(m + off->m_procid, (uint64_t)getpid());
	put(m + off->m_curg, G_AT + i * STACK);
	put(m + off->m_p, p);
	put(p + off->p_m, m);
	memcpy(memory + p + off->p_id, &(uint32_t){ (uint32_t)i }, 4);
}

static void make_memory(const struct go_offsets *off, const uint8_t *data, size_t size)
{
	uint64_t i, v;
	uint16_t at;

	memset(memory, 0, sizeof(memory));
	put_list(ALLGS, GS, G_AT, STACK, N_GS);
	put_list(ALLP, PS, P_AT, P_SIZE, N_PS);
	for (i = 0; i < N_GS; i++)
		put_goroutine(off, i);
	for (i = 0; i < N_PS; i++)
		put_thread(off, i);
	for (; size >= CHANGE; data += CHANGE, size -= CHANGE) {
		memcpy(&at, data, sizeof(at));
		memcpy(&v, data + sizeof(at), sizeof(v));
		put(4ULL * at, v);
	}
}

static void look_at_records(const struct buf *out)
{
	size_t at, n;

	for (at = 0; at < out->len; at += n) {
		const struct rec *r = (const struct rec *)(out->data + at);

		n = record_size(r, out->len - at);
		must(n, "each record is whole");
		must(!rec_is_of_thread(r->kind), "a snapshot has no events");
	}
}

static void take_snapshot(const struct plan *plan, const struct process *proc,
			  const struct roots *roots, bool fits)
{
	struct snapshot_opts opts = { .stack_depth = 32, .fits = fits };
	struct snapshot_counts counts;
	struct buf out = {0};
	struct error err;

	(void)snapshot_names(plan, proc, roots, &out, &err);
	(void)snapshot_fits(plan, proc, NULL);
	(void)snapshot_take(plan, proc, roots, &opts, &out, &counts, &err);
	look_at_records(&out);
	buf_free(&out);
}

static struct symbolizer *symbols(void)
{
	static struct symbolizer *s;
	static bool tried;
	struct error err;
	glob_t found;

	if (tried)
		return s;
	tried = true;
	if (!glob("build/go/go1.2*/bin/go", 0, NULL, &found)) {
		struct symbol_file file = { .path = found.gl_pathv[0] };

		must(!symbolizer_open(&s, &file, SYMBOL_PCLNTAB, &err), err.text);
	}
	globfree(&found);
	return s;
}

static void take_goroutines(const struct plan *plan, const struct process *proc,
			    const struct roots *roots)
{
	struct goroutines_opts opts = {
		.plan = plan, .proc = proc, .roots = roots, .symbols = symbols()
	};
	struct goroutines gs;
	struct error err;
	size_t i, length = 0;

	if (!opts.symbols)
		return;
	(void)goroutines_read(&gs, &opts, &err);
	for (i = 0; i < gs.all.len; i++) {
		const struct goroutine *g = vec_at(&gs.all, struct goroutine, i);

		must(g->goid, "a goroutine has an id");
		length += g->labels ? strlen(g->labels) : 0;
	}
	must(length <= 4096 * (size_t)BYTES, "labels are of the memory");
	goroutines_free(&gs);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct roots roots = { .allgs = ALLGS, .allp = ALLP };
	struct process proc = PROCESS_CLOSED;
	struct plan plan = { .gcphase = GCPHASE, .groups = 1u << GROUP_LABELS };
	static int file = -1;

	if (!size)
		return 0;
	plan.minor = 15 + data[0] % 13;
	plan.arch = goarch_of(data[0] & 0x40 ? EM_AARCH64 : EM_X86_64);
	if (go_offsets_from_table(plan.minor, &plan.offsets))
		return 0;
	if (file < 0)
		file = memfd_create("memory", MFD_CLOEXEC);
	make_memory(&plan.offsets, data + 1, size - 1);
	must(pwrite(file, memory, BYTES, 0) == BYTES, "the memory is written");
	proc.pid = getpid();
	proc.fs = (struct procfs){ .dir = "/proc", .own = true };
	proc.memory = file;
	take_snapshot(&plan, &proc, &roots, data[0] & 0x80);
	take_goroutines(&plan, &proc, &roots);
	return 0;
}
