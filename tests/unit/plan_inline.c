// SPDX-License-Identifier: Apache-2.0
/*
 * inline: plans for --attach inline of real programs, judged by objdump. The environment variable
 * GOTAP_TEST_BINARIES names them (separated by blanks); one test line for each
 * program and question. Without it everything is skipped. GOTAP_TEST_PLUGIN names a plugin of theirs, if any.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/vec.h"
#include "plan/plan.h"
#include "release/release.h"

enum { NEWEST = RELEASE_NEWEST };

/* Functions that only calls lead to, in every program. */
static const struct {
	enum inline_program inline_program;
	enum program program;
	const char *function;
	int since, until;
} moved[] = {
#define MOVED(program, function, since, until) { INLINE_##program, PROGRAM_##program, function, since, until }
	MOVED(casgstatus,      "runtime.casgstatus",                  17, NEWEST),
	MOVED(proc_start,      "runtime.acquirep",                    17, 25),
	MOVED(proc_start,      "runtime.acquirepNoTrace",             26, NEWEST),
	MOVED(proc_stop,       "runtime.releasep",                    17, NEWEST),
	MOVED(proc_steal,      "runtime.syscallingThread.releaseP",   26, NEWEST),
	MOVED(proc_handoff,    "runtime.handoffp",                    17, 25),
	MOVED(preempt_park,    "runtime.preemptPark",                 26, NEWEST),
	MOVED(syscall_enter,   "runtime.reentersyscall",              26, NEWEST),
	MOVED(procs_change,    "runtime.procresize",                  17, NEWEST),
	MOVED(stw_begin,       "runtime.stopTheWorldWithSema",        21, NEWEST),
	MOVED(gc_begin,        "runtime.gcBgMarkStartWorkers",        17, NEWEST),
	MOVED(assist_begin,    "runtime.gcAssistAlloc1",              17, NEWEST),
	MOVED(heap_update,     "runtime.(*gcControllerState).update", 19, NEWEST),
	MOVED(heap_reset,      "runtime.(*gcControllerState).resetLive", 19, NEWEST),
	MOVED(user_task_begin, "runtime/trace.userTaskCreate",        17, NEWEST),
	MOVED(user_task_end,   "runtime/trace.userTaskEnd",           17, NEWEST),
	MOVED(user_region,     "runtime/trace.userRegion",            17, NEWEST),
	MOVED(user_log,        "runtime/trace.userLog",               17, NEWEST),
#undef MOVED
};

enum { MOVED = sizeof(moved) / sizeof(moved[0]) };

/* What objdump shows of one program. */
struct line {
	uint64_t addr, operand;		/* of a call or jump its target, else the address behind # */
	char text[100];			/* mnemonic and operands */
};

struct subject {
	struct gobin *b;
	struct plan plan;
	struct vec lines;	/* struct line, by address */
	char in_mark_assist[32];	/* that field of a g, as an operand */
	bool plugin;		/* it takes addresses of data from a table */
};

static int tests, failures;

static void report(bool ok, const char *what, const char *program)
{
	tests++;
	failures += !ok;
	printf("%s %d - %s: %s\n", ok ? "ok" : "not ok", tests, program, what);
	fflush(stdout);
}

static bool starts(const char *s, const char *prefix)
{
	return !strncmp(s, prefix, strlen(prefix));
}

static struct probe_point *point_at(const struct subject *s, size_t i)
{
	return vec_at(&s->plan.points, struct probe_point, i);
}

/* --- what objdump shows --- */

static void add_line(struct vec *lines, const char *text)
{
	unsigned long long addr, operand = 0;
	const char *comment = strchr(text, '#');
	struct line *line;
	int at = 0;

	if (sscanf(text, " %llx:\t%n", &addr, &at) != 1 || !at)
		return;
	line = vec_push(lines, sizeof(*line));
	snprintf(line->text, sizeof(line->text), "%.99s", text + at);
	if (comment)
		sscanf(comment, "# %llx", &operand);
	else
		sscanf(text + at, "%*s %llx", &operand);
	line->addr = addr;
	line->operand = operand;
}

static struct vec disassemble(const char *path)
{
	struct vec lines = {0};
	char command[4096], text[1024];
	FILE *f;

	snprintf(command, sizeof(command), "objdump -d --no-show-raw-insn '%s'", path);
	f = popen(command, "r");
	while (f && fgets(text, sizeof(text), f))
		add_line(&lines, text);
	if (f)
		pclose(f);
	return lines;
}

