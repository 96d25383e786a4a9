// SPDX-License-Identifier: Apache-2.0
/*
 * target: probe sites in real programs, judged by objdump. The environment
 * variable GOTAP_TEST_BINARIES names them (separated by blanks; made by
 * tests/prog/build); one test line for each program and question. Without it
 * everything is skipped.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "target/assist.h"
#include "target/callsites.h"
#include "target/exitsyscall.h"
#include "target/code_ops.h"
#include "target/offsets.h"
#include "target/mallocgc.h"
#include "target/prologue.h"
#include "target/ready_skip.h"
#include "target/stackalloc.h"
#include "target/trace_flag.h"
#include "symbol/pclntab.h"
#include "target/x86/insn.h"

/* Functions that gotap may probe; those that a program has must have a site. */
static const char *const probed[] = {
	"runtime.casgstatus", "runtime.acquirep", "runtime.acquirepNoTrace", "runtime.releasep",
	"runtime.preemptPark", "runtime.stopTheWorldWithSema", "runtime.startTheWorldWithSema",
	"runtime.procresize", "runtime.gcBgMarkStartWorkers", "runtime.coroswitch_m",
	"runtime.syscallingThread.releaseP", "runtime.handoffp", "runtime.execute",
	"runtime.park_m", "runtime.ready", "runtime.goschedImpl", "runtime.goyield_m",
	"runtime.gdestroy", "runtime.goexit0", "runtime.runqput", "runtime.injectglist",
	"runtime.gcAssistAlloc1", "runtime.(*gcControllerState).update",
	"runtime.(*gcControllerState).resetLive", "runtime.(*sweepLocked).sweep",
	"runtime.stackfree", "runtime.(*mheap).initSpan", "runtime.(*mheap).freeSpanLocked",
	"runtime/trace.userTaskCreate", "runtime/trace.userTaskEnd", "runtime/trace.userRegion",
	"runtime/trace.userLog",
};

/* Probed only from 1.26 on (earlier casgstatus sees syscalls). */
static const char *const probed_since_26[] = {
	"runtime.reentersyscall", "runtime.entersyscall", "runtime.exitsyscall",
};

struct line {
	uint64_t addr;
	char text[120];
};

static int tests, failures;

static void report(bool ok, const char *what, const char *program)
{
	tests++;
	failures += !ok;
	printf("%s %d - %s: %s\n", ok ? "ok" : "not ok", tests, program, what);
	fflush(stdout);
}

/* Instructions of [start, end) as objdump sees them. */
static struct vec disassemble(const char *path, uint64_t start, uint64_t end)
{
	struct vec lines = {0};
	char command[4096], text[1024];
	FILE *f;

	snprintf(command, sizeof(command), "objdump -d --no-show-raw-insn --start-address=0x%llx "
		 "--stop-address=0x%llx '%s'", (unsigned long long)start, (unsigned long long)end,
		 path);
	f = popen(command, "r");
	while (f && fgets(text, sizeof(text), f)) {
		unsigned long long addr;
		int at = 0;

		if (sscanf(text, " %llx:\t%n", &addr, &at) == 1 && at) {
			struct line *line = vec_push(&lines, sizeof(*line));

			line->addr = addr;
			snprintf(line->text, sizeof(line->text), "%.100s", text + at);
		}
	}
	if (f)
		pclose(f);
	return lines;
}

static bool starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static bool is_cheap(const char *text)
{
	return starts(text, "push   %rbp") || !strcmp(text, "nop\n") ||
	       (text[0] == 'j' && !starts(text, "jmp"));
}

/* Address of the jump of the stack check, 0 if the function begins without one. */
static uint64_t stack_check(const struct vec *lines)
{
	bool compared = false;
	size_t i;

	for (i = 0; i < lines->len && i < 12; i++) {
		const struct line *l = vec_at(lines, struct line, i);

		if (strstr(l->text, "0x10(%r14)") || strstr(l->text, "0x18(%r14)") ||
		    strstr(l->text, "0x10(%rcx)"))
			compared = true;
		else if (compared && starts(l->text, "jbe"))
			return l->addr;
	}
	return 0;
}

