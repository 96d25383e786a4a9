/* SPDX-License-Identifier: Apache-2.0 */
/*
 * goarch: facts about an architecture that programs of Go are built for. The file of a program
 * names it (e_machine), so that a gotap of any architecture reads programs of all of them. What is
 * known of machine code lies behind target/code.h; what gotap needs of the machine on which it runs
 * itself is in base/arch.h. A port adds a row to goarch.c, and a table of functions to
 * target/code.c.
 */
#ifndef GOTAP_SYMBOL_GOARCH_H
#define GOTAP_SYMBOL_GOARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

enum goarch_id { GOARCH_AMD64, GOARCH_ARM64, GOARCHES };

struct goarch {
	enum goarch_id id;
	const char *name;		/* GOARCH */
	uint16_t elf;			/* e_machine */
	uint32_t elf_relative;		/* the relocation that adds the load bias */
	/*
	 * PCQuantum of internal/goarch: addresses of instructions are multiples of this number, and
	 * the tables of .gopclntab count in units of it
	 */
	uint8_t pc_quantum;
	/* bytes of a direct call instruction; the return address follows it */
	uint8_t call_len;
	/*
	 * a call leaves its return address in a register, and not on the stack; the function stores
	 * it there in its prologue
	 */
	bool has_link;
	/* registers for integer arguments, and for those of floating point (abi-internal.md) */
	uint8_t int_args, float_args;
	/* the first Go release (NN of go1.NN) that passes arguments in registers */
	uint8_t register_args_since;
	uint8_t cache_line;		/* CacheLinePadSize of internal/cpu */
	uint32_t page_most;		/* bytes of the largest page that a kernel may have */
	/*
	 * the registers of a thread as Linux stores them in core files (struct user_regs_struct,
	 * user_pt_regs): the number of words, and which of them are the program counter, the stack
	 * pointer, and the link register (has_link)
	 */
	uint8_t regs, reg_pc, reg_sp, reg_link;
	uint16_t nr_sched_yield;	/* number of sched_yield(2) */
	/*
	 * the first release (NN of go1.NN) in which adjustframe (runtime/stack.go) adjusts the
	 * saved frame pointers of a stack that it copies; 0: each release that gotap supports
	 */
	uint8_t frames_adjusted_since;
};

/*
 * The end of the addresses that programs have: on arm64 memory that is mapped without a hint lies
 * just below it, that of runtime.persistentalloc among it (heapAddrBits of runtime/malloc.go).
 */
#define GOARCH_ADDRESS_END (1ULL << 48)

/* Returns the architecture with this e_machine; NULL if gotap does not know it. */
const struct goarch *goarch_of(uint16_t elf);
/*
 * Likewise of the e_machine in a recording: 0 is amd64, because files of gotap versions without
 * arm64 have 0 in its place.
 */
const struct goarch *goarch_of_recording(uint16_t elf);
/* Returns the architecture on which this gotap runs. */
const struct goarch *goarch_host(void);
/*
 * Returns 0 if programs of @arch can run on this machine; else -ENOTSUP, with a text that calls the
 * program @name.
 */
int goarch_check_host(const struct goarch *arch, const char *name, struct error *err);

#endif
