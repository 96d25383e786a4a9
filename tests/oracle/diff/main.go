// SPDX-License-Identifier: Apache-2.0

// diff holds gotap's trace of a program against the one that the program's own runtime wrote meanwhile.
//
//	diff [FLAG...] RUNTIME.trace GOTAP.trace
//
// In the window that both traces cover it compares, goroutine by goroutine and P by P, the state transitions: their
// order, reasons, stacks, threads and times; then ranges, metrics, labels and
// annotations. The last line is "result: PASS" or "result: FAIL" with what failed; the
// exit status is 0 or 1, and 2 if a trace cannot be read or there is nothing to compare.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
)

// A limit is the least share that passes.
type limit struct {
	name  string
	least *float64
	value func(g, procs *tally) (part, whole int)
}

func floor(name string, least float64, what string, value func(g, procs *tally) (int, int)) limit {
	usage := "least share of " + what
	return limit{name, flag.Float64("min-"+name, least, usage), value}
}

var limits = []limit{
	floor("recall", 0.999, "the runtime's goroutine transitions that gotap has too",
		func(g, _ *tally) (int, int) { return g.MatchedA, g.A }),
	floor("precision", 0.999, "gotap's goroutine transitions that the runtime has too",
		func(g, _ *tally) (int, int) { return g.MatchedB, g.B }),
	floor("reasons", 0.999, "equal reasons", func(g, _ *tally) (int, int) { return g.ReasonsEqual, g.Reasons }),
	floor("stacks", 0.99, "equal stacks", func(g, _ *tally) (int, int) { return g.StacksEqual, g.Stacks }),
	floor("threads", 0.99, "goroutine transitions on the same thread",
		func(g, _ *tally) (int, int) { return g.Threads, g.MatchedA }),
	floor("proc-recall", 0.99, "the runtime's P transitions that gotap has too",
		func(_, p *tally) (int, int) { return p.MatchedA, p.A }),
	floor("proc-precision", 0.99, "gotap's P transitions that the runtime has too",
		func(_, p *tally) (int, int) { return p.MatchedB, p.B }),
}

var (
	margin   = flag.Duration("margin", 5*time.Millisecond, "left out at both ends of the common window")
	maxP90   = flag.Duration("max-p90", 0, "largest 90th percentile of time differences (0: any)")
	minSteps = flag.Int("min-steps", 100, "least number of the runtime's goroutine transitions to judge by")
	verbose  = flag.Bool("v", false, "list unmatched transitions with their neighbours")
	maxList  = flag.Int("max", 50, "how many of them")
	asJSON   = flag.Bool("json", false, "print one JSON object instead of tables")
)

func main() {
	flag.Usage = usage
	flag.Parse()
	if flag.NArg() != 2 {
		usage()
		os.Exit(2)
	}
	c, err := run(flag.Arg(0), flag.Arg(1))
	if err != nil {
		fmt.Fprintln(os.Stderr, "diff:", err)
		os.Exit(2)
	}
	failures := judge(c)
	out := bufio.NewWriter(os.Stdout)
	write(out, c, failures)
	out.Flush()
	if len(failures) > 0 {
		os.Exit(1)
	}
}

func usage() {
	fmt.Fprintln(os.Stderr, "usage: diff [FLAG...] RUNTIME.trace GOTAP.trace")
	flag.PrintDefaults()
}

func run(runtimeTrace, gotapTrace string) (*comparison, error) {
	stacks := newStackTable()
	a, err := load(runtimeTrace, stacks)
	if err != nil {
		return nil, err
	}
	b, err := load(gotapTrace, stacks)
	if err != nil {
		return nil, err
	}
	rebase(a, b)
	return compare(a, b, stacks, margin.Nanoseconds())
}

func (c *comparison) totals() (g, procs tally) {
	return c.total(goCreate, goSyscallEndBlocked), c.total(procStart, procStop)
}

func judge(c *comparison) []string {
	g, procs := c.totals()
	var failures []string
	fail := func(format string, args ...any) { failures = append(failures, fmt.Sprintf(format, args...)) }
	if g.A < *minSteps {
		fail("only %d transitions to judge by", g.A)
	}
	for _, l := range limits {
		part, whole := l.value(&g, &procs)
		if got := share(part, whole); got < *l.least {
			fail("%s %.5f < %g", l.name, got, *l.least)
		}
	}
	if p90 := quantile(sizes(g.delays), 0.9); *maxP90 > 0 && p90 > maxP90.Nanoseconds() {
		fail("p90 of time differences %v > %v", time.Duration(p90), *maxP90)
	}
	c.judgeExtraTallies(fail)
	return failures
}

func write(out io.Writer, c *comparison, failures []string) {
	if *asJSON {
		writeJSON(out, c, failures)
		return
	}
	p := printer{out, c, *maxList}
	p.report()
	if *verbose {
		p.orphans()
	}
	if len(failures) == 0 {
		p.line("result: PASS")
	} else {
		p.line("result: FAIL: %s", strings.Join(failures, "; "))
	}
}

// delayJSON is in nanoseconds.
type delayJSON struct {
	Median int64 `json:"median_ns"`
	P50    int64 `json:"p50_ns"`
	P99    int64 `json:"p99_ns"`
	Max    int64 `json:"max_ns"`
}

func writeJSON(out io.Writer, c *comparison, failures []string) {
	type row struct {
		*tally
		Recall    float64 `json:"recall"`
		Precision float64 `json:"precision"`
	}
	g, procs := c.totals()
	kinds := map[string]row{
		"goroutines": {&g, g.recall(), g.precision()},
		"procs":      {&procs, procs.recall(), procs.precision()},
	}
	for k := goCreate; k < nKinds; k++ {
		kinds[k.String()] = row{&c.kinds[k], c.kinds[k].recall(), c.kinds[k].precision()}
	}
	abs := sizes(g.delays)
	json.NewEncoder(out).Encode(map[string]any{
		"pass":      len(failures) == 0,
		"failures":  failures,
		"window_ns": c.end - c.start,
		"kinds":     kinds,
		"extras":    c.extras,
		"delay": delayJSON{quantile(sorted(g.delays), 0.5), quantile(abs, 0.5), quantile(abs, 0.99),
			quantile(abs, 1)},
	})
}