/* Is the site an instruction, a cheap one, and not before the end of the stack check? */
static bool is_sound(const struct gobin *b, const struct gobin_func *fn, const struct site *site)
{
	struct vec lines = disassemble(gobin_path(b), fn->addr, fn->addr + fn->size);
	uint64_t addr = fn->addr + site->offset, check = stack_check(&lines);
	bool found = false;
	size_t i;

	for (i = 0; i < lines.len; i++) {
		const struct line *l = vec_at(&lines, struct line, i);

		found |= l->addr == addr && is_cheap(l->text);
	}
	vec_free(&lines);
	return found && (!check || (site->drop_taken ? addr == check : addr > check));
}

static bool has_sound_site(const struct gobin *b, const char *name)
{
	struct error err = {0};
	struct gobin_func fn;
	struct site site;

	if (gobin_func(b, name, &fn))
		return true;
	if (prologue_site_of(b, &fn, &site, &err)) {
		printf("# %s\n", err.text);
		return false;
	}
	if (is_sound(b, &fn, &site))
		return true;
	printf("# %s: %s\n", name, site.text);
	return false;
}

static bool all_sites_are_sound(const struct gobin *b)
{
	size_t i, n = sizeof(probed) / sizeof(probed[0]);
	struct gobin_func fn;
	bool ok = !gobin_func(b, "runtime.casgstatus", &fn);

	for (i = 0; i < n; i++)
		ok &= has_sound_site(b, probed[i]);
	n = gobin_go_minor(b) >= 26 ? sizeof(probed_since_26) / sizeof(probed_since_26[0]) : 0;
	for (i = 0; i < n; i++)
		ok &= has_sound_site(b, probed_since_26[i]);
	return ok;
}

/* All of the text of the program that was asked for last: it takes objdump seconds. */
static struct vec disassemble_text(const struct gobin *b)
{
	static char of[4096];	/* by its path: another gobin can have the same address */
	static struct vec lines;
	uint64_t start, end;

	if (!strcmp(of, gobin_path(b)))
		return lines;
	vec_free(&lines);
	snprintf(of, sizeof(of), "%s", gobin_path(b));
	gobin_text_range(b, &start, &end);
	lines = disassemble(gobin_path(b), start, end);
	return lines;
}

/* The same call sites as objdump's, in the same order, each at an instruction. */
static bool call_sites_agree(const struct gobin *b)
{
	struct vec lines, sites = {0};
	struct gobin_func fn;
	size_t i, n = 0;
	bool ok = true;

	if (gobin_func(b, "runtime.casgstatus", &fn))
		return false;
	callsites_find(b, fn.addr, &sites);
	lines = disassemble_text(b);
	for (i = 0; i < lines.len; i++) {
		const struct line *l = vec_at(&lines, struct line, i);
		unsigned long long target;

		if (sscanf(l->text, "call %llx", &target) != 1 || target != fn.addr)
			continue;
		ok &= n < sites.len &&
		      vec_at(&sites, struct callsite, n)->return_addr == l->addr + 5 &&
		      callsite_is_call(b, vec_at(&sites, struct callsite, n));
		n++;
	}
	ok &= n == sites.len && n > 5;
	vec_free(&sites);
	return ok;
}

static bool is_return(const char *text)
{
	return starts(text, "ret") || starts(text, "repz ret") || starts(text, "bnd ret");
}

