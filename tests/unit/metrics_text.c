// SPDX-License-Identifier: Apache-2.0
/* metrics: the text of families and labels, and the sums of lines of `gotap top --json --brief`. */
#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include "metrics/families.h"

static struct buf out;

static const char *text(void)
{
	buf_add_byte(&out, 0);
	out.len = 0;
	return (const char *)out.data;
}

static void a_counter_and_an_info_have_the_names_of_each_format(void)
{
	static const struct metrics_family counter = { "gotap_x_seconds", METRICS_COUNTER, "seconds", "Help." };
	static const struct metrics_family info = { "gotap_y", METRICS_INFO, NULL, "Help." };
	struct metrics_text t = { .out = &out };
	struct buf labels = {0};

	metrics_label(&labels, "a", "b");
	metrics_begin(&t, &counter);
	metrics_real(&t, &labels, NULL, 0.25);
	metrics_begin(&t, &info);
	metrics_count(&t, NULL, &labels, 1);
	metrics_end(&t);
	CHECK_STR(text(), "# HELP gotap_x_seconds_total Help.\n# TYPE gotap_x_seconds_total counter\n"
			  "gotap_x_seconds_total{a=\"b\"} 0.25\n# HELP gotap_y_info Help.\n# TYPE gotap_y_info gauge\n"
			  "gotap_y_info{a=\"b\"} 1\n");
	t = (struct metrics_text){ .out = &out, .open = true };
	metrics_begin(&t, &info);	/* without samples: it is left out */
	metrics_begin(&t, &counter);
	metrics_real(&t, &labels, NULL, 0.25);
	metrics_end(&t);
	CHECK_STR(text(), "# HELP gotap_x_seconds Help.\n# TYPE gotap_x_seconds counter\n# UNIT gotap_x_seconds seconds\n"
			  "gotap_x_seconds_total{a=\"b\"} 0.25\n# EOF\n");
	buf_free(&labels);
}

static void a_label_has_any_bytes(void)
{
	char many[400];
	struct buf labels = {0};

	metrics_label(&labels, "a", "");
	metrics_label(&labels, "a", NULL);
	CHECK_EQ(labels.len, 0);
	metrics_label(&labels, "a", "x\"y\\z\nw\xff");
	buf_add_byte(&labels, 0);
	CHECK_STR((char *)labels.data, "a=\"x\\\"y\\\\z\\\\x0aw\\\\xff\"");
	labels.len = 0;
	/* cut between two characters */
	memset(many, 'x', sizeof(many));
	memcpy(many + METRICS_LABEL - 1, "\xc3\xa4", 2);
	many[399] = 0;
	metrics_label(&labels, "a", many);
	CHECK_EQ(labels.len, strlen("a=\"\"") + METRICS_LABEL - 1);
	buf_free(&labels);
}

static void a_histogram_is_cumulative(void)
{
	static const struct metrics_family family = { "h_seconds", METRICS_HISTOGRAM, NULL, "H." };
	const uint64_t limits[] = { 1024, 1073741824 }, counts[] = { 1, 2, 4 };
	struct metrics_text t = { .out = &out };

	metrics_begin(&t, &family);
	metrics_histogram(&t, NULL, NULL, &(struct metrics_histogram){ limits, counts, 2, 1.5 });
	CHECK_STR(text(), "# HELP h_seconds H.\n# TYPE h_seconds histogram\nh_seconds_bucket{le=\"1.024e-06\"} 1\n"
			  "h_seconds_bucket{le=\"1.073741824\"} 3\nh_seconds_bucket{le=\"+Inf\"} 7\n"
			  "h_seconds_sum 1.5\nh_seconds_count 7\n");
}

static bool add(struct watched *w, const char *line)
{
	return watched_add(w, line, strlen(line));
}

