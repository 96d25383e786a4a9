// SPDX-License-Identifier: Apache-2.0
/*
 * findings_place: the place of a stack in the program, and facts about the library functions that
 * the program calls there. See findings.h.
 */
#include <string.h>
#include <strings.h>

#include "release/release.h"
#include "report/findings.h"

enum { OF_PROGRAM = 1, OF_LIBRARY = 2 };

/*
 * Library functions that imply facts about a stack. A '*' at the end of a name stands for any rest.
 */
static const struct {
	const char *func;
	uint16_t traits;
} marks[] = {
	{ "sync.(*Mutex).*", STACK_LOCK },
	{ "sync.(*RWMutex).*", STACK_LOCK },
	{ "sync.(*Once).*", STACK_LOCK },
	{ "internal/sync.(*Mutex).*", STACK_LOCK },
	{ "internal/poll.(*fdMutex).*", STACK_LOCK },
	{ "sync.(*Cond).Broadcast", STACK_BROADCAST },
	{ "runtime.chanrecv*", STACK_RECEIVES },
	{ "net.*", STACK_NET },
	{ "net/http.*", STACK_NET },
	{ "os.(*File).*", STACK_FILE },
	{ "syscall.fsync*", STACK_FILE },
	{ "syscall.Fsync*", STACK_FILE },
	{ "runtime.cgocall*", STACK_C },
	{ "syscall.read*", STACK_IDLE_CALL },
	{ "syscall.Read*", STACK_IDLE_CALL },
	{ "syscall.wait*", STACK_IDLE_CALL },
	{ "syscall.Wait*", STACK_IDLE_CALL },
	{ "syscall.Select*", STACK_IDLE_CALL },
	{ "syscall.Epoll*", STACK_IDLE_CALL },
	{ "syscall.EpollWait*", STACK_IDLE_CALL },
	{ "syscall.accept*", STACK_IDLE_CALL },
	{ "syscall.Accept*", STACK_IDLE_CALL },
	{ "syscall.recv*", STACK_IDLE_CALL },
	{ "syscall.Recv*", STACK_IDLE_CALL },
	{ "syscall.Pause*", STACK_IDLE_CALL },
	{ "syscall.nanosleep*", STACK_IDLE_CALL },
	{ "syscall.Nanosleep*", STACK_IDLE_CALL },
	{ "os.(*Process).*", STACK_IDLE_CALL },
	{ "golang.org/x/sys/unix.Poll*", STACK_IDLE_CALL },
	{ "golang.org/x/sys/unix.Epoll*", STACK_IDLE_CALL },
	{ "golang.org/x/sys/unix.Wait*", STACK_IDLE_CALL },
	{ "golang.org/x/sys/unix.Read*", STACK_IDLE_CALL },
	{ "net.(*Dialer).*", STACK_REQUEST },
	{ "net.(*Resolver).*", STACK_REQUEST },
	{ "net/http.(*persistConn).roundTrip", STACK_REQUEST },
	{ "net/http.(*Client).*", STACK_REQUEST },
	{ "net/http.(*Transport).getConn", STACK_POOL },
	{ "net/http.(*Transport).RoundTrip", STACK_REQUEST },
	{ "net/rpc.(*Client).*", STACK_REQUEST },
	{ "net/http.(*connReader).*", STACK_BODY },
	{ "net/http.(*body).*", STACK_BODY },
	{ "database/sql.*", STACK_REQUEST },
	{ "runtime.mallocgc*", STACK_ALLOCATES },
	{ "runtime.GC", STACK_GC_CALL },
	{ "runtime/debug.FreeOSMemory", STACK_GC_CALL },
	{ "runtime/debug.freeOSMemory", STACK_GC_CALL },
};

/*
 * Functions of the runtime that wait, for stacks of goroutines with waits of which the trace has no
 * reason.
 */
static const struct {
	const char *func;
	uint8_t why;
} waiting[] = {
	{ "runtime.chansend", WHY_SEND },   { "runtime.chanrecv", WHY_RECEIVE },
	{ "runtime.selectgo", WHY_SELECT }, { "runtime.netpollblock", WHY_NET },
	{ "sync.(*Cond).Wait", WHY_COND },  { "sync.runtime_notifyListWait", WHY_COND },
	{ "time.Sleep", WHY_SLEEP },        { "runtime.semacquire1", WHY_JOIN },
	{ "runtime.block", WHY_FOREVER },
};

/* --- functions --- */

static bool of_library(const char *func)
{
	return !func[0] || !strncmp(func, "golang.org/x/", 13) || release_is_std(func);
}

static uint16_t traits_of(const char *func)
{
	uint16_t traits = 0;
	size_t i;

	for (i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		size_t n = strcspn(marks[i].func, "*");

		/* a name can contain "(*": only a '*' at its end stands for any rest */
		while (marks[i].func[n] && marks[i].func[n + 1])
			n += 1 + strcspn(marks[i].func + n + 1, "*");
		if (!strncmp(func, marks[i].func, n) && (marks[i].func[n] || !func[n]))
			traits |= marks[i].traits;
	}
	return traits;
}

static uint8_t why_in(const char *func)
{
	size_t i;

	for (i = 0; i < sizeof(waiting) / sizeof(*waiting); i++)
		if (!strcmp(func, waiting[i].func))
			return waiting[i].why;
	return WHY_NONE;
}

