// SPDX-License-Identifier: Apache-2.0
/*
 * target: the machine code of arm64, judged by objdump, on a machine of any architecture. The
 * environment variable GOTAP_TEST_ARM64 names cross-built programs (separated by blanks; made by
 * tests/arm64.bats); one test line for each program and question. Without it everything is skipped.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "symbol/pclntab.h"
#include "target/arm64/walk.h"
#include "target/code_ops.h"
#include "target/offsets.h"

/* An instruction as objdump prints it: "ldr\tx16, [x28, #16]", without the symbol and the comment (//). */
struct line {
	uint64_t addr;
	uint32_t word;
	char name[16], args[88];
};

static struct vec lines;	/* the whole text of the program, by address */
static int tests, failures, shown;

static void report(bool ok, const char *what, const char *program)
{
	tests++;
	failures += !ok;
	printf("%s %d - %s: %s\n", ok ? "ok" : "not ok", tests, program, what);
	fflush(stdout);
}

/* Prints the first lines that differ; returns false. */
static bool differs(const struct line *l, const char *what)
{
	enum { SHOWN = 20 };

	if (shown++ < SHOWN)
		printf("# %" PRIx64 ": %08x %s %s: %s\n", l->addr, l->word, l->name, l->args, what);
	return false;
}

static void disassemble(const struct gobin *b)
{
	uint64_t start, end;
	char command[4096], text[512];
	FILE *f;

	gobin_text_range(b, &start, &end);
	snprintf(command, sizeof(command), "aarch64-linux-gnu-objdump -d --start-address=0x%" PRIx64
		 " --stop-address=0x%" PRIx64 " '%s'", start, end, gobin_path(b));
	lines.len = 0;
	f = popen(command, "r");
	while (f && fgets(text, sizeof(text), f)) {
		struct line l = {0};

		if (sscanf(text, " %" SCNx64 ":\t%x \t%15[^\t\n]\t%87[^\n]", &l.addr, &l.word, l.name,
			   l.args) < 3)
			continue;
		if (strstr(l.args, "//"))
			*strstr(l.args, "//") = 0;
		l.args[strcspn(l.args, "<")] = 0;	/* a symbol */
		*(struct line *)vec_push(&lines, sizeof(l)) = l;
	}
	if (f)
		pclose(f);
}

