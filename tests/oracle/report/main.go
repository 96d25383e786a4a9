// SPDX-License-Identifier: Apache-2.0

// report compares `gotap report --json` with the numbers of `go tool trace`'s pages, which it takes from the same
// package, internal/trace: the Summarizer (goroutines, regions, tasks) and MutatorUtilizationV2 with MMUCurve (MMU).
//
//	report TRACE REPORT.json
//
// Prints what was compared, or each difference, and exits with 1. Go's sums are corrected where they are wrong; each
// correction is a function of correct.go, with the reason, and its use is counted and printed.
package main

import (
	"encoding/json"
	"fmt"
	"internal/trace"
	"math"
	"os"
	"strings"
	"time"

	"cmd/gotap/tracefile"
)

type dist struct {
	Count int64 `json:"count"`
	Sum   int64 `json:"sum_ns"`
	Max   int64 `json:"max_ns"`
}

type breakdown struct {
	Running  int64            `json:"running"`
	Runnable int64            `json:"runnable"`
	Syscall  int64            `json:"syscall"`
	Blocked  int64            `json:"syscall_blocked"`
	Waiting  map[string]int64 `json:"waiting"`
}

type function struct {
	Name     string          `json:"function"`
	N        int64           `json:"goroutines"`
	Life     dist            `json:"life"`
	States   int64           `json:"states_ns"`
	Running  dist            `json:"running"`
	Runnable dist            `json:"runnable"`
	Syscall  dist            `json:"syscall"`
	Blocked  dist            `json:"syscall_blocked"`
	Assist   dist            `json:"gc_assist"`
	Sweep    dist            `json:"gc_sweep"`
	Waiting  map[string]dist `json:"waiting"`
}

type typeRow struct {
	Type      string    `json:"type"`
	Whole     dist      `json:"whole"`
	Open      int64     `json:"open"`
	OpenNs    int64     `json:"open_ns"`
	Sums      breakdown `json:"sums_ns"`
	Elsewhere int64     `json:"elsewhere_ns"`
}

type window struct {
	Window int64   `json:"window_ns"`
	Util   float64 `json:"utilisation"`
}

type curve struct {
	Windows []window `json:"windows"`
}

type report struct {
	Goroutines []function `json:"goroutines"`
	Unclosed   int64      `json:"unclosed"`
	Regions    []typeRow  `json:"regions"`
	Tasks      []typeRow  `json:"tasks"`
	Traces     []struct {
		Mutator map[string]curve `json:"mutator"`
	} `json:"traces"`
}

var failed bool

func differs(format string, args ...any) {
	fmt.Printf(format+"\n", args...)
	failed = true
}

// valid is the text as gotap has it in JSON: up to a NUL, and each byte that is no UTF-8 is U+FFFD.
func valid(text string) string {
	text, _, _ = strings.Cut(text, "\x00")
	return string([]rune(text))
}

func equal(what string, ours, gos int64) {
	if ours != gos {
		differs("%s: gotap %d, Go %d", what, ours, gos)
	}
}

// --- goroutines ---

func (b breakdown) total() int64 {
	sum := b.Running + b.Runnable + b.Syscall + b.Blocked
	for _, ns := range b.Waiting {
		sum += ns
	}
	return sum
}

func (b *breakdown) add(s trace.GoroutineExecStats) {
	b.Running += int64(s.ExecTime)
	b.Runnable += int64(s.SchedWaitTime)
	b.Syscall += int64(s.SyscallTime)
	b.Blocked += int64(s.SyscallBlockTime)
	if b.Waiting == nil {
		b.Waiting = make(map[string]int64)
	}
	for reason, ns := range s.BlockTimeByReason {
		b.Waiting[reason] += int64(ns)
	}
}

func compare(what string, ours, gos breakdown) {
	equal(what+" running", ours.Running, gos.Running)
	equal(what+" runnable", ours.Runnable, gos.Runnable)
	equal(what+" system calls", ours.Syscall, gos.Syscall)
	equal(what+" system calls without P", ours.Blocked, gos.Blocked)
	waiting := known(ours.Waiting)
	for reason, ns := range waiting {
		equal(what+" "+reason, ns, gos.Waiting[reason])
	}
	for reason, ns := range gos.Waiting {
		if _, have := waiting[reason]; !have {
			equal(what+" "+reason, 0, ns)
		}
	}
}

type group struct {
	n, life       int64
	spent         breakdown
	assist, sweep time.Duration
}

func groups(sum *trace.Summary) map[string]*group {
	all := make(map[string]*group)
	for _, g := range sum.Goroutines {
		name := valid(g.Name)
		of := all[name]
		if of == nil {
			of = &group{}
			all[name] = of
		}
		of.n++
		of.life += int64(g.TotalTime)
		of.spent.add(g.GoroutineExecStats)
		of.assist += g.RangeTime["GC mark assist"]
		of.sweep += g.RangeTime["GC incremental sweep"]
	}
	return all
}

// known is the waits as Go has them, which gives no reason for those that began before the trace.
func known(waiting map[string]int64) map[string]int64 {
	all := make(map[string]int64)
	for reason, ns := range waiting {
		if strings.HasSuffix(reason, " (by its stack)") {
			reason = ""
		}
		all[reason] += ns
	}
	return all
}

