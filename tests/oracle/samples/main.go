// SPDX-License-Identifier: Apache-2.0

// samples judges the CPU samples of a trace that gotap wrote.
//
//	samples [FLAG...] GOTAP.trace [RUNTIME.trace]
//
// Each must be of the goroutine, and of the P, that the trace shows on its thread at that time, with that goroutine's
// stack: its root is the function that the goroutine began with. Against the runtime's own trace, written with the CPU
// profiler on, each place of the program must have the same share of all samples, as far as chance allows. The last
// line is "result: PASS" or "result: FAIL" with what failed; the exit status is 0 or 1, and 2 if a trace cannot be read.
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"time"
)

var (
	minSamples = flag.Int("min", 100, "least number of samples of either trace")
	near       = flag.Duration("near", 50*time.Microsecond, "how long after a change a sample may show what was before")
	maxNear    = flag.Float64("max-near", 0.05, "largest share of samples that do")
	sigmas     = flag.Float64("sigmas", 4, "largest difference of two shares, in standard deviations")
	bias       = flag.Float64("bias", 0.02, "... to which a constant difference of the two ways to sample is added")
	large      = flag.Float64("large", 0.03, "share from which on whole stacks are compared, too")
	need       = flag.String("need", "", "comma-separated places that gotap's samples must include")
	maxShown   = flag.Int("max", 20, "how many wrong samples are listed")
)

func main() {
	flag.Parse()
	if flag.NArg() < 1 || flag.NArg() > 2 {
		fmt.Fprintln(os.Stderr, "usage: samples [FLAG...] GOTAP.trace [RUNTIME.trace]")
		flag.PrintDefaults()
		os.Exit(2)
	}
	failures, err := judge(flag.Args())
	if err != nil {
		fmt.Fprintln(os.Stderr, "samples:", err)
		os.Exit(2)
	}
	if len(failures) > 0 {
		fmt.Println("result: FAIL", strings.Join(failures, "; "))
		os.Exit(1)
	}
	fmt.Println("result: PASS")
}

func judge(paths []string) (failures []string, err error) {
	fail := func(format string, args ...any) { failures = append(failures, fmt.Sprintf(format, args...)) }
	gotap, err := load(paths[0])
	if err != nil {
		return nil, err
	}
	gotap.judge(fail)
	if len(paths) == 1 {
		return failures, nil
	}
	runtime, err := load(paths[1])
	if err != nil {
		return nil, err
	}
	fmt.Printf("the runtime: %d samples, %d right after a change, %d wrong\n", len(runtime.samples), runtime.near,
		len(runtime.wrong))
	if len(runtime.samples) < *minSamples {
		fail("the runtime has only %d samples", len(runtime.samples))
	}
	begin, end := max(gotap.begin, runtime.begin), min(gotap.end, runtime.end)
	compareShares(gotap.shares(begin, end, place), runtime.shares(begin, end, place), 0, fail)
	compareShares(gotap.shares(begin, end, stack), runtime.shares(begin, end, stack), *large, fail)
	return failures, nil
}

func (t *tally) judge(fail func(string, ...any)) {
	total := len(t.samples)
	fmt.Printf("%d samples: %d with a goroutine, %d of these in a syscall or C; %d right after a change\n", total, t.withG,
		t.inSyscall, t.near)
	for _, text := range t.wrong[:min(len(t.wrong), *maxShown)] {
		fmt.Println(" ", text)
	}
	if total < *minSamples {
		fail("only %d samples", total)
	}
	if len(t.wrong) > 0 {
		fail("%d samples are wrong", len(t.wrong))
	}
	if float64(t.near) > *maxNear*float64(total) {
		fail("%d samples right after a change", t.near)
	}
	have := t.shares(t.begin, t.end, place)
	for _, place := range strings.Split(*need, ",") {
		if place != "" && have.count[place] == 0 {
			fail("no sample in %s", place)
		}
	}
}
