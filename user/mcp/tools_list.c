// SPDX-License-Identifier: Apache-2.0
/* tools_list: the tables of tools.h. Their texts are for a model that has to choose. */
#include <stddef.h>

#include "mcp/arguments.h"
#include "mcp/tools.h"

#define EVENT_TIMES \
	"Counts, sums and maxima are exact for the recorded events; quantiles are at most 1.6 % " \
	"off. Each event has the cost of its probe in it (some 0.1 to 1 us)."

#define ARGUMENT(name_, kind_, option_, says_, ...) \
	{ \
		.name = name_, .kind = TAKES_##kind_, .option = option_, .says = says_, \
		##__VA_ARGS__ \
	}
#define TRACE(says_) ARGUMENT("trace", TRACE, NULL, says_, .required = true)
#define PID_REQUIRED(says_) \
	ARGUMENT("pid", INTEGER, "--pid", says_, .least = 1, .most = 1 << 30, .required = true)

static const struct tool_argument ps_arguments[] = { {0} };

static const struct tool_argument doctor_arguments[] = {
	ARGUMENT("pid", INTEGER, "--pid",
		 "The process; without it only the machine and the rights are looked at.",
		 .least = 1, .most = 1 << 30),
	ARGUMENT("events", TEXT, "--events", "Groups of events, as for `record`."),
	{0},
};

static const struct tool_argument stacks_arguments[] = {
	PID_REQUIRED("The process."),
	ARGUMENT("group", FLAG, "--group",
		 "Goroutines with the same stack together, which is much shorter (default true).",
		 .is_default = true),
	ARGUMENT("watch_seconds", SECONDS, "--watch",
		 "Watch for so long first, and say which goroutines did not run meanwhile.",
		 .least = 0.05, .most = 10),
	ARGUMENT("still", FLAG, "--still",
		 "Only goroutines that did not run in watch_seconds, which it needs."),
	ARGUMENT("state", TEXT, "--state",
		 "Only goroutines in these states, as the runtime names them: \"chan receive,IO "
		 "wait\"."),
	ARGUMENT("func", TEXT, "--func",
		 "Only goroutines with a function on the stack that matches this extended regular "
		 "expression (POSIX)."),
	ARGUMENT("goroutine", INTEGER, "--goroutine", "Only this goroutine.", .least = 1,
		 .most = 9e15),
	ARGUMENT("system", FLAG, "--system", "Also the goroutines of the runtime itself."),
	{0},
};

static const struct tool_argument heap_arguments[] = {
	PID_REQUIRED("The process."),
	ARGUMENT("kind", CHOICE, "--kind",
		 "heap: what is in use (default). allocs: what was allocated since the start. "
		 "block, mutex: waits, only if the program has switched these profiles on.",
		 .choices = "heap allocs block mutex"),
	ARGUMENT("diff_seconds", SECONDS, "--diff",
		 "Read twice with so much time between, and show what grew: for a leak.",
		 .least = 0.1, .most = 120),
	ARGUMENT("now", FLAG, "--now",
		 "Count up to now, with garbage that no collection has freed yet (default: as of "
		 "the last collection). With diff_seconds: also what no collection has seen."),
	ARGUMENT("lines", INTEGER, "--lines", "How many functions (default 40).", .least = 1,
		 .most = 10000),
	{0},
};

static const struct tool_argument top_arguments[] = {
	PID_REQUIRED("The process."),
	ARGUMENT("interval_seconds", LENGTH, "--interval",
		 "Length of the interval that is measured.", .least = 0.1, .most = 60,
		 .required = true),
	ARGUMENT("by", CHOICE, "--by",
		 "What a row is (default function). route: the requests that the program serves, "
		 "by route, in the member requests.",
		 .choices = "function label region route"),
	ARGUMENT("budget_percent", NUMBER, "--budget",
		 "What the probes may cost the program, in percent of one CPU (default: 10 for "
		 "each CPU that it may run on).",
		 .least = 0.1, .most = 10000),
	{0},
};

