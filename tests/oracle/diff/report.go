// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"io"
	"slices"
	"sort"
	"strings"
)

// quantile takes a sorted list.
func quantile(sorted []int64, q float64) int64 {
	if len(sorted) == 0 {
		return 0
	}
	return sorted[int(q*float64(len(sorted)-1))]
}

func micros(ns int64) string { return fmt.Sprintf("%.1f", float64(ns)/1e3) }

func percent(part, whole int) string {
	if whole == 0 {
		return "-"
	}
	return fmt.Sprintf("%.3f%%", 100*share(part, whole))
}

func sorted(list []int64) []int64 {
	list = slices.Clone(list)
	slices.Sort(list)
	return list
}

// sizes returns the sorted absolute values.
func sizes(delays []int64) []int64 {
	abs := make([]int64, len(delays))
	for i, d := range delays {
		abs[i] = max(d, -d)
	}
	slices.Sort(abs)
	return abs
}

type printer struct {
	io.Writer
	c   *comparison
	max int
}

func (p printer) line(format string, args ...any) { fmt.Fprintf(p, format+"\n", args...) }

func (p printer) report() {
	p.header()
	p.table()
	p.delayTable()
	p.extras()
	p.reasonDiffs()
	p.patterns()
	p.stackDiffs()
}

func (p printer) header() {
	c := p.c
	p.line("runtime: %s  %s", c.a.path, span(c.a))
	p.line("gotap:   %s  %s", c.b.path, span(c.b))
	p.line("window:  %.6f..%.6f s (%.3f s)", float64(c.start)/1e9, float64(c.end)/1e9, float64(c.end-c.start)/1e9)
	if c.offset != 0 {
		p.line("clocks:  gotap's is %s us late", micros(c.offset))
	}
	onlyA, onlyB := missing(c.a.known, c.b.known), missing(c.b.known, c.a.known)
	p.line("goroutines: runtime %d, gotap %d; only runtime %s; only gotap %s",
		len(c.a.known), len(c.b.known), p.goroutines(onlyA), p.goroutines(onlyB))
	p.line("")
}

