// SPDX-License-Identifier: Apache-2.0
/*
 * cut_longest_stop: the second around the longest stop of the world, as a trace
 * of its own. Reads a Go execution trace of any release to find the stop, then
 * rewrites the part of it.
 *
 *	cc -o cut_longest_stop cut_longest_stop.c $(pkg-config --cflags --libs gotap)
 *	./cut_longest_stop trace.out part.out && go tool trace part.out
 */
#include <gotap/reader.h>
#include <gotap/rewrite.h>

#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>

#define SECOND 1000000000

struct stop {
	int64_t begin, end;	/* ns, as events have it; 0 while it lasts */
	char reason[64];
};

static struct stop now, longest;

/* The world stops for one goroutine at a time. */
static void take(const struct gotap_event *ev, const struct gotap_range *range)
{
	if (range->category == GOTAP_IS_RANGE_BEGIN) {
		now.begin = ev->time;
		snprintf(now.reason, sizeof(now.reason), "%.*s", (int)range->reason.len,
			 range->reason.s);
		return;
	}
	now.end = ev->time;
	if (now.begin && now.end - now.begin > longest.end - longest.begin)
		longest = now;
	now.begin = 0;
}

/* Finds the longest stop, and *@start, the time of the first event. */
static int find(const char *path, int64_t *start)
{
	struct gotap_reader *r;
	struct gotap_event ev;
	struct gotap_range range;
	struct gotap_error err;
	int ret;

	if (gotap_open(&r, path, NULL, &err)) {
		fprintf(stderr, "%s: %s\n", path, err.text);
		return -1;
	}
	*start = 0;
	while ((ret = gotap_next(r, &ev, sizeof(ev))) > 0) {
		if (!*start)
			*start = ev.time;
		if ((ev.kind == GOTAP_STW_BEGIN || ev.kind == GOTAP_STW_END) &&
		    gotap_event_range(r, &range, sizeof(range)))
			take(&ev, &range);
	}
	if (ret < 0)
		fprintf(stderr, "%s: %s\n", path, gotap_reader_error(r)->text);
	gotap_close(r);
	return ret;
}

static int cut(const char *from, const char *to, int64_t start)
{
	struct gotap_input in = { .size = sizeof(in), .path = from };
	struct gotap_rewrite_options options = { .size = sizeof(options) };
	struct gotap_rewrite_result result;
	struct gotap_error err;
	int64_t middle = longest.begin + (longest.end - longest.begin) / 2 - start;
	int ret, fd = open(to, O_WRONLY | O_CREAT | O_TRUNC, 0644);

	if (fd < 0) {
		perror(to);
		return -1;
	}
	options.from = middle > SECOND / 2 ? middle - SECOND / 2 : 0;
	options.to = middle + SECOND / 2;
	ret = gotap_rewrite(&in, fd, &options, &result, sizeof(result), &err);
	if (ret)
		fprintf(stderr, "%s: %s\n", from, err.text);
	else
		printf("%s: %.6f ms at %.6f s (%s), %llu events\n", to,
		       (longest.end - longest.begin) / 1e6, (longest.begin - start) / 1e9,
		       longest.reason, (unsigned long long)result.events);
	return close(fd) ? -1 : ret;
}

int main(int argc, char **argv)
{
	int64_t start;

	if (argc != 3) {
		fprintf(stderr, "usage: %s TRACE FILE\n", argv[0]);
		return 2;
	}
	if (find(argv[1], &start) < 0)
		return 1;
	if (!longest.end) {
		fprintf(stderr, "%s: the world does not stop in it\n", argv[1]);
		return 1;
	}
	return cut(argv[1], argv[2], start) != 0;
}