static const struct line *line_at(const struct subject *s, uint64_t addr)
{
	size_t low = 0, high = s->lines.len;

	while (low < high) {
		size_t mid = low + (high - low) / 2;

		if (vec_at(&s->lines, struct line, mid)->addr < addr)
			low = mid + 1;
		else
			high = mid;
	}
	return low < s->lines.len && vec_at(&s->lines, struct line, low)->addr == addr ?
	       vec_at(&s->lines, struct line, low) : NULL;
}

/* --- questions --- */

static bool is_as_in_file(const struct subject *s, const struct probe_point *p)
{
	const uint8_t *bytes = gobin_bytes(s->b, p->addr, p->len);

	return p->len && p->len <= sizeof(p->bytes) && bytes && !memcmp(bytes, p->bytes, p->len);
}

static bool is_flag_test(const struct line *l)
{
	return starts(l->text, "cmpb   $0x0,0x") && strstr(l->text, "(%rip)");
}

static bool patched_point_is_right(const struct subject *s, const struct probe_point *p)
{
	const struct line *l = line_at(s, p->addr);
	bool flag = p->patch == PATCH_FLAG;

	return l && l->operand == p->patch_target && is_as_in_file(s, p) && p->len == (flag ? 7 : 5) &&
	       (flag ? is_flag_test(l) : starts(l->text, "call "));
}

static bool patches_are_instructions(const struct subject *s)
{
	bool ok = true;
	size_t i;

	for (i = 0; i < s->plan.points.len; i++) {
		const struct probe_point *p = point_at(s, i);

		if (!p->patch || patched_point_is_right(s, p))
			continue;
		printf("# %s at 0x%llx: %s\n", p->function, (unsigned long long)p->addr, p->site);
		ok = false;
	}
	return ok && plan_inline_count(&s->plan) > 15;
}

static const char *why_not(const struct subject *s, const char *function)
{
	size_t i;

	for (i = 0; i < s->plan.not_inline.len; i++)
		if (!strcmp(vec_at(&s->plan.not_inline, struct not_inline, i)->function, function))
			return vec_at(&s->plan.not_inline, struct not_inline, i)->why;
	return NULL;
}

/* A call the operand of which lies in two pages stays a uprobe, and the plan says so. */
static bool no_operand_is_in_two_pages(const struct subject *s)
{
	size_t i;

	for (i = 0; i < s->plan.points.len; i++) {
		const struct probe_point *p = point_at(s, i);
		bool torn = p->len == 5 && p->addr % 4096 > 4096 - 5 && p->addr % 4096 < 4095;

		if (torn && (p->patch == PATCH_CALL || !why_not(s, p->function)))
			return false;
		if (torn)
			printf("# %s: 0x%llx: %s\n", p->function, (unsigned long long)p->addr, why_not(s, p->function));
	}
	return true;
}

static bool no_place_has_two(const struct subject *s)
{
	size_t i, j;

	for (i = 0; i < s->plan.points.len; i++)
		for (j = 0; j < i; j++)
			if (point_at(s, i)->addr == point_at(s, j)->addr &&
			    (point_at(s, i)->patch || point_at(s, j)->patch))
				return false;
	return true;
}

static bool is_there(const struct subject *s, size_t i)
{
	struct gobin_func fn;
	int minor = gobin_go_minor(s->b);

	return minor >= moved[i].since && minor <= moved[i].until && !gobin_func(s->b, moved[i].function, &fn);
}

static bool is_expected(const struct subject *s, size_t i)
{
	bool at_calls = s->plan.at_calls & 1u << moved[i].inline_program;

	if (moved[i].inline_program == INLINE_casgstatus)
		return at_calls && s->plan.at_status_calls;
	return at_calls && !why_not(s, moved[i].function);
}

static bool functions_are_moved(const struct subject *s)
{
	bool ok = true;
	size_t i;

	for (i = 0; i < MOVED; i++)
		if (is_there(s, i) && !is_expected(s, i)) {
			printf("# %s\n", moved[i].function);
			ok = false;
		}
	return ok;
}

static bool has_point(const struct subject *s, enum program program, uint64_t addr)
{
	size_t i;

	for (i = 0; i < s->plan.points.len; i++)
		if (point_at(s, i)->program == program && point_at(s, i)->addr == addr)
			return true;
	return false;
}

/* What names the address of the function is a call with a point, or inside of the function. */
static bool only_calls_lead_to(const struct subject *s, const struct gobin_func *fn, enum program program)
{
	bool ok = true;
	size_t i;

	for (i = 0; i < s->lines.len; i++) {
		const struct line *l = vec_at(&s->lines, struct line, i);

		if (l->operand != fn->addr || (starts(l->text, "jmp ") && l->addr - fn->addr < fn->size))
			continue;
		if (starts(l->text, "call ") && has_point(s, program, l->addr))
			continue;
		printf("# 0x%llx: %s", (unsigned long long)l->addr, l->text);
		ok = false;
	}
	return ok;
}