/* Are the returns of @f those of @lines, from *@at on? Moves *@at behind the function. */
static bool returns_agree_in(const struct gobin *b, const struct pclntab_func *f,
			     const struct vec *lines, size_t *at, size_t *seen)
{
	const uint8_t *code = gobin_bytes(b, f->entry, f->end - f->entry);
	struct vec ends = {0};
	struct function_sweep sweep = { .ends = &ends };
	uint32_t bad = 0;
	size_t n = 0;
	bool ok = true, known = code && !code_of(b)->function_sweep(code, f->end - f->entry,
								    &sweep, &bad);

	for (; *at < lines->len && vec_at(lines, struct line, *at)->addr < f->end; ++*at) {
		const struct line *l = vec_at(lines, struct line, *at);

		if (!known || l->addr < f->entry || !is_return(l->text))
			continue;
		ok &= n < ends.len && f->entry + *vec_at(&ends, uint32_t, n) == l->addr;
		n++;
	}
	ok &= !known || n == ends.len;
	if (!ok || !known)
		printf("# %s: %zu returns, of objdump %zu, %s\n", f->name, ends.len, n,
		       known ? "differ" : "undecodable");
	*seen += n;
	vec_free(&ends);
	vec_free(&sweep.jumps);
	return ok;
}

/* The returns of all functions are those that objdump sees; few functions cannot be decoded. */
static bool returns_agree(const struct gobin *b)
{
	const struct pclntab *t = gobin_table(b);
	struct vec lines = disassemble_text(b);
	size_t i, at = 0, seen = 0;
	bool ok = true;

	for (i = 0; t && i < pclntab_funcs(t); i++) {
		struct pclntab_func f;

		if (pclntab_func(t, i, &f))
			ok &= returns_agree_in(b, &f, &lines, &at, &seen);
	}
	return ok && (!t || seen > 1000);
}

/* The linker leaves out the DWARF data of a struct that the program does not use, as that of synctest's bubbles. */
static bool is_equal(const struct go_offsets *dwarf, const struct go_offsets *table)
{
	bool equal = true;

#define F(member, type, path, since) \
	equal &= dwarf->member == table->member || \
		 (!strcmp(type, "runtime.synctestBubble") && dwarf->member == GO_OFFSET_NONE);
	GO_OFFSETS(F)
#undef F
	return equal;
}

static bool offsets_agree(const struct gobin *b)
{
	struct go_offsets dwarf, table;
	const char *source;
	struct error err;

	if (!gobin_has_dwarf(b))
		return true;
	return !gobin_dwarf_offsets(b, &dwarf, &err) &&
	       !go_offsets_for(b, false, &table, &source, &err) && !strcmp(source, "DWARF") &&
	       !go_offsets_from_table(gobin_go_minor(b), &table) &&
	       is_equal(&dwarf, &table);
}

/* From 1.26 on: behind a test of the register that it names. */
static bool exit_site_is_sound(const struct gobin *b)
{
	static const char *const registers[] = { "rax", "rcx", "rdx", "rbx", "rsp", "rbp",
						 "rsi", "rdi" };
	struct go_offsets offsets;
	struct exit_site site;
	struct gobin_func fn;
	struct vec lines;
	char test[40];
	bool ok = false;
	size_t i;

	if (gobin_go_minor(b) < 26)
		return true;
	if (go_offsets_from_table(gobin_go_minor(b), &offsets) ||
	    exitsyscall_site(b, &offsets, &site, NULL) || site.pp_reg > X86_RDI ||
	    gobin_func(b, "runtime.exitsyscall", &fn))
		return false;
	lines = disassemble(gobin_path(b), fn.addr, fn.addr + fn.size);
	snprintf(test, sizeof(test), "test   %%%s,%%%s\n", registers[site.pp_reg],
		 registers[site.pp_reg]);
	for (i = 1; i < lines.len; i++) {
		if (vec_at(&lines, struct line, i)->addr == fn.addr + site.offset)
			ok = !strcmp(vec_at(&lines, struct line, i - 1)->text, test) &&
			     starts(vec_at(&lines, struct line, i)->text,
				    site.cond == X86_COND_E ? "je " : "jne ");
	}
	vec_free(&lines);
	return ok;
}

