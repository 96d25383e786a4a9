// SPDX-License-Identifier: Apache-2.0
/*
 * v1_links: which later event each event of a v1 trace leads to, and on which P it is shown: the
 * view of v1/view.h. A row for each kind of link and of P.
 */
#include "../v1/make.h"
#include "unit.h"

#include "v1/view.h"

#define FREQ "; Frequency 1000000000"

/* "3>4" of event 3 that leads to 4; "3:gc" of one that is on another P than its own. */
struct row {
	const char *name;
	int version;
	const char *text;
	const char *want;
};

/* Two goroutines: 1, 2; 3 starts the first one. */
#define G "Batch 0 100; GoCreate 1 0 0; GoCreate 2 0 0; GoStart 1 1; "

static const struct row rows[] = {
	{ "GoCreate leads to the first GoStart", 11, G "GoEnd; GoStart 2 1" FREQ, "1>3 2>5 3>4" },
	{ "GoCreate does so before 1.5", 4, "Batch 0 100; GoCreate 1 0 0; GoStart 1; GoEnd" FREQ, "1>2 2>3" },
	{ "GoStart leads to GoEnd", 11, G "GoEnd" FREQ, "1>3 3>4" },
	{ "GoStart leads to GoStop", 11, G "GoStop 0" FREQ, "1>3 3>4" },
	{ "GoSched leads to GoStart", 11, G "GoSched 0; GoStart 1 2" FREQ, "1>3 3>4 4>5" },
	{ "GoPreempt leads to GoStart", 11, G "GoPreempt 0; GoStartLocal 1" FREQ, "1>3 3>4 4>5" },
	{ "GoBlock leads to GoUnblock, and that to GoStart", 11,
	  G "GoBlock 0; GoStart 2 1; GoUnblock 1 2 0; GoEnd; GoStart 1 3" FREQ, "1>3 2>5 3>4 4>6 5>7 6>8" },
	{ "GoBlock does so before 1.5", 4,
	  "Batch 0 100; GoCreate 1 0 0; GoStart 1; GoBlockRecv 0; GoUnblock 1 0; GoStart 1" FREQ, "1>2 2>3 3>4 4>5" },
	{ "GoSleep leads to GoUnblock", 11, G "GoSleep 0; GoStart 2 1; GoUnblock 1 2 0" FREQ, "1>3 2>5 3>4 4>6" },
	{ "GoBlockGC leads to GoUnblock", 11, G "GoBlockGC 0; GoStart 2 1; GoUnblock 1 2 0" FREQ, "1>3 2>5 3>4 4>6" },
	{ "GoWaiting leads to GoUnblock", 11,
	  "Batch 0 100; GoCreate 1 0 0; GoCreate 2 0 0; GoWaiting 2; GoStart 1 1; GoUnblock 2 2 0" FREQ, "1>4 3>5" },
	{ "GoInSyscall and its GoSysExit, which leads to GoStart", 11,
	  "Batch 0 100; GoCreate 1 0 0; GoInSyscall 1; GoSysExit 1 2 0; GoStart 1 3" FREQ, "3:syscall 3>4" },
	{ "GoSysCall that blocks leads to GoSysExit, and that to GoStart", 11,
	  G "GoSysCall 0; GoSysBlock; GoSysExit 1 2 0; GoStart 1 3" FREQ, "1>3 3>5 4>6 6:syscall 6>7" },
	{ "GoSysCall that does not leads nowhere", 11, G "GoSysCall 0; GoSysCall 0; GoEnd" FREQ, "1>3 3>6" },
	{ "GoStartLabel is a start", 11, "Batch 0 100; GoCreate 1 0 0; GoStartLabel 1 1 0; GoEnd" FREQ, "1>2 2>3" },
	{ "GCStart leads to GCDone, on the P of collections", 11, G "GCStart 0 0; GCDone" FREQ, "1>3 4:gc 4>5" },
	{ "STWStart leads to STWDone", 21, G "STWStart 1; STWDone" FREQ, "1>3 4>5" },
	{ "STWStart of one P up to 1.9", 9, G "STWStart; Batch 1 200; STWStart; STWDone; Batch 0 300; STWDone" FREQ,
	  "1>3 4>7 5>6" },
	{ "GCScanStart leads to GCScanDone before 1.5", 4,
	  "Batch 0 100; GoCreate 1 0 0; STWStart; STWDone" FREQ, "2>3" },
	{ "GCSweepStart leads to GCSweepDone", 11, G "GCSweepStart 0; GCSweepDone 1 2" FREQ, "1>3 4>5" },
	{ "GCMarkAssistStart leads to GCMarkAssistDone", 11, G "GCMarkAssistStart 0; GCMarkAssistDone" FREQ, "1>3 4>5" },
	{ "GCMarkAssistDone alone has none", 11, G "GCMarkAssistDone" FREQ, "1>3" },
	{ "UserTaskCreate leads to UserTaskEnd", 11, G "UserTaskCreate 5 0 0 0; UserTaskEnd 5 0" FREQ, "1>3 4>5" },
	{ "a region leads to its end", 11, G "UserRegion 1 0 0 0; UserRegion 1 1 0 0" FREQ, "1>3 4>5" },
	{ "regions nest", 11, G "UserRegion 1 0 0 0; UserRegion 2 0 0 0; UserRegion 2 1 0 0; UserRegion 1 1 0 0" FREQ,
	  "1>3 4>7 5>6" },
	{ "a region that is open leads to GoEnd", 11, G "UserRegion 1 0 0 0; GoEnd" FREQ, "1>3 3>5 4>5" },
	{ "a goroutine that runs timers wakes from no P", 11,
	  G "GoSleep 0; GoStart 2 1; GoUnblock 1 2 0; TimerGoroutine 2" FREQ, "1>3 2>5 3>4 4>6 6:timer" },
	{ "the network wakes from no P", 11, G "GoBlockNet 0; GoStart 2 1; GoUnblock 1 2 0" FREQ,
	  "1>3 2>5 3>4 4>6 6:netpoll" },
	{ "a sample has its own P and goroutine", 19, G "CPUSample 150 7 2 0" FREQ, "1>3 4:profile" },
	{ "a futile wake-up is cut", 10, G "GoBlock 0; GoStart 2 1; GoUnblock 1 2 0; GoSched 0; GoStart 1 3; FutileWakeup; "
	  "GoBlock 0; GoStart 2 2; GoUnblock 1 4 0" FREQ, "1>3 2>5 3>4 4>8 5>6 6>7" },
};