/* Words lie one after the other, but for gaps between functions that objdump leaves out ("..."). */
static size_t line_after(uint64_t addr)
{
	size_t lo = 0, hi = lines.len;

	while (lo < hi) {
		size_t mid = (lo + hi) / 2;

		if (vec_at(&lines, struct line, mid)->addr < addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

static const struct line *line_at(uint64_t addr)
{
	size_t i = line_after(addr);

	return i < lines.len && vec_at(&lines, struct line, i)->addr == addr ?
		       vec_at(&lines, struct line, i) : NULL;
}

static bool named(const struct line *l, const char *name)
{
	return !strcmp(l->name, name);
}

static bool starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

/* --- the decoder --- */

/* The number of the register that begins @s: x0 to x30, w0 to w30, sp, xzr; -1: another operand. */
static int register_of(const char *s)
{
	int n, at = 0;

	if (starts(s, "sp") || starts(s, "wsp"))
		return ARM64_SP;
	if (starts(s, "xzr") || starts(s, "wzr"))
		return -2;
	return (*s == 'x' || *s == 'w') && sscanf(s + 1, "%d%n", &n, &at) == 1 && at && n < 31 ? n : -1;
}

static bool branch_agrees(const struct line *l, const struct arm64_insn *insn)
{
	static const struct { const char *name; enum arm64_op op; } branches[] = {
		{ "b", ARM64_B }, { "bl", ARM64_BL }, { "cbz", ARM64_CBZ }, { "cbnz", ARM64_CBNZ },
		{ "tbz", ARM64_TBZ }, { "tbnz", ARM64_TBNZ }, { "ret", ARM64_RET },
		{ "br", ARM64_BR }, { "blr", ARM64_BLR },
	};
	const char *target = strrchr(l->args, ',') ? strrchr(l->args, ',') + 1 : l->args;
	enum arm64_op op = starts(l->name, "b.") ? ARM64_B_COND : ARM64_OTHER;
	size_t i;

	for (i = 0; i < sizeof(branches) / sizeof(branches[0]); i++)
		if (named(l, branches[i].name))
			op = branches[i].op;
	if (op == ARM64_OTHER)
		return (!arm64_is_jump(insn) && !arm64_is_call(insn) && insn->op != ARM64_RET &&
			insn->op != ARM64_BR) || differs(l, "no branch");
	if (insn->op != op)
		return differs(l, "another branch");
	if (op == ARM64_RET || op == ARM64_BR || op == ARM64_BLR)
		return true;
	if (op >= ARM64_CBZ && insn->rd != register_of(l->args) && register_of(l->args) >= 0)
		return differs(l, "another register");
	if ((named(l, "b.ls") && insn->cond != ARM64_LS) || (named(l, "b.eq") && insn->cond != ARM64_EQ))
		return differs(l, "another condition");
	return l->addr + (uint64_t)insn->imm == strtoull(target, NULL, 16) ||
	       differs(l, "another target");
}

static bool constant_agrees(const struct line *l, const struct arm64_insn *insn)
{
	const char *value = strstr(l->args, ", #"), *zero = strstr(l->args, ", xzr");
	bool is_mov = named(l, "mov") && (value || zero || strstr(l->args, ", wzr"));
	bool is_orr = named(l, "orr") && value && (zero || strstr(l->args, ", wzr"));
	uint64_t want = value ? strtoull(value + 3, NULL, 0) : 0;

	if (register_of(l->args) < 0 || (!is_mov && !is_orr))
		return true;
	if (*l->args == 'w')
		want = (uint32_t)want;
	return (insn->op == ARM64_CONST && (uint64_t)insn->imm == want &&
		insn->rd == register_of(l->args)) || differs(l, "another constant");
}

/* [x28, #16]; [sp, #-112]!; [sp], #16; [x0] */
static bool memory_agrees(const struct line *l, const struct arm64_insn *insn)
{
	const char *mem = strchr(l->args, '['), *end = mem ? strchr(mem, ']') : NULL, *imm;
	bool load = starts(l->name, "ld"), post, pre;
	long long by;

	if (!end || strstr(mem, "x,") == end - 1 || (!starts(l->name, "ldr") && !starts(l->name, "ldp") &&
	    !starts(l->name, "ldur") && !starts(l->name, "str") && !starts(l->name, "stp") &&
	    !starts(l->name, "stur")))
		return true;
	imm = strchr(mem, '#');
	post = end[1] == ',';
	pre = end[1] == '!';
	by = imm ? strtoll(imm + 1, NULL, 0) : 0;
	if (strchr(mem, ',') && strchr(mem, ',') < end && strchr(mem, ',')[2] != '#')	/* by a register */
		return insn->op == (load ? ARM64_LOAD_AT : ARM64_STORE_AT) || differs(l, "computed");
	if (insn->op != (load ? ARM64_LOAD : ARM64_STORE) || insn->rn != register_of(mem + 1) ||
	    insn->pair != (l->name[2] == 'p'))
		return differs(l, "another access");
	return (insn->imm == (post ? 0 : by) && insn->by == (post || pre ? by : 0)) ||
	       differs(l, "another offset");
}

/* The registers that the first operand, and writeback, show to be written. */
static bool written_agrees(const struct line *l, const struct arm64_insn *insn)
{
	static const char *const readers[] = {
		"st", "cmp", "cmn", "tst", "ccmp", "ccmn", "cb", "tbz", "tbnz", "b.", "br", "bl", "ret", "msr", "prfm", "svc",
		"dmb", "dsb", "isb", "nop", "yield", "dc", "hint", "brk", "udf", ".inst",
	};
	uint32_t base = insn->by ? 1u << insn->rn : 0;
	int first = register_of(l->args);
	bool reads = false;
	size_t i;

	for (i = 0; i < sizeof(readers) / sizeof(readers[0]); i++)
		reads |= starts(l->name, readers[i]) || named(l, "b");
	if (starts(l->name, "cas"))	/* writes its first register, as do stxr and stlxr */
		reads = false;
	if (strchr(l->args, '{') || *l->args == 'v')	/* vectors; the address may move */
		return true;
	if (insn->op == ARM64_STORE_EXCLUSIVE || insn->op == ARM64_BL || insn->op == ARM64_BLR ||
	    insn->op == ARM64_TRAP || starts(l->name, "svc"))
		return true;
	if (reads && insn->op != ARM64_ATOMIC && insn->op != ARM64_ADD_ATOMIC)
		return insn->written == base || differs(l, "writes");
	if (first < 0 || starts(l->name, "ldadd") || starts(l->name, "swp") ||
	    starts(l->name, "ldset") || starts(l->name, "ldclr") || starts(l->name, "ldeor"))
		return true;
	return (insn->written >> first & 1) || differs(l, "does not write");
}

/*
 * Does a kernel refuse it under a uprobe? Those before 6.14 take loads and stores with an order,
 * and compare-and-swap, for exclusives.
 */
static bool is_refused(const struct line *l)
{
	static const char *const names[] = { "ldx", "ldax", "stx", "stlx", "ldar", "stlr", "cas",
					     "msr", "yield", "wf", "sev", "hint" };
	size_t i;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++)
		if (starts(l->name, names[i]))
			return true;
	return false;
}

static bool stepping_agrees(const struct line *l, const struct arm64_insn *insn)
{
	bool literal = starts(l->name, "ldr") && !strchr(l->args, '[');

	if (is_refused(l) || literal)
		return !insn->steppable || differs(l, "may not be stepped");
	return insn->steppable || starts(l->name, "svc") || starts(l->name, "brk") ||
	       starts(l->name, "hlt") || starts(l->name, "udf") || differs(l, "may be stepped");
}

/* Tables in the text (of assembly functions) are no instructions. */
static bool decoder_agrees(const struct gobin *b)
{
	size_t i, unknown = 0;
	bool ok = lines.len > 10000;

	for (i = 0; i < lines.len; i++) {
		const struct line *l = vec_at(&lines, struct line, i);
		struct arm64_insn insn;

		if (arm64_decode(&insn, (const uint8_t *)&l->word, sizeof(l->word))) {
			unknown++;
			continue;
		}
		if (named(l, ".inst") || named(l, "udf"))
			continue;
		ok &= branch_agrees(l, &insn) && constant_agrees(l, &insn) && memory_agrees(l, &insn) &&
		      written_agrees(l, &insn) && stepping_agrees(l, &insn);
	}
	printf("# %zu instructions, %zu words that are none\n", lines.len, unknown);
	return ok && unknown < lines.len / 100;
}

/* --- places of probes --- */

static const char *const probed[] = {
	"runtime.acquirep", "runtime.acquirepNoTrace", "runtime.releasep", "runtime.preemptPark",
	"runtime.stopTheWorldWithSema", "runtime.startTheWorldWithSema", "runtime.procresize",
	"runtime.gcBgMarkStartWorkers", "runtime.coroswitch_m", "runtime.syscallingThread.releaseP",
	"runtime.handoffp", "runtime.execute", "runtime.park_m", "runtime.ready",
	"runtime.goschedImpl", "runtime.goyield_m", "runtime.gdestroy", "runtime.injectglist",
	"runtime.gcAssistAlloc1", "runtime.(*gcControllerState).update",
	"runtime.(*gcControllerState).resetLive", "runtime.(*sweepLocked).sweep",
	"runtime.deductSweepCredit", "runtime.stackfree", "runtime.(*mheap).initSpan",
	"runtime.(*mheap).freeSpanLocked", "runtime/trace.userTaskCreate",
	"runtime/trace.userTaskEnd", "runtime/trace.userRegion", "runtime/trace.userLog",
};

/* The jump of the stack check: b.ls behind a comparison of sp, or of a copy, with g.stackguard. */
static bool is_stack_check(const struct gobin_func *fn, uint32_t offset)
{
	uint64_t at = fn->addr + offset;
	const struct line *site = line_at(at), *before = line_at(at - 4), *first = line_at(fn->addr);

	return site && before && first && named(site, "b.ls") && named(before, "cmp") &&
	       named(first, "ldr") && (strstr(first->args, "[x28, #16]") ||
				       strstr(first->args, "[x28, #24]"));
}

static bool all_sites_are_checks(const struct gobin *b)
{
	size_t i, n = 0;
	bool ok = true;

	for (i = 0; i < sizeof(probed) / sizeof(probed[0]); i++) {
		struct gobin_func fn;
		struct error err = {0};
		struct site site;

		if (gobin_any_func(b, probed[i], &fn))
			continue;
		n++;
		if (prologue_site_of(b, &fn, &site, &err) || !site.drop_taken || site.frame ||
		    site.lost_regs & 0x1ff & ~(gobin_register_args(b) ? 0 : 6) ||
		    !is_stack_check(&fn, site.offset)) {
			printf("# %s: %s%s\n", probed[i], err.text, site.text);
			ok = false;
		}
	}
	return ok && n > 15;
}

/* A conditional branch that no call and no exclusive access is before. */
static bool later_sites_are_simulated(const struct gobin *b)
{
	static const char *const names[] = { "runtime.casgstatus", "runtime.reentersyscall" };
	struct gobin_func fn;
	struct site site;
	bool ok = true;
	size_t i;
	uint64_t at;

	for (i = 0; i < 1 + (gobin_go_minor(b) >= 26); i++) {
		const struct line *l;

		if (gobin_func(b, names[i], &fn) || prologue_site_of(b, &fn, &site, NULL))
			return false;
		l = line_at(fn.addr + site.offset);
		ok &= l && !site.drop_taken && (starts(l->name, "b.") || starts(l->name, "cb") ||
						starts(l->name, "tb"));
		for (at = fn.addr; at < fn.addr + site.offset; at += ARM64_LEN)
			ok &= line_at(at) && !starts(line_at(at)->name, "b");
	}
	return ok;
}

static bool is_branch(const struct line *l)
{
	return named(l, "b") || named(l, "bl") || named(l, "br") || named(l, "blr") || named(l, "ret") ||
	       starts(l->name, "b.") || starts(l->name, "cb") || starts(l->name, "tb");
}

/* Returns whether a jump of @f leads to @addr or to an instruction before it in @f. */
static bool is_run_again(const struct pclntab_func *f, uint64_t addr)
{
	size_t i;

	for (i = line_after(f->entry); i < line_after(f->end); i++) {
		const struct line *l = vec_at(&lines, struct line, i);
		const char *comma = strrchr(l->args, ',');
		uint64_t target = strtoull(comma ? comma + 1 : l->args, NULL, 16);

		if (!is_branch(l) || starts(l->name, "bl") || named(l, "br") || named(l, "ret"))
			continue;
		if (target >= f->entry && target <= addr)
			return true;
	}
	return false;
}

/*
 * A place behind the prologue is the first branch or call of the function; before it x29 is set to the
 * function's own frame, and nothing writes x30.
 */
static bool later_site_is_sound(const struct gobin *b, const struct pclntab_func *f, size_t *calls)
{
	struct gobin_func fn = { f->name, f->entry, f->end - f->entry };
	bool framed = false, kept = true;
	struct site site;
	size_t i;

	if (prologue_site_of(b, &fn, &site, NULL) || site.drop_taken)
		return true;
	*calls += site.kind == SITE_CALL;
	for (i = line_after(f->entry); i < line_after(f->entry + site.offset); i++) {
		const struct line *l = vec_at(&lines, struct line, i);

		framed |= (named(l, "sub") || named(l, "add")) && starts(l->args, "x29, sp");
		kept &= !is_branch(l) && (starts(l->name, "st") || !starts(l->args, "x30")) &&
			(!starts(l->name, "ldp") || !strstr(l->args, ", x30"));
	}
	if (!line_at(f->entry + site.offset) || !is_branch(line_at(f->entry + site.offset)) || !kept ||
	    is_run_again(f, f->entry + site.offset) ||
	    (site.kind == SITE_CALL && (!framed || !named(line_at(f->entry + site.offset), "bl")))) {
		printf("# %s: %s\n", f->name, site.text);
		return false;
	}
	return true;
}

static bool all_later_sites_are_sound(const struct gobin *b)
{
	const struct pclntab *t = gobin_table(b);
	size_t i, calls = 0;
	bool ok = t != NULL;

	for (i = 0; t && i < pclntab_funcs(t); i++) {
		struct pclntab_func f;

		if (pclntab_func(t, i, &f))
			ok &= later_site_is_sound(b, &f, &calls);
	}
	printf("# %zu places at a first call\n", calls);
	return ok && calls > 20;
}

/*
 * Returns the constant that the instructions before the call put into @reg, by objdump (mov w1,#2; orr x1,xzr,#0x4;
 * mov x1,xzr); -1: they put none.
 */
static int constant_before(const struct line *call, unsigned int reg)
{
	const struct line *l;
	char x[8], w[8];

	snprintf(x, sizeof(x), "x%u,", reg);
	snprintf(w, sizeof(w), "w%u,", reg);
	for (l = call - 1; l >= vec_at(&lines, struct line, 0); l--) {
		if (named(l, "b") || named(l, "bl") || named(l, "blr") || named(l, "ret"))
			return -1;
		if (!starts(l->args, x) && !starts(l->args, w))
			continue;
		if (starts(l->name, "st") || starts(l->name, "c") || starts(l->name, "tb"))
			continue;
		if (!named(l, "mov") && !named(l, "orr"))
			return -1;
		return strchr(l->args, '#') ? (int)strtol(strchr(l->args, '#') + 1, NULL, 0) :
		       strstr(l->args, "zr") ? 0 : -1;
	}
	return -1;
}

/* The same call sites of casgstatus as objdump's, in the same order, with the same constants. */
static bool call_sites_agree(const struct gobin *b)
{
	struct vec sites = {0};
	struct gobin_func fn;
	size_t i, n = 0, constants = 0;
	bool ok = true;

	if (gobin_func(b, "runtime.casgstatus", &fn))
		return false;
	callsites_find(b, fn.addr, &sites);
	for (i = 0; i < lines.len; i++) {
		const struct line *l = vec_at(&lines, struct line, i);
		const struct callsite *c;
		int second, third;

		if (!named(l, "bl") || strtoull(l->args, NULL, 16) != fn.addr)
			continue;
		if (n == sites.len)
			return differs(l, "one more call");
		c = vec_at(&sites, struct callsite, n++);
		if (c->return_addr != l->addr + ARM64_LEN || !callsite_is_call(b, c))
			ok = differs(l, "no call site");
		callsite_constants(b, c, &second, &third);
		if (gobin_register_args(b) &&
		    (second != constant_before(l, 1) || third != constant_before(l, 2)))
			ok = differs(l, "other constants");
		constants += second >= 0 && third >= 0;
	}
	printf("# %zu calls, %zu with two constants\n", n, constants);
	ok &= n == sites.len && n > 30 && (!gobin_register_args(b) || constants > 20);
	vec_free(&sites);
	return ok;
}

static bool returns_agree_in(const struct gobin *b, const struct pclntab_func *f, size_t *seen)
{
	const uint8_t *code = gobin_bytes(b, f->entry, f->end - f->entry);
	struct vec ends = {0};
	struct function_sweep sweep = { .ends = &ends };
	uint32_t bad = 0;
	size_t i, n = 0;
	bool ok = true, known = code && !code_of(b)->function_sweep(code, f->end - f->entry, &sweep, &bad);

	for (i = line_after(f->entry); known && i < lines.len; i++) {
		const struct line *l = vec_at(&lines, struct line, i);

		if (l->addr >= f->end)
			break;
		if (!named(l, "ret"))
			continue;
		ok &= n < ends.len && f->entry + *vec_at(&ends, uint32_t, n) == l->addr;
		n++;
	}
	ok &= !known || n == ends.len;
	if (!ok || !known)
		printf("# %s: %zu returns, of objdump %zu, %s at +0x%x\n", f->name, ends.len, n,
		       known ? "differ" : "undecodable", bad);
	*seen += n;
	vec_free(&ends);
	vec_free(&sweep.jumps);
	return ok;
}

static bool returns_agree(const struct gobin *b)
{
	const struct pclntab *t = gobin_table(b);
	size_t i, seen = 0;
	bool ok = t != NULL;

	for (i = 0; t && i < pclntab_funcs(t); i++) {
		struct pclntab_func f;

		if (pclntab_func(t, i, &f))
			ok &= returns_agree_in(b, &f, &seen);
	}
	return ok && seen > 1000;
}

/* Tables of assembly functions lie in the text; objdump takes some words for instructions of SVE. */
static bool is_table(const struct line *l)
{
	struct arm64_insn insn;

	return arm64_decode(&insn, (const uint8_t *)&l->word, sizeof(l->word)) != 0;
}

/* Never at a load of a literal, never at or between load- and store-exclusive; anywhere else. */
static bool exclusives_are_spared(const struct gobin *b)
{
	size_t i, inside = 0, loops = 0;
	uint64_t start, end;
	bool ok = true;

	gobin_runtime_range(b, &start, &end);
	for (i = 0; i < lines.len; i++) {
		const struct line *l = vec_at(&lines, struct line, i);
		bool load = starts(l->name, "ldx") || starts(l->name, "ldax");
		bool store = starts(l->name, "stx") || starts(l->name, "stlx");
		bool literal = starts(l->name, "ldr") && !strchr(l->args, '[');

		loops += load && !inside;
		inside = load ? 1 : store ? 0 : inside;
		if (named(l, "ret") || named(l, "bl"))
			inside = 0;
		if ((inside || store || literal) && code_may_probe(b, l->addr))
			ok = differs(l, "would be probed");
		if (!inside && !is_refused(l) && !literal && l->addr >= start && l->addr < end &&
		    !starts(l->name, "svc") && !starts(l->name, "brk") && !starts(l->name, "udf") &&
		    !named(l, ".inst") && !is_table(l) && !code_may_probe(b, l->addr))
			ok = differs(l, "would not be probed");
	}
	printf("# %zu loops of exclusives\n", loops);
	return ok && loops > 10;
}

/* --- places with a value --- */

static bool offsets_agree(const struct gobin *b)
{
	struct go_offsets dwarf, table;
	struct error err;
	bool equal = true;

	if (gobin_dwarf_offsets(b, &dwarf, &err) || go_offsets_from_table(gobin_go_minor(b), &table))
		return false;
#define F(member, type, path, since) \
	equal &= dwarf.member == table.member || \
		 (!strcmp(type, "runtime.synctestBubble") && dwarf.member == GO_OFFSET_NONE);
	GO_OFFSETS(F)
#undef F
	return equal;
}

/* From 1.26 on: the test of a register, which an instruction shortly before has loaded from m.p. */
static bool exit_site_is_sound(const struct gobin *b)
{
	struct go_offsets offsets;
	struct exit_site site;
	struct gobin_func fn;
	const struct line *l;
	char reg[8], load[24];
	int i;

	if (gobin_go_minor(b) < 26)
		return true;
	if (go_offsets_from_table(gobin_go_minor(b), &offsets) ||
	    exitsyscall_site(b, &offsets, &site, NULL) || gobin_func(b, "runtime.exitsyscall", &fn))
		return false;
	l = line_at(fn.addr + site.offset);
	snprintf(reg, sizeof(reg), "x%d,", site.pp_reg);
	snprintf(load, sizeof(load), ", #%u]", offsets.m_p);
	if (!l || (!named(l, "cbz") && !named(l, "cbnz")) || !starts(l->args, reg))
		return false;
	for (i = 1; i < 4; i++)
		if (named(l - i, "ldr") && starts((l - i)->args, reg) && strstr((l - i)->args, load))
			return true;
	return false;
}

/* tbz or cbz behind a load of one byte */
static bool is_flag_jump(uint64_t addr)
{
	const struct line *l = line_at(addr);

	return l && named(l - 1, "ldrb") && (starts(l->name, "tb") || starts(l->name, "cb"));
}

/* At the return of stackalloc x0 and x1 are made of what the site names: checked by its address. */
static bool stack_site_is_sound(const struct gobin *b)
{
	struct stackalloc_site site;
	uint64_t mheap = 0;
	struct gobin_func fn;
	int r = stackalloc_site(b, &site, NULL);

	if (gobin_data_symbol(b, "runtime.mheap_", &mheap) ||
	    (gobin_go_minor(b) >= 19 && stackalloc_mheap(b) != mheap))
		return false;
	if (gobin_go_minor(b) < 23)
		return r == -ENOTSUP;
	return !r && !gobin_func(b, "runtime.stackalloc", &fn) && is_flag_jump(fn.addr + site.offset) &&
	       !site.lo.in_frame && !site.size.in_frame && site.lo.reg != site.size.reg;
}

static bool malloc_site_is_sound(const struct gobin *b)
{
	struct mallocgc_site site;
	struct gobin_func fn;
	int r = mallocgc_site(b, &site, NULL);

	return gobin_go_minor(b) < 22 || (!r && !gobin_func(b, "runtime.mallocgc", &fn) &&
					  is_flag_jump(fn.addr + site.offset) && !site.object.in_frame);
}

/*
 * runtime.load_g adds to the thread pointer what the constants after mrs make, or what is at an address:
 * that of the page (adrp x27, 18f000) and of the load (ldr x27, [x27, #3952]).
 */
static bool tls_g_is_sound(const struct gobin *b)
{
	uint64_t page = 0, slot = 0, offset = 0;
	struct tls_g found;
	struct gobin_func fn;
	size_t i, end;

	code_tls_g(b, &found);
	if (gobin_func(b, "runtime.load_g", &fn) && gobin_func(b, "runtime.load_g.abi0", &fn))
		return false;
	end = line_after(fn.addr + fn.size);
	for (i = line_after(fn.addr); i < end && !named(vec_at(&lines, struct line, i), "mrs"); i++)
		;
	for (i++; i < end; i++) {
		const struct line *l = vec_at(&lines, struct line, i);
		const char *hash = strchr(l->args, '#');

		if (!starts(l->args, "x27"))
			break;
		if (named(l, "adrp"))
			page = strtoull(strchr(l->args, ' '), NULL, 16);
		else if (named(l, "ldr") && hash)
			slot = page + strtoull(hash + 1, NULL, 0);
		else if (named(l, "mov") && hash)
			offset = strtoull(hash + 1, NULL, 0);
		else if ((named(l, "movz") || named(l, "movk")) && hash)
			offset |= strtoull(hash + 1, NULL, 0) << (strstr(l->args, "lsl #16") ? 16 : 0);
	}
	if (found.slot != slot || (!slot && (uint64_t)found.offset != offset))
		printf("# slot 0x%" PRIx64 ", by objdump 0x%" PRIx64 "; offset %" PRId64 ", by objdump %" PRIu64
		       "\n", found.slot, slot, found.offset, offset);
	return found.slot == slot && (slot || (offset && (uint64_t)found.offset == offset));
}

static bool heap_is_asked(const struct gobin *b, enum trace_flag_event event, size_t least)
{
	struct vec sites = {0};
	uint64_t variable = 0, start, end;
	bool ok = !trace_flag_sites(b, event, &sites, &variable, NULL) && sites.len >= least;
	size_t i;

	for (i = 0; i < sites.len; i++)
		ok &= is_flag_jump(vec_at(&sites, struct trace_flag_site, i)->addr);
	gobin_data_range(b, &start, &end);
	vec_free(&sites);
	return ok && variable >= start && variable < end;
}

static bool heap_sites_are_sound(const struct gobin *b)
{
	return gobin_go_minor(b) > 18 ||
	       (heap_is_asked(b, TRACE_FLAG_HEAP, 3) && heap_is_asked(b, TRACE_FLAG_GOAL, 1));
}

/* Since 1.22: all stores of 0 into g.inMarkAssist, and nothing else. */
static bool assist_ends_agree(const struct gobin *b)
{
	struct go_offsets offsets;
	struct gobin_func fn;
	struct vec ends = {0};
	size_t i, n = 0;
	char field[24];
	bool ok;

	if (gobin_go_minor(b) < 22)
		return true;
	if (go_offsets_from_table(gobin_go_minor(b), &offsets) ||
	    gobin_func(b, "runtime.gcAssistAlloc", &fn))
		return false;
	ok = !assist_ends(b, &fn, (int32_t)offsets.g_in_mark_assist, &ends);
	snprintf(field, sizeof(field), ", #%u]", offsets.g_in_mark_assist);
	for (i = line_after(fn.addr); i < lines.len; i++) {
		const struct line *l = vec_at(&lines, struct line, i);

		if (l->addr >= fn.addr + fn.size)
			break;
		if (!named(l, "strb") || !starts(l->args, "wzr") || !strstr(l->args, field))
			continue;
		ok &= n < ends.len && fn.addr + *vec_at(&ends, uint32_t, n) == l->addr;
		n++;
	}
	ok &= n == ends.len && n;
	vec_free(&ends);
	return ok;
}

/* x29 is sp - 8: the word at sp + offset - 8 is written once, by x1, before the call. */
static bool ready_slot_is_known(const struct gobin *b)
{
	struct gobin_func fn, callee;
	char store[32];
	uint64_t at, call;
	int off = 0, r = ready_skip_slot(b, &off, NULL), n = 0;

	if (gobin_go_minor(b) < 22)
		return r == -ENOTSUP;
	if (r || gobin_func(b, "runtime.ready", &fn) || gobin_func(b, "runtime.casgstatus", &callee))
		return false;
	call = callsites_first(b, &fn, callee.addr);
	snprintf(store, sizeof(store), "x1, [sp, #%d]", off - 8);
	for (at = fn.addr; at < call; at += ARM64_LEN)
		n += line_at(at) && named(line_at(at), "str") && !strcmp(line_at(at)->args, store);
	return n == 1;
}

/* systemstack keeps the chain of frames since 1.25; the address is behind its last blr. */
static bool systemstack_is_known(const struct gobin *b)
{
	struct gobin_func fn;
	const struct line *l;
	uint64_t ret;

	if (gobin_func(b, "runtime.systemstack", &fn) && gobin_func(b, "runtime.systemstack.abi0", &fn))
		return false;
	ret = code_systemstack_return(b, &fn);
	l = ret ? line_at(ret - ARM64_LEN) : NULL;
	return gobin_go_minor(b) < 25 ? !ret : l && named(l, "blr");
}

/* --- frames --- */

/* The size of the frame that the prologue makes, and sets x29 one word below it; 0: it does not. */
static unsigned int frame_of(const struct gobin *b, const char *name)
{
	enum { FIRST = 16 };	/* instructions */
	unsigned int size = 0;
	struct gobin_func fn;
	uint64_t at, end;

	if (gobin_func(b, name, &fn))
		return 0;
	end = fn.addr + FIRST * ARM64_LEN;
	for (at = fn.addr; at < end && !size; at += ARM64_LEN)
		if (line_at(at) && named(line_at(at), "str"))
			sscanf(line_at(at)->args, "x30, [sp, #-%u]!", &size);
	return size && line_at(at) && named(line_at(at), "stur") &&
	       !strcmp(line_at(at)->args, "x29, [sp, #-8]") && line_at(at + ARM64_LEN) &&
	       !strcmp(line_at(at + ARM64_LEN)->args, "x29, sp, #0x8") ? size : 0;
}

/* The result of acquireSudog goes to the slot, in the frame of semacquire1. */
static bool sema_slot_is_a_slot(const struct gobin *b)
{
	uint64_t start, end, at, sudog;
	struct gobin_func callee;
	unsigned int frame = frame_of(b, "runtime.semacquire1");
	uint32_t slot;
	char store[32];

	if (sema_slot(b, &start, &end, &slot) || gobin_func(b, "runtime.acquireSudog", &callee))
		return gobin_go_minor(b) > 25;
	for (at = start; at < end; at += ARM64_LEN) {
		const struct line *l = line_at(at);

		if (l && named(l, "bl") && strtoull(l->args, NULL, 16) == callee.addr)
			break;
	}
	sudog = at + ARM64_LEN;
	if (line_at(sudog) && named(line_at(sudog), "ldr") &&	/* a result on the stack */
	    !strcmp(line_at(sudog)->args, "x0, [sp, #8]"))
		sudog += ARM64_LEN;
	snprintf(store, sizeof(store), "x0, [sp, #%u]", slot);
	return slot + 8 <= frame && line_at(sudog) && named(line_at(sudog), "str") &&
	       !strcmp(line_at(sudog)->args, store);
}

/*
 * A parked goroutine has x29 of gopark: what is between that and a slot of gopark's caller is the
 * frame of gopark, whose size amd64's layout does not have: 8 bytes of x29, the frame, the slot.
 */
static bool slots_lie_above_gopark(const struct gobin *b)
{
	enum { READ = 136, POLL_SLOT = 48 };	/* user/live/snapshot_waits.c */
	unsigned int frame = frame_of(b, "runtime.gopark");
	struct gobin_func fn, callee;
	uint64_t start, end, at;
	uint32_t slot;
	bool stored = false;

	if (!frame || gobin_func(b, "runtime.netpollblock", &fn) ||
	    gobin_func(b, "runtime.gopark", &callee))
		return false;
	if (!sema_slot(b, &start, &end, &slot) && 8 + frame + slot + 8 > READ)
		return false;
	for (at = fn.addr; at < fn.addr + fn.size; at += ARM64_LEN) {
		const struct line *l = line_at(at);
		unsigned int reg, imm;

		if (l && named(l, "str") && sscanf(l->args, "x%u, [sp, #%u]", &reg, &imm) == 2)
			stored |= imm == POLL_SLOT;
		if (l && named(l, "bl") && strtoull(l->args, NULL, 16) == callee.addr)
			break;
	}
	return stored && at < fn.addr + fn.size && 8 + frame + POLL_SLOT + 8 <= READ;
}

static const struct {
	const char *name;
	bool (*holds)(const struct gobin *b);
} questions[] = {
	{ "the decoder knows what objdump knows", decoder_agrees },
	{ "sites are the stack checks of functions", all_sites_are_checks },
	{ "sites of functions without a check are simulated", later_sites_are_simulated },
	{ "later sites are the first branch or call, with the return address in its register", all_later_sites_are_sound },
	{ "call sites of casgstatus and their constants are those of objdump", call_sites_agree },
	{ "returns are those of objdump", returns_agree },
	{ "g is where load_g takes it from in thread-local storage", tls_g_is_sound },
	{ "no probe at a literal, none between exclusives", exclusives_are_spared },
	{ "DWARF offsets are those of the table", offsets_agree },
	{ "exitsyscall has its P in a register", exit_site_is_sound },
	{ "stackalloc asks whether to trace", stack_site_is_sound },
	{ "mallocgc asks whether to debug allocations", malloc_site_is_sound },
	{ "up to Go 1.18 the runtime asks whether to trace the heap", heap_sites_are_sound },
	{ "assists end where g.inMarkAssist is cleared", assist_ends_agree },
	{ "ready keeps its skip count above its frame", ready_slot_is_known },
	{ "the sudog of semacquire1 is in its frame", sema_slot_is_a_slot },
	{ "slots of gopark's callers lie above its frame", slots_lie_above_gopark },
	{ "systemstack leads over to the goroutine since Go 1.25", systemstack_is_known },
};

static void judge(const char *path)
{
	struct gobin *b = NULL;
	struct error err = {0};
	size_t i;

	if (gobin_open(&b, path, &err) || gobin_arch(b)->id != GOARCH_ARM64) {
		report(false, err.text, path);
		return;
	}
	disassemble(b);
	for (i = 0; i < sizeof(questions) / sizeof(questions[0]); i++) {
		shown = 0;
		report(questions[i].holds(b), questions[i].name, path);
	}
	gobin_free(b);
}

int main(void)
{
	char *list = strdup(getenv("GOTAP_TEST_ARM64") ? getenv("GOTAP_TEST_ARM64") : ""), *at, *path;

	for (path = strtok_r(list, " ", &at); path; path = strtok_r(NULL, " ", &at))
		judge(path);
	if (!tests)
		printf("ok %d - arm64 # skip no GOTAP_TEST_ARM64\n", ++tests);
	printf("1..%d\n", tests);
	free(list);
	vec_free(&lines);
	return failures != 0;
}