func missing(from, in map[int64]bool) []int64 {
	var ids []int64
	for id := range from {
		if !in[id] {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

func (p printer) goroutines(ids []int64) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d", len(ids))
	for i, id := range ids {
		if i == 5 {
			b.WriteString(" ...")
			break
		}
		fmt.Fprintf(&b, " %d(%s)", id, p.c.name(id))
	}
	return b.String()
}

func (c *comparison) name(id int64) string {
	if n := c.a.names[id]; n != "" {
		return n
	}
	return c.b.names[id]
}

const rowFormat = "%-20s %8v %8v %9s %9s %9s %9s %7v %9s %9s"

func (p printer) table() {
	p.line(rowFormat, "kind", "runtime", "gotap", "recall", "precision", "reasons", "stacks", "extra", "threads", "procs")
	for k := goCreate; k < nKinds; k++ {
		p.row(k.String(), &p.c.kinds[k])
	}
	g, procs := p.c.total(goCreate, goSyscallEndBlocked), p.c.total(procStart, procStop)
	p.row("all goroutines", &g)
	p.row("all procs", &procs)
	p.line("")
}

func (p printer) row(name string, t *tally) {
	if t.A+t.B == 0 {
		return
	}
	p.line(rowFormat, name, t.A, t.B, percent(t.MatchedA, t.A), percent(t.MatchedB, t.B),
		percent(t.ReasonsEqual, t.Reasons), percent(t.StacksEqual, t.Stacks), t.StacksExtra,
		percent(t.Threads, t.MatchedA), percent(t.Procs, t.MatchedA))
}

func (p printer) delayTable() {
	p.line("%-20s %10s %10s %10s %10s", "time difference, us", "median", "|p50|", "|p99|", "|max|")
	for k := goCreate; k < nKinds; k++ {
		delays := sorted(p.c.kinds[k].delays)
		if len(delays) == 0 {
			continue
		}
		abs := sizes(delays)
		p.line("%-20s %10s %10s %10s %10s", k, micros(quantile(delays, 0.5)),
			micros(quantile(abs, 0.5)), micros(quantile(abs, 0.99)), micros(quantile(abs, 1)))
	}
	p.line("")
}

// byCount lists the keys of a counting map, most frequent first and then in the order of their text.
func byCount[K comparable](counts map[K]int, limit int) []K {
	keys := make([]K, 0, len(counts))
	for k := range counts {
		keys = append(keys, k)
	}
	sort.Slice(keys, func(i, j int) bool {
		if counts[keys[i]] != counts[keys[j]] {
			return counts[keys[i]] > counts[keys[j]]
		}
		return fmt.Sprint(keys[i]) < fmt.Sprint(keys[j])
	})
	return keys[:min(limit, len(keys))]
}

func (p printer) reasonDiffs() {
	if len(p.c.reasons) == 0 {
		return
	}
	p.line("different reasons (count, kind, runtime, gotap):")
	for _, r := range byCount(p.c.reasons, 10) {
		p.line("%8d  %-10s %q  %q", p.c.reasons[r], r[0], r[1], r[2])
	}
	p.line("")
}

func (p printer) patterns() {
	if len(p.c.patterns) == 0 {
		return
	}
	p.line("unmatched, by what stands between two matches (count, steps, first seen):")
	for _, q := range byCount(p.c.patterns, 12) {
		p.line("%8d  runtime [%s]  gotap [%s]  %s", p.c.patterns[q], q.a, q.b, p.where(p.c.examples[q]))
	}
	p.line("")
}

func (p printer) where(o orphan) string {
	at := fmt.Sprintf("+%.6f s", float64(o.step.at-p.c.start)/1e9)
	if o.res.isProc {
		return fmt.Sprintf("P %d %s", o.res.id, at)
	}
	return fmt.Sprintf("G %d %s (%s)", o.res.id, at, p.c.name(o.res.id))
}

// stackDiffs prints the three most frequent pairs of every kind, side by side as one list.
func (p printer) stackDiffs() {
	printed := make(map[string]int)
	for _, d := range byCount(p.c.stackDiffs, len(p.c.stackDiffs)) {
		name := d.kind.String()
		if d.entry {
			name += " (start)"
		}
		if printed[name]++; printed[name] > 3 {
			continue
		}
		a, b := p.frames(d.a), p.frames(d.b)
		p.line("different stacks: %d times %s, %s", p.c.stackDiffs[d], name, howDifferent(a, b))
		p.sideBySide(a, b)
		p.line("")
	}
}

func (p printer) frames(id stackID) []string {
	if id == 0 {
		return nil
	}
	return strings.Split(p.c.stacks.texts[id], "\n")
}

func howDifferent(a, b []string) string {
	switch {
	case len(b) == 0:
		return "gotap has none"
	case len(b) < len(a) && slices.Equal(a[:len(b)], b):
		return "gotap lacks the outer frames"
	case len(b) < len(a) && slices.Equal(a[len(a)-len(b):], b):
		return "gotap lacks the inner frames"
	case len(a) < len(b) && slices.Equal(b[:len(a)], a):
		return "gotap has more outer frames"
	case len(a) < len(b) && slices.Equal(b[len(b)-len(a):], a):
		return "gotap has more inner frames"
	case slices.Equal(functions(a), functions(b)):
		return "same functions, other lines"
	}
	return "other functions"
}

func functions(frames []string) []string {
	names := make([]string, len(frames))
	for i, f := range frames {
		names[i], _, _ = strings.Cut(f, " ")
	}
	return names
}

// sideBySide marks what only one stack has, like a unified diff; equal frames at both ends stand once.
func (p printer) sideBySide(a, b []string) {
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	foot := 0
	for foot < len(a)-head && foot < len(b)-head && a[len(a)-1-foot] == b[len(b)-1-foot] {
		foot++
	}
	p.marked("  ", a[:head])
	p.marked("- ", a[head:len(a)-foot])
	p.marked("+ ", b[head:len(b)-foot])
	p.marked("  ", a[len(a)-foot:])
}

func (p printer) marked(mark string, frames []string) {
	for _, f := range frames {
		p.line("    %s%s", mark, f)
	}
}

// orphans lists unmatched steps with the three neighbours of each in both traces.
func (p printer) orphans() {
	list := slices.Clone(p.c.orphans)
	sort.SliceStable(list, func(i, j int) bool { return list[i].step.at < list[j].step.at })
	for i, o := range list {
		if i == p.max {
			p.line("... %d more unmatched", len(list)-i)
			return
		}
		side := "gotap"
		if o.inA {
			side = "runtime"
		}
		p.line("only %s: %s %s thread %d proc %d", side, o.step.label(), p.where(o), o.step.thread, o.step.proc)
		p.context(o)
	}
}

func (p printer) context(o orphan) {
	a, b := p.c.a.steps[o.res], p.c.b.steps[o.res]
	pairs := p.c.aligned[o.res]
	at := slices.IndexFunc(pairs, func(q pair) bool {
		return o.inA && q.a == o.pos || !o.inA && q.b == o.pos
	})
	for i := max(at-3, 0); i < min(at+4, len(pairs)); i++ {
		mark := "  "
		if i == at {
			mark = "> "
		}
		p.line("    %s%-44s %s", mark, p.cell(a, pairs[i].a), p.cell(b, pairs[i].b))
	}
}

func (p printer) cell(steps []step, i int) string {
	if i == none {
		return "-"
	}
	return fmt.Sprintf("%+.6f %s", float64(steps[i].at-p.c.start)/1e9, steps[i].label())
}