static void put(char *got, const struct v1_view_event *e)
{
	static const char *const ps[] = { "timer", "netpoll", "syscall", "gc" };
	size_t n = strlen(got);

	if (e->p >= V1_TIMER_P)
		n += (size_t)sprintf(got + n, "%u:%s ", e->number, ps[e->p - V1_TIMER_P]);
	else if (e->ev->row == V1_ROW_PROFILE)
		n += (size_t)sprintf(got + n, "%u:profile ", e->number);
	else
		CHECK_EQ(e->p, e->ev->p);
	if (e->link)
		sprintf(got + n, "%u>%u ", e->number, e->link);
	if (e->ev->type >= V1_GC_START && e->ev->type <= V1_STW_DONE)
		CHECK_EQ(e->g, 0);
	else
		CHECK_EQ(e->g, e->ev->g);
}

static void links(const void *row)
{
	const struct row *r = row;
	struct make m = make_trace(r->version, r->text);
	struct v1_view_event e;
	struct v1_trace *t = NULL;
	struct v1_view *v = NULL;
	struct error err = { .text = "" };
	char got[512] = "";

	if (v1_trace_open(&t, m.data, m.len, &err) || v1_view_open(&v, t, &err))
		CHECK_STR(err.text, "no error");
	while (v && v1_view_next(v, &e))
		put(got, &e);
	if (*got)
		got[strlen(got) - 1] = '\0';
	CHECK_STR(got, r->want);
	v1_view_close(v);
	v1_trace_free(t);
	free(m.data);
}

int main(void)
{
	static struct unit_case cases[100];

	UNIT_ROWS(cases, rows, links);
	return unit_main(cases);
}