/* From 1.23 on, unless nothing is inlined: the jump behind the test of a byte in memory. */
static bool stack_site_is_sound(const struct gobin *b)
{
	struct stackalloc_site site;
	struct gobin_func fn, asks;
	struct vec lines;
	uint64_t mheap;
	bool ok = false;
	size_t i;
	int r = stackalloc_site(b, &site, NULL);

	if (gobin_func(b, "runtime.stackalloc", &fn))
		return false;
	if (gobin_go_minor(b) < 23 || (!gobin_func(b, "runtime.traceAllocFreeEnabled", &asks) &&
				       callsites_first(b, &fn, asks.addr)))
		return r == -ENOTSUP;
	if (r)
		return false;
	lines = disassemble(gobin_path(b), fn.addr, fn.addr + fn.size);
	for (i = 1; i < lines.len; i++) {
		if (vec_at(&lines, struct line, i)->addr == fn.addr + site.offset)
			ok = starts(vec_at(&lines, struct line, i - 1)->text, "cmpb   $0x0,0x") &&
			     starts(vec_at(&lines, struct line, i)->text, "je ");
	}
	vec_free(&lines);
	if (!gobin_data_symbol(b, "runtime.mheap_", &mheap))
		ok &= stackalloc_mheap(b) == mheap;
	return ok && !site.lo.in_frame && site.size.in_frame && stackalloc_mheap(b);
}

/* The jump on equal or not equal at @addr, which may have padding in front, tests a byte in memory. */
static bool is_flag_jump(const struct gobin *b, const struct gobin_func *fn, uint64_t addr)
{
	struct vec lines = disassemble(gobin_path(b), fn->addr, fn->addr + fn->size);
	bool ok = false, flag = false;
	size_t i;

	for (i = 0; i < lines.len; i++) {
		const struct line *l = vec_at(&lines, struct line, i);

		if (l->addr == addr)
			ok = flag && (starts(l->text, "je ") || starts(l->text, "jne "));
		if (!starts(l->text, "nop") && !starts(l->text, "xchg   %ax,%ax"))
			flag = starts(l->text, "cmpb   $0x0,0x");
	}
	vec_free(&lines);
	return ok;
}

/* Since 1.22, where the three values are. */
static bool malloc_site_is_sound(const struct gobin *b)
{
	struct mallocgc_site site;
	struct gobin_func fn;
	int r = mallocgc_site(b, &site, NULL);

	if (gobin_go_minor(b) < 22)
		return true;
	return !r && !gobin_func(b, "runtime.mallocgc", &fn) && is_flag_jump(b, &fn, fn.addr + site.offset) &&
	       site.type.in_frame;
}

/* Up to 1.18, the variable that the runtime has under another name in each release. */
static bool heap_is_asked(const struct gobin *b, enum trace_flag_event event, size_t least)
{
	struct vec sites = {0};
	uint64_t variable = 0, start, end;
	bool ok = !trace_flag_sites(b, event, &sites, &variable, NULL) && sites.len >= least;
	size_t i;

	for (i = 0; i < sites.len; i++) {
		const struct trace_flag_site *s = vec_at(&sites, struct trace_flag_site, i);

		ok &= is_flag_jump(b, &s->func, s->addr);
	}
	gobin_data_range(b, &start, &end);
	vec_free(&sites);
	return ok && variable >= start && variable < end;
}

static bool heap_sites_are_sound(const struct gobin *b)
{
	if (gobin_go_minor(b) > 18)
		return true;
	return heap_is_asked(b, TRACE_FLAG_HEAP, 3) && heap_is_asked(b, TRACE_FLAG_GOAL, 1);
}

