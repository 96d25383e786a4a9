// SPDX-License-Identifier: Apache-2.0
/*
 * target: the probe site of prologues as the compilers of Go 1.15 to 1.27 wrote
 * them (first bytes of runtime functions), and of code that is none.
 */
#include "unit.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>

#include "target/code_ops.h"
#include "target/x86/insn.h"
#include "target/x86/ready_skip.h"

static size_t from_hex(const char *hex, uint8_t *out, size_t max)
{
	size_t n = 0;
	unsigned int byte;

	for (; *hex && n < max; hex += 2) {
		while (*hex == ' ')
			hex++;
		if (sscanf(hex, "%2x", &byte) != 1)
			break;
		out[n++] = (uint8_t)byte;
	}
	return n;
}

/* --- real prologues --- */

static const struct sample {
	const char *name, *code, *site;
} samples[] = {
	{ "1.15 casgstatus: nosplit, arguments on the stack",
	  "4883ec40 48896c2438 488d6c2438 8b442450 0fbae00c 0f832d010000 0f57c0",
	  "jae at +0x16, frame 0x40" },
	{ "1.15 acquirep: g from thread-local storage",
	  "64488b0c25f8ffffff 483b6110 7648 4883ec10 48896c2408 488d6c2408",
	  "jbe at +0xd, dropped if taken" },
	{ "1.15 procresize: large frame",
	  "64488b0c25f8ffffff 488d4424f8 483b4110 0f8614060000 4881ec88000000",
	  "jbe at +0x12, dropped if taken" },
	{ "1.15 getproccount: huge frame",
	  "64488b0c25f8ffffff 488b7110 4881fedefaffff 0f84e0000000 488d8424a0030000 4829f0"
	  "483d48230000 0f86c9000000 4881ec28200000",
	  "jbe at +0x2b, dropped if taken" },
	{ "1.15 with g by an indirection, as in position independent code",
	  "488b0d00000000 64488b09 483b6110 7648 4883ec10",
	  "jbe at +0xf, dropped if taken" },
	{ "1.19 casgstatus: nosplit, arguments in registers",
	  "4883ec40 48896c2438 488d6c2438 4889442448 895c2450 894c2454 0fbae30c 90 720a"
	  "0fbae10c 7204 39d9 7542 440f117c2428",
	  "jb at +0x20, frame 0x40" },
	{ "1.19 acquirep: split",
	  "493b6610 763e 4883ec10 48896c2408 488d6c2408 4889442418 e842000000",
	  "jbe at +0x4, dropped if taken" },
	{ "1.19 procresize: large frame",
	  "4c8d6424d0 4d3b6610 0f8650080000 4881ecb0000000 4889ac24a8000000",
	  "jbe at +0x9, dropped if taken" },
	{ "1.19 getproccount: huge frame",
	  "4989e4 4981eca81f0000 0f82dd000000 4d3b6610 0f86d3000000 4881ec28200000",
	  "jbe at +0x14, dropped if taken" },
	{ "1.21 casgstatus: nosplit",
	  "55 4889e5 4883ec38 4889442448 894c2454 895c2450 0fbae30c 720b",
	  "push %rbp at +0x0" },
	{ "1.21 acquirep: split",
	  "493b6610 7667 55 4889e5 4883ec30 4889442440 e868000000",
	  "push %rbp at +0x6" },
	{ "1.21 procresize: large frame",
	  "4c8d6424d0 4d3b6610 0f8648080000 55 4889e5 4881eca8000000",
	  "push %rbp at +0xf" },
	{ "1.22 execute: split, far from its end",
	  "493b6610 0f867b010000 55 4889e5 4883ec20 4889442430",
	  "push %rbp at +0xa" },
	{ "1.22 getproccount: huge frame",
	  "4989e4 4981eca81f0000 0f82b7000000 4d3b6610 0f86ad000000 55 4889e5 4881ec20200000",
	  "push %rbp at +0x1a" },
	{ "1.25 stopTheWorldWithSema: checks stackguard1",
	  "4c8d6424d8 4d3b6618 0f8608050000 55 4889e5 4881eca0000000",
	  "push %rbp at +0xf" },
	{ "1.26 syscallingThread.releaseP",
	  "493b6610 0f861c010000 55 4889e5 4883ec30 4889442440 48895c2448",
	  "push %rbp at +0xa" },
	{ "1.27 procresize: frame of more than 128 bytes",
	  "4c8da42458ffffff 4d3b6610 0f86590d0000 55 4889e5 4881ec20010000",
	  "push %rbp at +0x12" },
	{ "a frame of 128 bytes is an add",
	  "4883c480 48896c2478 488d6c2478 85c0 7402 90 c3",
	  "je at +0x10, frame 0x80" },
	{ "a nop serves where the straight code ends without a jump",
	  "4883ec18 48896c2410 90 e800000000 c3",
	  "nop at +0x9, frame 0x18" },
};