static const struct tool_argument record_arguments[] = {
	PID_REQUIRED("The process."),
	ARGUMENT("duration_seconds", LENGTH, "--duration",
		 "Length of the recording. 2 to 10 s are enough for most questions.", .least = 0.1,
		 .most = 86400, .required = true),
	ARGUMENT("events", TEXT, "--events",
		 "Groups of events that change the default: \"+linux\" adds the states of threads "
		 "in Linux (CPU quota, preemption), \"+http\" requests of a server, \"+labels\" "
		 "labels of pprof; \"gc,heap\" only "
		 "these."),
	ARGUMENT("cpu_samples_hz", INTEGER, "--cpu-samples",
		 "Also sample the CPU of each thread: 99 names the functions that run.", .least = 1,
		 .most = 1000),
	ARGUMENT("budget_percent", NUMBER, "--budget",
		 "What the probes may cost the program, in percent of one CPU (default: 10 for "
		 "each CPU that it may run on). When they would cost more, the recording has less "
		 "in it, and says so.",
		 .least = 0.1, .most = 10000),
	ARGUMENT("attach", CHOICE, "--attach",
		 "How probes are attached (default auto). inline changes code of the program while "
		 "it is recorded, at a fraction of the cost.",
		 .choices = "auto inline"),
	{0},
};

static const struct tool_argument report_arguments[] = {
	ARGUMENT("traces", TRACES, NULL, "Names of traces; several are added up.",
		 .required = true),
	ARGUMENT("unit", TEXT, "--unit",
		 "The unit of work: a function, a type of task or region, or a handler of "
		 "requests (default: gotap finds it)."),
	ARGUMENT("by_label", TEXT, "--by-label", "Rows by the values of this label of pprof."),
	ARGUMENT("top", INTEGER, "--top", "Rows and longest moments (default 10).", .least = 1,
		 .most = 1000),
	{0},
};

static const struct tool_argument why_arguments[] = {
	TRACE("Name of the trace."),
	ARGUMENT("goroutine", INTEGER, "--goroutine", "Of this goroutine.", .least = 0,
		 .most = 9e15),
	ARGUMENT("func", TEXT, "--func", "Of the slowest goroutine that began with this function."),
	ARGUMENT("region", TEXT, "--region", "Of the slowest region of this type."),
	ARGUMENT("task", TEXT, "--task", "Of this task (its id), or the slowest of this type."),
	ARGUMENT("percentile", NUMBER, "--percentile",
		 "Not of the slowest one, but of the one at this percentile.", .least = 0.001,
		 .most = 100),
	ARGUMENT("all", FLAG, "--all",
		 "Of all from the 99th percentile up, compared with those of the middle: what slow "
		 "ones have more of."),
	ARGUMENT("from_seconds", SECONDS, "--from",
		 "Only from this time on, since the trace began.", .least = 0, .most = 1e6),
	ARGUMENT("to_seconds", SECONDS, "--to", "Only up to this time, since the trace began.",
		 .least = 0, .most = 1e6),
	{0},
};

static const struct tool_argument requests_arguments[] = {
	TRACE("Name of the trace, recorded with events \"+http\"."),
	ARGUMENT("route", TEXT, "--route",
		 "The slowest requests of this route alone: \"GET /cart\"."),
	ARGUMENT("slowest", INTEGER, "--slowest", "How many of the slowest (default 3).",
		 .least = 1, .most = 1000),
	{0},
};

static const struct tool_argument diff_arguments[] = {
	ARGUMENT("a", TRACE, NULL, "Name of the earlier trace.", .required = true),
	ARGUMENT("b", TRACE, NULL, "Name of the later trace.", .required = true),
	ARGUMENT("top", INTEGER, "--top", "Differences of each kind (default 10).", .least = 1,
		 .most = 1000),
	{0},
};

static const struct tool_argument whatif_arguments[] = {
	TRACE("Name of the trace."),
	ARGUMENT("function", TEXT, "--function", "If this function ran for less time."),
	ARGUMENT("lock", TEXT, "--lock",
		 "If this function, which unlocks what others wait for, took less time."),
	ARGUMENT("sleep", TEXT, "--sleep", "If the sleeps in this function were shorter."),
	ARGUMENT("network", TEXT, "--network",
		 "If the waits for the network in this function were shorter."),
	ARGUMENT("syscall", TEXT, "--syscall",
		 "If the system calls of this function were shorter."),
	ARGUMENT("no_gc", FLAG, "--no-gc", "If there were no garbage collection."),
	ARGUMENT("by_percent", NUMBER, "--by", "How much shorter (default 50).", .least = 1,
		 .most = 100),
	ARGUMENT("unit", TEXT, "--unit", "The unit of work (default: that of `report`)."),
	ARGUMENT("top", INTEGER, "--top", "How many effects (default 5).", .least = 1, .most = 100),
	{0},
};

