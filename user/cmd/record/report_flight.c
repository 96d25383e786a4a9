// SPDX-License-Identifier: Apache-2.0
/* report_flight: the part of the report about --flight. report.c calls it. */
#include <inttypes.h>

#include "base/show.h"
#include "cmd/record/on.h"
#include "cmd/record/report.h"

void report_print_snapshots(const struct report *r, FILE *f)
{
	const struct flight_counts *c = r->flight;

	fprintf(f, "snapshots: %" PRIu64 " written, %" PRIu64 " not written, %" PRIu64
		" deleted to keep the limits; %" PRIu64 " triggers were refused\n",
		c->written, c->failed, c->deleted, c->refused);
}

void report_print_flight(const struct report *r, FILE *f)
{
	const struct flight_counts *c = r->flight;
	char size[SHOW_SIZE];

	if (!c)
		return;
	fprintf(f, "snapshots: %s in memory at the end\n", show_size(c->usage.bytes, size));
	show_count(f, "  ", c->undeleted,
		   " beyond the limits of --keep and --keep-bytes could not be deleted and are "
		   "still there\n");
	show_count(f, "  the command of --exec was too slow to run for ", c->not_run,
		   " of them\n");
	if (r->asked)
		fprintf(f, "  peers: %" PRIu64 " requests, by which %" PRIu64
			" snapshots were made; %" PRIu64 " failed\n",
			r->asked->asked, r->asked->taken, r->asked->failed);
	on_report(r->on, r->triggers, f);
}

void report_json_flight(const struct report *r, struct json_out *j)
{
	const struct flight_counts *c = r->flight;

	if (!c)
		return;
	json_open_object(j, "flight");
	json_put_count(j, "written", c->written);
	json_put_count(j, "failed", c->failed);
	json_put_count(j, "deleted", c->deleted);
	json_put_count(j, "undeleted", c->undeleted);
	json_put_count(j, "refused", c->refused);
	json_put_count(j, "exec_missed", c->not_run);
	json_put_count(j, "memory", c->usage.bytes);
	json_put_count(j, "memory_most", c->usage.most);
	if (r->asked) {
		json_open_object(j, "peers");
		json_put_count(j, "requests", r->asked->asked);
		json_put_count(j, "snapshots", r->asked->taken);
		json_put_count(j, "failed", r->asked->failed);
		json_close_object(j);
	}
	on_report_json(r->on, r->triggers, j);
	json_close_object(j);
}