static bool frame_of_library(struct findings *f, uint32_t frame)
{
	struct vec *known = &f->places.library;
	uint8_t *what;

	while (known->len <= frame)
		vec_push(known, 1);
	what = vec_at(known, uint8_t, frame);
	if (!*what)
		*what = of_library(stack_set_frame_at(spans_stacks(f->spans), frame)->func) ?
			OF_LIBRARY : OF_PROGRAM;
	return *what == OF_LIBRARY;
}

/* --- places --- */

uint32_t findings_place_of(struct findings *f, const struct stack_frame *frame)
{
	uint64_t key = hash64((uintptr_t)frame->func) ^ hash64(frame->line + 1) ^
		hash64((uintptr_t)frame->file) * 3;
	struct places *p = &f->places;
	uint64_t *number = map64_get(&p->by_key, key);

	if (number)
		return (uint32_t)*number;
	if (p->list.len == PLACES_MAX)
		return 0;
	*(struct place *)vec_push(&p->list, sizeof(struct place)) =
		(struct place){ frame->func, frame->file, frame->line };
	*map64_put(&p->by_key, key, NULL) = p->list.len;
	return (uint32_t)p->list.len;
}

uint32_t findings_function(struct findings *f, const struct goroutine *g)
{
	return g->name[0] ?
		       findings_place_of(f, &(struct stack_frame){ .func = g->name, .file = "" }) :
		       0;
}

/* Is @func a closure of the function @of: "main.f.func1" of "main.f"? */
static bool is_closure(const char *func, const char *of)
{
	size_t n = strlen(of);

	return n && !strncmp(func, of, n) && func[n] == '.';
}

/* Does @func, by its name, only release a lock that its caller holds, as "main.(*store).unlock"? */
static bool is_release(const char *func)
{
	const char *dot = strrchr(func, '.'), *name = dot ? dot + 1 : func;

	return !strcasecmp(name, "unlock") || !strcasecmp(name, "runlock") ||
	       !strcasecmp(name, "release");
}

/*
 * Returns the place that is responsible for a release. A deferred closure runs with frames of the
 * runtime between it and the function that it belongs to: the place is in that function. A function
 * that only unlocks does so for its caller.
 */
static uint32_t finding_place_holder_of(struct findings *f, uint32_t stack, uint32_t i,
					uint32_t place)
{
	struct stack_set *set = spans_stacks(f->spans);
	const struct stack_frame *frame = stack_set_at(set, stack, i), *caller;

	while ((caller = stack_set_at(set, stack, ++i)))
		if (strncmp(caller->func, "runtime.", 8))
			break;
	if (!caller || !(is_closure(frame->func, caller->func) || is_release(frame->func)))
		return place;
	return findings_place_of(f, caller);
}

static struct stack_facts finding_place_look(struct findings *f, uint32_t stack)
{
	struct stack_set *set = spans_stacks(f->spans);
	uint32_t n, i, own, own_library = UINT32_MAX;
	const uint32_t *frames = stack_set_of(set, stack, &n);
	struct stack_facts facts = { .known = true };

	for (own = 0; own < n && frame_of_library(f, frames[own]); own++) {
		const char *func = stack_set_frame_at(set, frames[own])->func;

		facts.traits |= traits_of(func);
		if (!facts.why)
			facts.why = why_in(func);
		if (own_library == UINT32_MAX && strncmp(func, "runtime.", 8) &&
		    strncmp(func, "sync.", 5) && strncmp(func, "internal/", 9))
			own_library = own;
	}
	for (i = own; i < n; i++)
		if (!strcmp(stack_set_frame_at(set, frames[i])->func,
			    "net/http.serverHandler.ServeHTTP"))
			facts.traits |= STACK_HANDLER;
	facts.program = own < n;
	if (own == n)
		own = own_library;
	if (own == UINT32_MAX)
		own = 0;
	if (own < n) {
		facts.place = findings_place_of(f, stack_set_frame_at(set, frames[own]));
		facts.holder = finding_place_holder_of(f, stack, own, facts.place);
		facts.callee = own ? frames[own - 1] : 0;
	}
	return facts;
}

struct stack_facts findings_stack(struct findings *f, uint32_t stack)
{
	struct vec *facts = &f->places.facts;

	while (facts->len <= stack)
		vec_push(facts, sizeof(struct stack_facts));
	if (!vec_at(facts, struct stack_facts, stack)->known)
		*vec_at(facts, struct stack_facts, stack) = finding_place_look(f, stack);
	return *vec_at(facts, struct stack_facts, stack);
}

struct place findings_place(const struct findings *f, uint32_t place)
{
	if (!place || place > f->places.list.len)
		return (struct place){ "", "", 0 };
	return *vec_at(&f->places.list, struct place, place - 1);
}

void findings_name(const struct findings *f, struct buf *text, uint32_t place)
{
	struct place p = findings_place(f, place);
	const char *base = strrchr(p.file, '/');

	if (!p.func[0] && !p.file[0])
		buf_printf(text, "a place that the trace does not show");
	else if (!p.line)
		buf_printf(text, "%s", p.func);
	else
		buf_printf(text, "%s (%s:%llu)", p.func, base ? base + 1 : p.file,
			   (unsigned long long)p.line);
}