static bool no_call_is_missed(const struct subject *s)
{
	bool ok = true;
	size_t i;

	for (i = 0; i < MOVED; i++) {
		struct gobin_func fn;

		if (moved[i].inline_program != INLINE_casgstatus && is_there(s, i) &&
		    (s->plan.at_calls & 1u << moved[i].inline_program) &&
		    !gobin_func(s->b, moved[i].function, &fn))
			ok &= only_calls_lead_to(s, &fn, moved[i].program);
	}
	return ok;
}

/* From 1.26 on: a test of the flag and a call behind it, or where nothing is inlined a call. */
static bool exit_asks_the_tracer(const struct subject *s)
{
	struct gobin_func asks;
	size_t i, tests_of_flag = 0, calls = 0;
	bool plain = gobin_func(s->b, "runtime.traceAcquire", &asks);

	if (gobin_go_minor(s->b) < 26 || s->plugin)
		return s->plan.exitsyscall_p_reg != EXITSYSCALL_P_OF_M;
	for (i = 0; i < s->plan.points.len; i++) {
		const struct probe_point *p = point_at(s, i);

		if (p->patch == PATCH_FLAG && p->program == PROGRAM_syscall_exit)
			tests_of_flag += p->hook < s->plan.points.len &&
					 point_at(s, p->hook)->patch == PATCH_HOOK_CALL &&
					 point_at(s, p->hook)->program == PROGRAM_guard &&
					 point_at(s, p->hook)->hook == i;
		else if (p->patch && p->program == PROGRAM_syscall_exit)
			calls++;
	}
	return s->plan.exitsyscall_p_reg == EXITSYSCALL_P_OF_M &&
	       (plain ? tests_of_flag == 1 && !calls : tests_of_flag + calls == 1);
}

static const struct probe_point *point_there(const struct subject *s, enum program program, uint64_t addr)
{
	size_t i;

	for (i = 0; i < s->plan.points.len; i++)
		if (point_at(s, i)->program == program && point_at(s, i)->addr == addr)
			return point_at(s, i);
	return NULL;
}

static bool is_question(const struct subject *s, const struct line *l)
{
	const struct probe_point *p = point_there(s, PROGRAM_assist_end, l->addr), *call;

	if (!p || p->patch != PATCH_FLAG)
		return p && p->patch == PATCH_CALL;
	call = p->hook < s->plan.points.len ? point_at(s, p->hook) : NULL;
	return call && call->patch == PATCH_HOOK_CALL && call->program == PROGRAM_guard && point_at(s, call->hook) == p;
}

/* With -N -l the question is a call of traceAcquire, in Go 1.22, too: three of them. */
static bool assists_end_at_calls(const struct subject *s)
{
	struct gobin_func acquire;
	size_t i, calls = 0;

	if (gobin_func(s->b, "runtime.traceAcquire", &acquire))
		return false;
	for (i = 0; i < s->plan.points.len; i++) {
		const struct probe_point *point = point_at(s, i);

		if (point->program != PROGRAM_assist_end)
			continue;
		if (point->patch != PATCH_CALL || point->patch_target != acquire.addr)
			return false;
		calls++;
	}
	return calls == 3;
}

/*
 * Three times: a point at the question, then a call of GCMarkAssistDone and two stores of 0. And no point else. Go 1.22
 * tests a counter of generations instead of a flag.
 */
static bool assists_end_at_questions(const struct subject *s)
{
	struct gobin_func fn, done;
	size_t i, questions = 0, stores = 0, dones = 0, points = 0;
	bool ok = true;

	if (gobin_go_minor(s->b) < 22)
		return true;
	if (gobin_func(s->b, "runtime.gcAssistAlloc", &fn))
		return false;
	if (s->plugin || gobin_go_minor(s->b) < 23 || gobin_func(s->b, "runtime.traceLocker.GCMarkAssistDone", &done))
		return why_not(s, fn.name) != NULL || assists_end_at_calls(s);
	for (i = 0; i < s->lines.len; i++) {
		const struct line *l = vec_at(&s->lines, struct line, i);

		if (l->addr - fn.addr >= fn.size)
			continue;
		questions += is_question(s, l);
		dones += starts(l->text, "call ") && l->operand == done.addr;
		stores += starts(l->text, "movb   $0x0,") && strstr(l->text, s->in_mark_assist);
		ok &= dones <= questions && stores <= 2 * questions;
	}
	for (i = 0; i < s->plan.points.len; i++)
		points += point_at(s, i)->program == PROGRAM_assist_end;
	return ok && dones == 3 && questions == dones && stores == 2 * dones && points == questions;
}

