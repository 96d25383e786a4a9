// SPDX-License-Identifier: Apache-2.0
/* program: a Go program, and the process that runs it; see doctor.h. */
#include "cmd/doctor/doctor.h"

#include <stdio.h>
#include <string.h>

#include "inline/image.h"
#include "inline/inject.h"
#include "inline/tsc.h"
#include "live/roots.h"
#include "release/release.h"
#include "target/offsets.h"
#include "target/code.h"

static const char program_area[] = "program", process_area[] = "process";

/*
 * Prices of a hit that sends a record: of an instruction that the kernel emulates, and of one that
 * it runs out of line in single steps. amd64: measured on Linux 6.18, in a virtual machine. arm64:
 * a step takes 1.6 to 1.8 times the instructions of a simulation (Linux 5.10 to 7.3, counted in
 * an emulator); the price of the simulation is that of amd64.
 */
static const struct doctor_price {
	int emulated_ns, stepped_ns;
	const char *source;
} doctor_prices[GOARCHES] = {
	[GOARCH_AMD64] = { 800, 10000, "measured in a virtual machine" },
	[GOARCH_ARM64] = { 800, 1400, "not measured on arm64: that of amd64, and for a step 1.75 "
			   "times as much, by instructions counted in an emulator" },
};

bool doctor_is_foreign(const struct doctor *d)
{
	return d->bin && gobin_arch(d->bin) != goarch_host();
}

static void look_at_build(struct doctor *d)
{
	const char *pgo = gobin_build_setting(d->bin, "-pgo");
	const char *mode = gobin_build_setting(d->bin, "-buildmode");

	doctor_add(d, LEVEL_OK, program_area, "file", "%s", gobin_path(d->bin));
	doctor_add(d, LEVEL_OK, program_area, "Go release", "%s", gobin_go_version(d->bin));
	if (*gobin_module_path(d->bin))
		doctor_add(d, LEVEL_OK, program_area, "module", "%s %s",
			   gobin_module_path(d->bin), gobin_module_version(d->bin));
	doctor_add(d, LEVEL_OK, program_area, "build", "%s%s%s", mode ? mode : "exe",
		   gobin_is_pie(d->bin) && (!mode || strcmp(mode, "pie")) ?
			   ", position independent" :
			   "",
		   pgo && strcmp(pgo, "off") ? ", with a profile (-pgo)" : "");
	doctor_add(d, LEVEL_OK, program_area, "symbols", "%s%s",
		   gobin_has_symtab(d->bin) ? "symbol table, " : "stripped, ",
		   gobin_has_dwarf(d->bin) ? "DWARF and Go's own table" : "Go's own table");
	if (doctor_is_foreign(d))
		doctor_add(d, LEVEL_NOTE, program_area, "architecture",
			   "%s: a machine of it can record the program; this one, of %s, can only "
			   "look where its probes sit", gobin_arch(d->bin)->name,
			   goarch_host()->name);
	if (gobin_debug_path(d->bin))
		doctor_add(d, LEVEL_OK, program_area, "debug file", "%s",
			   gobin_debug_path(d->bin));
}

static const struct plugin *plugin_of(const struct doctor *d, const struct probe_point *point)
{
	size_t i;

	for (i = 0; i < d->plugins.len; i++) {
		const struct plugin *p = vec_at(&d->plugins, struct plugin, i);

		if (point->file == p->file)
			return p;
	}
	return NULL;
}

static void view_probe(struct doctor *d, const struct probe_point *point)
{
	struct probe_view *v = vec_push(&d->probes, sizeof(*v));
	const struct plugin *plugin = plugin_of(d, point);
	enum goarch_id arch;

	v->point = point;
	v->bin = plugin ? plugin->bin : d->bin;
	v->addr = point->addr;
	if (plugin)
		v->addr -= plugin->bias - d->proc.bias;
	v->emulated = code_is_emulated(v->bin, v->addr);
	arch = gobin_arch(v->bin)->id;
	v->cost_ns = v->emulated ? doctor_prices[arch].emulated_ns :
				   doctor_prices[arch].stepped_ns;
}

static void view_probes(struct doctor *d)
{
	size_t i;

	for (i = 0; i < d->plan.points.len; i++)
		view_probe(d, vec_at(&d->plan.points, struct probe_point, i));
}

/* Their code has probes, too. */
static bool look_at_plugins(struct doctor *d)
{
	struct error err = {0};
	size_t i;

	for (i = 0; i < d->plugins.len; i++) {
		const struct plugin *p = vec_at(&d->plugins, struct plugin, i);

		if (plan_add_plugin(&d->plan, p->bin, p->file, p->bias - d->proc.bias, &err)) {
			doctor_add(d, LEVEL_FAIL, program_area, "plugin", "%s", err.text);
			return false;
		}
		doctor_add(d, LEVEL_OK, program_area, "plugin", "%s, loaded at +0x%llx",
			   gobin_path(p->bin), (unsigned long long)p->bias);
	}
	return true;
}