static void lines_add_up(void)
{
	static const char line[] =
		"{\"unix_time\": 5.5, \"recorded_seconds\": 1.0, \"now\": {\"running\": 2, \"runnable\": 0, \"syscall\": 0, "
		"\"waiting\": 7}, \"seconds_in\": {\"running\": 0.5}, \"created\": 3, \"syscalls\": 4, \"gc\": {\"cycles\": 1, "
		"\"assist_seconds\": 0.25}, \"blocked\": [{\"reason\": \"sleep\", \"seconds\": 2.5, \"ended\": {\"count\": 6}}], "
		"\"histograms\": {\"limits_ns\": [1024, 2048], \"sched\": {\"counts\": [1, 2, 3], \"sum_seconds\": 0.125}}, "
		"\"gotap\": {\"records\": 10, \"lost\": 1, \"cpu_seconds_ever\": 0.5, \"budget_level\": 2}}";
	struct watched w = {0};

	CHECK(add(&w, line) && add(&w, line));
	CHECK_EQ(w.intervals, 2);
	CHECK(w.recorded == 2 && w.until == 5.5 && w.in_state[0] == 1 && w.goroutines[0] == 2 && w.goroutines[3] == 7);
	CHECK(w.created == 6 && w.syscalls == 8 && w.cycles == 2 && w.assist == 0.5);
	CHECK(w.n_reasons == 1 && !strcmp(w.reasons[0].text, "sleep") && w.reasons[0].seconds == 5 && w.reasons[0].ended == 12);
	CHECK(w.limits == 2 && w.sched.counts[0] == 2 && w.sched.counts[2] == 6 && w.sched.sum == 0.25);
	CHECK(w.records == 20 && w.lost == 2 && w.own_cpu == 0.5 && w.level == 2 && w.heap == -1 && w.probes == -1);
	watched_again(&w);
	CHECK(add(&w, line));
	CHECK(w.own_cpu + w.own_cpu_before == 1);
}

static void another_line_adds_nothing(void)
{
	static const char *const lines[] = { "", "{", "[]", "null", "{\"gotap\": 1, \"unix_time\": 2}", "{\"unix_time\": 2}",
					     "{\"gotap\": {}}", "gotap: an error" };
	struct watched w = {0}, none = {0};
	size_t i;

	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		CHECK(!add(&w, lines[i]));
	CHECK(!memcmp(&w, &none, sizeof(w)));
}

static void reasons_are_bounded(void)
{
	struct watched w = {0};
	uint64_t ended = 0;
	unsigned int i;
	char line[300];

	for (i = 0; i < 3 * WATCHED_REASONS; i++) {
		snprintf(line, sizeof(line), "{\"unix_time\": 1, \"gotap\": {}, \"blocked\": [{\"reason\": \"r%u\", \"ended\": "
			 "{\"count\": 1}}]}", i);
		CHECK(add(&w, line));
	}
	for (i = 0; i < w.n_reasons; i++)
		ended += w.reasons[i].ended;
	CHECK_EQ(w.n_reasons, WATCHED_REASONS);
	CHECK_EQ(ended, 3 * WATCHED_REASONS);
	CHECK_STR(w.reasons[WATCHED_REASONS - 1].text, "(other)");
}

static void requests_add_up_by_route_and_result(void)
{
	static const char line[] =
		"{\"unix_time\": 1, \"gotap\": {}, \"requests\": {\"open\": 3, \"limits_ns\": [1000, 2000], \"routes\": ["
		"{\"name\": \"GET /a\", \"results\": {\"2xx\": {\"counts\": [1, 0, 2], \"sum_seconds\": 0.5}, \"panic\": "
		"{\"counts\": [0, 1, 0], \"sum_seconds\": 0.25}}}, {\"name\": \"GET net/http\", \"results\": {}}]}}";
	struct metrics_text t = { .out = &out };
	struct metrics_program p = { .goroutines = { -1, -1, -1, -1 } };
	struct watched w = {0};
	const char *all;

	CHECK(add(&w, line) && add(&w, line));
	watched_copy(&p.watched, &w);
	CHECK(add(&w, line));	/* the copy is one */
	watched_free(&w);
	metrics_label(&p.labels, "pid", "7");
	metrics_programs(&t, &p, 1);
	all = text();
	CHECK(strstr(all, "gotap_request_seconds_bucket{pid=\"7\",route=\"GET /a\",result=\"2xx\",le=\"1e-06\"} 2\n"));
	CHECK(strstr(all, "gotap_request_seconds_bucket{pid=\"7\",route=\"GET /a\",result=\"2xx\",le=\"+Inf\"} 6\n"));
	CHECK(strstr(all, "gotap_request_seconds_sum{pid=\"7\",route=\"GET /a\",result=\"2xx\"} 1\n"));
	CHECK(strstr(all, "gotap_request_seconds_count{pid=\"7\",route=\"GET /a\",result=\"panic\"} 2\n"));
	CHECK(strstr(all, "gotap_requests_open{pid=\"7\"} 3\n"));
	CHECK(!strstr(all, "net/http"));
	metrics_program_free(&p);
}