/* The call behind that of trigger, and nothing between the two that could change the goal in RBX. */
static bool goal_is_kept_for_a_call(const struct subject *s)
{
	struct gobin_func trigger, sweeper;
	bool behind = false;
	size_t i;

	if (gobin_go_minor(s->b) < 19)
		return true;
	if (gobin_func(s->b, "runtime.(*gcControllerState).trigger", &trigger) ||
	    gobin_func(s->b, "runtime.gcPaceSweeper", &sweeper))
		return why_not(s, "runtime.gcControllerCommit") != NULL;
	for (i = 0; i < s->lines.len; i++) {
		const struct line *l = vec_at(&s->lines, struct line, i);

		if (starts(l->text, "call ") && l->operand == sweeper.addr && behind)
			return has_point(s, PROGRAM_heap_goal, l->addr);
		if (starts(l->text, "call "))
			behind = l->operand == trigger.addr;
		else if (strstr(l->text, ",%rbx") || strstr(l->text, ",%ebx") || starts(l->text, "j"))
			behind = false;
	}
	return false;
}

/* Each lea of the function value has a call of mcall with a point behind it. */
static bool coroutines_switch_by_mcall(const struct subject *s)
{
	struct gobin_func fn, mcall;
	size_t i, points = 0;

	if (gobin_go_minor(s->b) < 23 || gobin_func(s->b, "runtime.coroswitch_m", &fn))
		return !(s->plan.at_calls & 1u << INLINE_coroswitch);
	if (s->plugin)
		return why_not(s, fn.name) && why_not(s, fn.name)[0];
	if (gobin_func(s->b, "runtime.mcall", &mcall))
		return false;
	for (i = 0; i < s->plan.points.len; i++) {
		const struct probe_point *p = point_at(s, i);

		if (p->program != PROGRAM_coroswitch)
			continue;
		if (p->patch_target != mcall.addr || !starts(p->function, "runtime.coro"))
			return false;
		points++;
	}
	return points >= 2 && (s->plan.at_calls & 1u << INLINE_coroswitch);
}

/* Up to 1.25 preemptPark is a function value; groups that were asked for are named once. */
static bool what_stays_says_why(const struct subject *s)
{
	const char *park = why_not(s, "runtime.preemptPark");
	bool early = gobin_go_minor(s->b) < 26;

	if (early ? !park || !starts(park, "it is pointed to at 0x") : park != NULL)
		return false;
	return why_not(s, "group sweep") && !!why_not(s, "group stacks") == (gobin_go_minor(s->b) >= 23) &&
	       !why_not(s, "group heap");
}

static bool sleepers_are_known(const struct subject *s)
{
	struct gobin_func futex, usleep;

	return !gobin_func_at(s->b, s->plan.futex[0], &futex) && starts(futex.name, "runtime.futex") &&
	       !gobin_func_at(s->b, s->plan.usleep[0], &usleep) && starts(usleep.name, "runtime.usleep") &&
	       s->plan.futex[1] > s->plan.futex[0] && s->plan.usleep[1] > s->plan.usleep[0];
}

/* Nothing of a plan of today has changed. */
static bool today_is_as_it_was(const struct subject *s)
{
	struct plan today;
	struct error err;
	size_t i;
	bool ok = !plan_make(&today, s->b, groups_default(), &err) && !today.at_calls && !today.not_inline.len;

	for (i = 0; i < today.points.len; i++)
		ok &= !vec_at(&today.points, struct probe_point, i)->patch;
	ok &= !plan_inline_count(&today) && today.exitsyscall_p_reg != EXITSYSCALL_P_OF_M;
	plan_release(&today);
	return ok;
}

static const struct {
	const char *name;
	bool (*holds)(const struct subject *s);
} questions[] = {
	{ "what is patched is the instruction that objdump shows", patches_are_instructions },
	{ "no operand of a patched call lies in two pages", no_operand_is_in_two_pages },
	{ "no patched place has two probes", no_place_has_two },
	{ "functions that only calls lead to have their probes there", functions_are_moved },
	{ "nothing else leads to these functions", no_call_is_missed },
	{ "exitsyscall asks the tracer", exit_asks_the_tracer },
	{ "assists end where the tracer is asked", assists_end_at_questions },
	{ "the heap goal is kept for a call", goal_is_kept_for_a_call },
	{ "coroutines switch by mcall", coroutines_switch_by_mcall },
	{ "what stays says why", what_stays_says_why },
	{ "futex and usleep are known", sleepers_are_known },
	{ "a plan for uprobes has nothing of this", today_is_as_it_was },
};