static void real_prologues(void)
{
	uint8_t code[128];
	size_t i;

	for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		size_t n = from_hex(samples[i].code, code, sizeof(code));
		struct site site;

		if (x86_prologue_site(code, n, &site))
			strcpy(site.text, "no site");
		if (strcmp(site.text, samples[i].site))
			printf("# %s\n", samples[i].name);
		CHECK_STR(site.text, samples[i].site);
	}
}

static void site_knows_what_is_lost(void)
{
	uint8_t code[64];
	struct site site;
	/* mov 0x50(%rsp),%eax; bt; jae */
	size_t n = from_hex("4883ec40 48896c2438 488d6c2438 8b442450 0fbae00c 7302 90 c3",
			    code, sizeof(code));

	CHECK(!x86_prologue_site(code, n, &site));
	CHECK_EQ(site.lost_regs, 1 << X86_RAX | 1 << X86_RSP | 1 << X86_RBP);
	CHECK_EQ(site.frame, 0x40);
	CHECK_EQ(site.kind, SITE_BRANCH);
	CHECK_EQ(site.cond, X86_COND_AE);
	CHECK(!site.drop_taken);
}

/* --- refusals --- */

static const struct { const char *name, *code; } refused[] = {
	{ "empty", "" },
	{ "cut in the stack check", "493b6610 76" },
	{ "only the jump between the two halves of a huge check",
	  "4989e4 4981eca81f0000 0f82dd000000 c3" },
	{ "flags of the check overwritten before its jump", "493b6610 85c0 7610 55" },
	{ "the check jumps on another condition", "493b6610 7210 55" },
	{ "push inside an open check", "4989e4 55" },
	{ "rsp changes by an unknown amount", "4883e4f0 7402 90 c3" },
	{ "pop before a jump", "5b 7402 90 c3" },
	{ "a call before any site", "e800000000 7402 90 c3" },
	{ "a jump back to the site: it would fire twice", "85c0 7402 90 90 ebfa c3" },
	{ "a jump back to the start", "85c0 7402 90 90 ebf8 c3" },
	{ "unknown code behind the jump: no proof that it runs once", "85c0 7402 06 c3" },
	{ "a predicted jump (prefix) is not emulated", "85c0 2e7402 c3" },
	{ "push of another register", "4154 c3" },
	{ "x87", "d9c0 7402 c3" },
	{ "jump with an operand-size prefix", "85c0 660f8400000000 c3" },
};

static void other_code_is_refused(void)
{
	uint8_t code[128];
	size_t i;

	for (i = 0; i < sizeof(refused) / sizeof(refused[0]); i++) {
		size_t n = from_hex(refused[i].code, code, sizeof(code));
		struct site site;
		int r = x86_prologue_site(code, n, &site);

		if (r != -ENOTSUP)
			printf("# %s: %s\n", refused[i].name, r ? "wrong error" : site.text);
		CHECK(r == -ENOTSUP);
	}
}

static bool is_cheap(const uint8_t *p, const struct site *s)
{
	switch (s->kind) {
	case SITE_FRAME:
		return s->len == 1 && p[0] == 0x55;
	case SITE_CALL:		/* of architectures with a link register */
		break;
	case SITE_NOP:
		return s->len == 1 && p[0] == 0x90;
	case SITE_BRANCH:
		return (s->len == 2 && (p[0] & 0xf0) == 0x70) ||
		       (s->len == 6 && p[0] == 0x0f && (p[1] & 0xf0) == 0x80);
	}
	return false;
}

/* @site must start an instruction of a decoding from the start. */
static bool is_boundary(const uint8_t *code, size_t n, size_t site)
{
	struct x86_insn insn;
	size_t at;

	for (at = 0; at < site; at += insn.len) {
		if (x86_decode(&insn, code + at, n - at))
			return false;
	}
	return at == site;
}

static void sites_of_random_bytes_are_sound(void)
{
	/* bytes that prologues are made of, so that the walk gets somewhere */
	static const uint8_t common[] = {
		0x48, 0x49, 0x4d, 0x3b, 0x66, 0x10, 0x76, 0x55, 0x90, 0x0f, 0x86, 0x89, 0xe4,
		0x83, 0xec, 0x8d, 0x64, 0x24, 0xd0, 0x85, 0xc0, 0x74, 0x72, 0x81, 0xe5,
	};
	uint8_t code[40];
	int i, found = 0;

	srand(7);
	for (i = 0; i < 1000000; i++) {
		size_t n = (size_t)rand() % sizeof(code), k;
		struct site site;

		for (k = 0; k < n; k++)
			code[k] = rand() % 4 ? common[(size_t)rand() % sizeof(common)]
					     : (uint8_t)rand();
		if (x86_prologue_site(code, n, &site))
			continue;
		found++;
		CHECK(site.offset + site.len <= n);
		CHECK(is_cheap(code + site.offset, &site));
		CHECK(is_boundary(code, n, site.offset));
	}
	CHECK(found > 1000);
}