func compareGoroutines(r *report, sum *trace.Summary) {
	gos := groups(sum)
	equal("goroutines that do not close", r.Unclosed, 0)
	equal("functions", int64(len(r.Goroutines)), int64(len(gos)))
	for _, f := range r.Goroutines {
		g := gos[f.Name]
		if g == nil {
			differs("%s: not of Go", f.Name)
			continue
		}
		ours := breakdown{f.Running.Sum, f.Runnable.Sum, f.Syscall.Sum, f.Blocked.Sum, make(map[string]int64)}
		for reason, d := range f.Waiting {
			ours.Waiting[reason] = d.Sum
		}
		equal(f.Name+" goroutines", f.N, g.n)
		equal(f.Name+" life", f.Life.Sum, g.life)
		equal(f.Name+" states", f.States, f.Life.Sum)
		equal(f.Name+" states, added", ours.total(), f.Life.Sum)
		compare(f.Name, ours, g.spent)
		equal(f.Name+" assist", f.Assist.Sum, int64(g.assist))
		equal(f.Name+" sweep", f.Sweep.Sum, int64(g.sweep))
	}
}

// --- regions and tasks ---

type kind struct {
	whole, open, wholeNs, openNs, maxNs int64
	spent                               breakdown
}

func at(all map[string]*kind, name string) *kind {
	if all[name] == nil {
		all[name] = &kind{}
	}
	return all[name]
}

func (k *kind) add(ns int64, whole bool) {
	if !whole {
		k.open++
		k.openNs += ns
		return
	}
	k.whole++
	k.wholeNs += ns
	k.maxNs = max(k.maxNs, ns)
}

// Regions of the page, but for those that Go makes up: a goroutine that is created within a region gets one without name.
func regions(sum *trace.Summary) map[string]*kind {
	all := make(map[string]*kind)
	for _, g := range sum.Goroutines {
		for _, r := range g.Regions {
			if r.Start != nil && r.Start.Kind() != trace.EventRegionBegin {
				continue
			}
			k := at(all, valid(r.Name))
			k.add(int64(r.TotalTime), r.Start != nil && r.End != nil && r.End.Kind() == trace.EventRegionEnd)
			k.spent.add(r.GoroutineExecStats)
		}
	}
	return all
}

func tasks(sum *trace.Summary, first, last trace.Time) map[string]*kind {
	all := make(map[string]*kind)
	for _, t := range sum.Tasks {
		if t.Start == nil && t.End == nil {
			continue // only named by a region or a log
		}
		from, to := first, last
		if t.Start != nil {
			from = t.Start.Time()
		}
		if t.End != nil {
			to = t.End.Time()
		}
		at(all, valid(t.Name)).add(int64(to-from), t.Complete())
	}
	return all
}

func compareTypes(what string, ours []typeRow, gos map[string]*kind) {
	equal(what+" types", int64(len(ours)), int64(len(gos)))
	for _, row := range ours {
		name := what + " " + row.Type
		g := gos[row.Type]
		if g == nil {
			differs("%s: not of Go", name)
			continue
		}
		equal(name+" count", row.Whole.Count, g.whole)
		equal(name+" sum", row.Whole.Sum, g.wholeNs)
		equal(name+" max", row.Whole.Max, g.maxNs)
		equal(name+" open", row.Open, g.open)
		equal(name+" open ns", row.OpenNs, g.openNs)
		equal(name+" closes", row.Sums.total()+row.Elsewhere, row.Whole.Sum+row.OpenNs)
		if what == "region" {
			compare(name, row.Sums, g.spent)
		}
	}
}

// --- mutator utilisation ---

func compareCurve(what string, ours curve, utils [][]trace.MutatorUtil) int {
	if len(utils) == 0 || len(utils[0]) < 2 {
		return 0
	}
	mmu := trace.NewMMUCurve(utils)
	for _, w := range ours.Windows {
		gos := mmu.MMU(time.Duration(w.Window))
		if math.Abs(gos-w.Util) > 1e-9 {
			differs("%s in %v: gotap %.12f, Go %.12f", what, time.Duration(w.Window), w.Util, gos)
		}
	}
	return len(ours.Windows)
}

func compareMutator(r *report, events []trace.Event) int {
	mutator := r.Traces[0].Mutator
	pauses := utilisation(events, false)
	if !foundAssist(events) {
		pauses = trace.MutatorUtilizationV2(events, trace.UtilSTW|trace.UtilAssist)
	}
	n := compareCurve("MMU of stop-the-world and assist", mutator["stw_assist"], pauses)
	return n + compareCurve("MMU with workers", mutator["stw_assist_background"], utilisation(events, true))
}

func run(path, json_path string) error {
	text, err := os.ReadFile(json_path)
	if err != nil {
		return err
	}
	var r report
	if err := json.Unmarshal(text, &r); err != nil {
		return err
	}
	var events []trace.Event
	s, c := trace.NewSummarizer(), newCorrections()
	err = tracefile.Each(path, func(ev trace.Event) error {
		events = append(events, ev)
		c.event(ev)
		s.Event(&ev)
		return nil
	})
	if err != nil {
		return err
	}
	sum := s.Finalize()
	c.correct(sum)
	first, last := events[0].Time(), events[len(events)-1].Time()
	compareGoroutines(&r, sum)
	compareTypes("region", r.Regions, regions(sum))
	compareTypes("task", r.Tasks, tasks(sum, first, last))
	windows := compareMutator(&r, events)
	fmt.Printf("%d events, %d functions, %d types of regions, %d of tasks, %d windows; corrected: %v\n", len(events),
		len(r.Goroutines), len(r.Regions), len(r.Tasks), windows, c)
	return nil
}

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "usage: report TRACE REPORT.json")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintf(os.Stderr, "report: %v\n", err)
		os.Exit(2)
	}
	if failed {
		os.Exit(1)
	}
}