static const struct tool_argument profile_arguments[] = {
	TRACE("Name of the trace."),
	ARGUMENT(
		"type", CHOICE, "--type",
		"net, sync, syscall, sched: waits of that kind. block: all waits. waker: the same, "
		"at the stack of the goroutine that ended them. wall: all time. goroutine: where "
		"they are at the end. gc: mark assists and sweeps. cpu: CPU samples.",
		.choices = "net sync syscall sched block waker wall goroutine gc cpu",
		.required = true),
	ARGUMENT("goroutine", INTEGER, "--goroutine", "Only this goroutine.", .least = 0,
		 .most = 9e15),
	ARGUMENT("func", TEXT, "--func",
		 "Only goroutines that began with a function that matches this extended regular "
		 "expression."),
	ARGUMENT("from_seconds", SECONDS, "--from",
		 "Only from this time on, since the trace began.", .least = 0, .most = 1e6),
	ARGUMENT("to_seconds", SECONDS, "--to", "Only up to this time, since the trace began.",
		 .least = 0, .most = 1e6),
	{0},
};

static const struct tool_argument check_arguments[] = {
	ARGUMENT("traces", TRACES, NULL, "Names of traces.", .required = true),
	{0},
};

static const struct tool_argument traces_arguments[] = { {0} };