static void cut_prologues_give_no_site_behind_the_cut(void)
{
	uint8_t code[128];
	size_t i, cut;

	for (i = 0; i < sizeof(samples) / sizeof(samples[0]); i++) {
		size_t n = from_hex(samples[i].code, code, sizeof(code));

		for (cut = 0; cut < n; cut++) {
			uint8_t *exact = malloc(cut ? cut : 1);	/* for the sanitizer */
			struct site site;

			memcpy(exact, code, cut);
			if (!x86_prologue_site(exact, cut, &site))
				CHECK(site.offset + site.len <= cut);
			free(exact);
		}
	}
}

/* --- instruction lengths --- */

static const struct { const char *code; int len; } lengths[] = {
	{ "90", 1 }, { "c3", 1 }, { "4157", 2 }, { "0f0b", 2 },
	{ "0f1f840000000000", 8 }, { "660f1f840000000000", 9 },
	{ "64488b0c25f8ffffff", 9 },		/* mov %fs:-8,%rcx */
	{ "49bf8877665544332211", 10 },		/* movabs */
	{ "b901000000", 5 }, { "66b90100", 4 }, { "48c7c001000000", 7 },
	{ "66c7051122334401 00", 9 },		/* movw $1,0x44332211(%rip) */
	{ "f6c101", 3 }, { "f7c101000000", 6 }, { "f7d1", 2 },
	{ "f00fb19190000000", 8 },		/* lock cmpxchg */
	{ "f2410f10442408", 7 }, { "440f117c2428", 6 },
	{ "f3480fb8c1", 5 },			/* popcnt */
	{ "c5f877", 3 }, { "c4e2fbf7c1", 5 },	/* vzeroupper, shrx */
	{ "c4e37d1944240801", 8 },		/* vextractf128 $1 */
	{ "8b04258877665544", -ENOTSUP },	/* too many bytes: see below */
	{ "06", -ENOTSUP }, { "67e800000000", -ENOTSUP }, { "4840 90", -ENOTSUP },
	{ "66669090", -ENOTSUP }, { "62f17c48", -ENOTSUP }, { "ff2d00000000", -ENOTSUP },
	{ "48", -ENODATA }, { "48b8", -ENODATA }, { "8b0425", -ENODATA }, { "", -ENODATA },
};

static void instruction_lengths(void)
{
	size_t i;

	for (i = 0; i < sizeof(lengths) / sizeof(lengths[0]); i++) {
		uint8_t code[32];
		size_t n = from_hex(lengths[i].code, code, sizeof(code));
		struct x86_insn insn;
		int r = x86_decode(&insn, code, n);

		if (n == 8 && code[0] == 0x8b)	/* mov 0x55667788,%eax and one byte more */
			CHECK(!r && insn.len == 7 && insn.base == X86_NO_REG);
		else if (lengths[i].len < 0)
			CHECK(r == lengths[i].len);
		else
			CHECK(!r && insn.len == lengths[i].len);
	}
}

/* --- spilled arguments --- */

static int slot_of(const char *hex, size_t upto, int *off)
{
	uint8_t code[128];
	size_t n = from_hex(hex, code, sizeof(code));

	return x86_spill_slot(code, n, upto, X86_RBX, off);
}

static void spilled_argument_is_found_by_rbp(void)
{
	int off;

	/* push %rbp; mov %rsp,%rbp; sub $0x50,%rsp; mov %rbx,0x68(%rsp); call; ret */
	CHECK(!slot_of("55 4889e5 4883ec50 48895c2468 e800000000 c3", 13, &off));
	CHECK_EQ(off, 24);
	/* 1.19: sub $0x50,%rsp; mov %rbp,0x48(%rsp); lea 0x48(%rsp),%rbp; mov %rbx,0x60(%rsp) */
	CHECK(!slot_of("4883ec50 48896c2448 488d6c2448 48895c2460 e800000000 c3", 19, &off));
	CHECK_EQ(off, 24);
}

static void doubtful_spills_are_refused(void)
{
	int off;

	/* rbx was overwritten before */
	CHECK(slot_of("55 4889e5 4883ec50 31db 48895c2468 e800000000 c3", 15, &off) == -ENOTSUP);
	/* je over the store */
	CHECK(slot_of("55 4889e5 4883ec50 7405 48895c2468 e800000000 c3", 15, &off) == -ENOTSUP);
	/* another value goes to the slot */
	CHECK(slot_of("55 4889e5 4883ec50 48895c2468 48894c2468 e800000000 c3", 18, &off) ==
	      -ENOTSUP);
	/* a local of the function, not the caller's slot */
	CHECK(slot_of("55 4889e5 4883ec50 48895c2420 e800000000 c3", 13, &off) == -ENOTSUP);
	/* never stored; beyond the code */
	CHECK(slot_of("55 4889e5 4883ec50 e800000000 c3", 8, &off) == -ENOTSUP);
	CHECK(slot_of("55 4889e5", 400, &off) == -ENOTSUP);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(real_prologues),
		UNIT(site_knows_what_is_lost),
		UNIT(other_code_is_refused),
		UNIT(sites_of_random_bytes_are_sound),
		UNIT(cut_prologues_give_no_site_behind_the_cut),
		UNIT(instruction_lengths),
		UNIT(spilled_argument_is_found_by_rbp),
		UNIT(doubtful_spills_are_refused),
		{0} });
}