/* Since 1.22: all stores of 0 into the field, and nothing else. */
static bool assist_ends_agree(const struct gobin *b)
{
	struct go_offsets offsets;
	struct gobin_func fn;
	struct vec lines, ends = {0};
	size_t i, n = 0;
	char store[40];
	bool ok;

	if (gobin_go_minor(b) < 22)
		return true;
	if (go_offsets_from_table(gobin_go_minor(b), &offsets) ||
	    gobin_func(b, "runtime.gcAssistAlloc", &fn))
		return false;
	ok = !assist_ends(b, &fn, (int32_t)offsets.g_in_mark_assist, &ends);
	lines = disassemble(gobin_path(b), fn.addr, fn.addr + fn.size);
	snprintf(store, sizeof(store), "movb   $0x0,0x%x(%%r", (unsigned int)offsets.g_in_mark_assist);
	for (i = 0; i < lines.len; i++) {
		const struct line *l = vec_at(&lines, struct line, i);

		if (!starts(l->text, store))
			continue;
		ok &= n < ends.len && fn.addr + *vec_at(&ends, uint32_t, n) == l->addr;
		n++;
	}
	ok &= n == ends.len && n;
	vec_free(&lines);
	vec_free(&ends);
	return ok;
}

static bool calls_casgstatus(const struct gobin *b, const char *name)
{
	struct gobin_func fn, target;
	struct vec sites = {0};
	bool found = false;
	size_t i;

	if (gobin_func(b, name, &fn) || gobin_func(b, "runtime.casgstatus", &target))
		return false;
	callsites_find(b, target.addr, &sites);
	for (i = 0; i < sites.len; i++)
		found |= vec_at(&sites, struct callsite, i)->func.addr == fn.addr;
	vec_free(&sites);
	return found;
}

/* Since 1.22, unless profile-guided inlining left no call there. */
static bool ready_slot_is_known(const struct gobin *b)
{
	int off = 0, r = ready_skip_slot(b, &off, NULL);

	if (gobin_go_minor(b) < 22 || !calls_casgstatus(b, "runtime.ready"))
		return r == -ENOTSUP;
	return !r && off == 24;
}

static const struct {
	const char *name;
	bool (*holds)(const struct gobin *b);
} questions[] = {
	{ "sites are cheap instructions behind the stack check", all_sites_are_sound },
	{ "call sites of casgstatus are those of objdump", call_sites_agree },
	{ "returns are those of objdump", returns_agree },
	{ "DWARF offsets are those of the table", offsets_agree },
	{ "exitsyscall has its P in a register", exit_site_is_sound },
	{ "stackalloc asks whether to trace", stack_site_is_sound },
	{ "mallocgc asks whether to debug allocations", malloc_site_is_sound },
	{ "up to Go 1.18 the runtime asks whether to trace the heap", heap_sites_are_sound },
	{ "ready keeps its skip count at rbp+24", ready_slot_is_known },
	{ "assists end where g.inMarkAssist is cleared", assist_ends_agree },
};

enum { NQUESTIONS = sizeof(questions) / sizeof(questions[0]) };

static void test_program(const char *path)
{
	struct gobin *b = NULL;
	struct error err;
	int i;

	if (gobin_open(&b, path, &err)) {
		printf("# %s\n", err.text);
		report(false, "opens", path);
		return;
	}
	for (i = 0; i < NQUESTIONS; i++)
		report(questions[i].holds(b), questions[i].name, path);
	gobin_free(b);
}

int main(void)
{
	const char *list = getenv("GOTAP_TEST_BINARIES");
	char *copy = xstrdup(list ? list : ""), *save, *path;
	int i;

	for (path = strtok_r(copy, " \n", &save); path; path = strtok_r(NULL, " \n", &save))
		test_program(path);
	for (i = 0; !tests && i < NQUESTIONS; i++)
		printf("ok %d - %s # skip no GOTAP_TEST_BINARIES\n", i + 1, questions[i].name);
	printf("1..%d\n", tests ? tests : NQUESTIONS);
	free(copy);
	return failures != 0;
}
