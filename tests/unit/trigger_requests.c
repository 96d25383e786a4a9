// SPDX-License-Identifier: Apache-2.0
/* The triggers request and errors: which requests they report, with which name, and when. */
#define _GNU_SOURCE
#include "trigger_story.h"

#include "http.h"
#include "read/http.h"

static void http_record(uint8_t kind, uint64_t request, unsigned int flags, uint64_t status, const char *first,
			const char *second)
{
	struct { struct rec_user u; char text[64]; } r = {
		.u = { .r = { .time = now, .tid = 7, .kind = kind, .id = request, .flags = (uint16_t)flags },
		       .stack = status, .arg = 5, .room = 64,
		       .len = { (uint16_t)strlen(first), (uint16_t)strlen(second) } },
	};
	struct error err;

	memcpy(r.u.text, first, strlen(first));
	memcpy(r.u.text + strlen(first), second, strlen(second));
	now += 10;
	CHECK_EQ(model_record(model, &r.u.r, &err), 0);
}

static void begins(uint64_t request, const char *path) { http_record(REC_HTTP_BEGIN, request, 0, 0, "GET", path); }

static void ends(uint64_t request, uint64_t status, const char *pattern)
{
	http_record(REC_HTTP_END, request, HTTP_END_KNOWN, status, pattern, "");
}

static void served(uint64_t ns, uint64_t status, const char *path, const char *pattern)
{
	begins(0x1000, path);
	now += ns;
	ends(0x1000, status, pattern);
}

/* The generation is still open: the name comes behind the event of the end. */
static void the_route_is_that_of_the_end(void)
{
	uint64_t at;

	begin_rules("request:/cart>0.1us", "request:GET /c*>0.1us", "request:/pay>0.1us", "request:/x/1>0.1us");
	snapshot();
	at = now;
	served(200, 0, "/x/1", "/cart");
	seen();
	CHECK_EQ(n_facts, 2);
	CHECK(strstr(facts[0].what, "request 1, GET /cart, took 21"));
	CHECK(strstr(facts[0].what, " ns, status 200"));
	CHECK(facts[0].time >= at + 200 && facts[0].time <= now);
	CHECK_EQ(facts[0].g, 1);
	CHECK_STR(facts[0].trigger, "request:/cart>0.1us");
	CHECK_STR(facts[1].trigger, "request:GET /c*>0.1us");
	CHECK_EQ(facts[0].task, HTTP_TASKS + 1);
	CHECK_EQ(facts[0].since, at);
	served(80, 0, "/x/2", "/pay");
	CHECK_EQ(n_facts, 2);
	end_rules();
}

/* Meanwhile a generation has ended, with another name: the log event of the end has the route. */
static void a_route_that_comes_after_the_generation(void)
{
	begin_rules("request:/cart>2ms", "request:/pay>2ms", "request:*net/http*>2ms");
	snapshot();
	begins(0x1000, "/x");
	pass(3 * MS);
	go(REC_GO_STOP, 7, 1);
	go(REC_GO_START, 7, 1);
	pass(MS);
	CHECK_EQ(n_facts, 0);
	ends(0x1000, 503, "/cart");
	CHECK_EQ(n_facts, 1);
	CHECK_STR(facts[0].trigger, "request:/cart>2ms");
	CHECK(strstr(facts[0].what, ", GET /cart, took 4 ms, status 503"));
	end_rules();
}

static void a_path_stands_for_a_route_that_is_not_known(void)
{
	begin_rules("request:/x>1ms", "request:/y>1ms");
	snapshot();
	served(2 * MS, 0, "/x", "");
	served(2 * MS, 0, "/x", "/route");
	CHECK_EQ(n_facts, 1);
	CHECK(strstr(facts[0].what, ", GET net/http, took 2 ms, status 200"));
	end_rules();
}

static void without_a_route_an_open_one_is_found_once(void)
{
	uint64_t at;

	begin_rules("request>1ms");
	snapshot();
	at = now;
	begins(0x1000, "/x");
	pass(MS / 2);
	CHECK_EQ(n_facts, 0);
	pass(MS);
	CHECK_EQ(n_facts, 1);
	check_fact(0, at + MS, 1,
		   "request 1, GET net/http (route not known yet), is open for 1.5 ms");
	pass(100 * (uint64_t)MS);
	ends(0x1000, 200, "/cart");
	CHECK_EQ(n_facts, 1);
	end_rules();
}

static void a_request_that_ends_with_its_goroutine_or_in_a_gap_is_dropped(void)
{
	begin_rules("request>1ms");
	snapshot();
	begins(0x1000, "/x");
	go(REC_GO_DEAD, 7, 1);
	pass(5 * MS);
	go(REC_GO_START, 7, 3);
	begins(0x2000, "/y");
	observers_gap(&observers, now);
	put(REC_GAP, REC_GAP_LOST, 0, 0, 0, 0, 0);
	now += 50 * (uint64_t)MS;
	seen();
	put(REC_RESUME, 0, 0, 0, 0, 0, 0);
	put(REC_SNAP_G, 2, 7, 3, 0x9003, 0, 0);
	put(REC_SNAP_P, 0, 7, 0, P0, 0, 0);
	put(REC_SNAP_END, 0, 0, 0, 0, 0, 0);
	seen();
	pass(5 * MS);
	CHECK_EQ(n_facts, 0);
	end_rules();
}

static void errors_are_a_share_of_the_last_ten_seconds(void)
{
	struct trigger_counts counts;
	int i;

	begin_rules("errors>5%", "errors:/cart>5%", "errors:/other>0%");
	snapshot();
	pass(1);
	for (i = 0; i < 18; i++)
		served(10, 200, "/c", "/cart");
	served(10, 500, "/c", "/cart");	/* one of 19: too few */
	pass(1100 * (uint64_t)MS);
	CHECK_EQ(n_facts, 0);
	served(10, 404, "/c", "/cart");	/* no failure: now 1 of 20 */
	pass(1100 * (uint64_t)MS);
	CHECK_EQ(n_facts, 0);
	served(10, 503, "/c", "/cart");
	pass(1100 * (uint64_t)MS);
	CHECK_EQ(n_facts, 2);
	CHECK_STR(facts[0].what,
		  "of 21 requests of the last 10 s 2 failed; the last one was request 21, GET /cart");
	CHECK_EQ(facts[0].task, HTTP_TASKS + 21);
	CHECK_EQ(facts[0].request, 21);
	CHECK_EQ(facts[0].since, 0);
	pass(1100 * (uint64_t)MS);
	CHECK_EQ(n_facts, 2);	/* it is above, still */
	for (i = 0; i < 11; i++)
		pass(1000 * (uint64_t)MS);
	for (i = 0; i < 20; i++)
		served(10, 500, "/c", "/cart");
	pass(1100 * (uint64_t)MS);
	pass(1100 * (uint64_t)MS);
	triggers_counts(triggers, 0, &counts);
	CHECK_EQ(counts.facts, 2);
	end_rules();
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(the_route_is_that_of_the_end),
		UNIT(a_route_that_comes_after_the_generation),
		UNIT(a_path_stands_for_a_route_that_is_not_known),
		UNIT(without_a_route_an_open_one_is_found_once),
		UNIT(a_request_that_ends_with_its_goroutine_or_in_a_gap_is_dropped),
		UNIT(errors_are_a_share_of_the_last_ten_seconds),
		{0},
	});
}