enum { NQUESTIONS = sizeof(questions) / sizeof(questions[0]) };

/* Up to Go 1.16 all stays, and says so. */
static void test_old(struct subject *s, const char *path)
{
	report(!plan_inline_count(&s->plan) && !s->plan.at_calls && why_not(s, "runtime"),
	       "arguments on the stack: all stays", path);
}

/* Does exitsyscall of the program have its one probe at the jump, as that of the plugin has? */
static bool exit_is_moved_back(const struct plan *p)
{
	size_t i, jumps = 0;

	for (i = 0; i < p->points.len; i++) {
		const struct probe_point *point = vec_at(&p->points, struct probe_point, i);

		if (point->program == PROGRAM_guard &&
		    vec_at(&p->points, struct probe_point, point->hook)->program != PROGRAM_assist_end)
			return false;
		jumps += point->program == PROGRAM_syscall_exit && !point->patch;
	}
	return jumps == 2 && p->exitsyscall_p_reg != EXITSYSCALL_P_OF_M;
}

static bool keeps_breakpoints(const struct plan *p, const char *file)
{
	size_t i, n = 0;

	for (i = 0; i < p->points.len; i++) {
		const struct probe_point *point = vec_at(&p->points, struct probe_point, i);

		if (point->file && (point->patch || strcmp(point->file, file)))
			return false;
		n += point->file != NULL;
	}
	return n > 20;
}

/* A program with a plugin: the plugin has no patches, and the two have the same kinds of places. */
static void test_with_plugin(const struct gobin *b, const char *path)
{
	struct subject s = {0};
	struct error err = {0};
	size_t patched;
	bool ok;

	ok = !plan_make_inline(&s.plan, b, groups_default(), &err) && !gobin_open(&s.b, path, &err);
	patched = plan_inline_count(&s.plan);
	ok = ok && !plan_add_plugin(&s.plan, s.b, path, 0x1000, &err);
	if (!ok)
		printf("# %s\n", err.text);
	ok = ok && keeps_breakpoints(&s.plan, path) && why_not(&s, "plugins") &&
	     !(s.plan.at_calls & 1u << INLINE_coroswitch) && (s.plan.at_calls & 1u << INLINE_proc_stop);
	if (gobin_go_minor(b) >= 26)
		ok &= exit_is_moved_back(&s.plan) && plan_inline_count(&s.plan) == patched - 2;
	report(ok, "a plugin keeps its breakpoints", path);
	plan_release(&s.plan);
	gobin_free(s.b);
}

static void test_plan(struct subject *s, const char *path)
{
	const char *mode = gobin_build_setting(s->b, "-buildmode"), *plugin = getenv("GOTAP_TEST_PLUGIN");
	int i;

	if (gobin_go_minor(s->b) < 17) {
		test_old(s, path);
		return;
	}
	s->plugin = mode && !strcmp(mode, "plugin");
	s->lines = disassemble(path);
	snprintf(s->in_mark_assist, sizeof(s->in_mark_assist), ",0x%x(%%r", s->plan.offsets.g_in_mark_assist);
	for (i = 0; i < NQUESTIONS; i++)
		report(questions[i].holds(s), questions[i].name, path);
	vec_free(&s->lines);
	if (plugin && *plugin)
		test_with_plugin(s->b, plugin);
}

static void test_program(const char *path)
{
	struct subject s = {0};
	unsigned int groups;
	struct error err;

	groups_parse("all", &groups);
	if (gobin_open(&s.b, path, &err) || plan_make_inline(&s.plan, s.b, groups, &err)) {
		printf("# %s\n", err.text);
		report(false, "has a plan", path);
	} else {
		test_plan(&s, path);
	}
	plan_release(&s.plan);
	gobin_free(s.b);
}

static void test_list(const char *list)
{
	char *copy = xstrdup(list ? list : ""), *save, *path;

	for (path = strtok_r(copy, " \n", &save); path; path = strtok_r(NULL, " \n", &save))
		test_program(path);
	free(copy);
}

int main(void)
{
	int i;

	test_list(getenv("GOTAP_TEST_BINARIES"));
	for (i = 0; !tests && i < NQUESTIONS; i++)
		printf("ok %d - %s # skip no GOTAP_TEST_BINARIES\n", i + 1, questions[i].name);
	printf("1..%d\n", tests ? tests : NQUESTIONS);
	return failures != 0;
}