static bool look_at_plan(struct doctor *d, unsigned int groups)
{
	struct error err = {0};

	if (plan_make(&d->plan, d->bin, groups, &err)) {
		doctor_add(d, LEVEL_FAIL, program_area, "probes", "%s", err.text);
		return false;
	}
	if (!look_at_plugins(d))
		return false;
	view_probes(d);
	doctor_add(d, LEVEL_OK, program_area, "field offsets", "from %s",
		   d->plan.offsets_source);
	if (!release_is_known(d->plan.minor))
		doctor_add(d, LEVEL_NOTE, program_area, "tested",
			   "no: Go 1.%d is later than what gotap knows, and is taken for Go 1.%d",
			   d->plan.minor, release_nearest(d->plan.minor));
	else if (!release_is_tested(d->plan.minor))
		doctor_add(d, LEVEL_NOTE, program_area, "tested",
			   "no: there was no compiler of Go 1.%d to try gotap on", d->plan.minor);
	doctor_add(d, LEVEL_OK, program_area, "probes", "%zu, %zu named call sites",
		   d->plan.points.len, d->plan.sites.len);
	doctor_add(d, LEVEL_OK, program_area, "price of one hit", "%s; a recording measures it",
		   doctor_prices[gobin_arch(d->bin)->id].source);
	return true;
}

/* --attach inline: which places, at which price, and why not. */
static void look_at_inline(struct doctor *d, unsigned int groups)
{
	struct image_prices prices = {0};
	struct plan plan = {0};
	struct error err = {0};
	size_t n;

	if (plan_make_inline(&plan, d->bin, groups, &err)) {
		/* the plan for uprobes could be made, so the file has changed meanwhile */
		doctor_add(d, LEVEL_FAIL, program_area, "inline", "%s", err.text);
		goto out;
	}
	n = plan_inline_count(&plan);
	if (d->has_proc && (inject_possible(&d->proc, &err) || tsc_check(&err)))
		doctor_add(d, LEVEL_NOTE, program_area, "inline",
			   "not possible (--attach inline): %s", err.text);
	else if (!n)
		doctor_add(d, LEVEL_NOTE, program_area, "inline",
			   "not possible (--attach inline): %s: %s",
			   plan.not_inline.len ?
				   vec_at(&plan.not_inline, struct not_inline, 0)->function :
				   "no place",
			   plan.not_inline.len ?
				   vec_at(&plan.not_inline, struct not_inline, 0)->why :
				   "is known");
	else if (!image_measure(&prices, &err))
		doctor_add(d, LEVEL_OK, program_area, "inline",
			   "possible (--attach inline): at %zu places a record would "
			   "take about %.2f us instead of %.1f and more; %zu frequent functions "
			   "remain uprobes",
			   n, (prices.record + prices.stack + 10 * prices.frame) / 1000,
			   doctor_prices[gobin_arch(d->bin)->id].emulated_ns / 1000.0,
			   plan.not_inline.len);
out:
	plan_release(&plan);
}

/* The verifier has the last word, so it is asked. Nothing is attached. */
static void try_loading(struct doctor *d)
{
	struct bpf_opts opts = { .stack_depth = 127, .ring_size = 4096 };
	struct bpf_side *side = NULL;
	struct error err = {0};

	if (bpf_load(&side, &d->plan, &d->proc, &opts, &err))
		doctor_add(d, LEVEL_FAIL, program_area, "BPF programs", "%s", err.text);
	else
		doctor_add(d, LEVEL_OK, program_area, "BPF programs", "the kernel takes them (%s)",
			   bpf_method(side));
	bpf_free(side);
}

static void look_at_memory(struct doctor *d)
{
	struct error err = {0};
	struct roots roots;

	if (roots_find(&d->plan, &d->proc, NULL, &roots, &err))
		doctor_add(d, LEVEL_FAIL, process_area, "memory", "%s", err.text);
	else
		doctor_add(d, LEVEL_OK, process_area, "memory",
			   "goroutines found at 0x%llx, loaded at +0x%llx",
			   (unsigned long long)roots.allgs, (unsigned long long)d->proc.bias);
}

void doctor_look_at_process(struct doctor *d, const char *container)
{
	struct procfs_status st;
	char inner[64] = "";

	if (procfs_status(&d->proc.fs, d->proc.pid, "status", &st))
		return;
	if (st.levels > 1)
		snprintf(inner, sizeof(inner), ", %d in its own PID namespace",
			 procfs_inner_id(&st));
	doctor_add(d, LEVEL_OK, process_area, "process", "%d (%s)%s", d->proc.pid, st.name, inner);
	if (container)
		doctor_add(d, LEVEL_OK, process_area, "container", "%s", container);
	if (!d->proc.fs.own)
		doctor_add(d, LEVEL_NOTE, process_area, "proc",
			   "%s is of another PID namespace: probes go to all processes of the "
			   "file, whose hits BPF drops", d->proc.fs.dir);
	if (d->probes.len)
		look_at_memory(d);
}

void doctor_look_at_program(struct doctor *d, unsigned int groups)
{
	look_at_build(d);
	if (!look_at_plan(d, groups) || doctor_is_foreign(d))
		return;
	look_at_inline(d, groups);
	if (!doctor_obstacle(d))
		try_loading(d);
}
