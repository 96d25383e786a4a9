// SPDX-License-Identifier: Apache-2.0

// memory holds the experiment AllocFree of gotap's trace of a program (spans of pages, stacks of goroutines, objects)
// against that of the program's own runtime, GODEBUG=traceallocfree=1.
//
//	memory [FLAG...] RUNTIME.trace GOTAP.trace
//
// gotap's trace must cover the runtime's. What exists when the runtime's begins, by its own list, must exist by
// gotap's too, at the same address and of the same size and class; from then on every address must see the same events
// in the same order, a moment apart. The last line is "result: PASS" or "result: FAIL" with what failed; the exit
// status is 0 or 1, and 2 if a trace cannot be read.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"
	"time"
)

var (
	kinds     = flag.String("kinds", "Span,GoroutineStack", "what is compared")
	margin    = flag.Duration("margin", 300*time.Millisecond, "left out at the end of the runtime's trace: its event of what gotap saw may come so much later")
	moment    = flag.Duration("moment", 300*time.Millisecond, "how far apart the two tell the same event: a thread may lose its CPU in between")
	minEach   = flag.Int("min", 20, "least number of each kind's events to judge by")
	maxP99    = flag.Duration("max-p99", time.Millisecond, "largest 99th percentile of time differences, 90th of fewer than 5000")
	maxExtra  = flag.Float64("max-extra", 0, "largest share of gotap's events that the runtime may lack")
	objectMin = flag.Uint64("object-min", 1024, "objects in smaller slots are left out")
	maxShown  = flag.Int("max", 20, "how many differences are listed")
)

func main() {
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: memory [FLAG...] RUNTIME.trace GOTAP.trace")
		flag.PrintDefaults()
		os.Exit(2)
	}
	runtime, err := load(flag.Arg(0))
	if err == nil {
		var gotap *history
		gotap, err = load(flag.Arg(1))
		if err == nil {
			os.Exit(compare(runtime, gotap))
		}
	}
	fmt.Fprintln(os.Stderr, "memory:", err)
	os.Exit(2)
}

type result struct {
	kind              string
	existing          int // in the runtime's list
	unlisted          int // stacks of threads, which it has not
	alloced, released int
	extra             int // events that only gotap has
	delays            []int64
	wrong             []string
}

func compare(runtime, gotap *history) int {
	var failures []string
	for _, kind := range strings.Split(*kinds, ",") {
		r := compareKind(kind, runtime, gotap)
		slices.Sort(r.delays)
		p99 := quantile(r.delays, 0.99)
		late, percent := p99, 99
		// On a busy machine threads lose their CPU between the two tracers: among few events these are the 99th
		// percentile.
		if len(r.delays) < 5000 {
			late, percent = quantile(r.delays, 0.9), 90
		}
		fmt.Printf("%-15s existing %d (and %d of threads), taken %d, given back %d; only gotap's %d; differences %d; "+
			"apart: median %v, p99 %v\n", kind, r.existing, r.unlisted, r.alloced, r.released, r.extra, len(r.wrong),
			quantile(r.delays, 0.5), p99)
		for _, text := range r.wrong[:min(len(r.wrong), *maxShown)] {
			fmt.Printf("  %s\n", text)
		}
		switch {
		case len(r.wrong) > 0:
			failures = append(failures, fmt.Sprintf("%s: %d differences", kind, len(r.wrong)))
		case float64(r.extra) > *maxExtra*float64(r.alloced+r.released):
			failures = append(failures, fmt.Sprintf("%s: the runtime lacks %d", kind, r.extra))
		case r.existing == 0 || r.alloced < *minEach || r.released < *minEach:
			failures = append(failures, kind+": too little to judge by")
		case late > *maxP99:
			failures = append(failures, fmt.Sprintf("%s: p%d %v", kind, percent, late))
		}
	}
	if len(failures) > 0 {
		fmt.Println("result: FAIL", strings.Join(failures, "; "))
		return 1
	}
	fmt.Println("result: PASS")
	return 0
}

func quantile(sorted []int64, q float64) time.Duration {
	if len(sorted) == 0 {
		return 0
	}
	return time.Duration(sorted[int(q*float64(len(sorted)-1))])
}

// compareKind judges one kind of memory over the time of the runtime's trace.
func compareKind(kind string, runtime, gotap *history) *result {
	r := &result{kind: kind}
	begin, end := runtime.list, runtime.end-margin.Nanoseconds()
	a, b := runtime.of(kind), gotap.of(kind)
	addrs := make(map[uint64]bool)
	for addr := range a {
		addrs[addr] = true
	}
	for addr := range b {
		addrs[addr] = true
	}
	for _, addr := range sorted(addrs) {
		if kind == "HeapObject" { // gotap does not list those that exist
			if listed(a[addr]) != nil {
				r.existing++
			}
		} else {
			r.compareExisting(addr, listed(a[addr]), stateAt(b[addr], begin))
		}
		r.compareEvents(addr, since(a[addr], begin), since(b[addr], begin), end)
	}
	return r
}

func sorted(addrs map[uint64]bool) []uint64 {
	var all []uint64
	for addr := range addrs {
		all = append(all, addr)
	}
	slices.Sort(all)
	return all
}

func (r *result) compareExisting(addr uint64, a, b *event) {
	if a != nil {
		r.existing++
	}
	if a == nil && b != nil && isOfThread(b) {
		r.unlisted++
		return
	}
	if (a == nil) != (b == nil) || (a != nil && a.what != b.what) {
		r.wrong = append(r.wrong, fmt.Sprintf("%#x at the begin: runtime %v, gotap %v", addr, a, b))
	}
}

// The stacks of a new thread's g0 and gsignal (malg in allocm and mpreinit) are told when they are taken, or, if that
// was while gotap began, as existing; the runtime lists those of goroutines only.
func isOfThread(e *event) bool {
	return (e.what == "16384 bytes" || e.what == "32768 bytes")
}

// compareEvents goes through both sequences side by side. Behind @end one of them may be cut.
func (r *result) compareEvents(addr uint64, a, b []event, end int64) {
	for len(a) > 0 || len(b) > 0 {
		x, y := first(a), first(b)
		switch {
		case (x == nil || x.at >= end) && (y == nil || y.at >= end):
			return
		case same(x, y):
			r.count(x, y)
			a, b = a[1:], b[1:]
		case y != nil && *maxExtra > 0:
			r.extra++
			b = b[1:]
		default:
			r.wrong = append(r.wrong, fmt.Sprintf("%#x: runtime %v, gotap %v", addr, x, y))
			return
		}
	}
}

func first(events []event) *event {
	if len(events) == 0 {
		return nil
	}
	return &events[0]
}

// same is true of the same event, which both have within a moment.
func same(x, y *event) bool {
	return x != nil && y != nil && x.taken == y.taken && x.what == y.what && max(x.at-y.at, y.at-x.at) < moment.Nanoseconds()
}

func (r *result) count(x, y *event) {
	r.delays = append(r.delays, max(x.at-y.at, y.at-x.at))
	if x.taken {
		r.alloced++
	} else {
		r.released++
	}
}
