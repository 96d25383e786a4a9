// SPDX-License-Identifier: Apache-2.0
/* show: findings for people and as JSON; see doctor.h. */
#include "cmd/doctor/doctor.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/json_out.h"
#include "base/show.h"
#include "cmd/next.h"

/* That of the schema doctor (docs/json.md). */
enum { JSON_VERSION = 1 };

static const char *const level_names[] = {
	[LEVEL_OK] = "ok", [LEVEL_NOTE] = "note", [LEVEL_FAIL] = "FAIL",
};

/* --- for people --- */

static void doctor_show_print_finding(const struct finding *f)
{
	show_printf(stdout, "  %-5s %-20s %s\n", level_names[f->level], f->name, f->text);
	if (*f->remedy)
		show_printf(stdout, "  %-5s %-20s %s\n", "", "", f->remedy);
}

static void doctor_show_print_findings(const struct doctor *d)
{
	const char *area = "";
	size_t i;

	for (i = 0; i < d->findings.len; i++) {
		const struct finding *f = vec_at(&d->findings, struct finding, i);

		if (strcmp(area, f->area)) {
			printf("%s%s\n", i ? "\n" : "", f->area);
			area = f->area;
		}
		doctor_show_print_finding(f);
	}
}

static void print_probe(const struct doctor *d, const struct probe_view *v, int width)
{
	show_printf(stdout, "  %-*s 0x%-10" PRIx64 " %5.1f us  %-9s %s%s%s\n", width,
		    v->point->function, v->addr, (double)v->cost_ns / 1000,
		    v->emulated ? "emulated" : "stepped", v->point->site,
		    v->bin == d->bin ? "" : " in ", v->bin == d->bin ? "" : gobin_path(v->bin));
}

static void doctor_show_print_probes(const struct doctor *d)
{
	int width = 0, n;
	size_t i;

	for (i = 0; i < d->probes.len; i++) {
		n = (int)strlen(vec_at(&d->probes, struct probe_view, i)->point->function);
		width = n > width ? n : width;
	}
	if (d->probes.len)
		printf("\nprobes%*s %-12s %-8s  %-9s %s\n", width - 4, "", "address", " one hit",
		       "", "instruction");
	for (i = 0; i < d->probes.len; i++)
		print_probe(d, vec_at(&d->probes, struct probe_view, i), width);
}

static void doctor_show_print_missing(const struct doctor *d)
{
	size_t i;

	if (d->plan.missing.len)
		puts("\nprobes that have no place in this program");
	for (i = 0; i < d->plan.missing.len; i++) {
		const struct missing_probe *m = vec_at(&d->plan.missing, struct missing_probe, i);

		show_printf(stdout, "  %-35s the trace lacks %s (%s)\n", m->function, m->lacks,
			    m->why);
	}
}

static void print_verdict(const struct doctor *d, const struct finding *obstacle)
{
	if (!obstacle && doctor_is_foreign(d))
		printf("This program can be traced, on a machine of %s.\n",
		       gobin_arch(d->bin)->name);
	else if (!obstacle)
		puts(d->bin ? "This program can be traced." : "Go programs can be traced here.");
	else if (*obstacle->remedy)
		show_printf(stdout, "Cannot trace: %s.\n", obstacle->remedy);
	else
		show_printf(stdout, "Cannot trace: %s: %s.\n", obstacle->name, obstacle->text);
}

/* A program that cannot be recorded has its remedy in the verdict. */
static void doctor_show_print_next(const struct doctor *d)
{
	struct next next = { .other = d->bin ? gobin_path(d->bin) : NULL };
	char pid[16];

	if (doctor_obstacle(d) || doctor_is_foreign(d))
		return;
	snprintf(pid, sizeof(pid), "%d", d->has_proc ? d->proc.pid : 0);
	next.pid = d->has_proc ? pid : NULL;
	next_want(&next, d->has_proc ? NEXT_RECORD : d->bin ? NEXT_LAUNCH : NEXT_PS);
	next_print(&next, stdout);
}

void doctor_print(const struct doctor *d)
{
	print_verdict(d, doctor_obstacle(d));
	putchar('\n');
	doctor_show_print_findings(d);
	doctor_show_print_probes(d);
	doctor_show_print_missing(d);
	doctor_show_print_next(d);
}

/* --- as JSON --- */

static void json_findings(struct json_out *j, const struct doctor *d)
{
	size_t i;

	json_open_array(j, "findings");
	for (i = 0; i < d->findings.len; i++) {
		const struct finding *f = vec_at(&d->findings, struct finding, i);

		json_open_object(j, NULL);
		json_put_text(j, "level", f->level == LEVEL_FAIL ? "fail" : level_names[f->level]);
		json_put_text(j, "area", f->area);
		json_put_text(j, "name", f->name);
		json_put_text(j, "text", f->text);
		json_put_text(j, "remedy", *f->remedy ? f->remedy : NULL);
		json_close_object(j);
	}
	json_close_array(j);
}

static void json_probes(struct json_out *j, const struct doctor *d)
{
	size_t i;

	json_open_array(j, "probes");
	for (i = 0; i < d->probes.len; i++) {
		const struct probe_view *v = vec_at(&d->probes, struct probe_view, i);

		json_open_object(j, NULL);
		json_put_text(j, "function", v->point->function);
		json_put_text(j, "file", gobin_path(v->bin));
		json_put_number(j, "address", (int64_t)v->addr);
		json_put_number(j, "file_offset", (int64_t)v->point->file_offset);
		json_put_text(j, "site", v->point->site);
		json_put_bool(j, "emulated", v->emulated);
		json_put_number(j, "cost_ns", v->cost_ns);
		json_close_object(j);
	}
	json_close_array(j);
}

static void doctor_show_json_missing(struct json_out *j, const struct doctor *d)
{
	size_t i;

	json_open_array(j, "missing_probes");
	for (i = 0; i < d->plan.missing.len; i++) {
		const struct missing_probe *m = vec_at(&d->plan.missing, struct missing_probe, i);

		json_open_object(j, NULL);
		json_put_text(j, "function", m->function);
		json_put_text(j, "lacks", m->lacks);
		json_put_text(j, "why", m->why);
		json_close_object(j);
	}
	json_close_array(j);
}

void doctor_print_json(const struct doctor *d)
{
	const struct finding *obstacle = doctor_obstacle(d);
	struct json_out j = { .f = stdout };

	json_open_object(&j, NULL);
	json_put_count(&j, "version", JSON_VERSION);
	json_put_bool(&j, "traceable", !obstacle);
	json_put_text(&j, "obstacle", obstacle ? obstacle->name : NULL);
	json_put_text(&j, "reason", obstacle ? obstacle->text : NULL);
	json_put_text(&j, "remedy", obstacle && *obstacle->remedy ? obstacle->remedy : NULL);
	if (d->bin) {
		json_put_text(&j, "file", gobin_path(d->bin));
		json_put_text(&j, "go", gobin_go_version(d->bin));
	}
	if (d->has_proc)
		json_put_number(&j, "pid", d->proc.pid);
	json_findings(&j, d);
	json_probes(&j, d);
	doctor_show_json_missing(&j, d);
	json_close_object(&j);
	putchar('\n');
}