const struct tool tools[] = {
	{ "ps",
	  "List Go programs",
	  "Lists the Go programs that run on this machine, those that used most CPU first: pid, "
	  "release of Go, number of goroutines, container, whether gotap can trace them. Begin "
	  "here to find the pid.",
	  "ps",
	  "CPU times are those of /proc, in clock ticks of 10 ms; cpu_percent is since the "
	  "begin of the process. Goroutines are counted in memory while the program runs.",
	  TOOL_LIVE,
	  { "ps", "--json" },
	  ps_arguments },
	{ "doctor",
	  "Check whether a program can be traced",
	  "Says whether and how a Go program can be traced: kernel, rights, each probe with its "
	  "cost, and what to do about an obstacle. Attaches nothing. Call it when `record` fails.",
	  "doctor",
	  "Costs of probes are those of empty probes on one virtual machine.",
	  TOOL_LIVE,
	  { "doctor", "--json" },
	  doctor_arguments },
	{ "stacks",
	  "All goroutines of a live program",
	  "Shows all goroutines of a running program with their stacks, states and how long they "
	  "wait, without stopping it. For a program that hangs, leaks goroutines, or is "
	  "deadlocked: "
	  "no recording is needed.",
	  "stacks",
	  "Goroutines are read one after the other while the program runs: the answer is "
	  "no picture of one moment. counts.moved and counts.unreadable say what is missing. "
	  "waits_seconds is an estimate of the runtime; waits_seconds_at_least is sure.",
	  TOOL_LIVE,
	  { "stacks", "--json" },
	  stacks_arguments },
	{ "heap",
	  "What uses the memory of a live program",
	  "Shows the heap profile that the runtime of a running program keeps, read from its "
	  "memory without stopping it: bytes and objects by function and by stack, the largest "
	  "first. For memory that grows: diff_seconds. No recording is needed.",
	  "heap",
	  "The runtime samples one allocation in `rate` bytes, and values are scaled by that: the "
	  "relative error of a sum of n samples (records[].sampled_allocs) is about the root of "
	  "1/n. rate 0: profiling is off, and the profile is empty. refused, cut and moved say "
	  "what is missing.",
	  TOOL_LIVE,
	  { "heap", "--json", "--largest=1000" },
	  heap_arguments },
	{ "top",
	  "Measure a live program for an interval",
	  "Measures a running program for one interval, and writes nothing: goroutines by state "
	  "and start function, waits by reason, waits for a P, GC, CPU quota, units of work. Puts "
	  "probes into the program for that time.",
	  "top",
	  "Sums are exact for the recorded time; quantiles are at most 1.6 % off. gotap.lost, "
	  "gotap.repairs and gotap.unrecorded_seconds say what is missing, gotap.cpu_percent and "
	  "gotap.probes_percent what the measurement cost.",
	  TOOL_ATTACHES | TOOL_LIVE,
	  { "top", "--json", "--count=1" },
	  top_arguments },
	{ "record",
	  "Record a live program",
	  "Records a running Go program for some seconds into a trace in the folder of this "
	  "server, which chooses the name. Puts probes into the program for that time: it becomes "
	  "a little slower. Then call `report` with the name of the trace.",
	  "record",
	  "lost, stacks_lost, repairs_total and unrecorded_seconds say what the trace "
	  "lacks; 0 in all of them is a flawless trace. cpu and cost_percent are what it cost.",
	  TOOL_ATTACHES | TOOL_WRITES | TOOL_LIVE,
	  { "record", "--json" },
	  record_arguments },
	{ "report",
	  "Say what slows a program down",
	  "Says what slows a program down, from a trace: the unit of work and the composition of "
	  "its time, then findings, the most costly first, each with its place in the code. Read "
	  "answer[].text first; next[] names further calls.",
	  "report",
	  EVENT_TIMES " notes, traces[].unrecorded_ns and traces[].origin say what the "
		      "traces lack.",
	  0,
	  { "report", "--json" },
	  report_arguments },
	{ "why",
	  "The critical path of something slow",
	  "Says what a goroutine, task, region or the whole program waited for: the critical path, "
	  "in which each ns has one cause. Without goroutine, func, region and task: of the whole "
	  "program.",
	  "why",
	  EVENT_TIMES " causes add up to the whole; the kind `not recorded` is time of which "
		      "nothing is known.",
	  0,
	  { "why", "--json" },
	  why_arguments },
	{ "requests",
	  "Requests of a server by route",
	  "Says which requests a program served with net/http, by route: how many, how many "
	  "failed, durations, the composition of their time, and the slowest ones. Takes a "
	  "trace that was recorded with events \"+http\".",
	  "requests",
	  EVENT_TIMES " open requests are not counted; unattributed is the part of the time "
		      "that the trace does not explain.",
	  0,
	  { "requests", "--json" },
	  requests_arguments },
	{ "diff",
	  "Compare two traces",
	  "Says what became slower or faster from one trace to another of the same program, beyond "
	  "noise, the most costly first.",
	  "diff",
	  "noise is the ratio that chance could make, judged by how much the parts of each "
	  "trace differ; errors are standard errors. What may be noise is not in changes.",
	  0,
	  { "diff", "--json" },
	  diff_arguments },
	{ "whatif",
	  "Predict the effect of a change",
	  "Experimental. Predicts how much more work would be done if a part of the program took "
	  "less time, by a replay of a trace. Refuses with a reason where the trace does not show "
	  "enough. Without function to no_gc the largest effects are looked for.",
	  "whatif",
	  "ratio_low and ratio_high bound a prediction; unsure is the part of the time "
	  "that may belong to something else; null is a refusal, with its reason in refused.",
	  0,
	  { "whatif", "--json" },
	  whatif_arguments },
	{ "profile",
	  "Stacks by time or count",
	  "Where in the code the time of one kind was spent, by stack, the largest first: waits, "
	  "running, CPU samples. As a pprof profile of the trace.",
	  "profile",
	  "Times are exact for the recorded events; CPU samples are a sample, with an "
	  "error of about the square root of their number.",
	  0,
	  { "pprof", "--folded" },
	  profile_arguments },
	{ "check",
	  "Check that traces are valid",
	  "Checks that traces obey the rules of the format. Call it when another tool says that a "
	  "trace is damaged.",
	  "checks",
	  "Each event is checked.",
	  0,
	  { "check", "--json" },
	  check_arguments },
	{ "traces",
	  "List traces",
	  "Lists the traces in the folder of this server, the newest first, with what is known of "
	  "their losses and their cost.",
	  "traces",
	  "Sizes and times are those of the file system.",
	  TOOL_OWN,
	  { NULL },
	  traces_arguments },
	{0},
};
