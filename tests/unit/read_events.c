// SPDX-License-Identifier: Apache-2.0
/*
 * read: the stream of events. With a trace as argument this prints thread,
 * proc, goroutine, time and transition of each event, to be compared with
 * what Go's reader gives (tests/read.bats).
 */
#include "unit.h"

#include "read/v2_reader.h"

static void print_event(const struct trace_event *ev)
{
	struct trace_transition tr = event_transition(ev);

	printf("%lld %lld %lld %lld", (long long)ev->m, (long long)ev->p, (long long)ev->g,
	       (long long)ev->time);
	if (tr.of == RESOURCE_GOROUTINE)
		printf(" G%lld %s %s", (long long)tr.id, go_state_name(tr.from),
		       go_state_name(tr.to));
	else if (tr.of == RESOURCE_PROC)
		printf(" P%lld %s %s", (long long)tr.id, proc_state_name(tr.from),
		       proc_state_name(tr.to));
	putchar('\n');
}

static int print_events(const char *path)
{
	struct error err;
	struct trace_reader *r = trace_reader_open(path, &err);
	const struct trace_event *ev;
	int ret;

	if (!r) {
		fprintf(stderr, "%s\n", err.text);
		return 2;
	}
	while ((ret = trace_reader_next(r, &ev)) > 0)
		print_event(ev);
	trace_reader_close(r);
	return ret < 0;
}

static struct trace_reader *open_vector(const char *name)
{
	char path[256];
	struct error err;

	snprintf(path, sizeof(path), "tests/vectors/%s.trace", name);
	return trace_reader_open(path, &err);
}

/* The events of a vector, a letter each. */
static void letters_of(const char *name, char *letters, size_t size)
{
	static const char of[256] = {
		[TRACE_SYNC] = '|', [EV_ProcStatus] = 'p', [EV_GoStatus] = 'g', [EV_GoUnblock] = 'u',
		[EV_GoBlock] = 'b', [EV_GoStart] = 's', [EV_GoSwitch] = 'w', [EV_GoStop] = 'o',
		[EV_CPUSample] = 'c', [EV_ProcSteal] = 'S', [EV_GoDestroySyscall] = 'D',
	};
	struct trace_reader *r = open_vector(name);
	const struct trace_event *ev;
	int64_t last = 0;
	size_t n = 0;

	CHECK(r != NULL);
	while (r && trace_reader_next(r, &ev) > 0 && n + 1 < size) {
		letters[n++] = of[ev->type] ? of[ev->type] : '.';
		CHECK(ev->time > last);
		last = ev->time;
	}
	letters[n] = 0;
	trace_reader_close(r);
}

static void trace_opens_and_ends_with_a_sync(void)
{
	char letters[64];

	letters_of("ok_minimal_26", letters, sizeof(letters));
	CHECK_STR(letters, "|pgo|");
	letters_of("ok_gen_gap_26", letters, sizeof(letters));
	CHECK(letters[0] == '|' && letters[strlen(letters) - 1] == '|');
}

static void cpu_samples_come_by_time(void)
{
	char letters[64];

	letters_of("ok_cpu_sample", letters, sizeof(letters));
	CHECK(strchr(letters, 'c') != NULL);
}

/* Coroutine switches are three events, the abandoned P's steal is one of its own. */
static void one_wire_event_may_be_several(void)
{
	char letters[64];

	letters_of("ok_goswitch", letters, sizeof(letters));
	CHECK(strstr(letters, "wbs") != NULL);
	letters_of("ok_p_after_godestroysyscall_needs_steal", letters, sizeof(letters));
	CHECK(strstr(letters, "SD") != NULL);
}

static void fault_stays(void)
{
	struct trace_reader *r = open_vector("bad_gocreate_exists");
	const struct trace_event *ev;
	int n = 0;

	CHECK(r != NULL);
	while (trace_reader_next(r, &ev) > 0)
		n++;
	CHECK_EQ(n, 3);
	CHECK(trace_reader_next(r, &ev) < 0);
	CHECK_STR(trace_reader_fault(r)->rule,
		  "tried to create goroutine (1) that already exists");
	CHECK_EQ(trace_reader_fault(r)->place.gen, 1);
	trace_reader_close(r);
}

int main(int argc, char **argv)
{
	if (argc > 1)
		return print_events(argv[1]);
	return unit_main((struct unit_case[]){
		UNIT(trace_opens_and_ends_with_a_sync),
		UNIT(cpu_samples_come_by_time),
		UNIT(one_wire_event_may_be_several),
		UNIT(fault_stays),
		{0},
	});
}