static void routes_are_bounded(void)
{
	char line[800], long_name[300];
	struct watched w = {0};
	uint64_t n = 0;
	size_t i;

	memset(long_name, 'x', sizeof(long_name) - 1);
	long_name[sizeof(long_name) - 1] = 0;
	for (i = 0; i < 2 * WATCHED_ROUTES; i++) {
		/* the last ones have names that differ beyond the end of a label */
		snprintf(line, sizeof(line), "{\"unix_time\": 1, \"gotap\": {}, \"requests\": {\"limits_ns\": [1], \"routes\": "
			 "[{\"name\": \"%s%zu\", \"results\": {\"2xx\": {\"counts\": [1, 0]}}}]}}",
			 i < 2 * WATCHED_ROUTES - 9 ? "" : long_name, i);
		CHECK(add(&w, line));
	}
	for (i = 0; i < w.requests.series.len; i++)
		n += vec_at(&w.requests.series, struct watched_series, i)->counts[0];
	CHECK_EQ(w.requests.series.len, WATCHED_ROUTES + 1);
	CHECK_EQ(n, 2 * WATCHED_ROUTES);
	watched_free(&w);
	for (i = 0; i < 3; i++) {
		snprintf(line, sizeof(line), "{\"unix_time\": 1, \"gotap\": {}, \"requests\": {\"limits_ns\": [1], \"routes\": "
			 "[{\"name\": \"%s%zu\", \"results\": {\"2xx\": {\"counts\": [1, 0]}}}]}}", long_name, i);
		CHECK(add(&w, line));
	}
	CHECK_EQ(w.requests.series.len, 1);
	watched_free(&w);
}

static void a_program_that_is_not_watched_has_what_proc_says(void)
{
	struct metrics_text t = { .out = &out };
	struct metrics_program p = { .goroutines = { 1, -1, -1, -1 }, .cpu = 2 };
	const char *all;

	metrics_label(&p.labels, "pid", "7");
	metrics_programs(&t, &p, 1);
	all = text();
	CHECK(strstr(all, "gotap_process_cpu_seconds_total{pid=\"7\"} 2\n"));
	CHECK(strstr(all, "gotap_process_goroutines{pid=\"7\",state=\"running\"} 1\n"));
	CHECK(strstr(all, "gotap_watched{pid=\"7\"} 0\n"));
	CHECK(!strstr(all, "state=\"waiting\"") && !strstr(all, "sched_latency") && !strstr(all, "cgroup"));
	metrics_program_free(&p);
}

int main(void)
{
	return unit_main((struct unit_case[]){
		UNIT(a_counter_and_an_info_have_the_names_of_each_format), UNIT(a_label_has_any_bytes),
		UNIT(a_histogram_is_cumulative), UNIT(lines_add_up), UNIT(another_line_adds_nothing),
		UNIT(reasons_are_bounded), UNIT(requests_add_up_by_route_and_result), UNIT(routes_are_bounded),
		UNIT(a_program_that_is_not_watched_has_what_proc_says), {0},
	});
}
