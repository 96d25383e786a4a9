// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"flag"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"sort"
	"strings"
	"time"

	"internal/trace"
)

// Beside state transitions a trace has ranges, metrics, labels and annotations. Each belongs to a goroutine, to a P or
// to nobody, and is matched within its own sequence, by time; what it says (a value, a task, a text) must be equal.

var (
	judgeExtras = flag.Bool("extras", false, "judge ranges, metrics, labels and annotations too")
	minExtras   = flag.Float64("min-extras", 0.999, "least share of each of them that the other trace has too")
	minValues   = flag.Float64("min-values", 0.999, "least share of equal values, texts and tasks among them")
	maxExtraP99 = flag.Duration("max-extras-p99", 0, "largest 99th percentile of their time differences (0: any)")
	needExtras  = flag.String("need", "", "comma-separated beginnings of names of which the runtime must have some")
	fewExtras   = flag.Int("few", 0, "so many events of a name may be unmatched, however many there are")
	roughExtras = flag.String("rough", "", "comma-separated beginnings of names that are judged by -min-rough")
	minRough    = flag.Float64("min-rough", 0.995, "least share of equal values among those of -rough")
	skipExtras  = flag.String("skip", "", "comma-separated beginnings of names that are not judged")
)

var nobody = resource{false, -1}

// extraOf says what an event tells besides state transitions: its sequence and what must be equal. A name ends with
// what makes the event another kind of thing, such as the reason of a stop-the-world.
func extraOf(ev trace.Event) (key extraKey, value string) {
	g := resource{false, int64(ev.Goroutine())}
	switch ev.Kind() {
	case trace.EventRangeBegin, trace.EventRangeEnd:
		r := ev.Range()
		return extraKey{ev.Kind().String() + " " + r.Name, resourceOf(r.Scope)}, rangeValue(ev)
	case trace.EventMetric:
		m := ev.Metric()
		return extraKey{"Metric " + m.Name, metricScope(ev)}, fmt.Sprint(m.Value.Uint64())
	case trace.EventLabel:
		return extraKey{"Label " + ev.Label().Label, resourceOf(ev.Label().Resource)}, ""
	case trace.EventTaskBegin:
		t := ev.Task()
		return extraKey{"TaskBegin", g}, fmt.Sprintf("task %d parent %d %q", t.ID, t.Parent, t.Type)
	case trace.EventTaskEnd:
		return extraKey{"TaskEnd", g}, fmt.Sprintf("task %d", ev.Task().ID)
	case trace.EventRegionBegin, trace.EventRegionEnd:
		return extraKey{ev.Kind().String(), g}, fmt.Sprintf("task %d %q", ev.Region().Task, ev.Region().Type)
	case trace.EventLog:
		l := ev.Log()
		switch l.Category {
		case "gotap.origin", "gotap.alloc", "gotap.free": // which program it is, its samples: not events of the program
			return extraKey{}, ""
		}
		return extraKey{"Log", g}, fmt.Sprintf("task %d %q %q", l.Task, l.Category, l.Message)
	}
	return extraKey{}, ""
}

func resourceOf(id trace.ResourceID) resource {
	switch id.Kind {
	case trace.ResourceGoroutine:
		return resource{false, int64(id.Goroutine())}
	case trace.ResourceProc:
		return resource{true, int64(id.Proc())}
	}
	return nobody
}

// The size of the heap is told by every P for itself; the others come one at a time.
func metricScope(ev trace.Event) resource {
	if strings.HasPrefix(ev.Metric().Name, "/memory/") {
		return resource{true, int64(ev.Proc())}
	}
	return nobody
}

// A sweep's end says how much it swept and reclaimed.
func rangeValue(ev trace.Event) string {
	if ev.Kind() != trace.EventRangeEnd {
		return ""
	}
	var parts []string
	for _, a := range ev.RangeAttributes() {
		parts = append(parts, fmt.Sprintf("%s %d", a.Name, a.Value.Uint64()))
	}
	return strings.Join(parts, " ")
}

func (l *loader) addExtra(ev trace.Event) {
	key, value := extraOf(ev)
	if key.name == "" || l.isRestated(ev) {
		return
	}
	l.extras[key] = append(l.extras[key], step{
		at:     int64(ev.Time()),
		late:   l.late,
		kind:   valueKind(ev, value),
		reason: value,
		value:  hashOf(value),
		stack:  l.stack(ev.Stack()),
		thread: int64(ev.Thread()),
		proc:   int64(ev.Proc()),
	})
}

// valueKind keeps annotations from being matched with others that say something else: they come in bursts, and a thread
// may lose its CPU between the two tracers.
func valueKind(ev trace.Event, value string) kind {
	switch ev.Kind() {
	case trace.EventMetric, trace.EventRangeBegin, trace.EventRangeEnd, trace.EventLabel:
		return other
	}
	return kind(hashOf(value))
}

func hashOf(value string) uint32 {
	h := fnv.New32a()
	h.Write([]byte(value))
	return h.Sum32()
}

// isRestated is true of GOMAXPROCS as every generation begins with it, at times of each tracer's own.
func (l *loader) isRestated(ev trace.Event) bool {
	if ev.Kind() != trace.EventMetric || !strings.HasPrefix(ev.Metric().Name, "/sched/gomaxprocs") {
		return false
	}
	text := l.stacks.texts[l.stack(ev.Stack())]
	return text == "" || strings.Contains(text, "runtime.traceAdvance")
}

func (c *comparison) compareExtras() {
	keys := make(map[extraKey]bool)
	for _, h := range []*history{c.a, c.b} {
		for key := range h.extras {
			keys[key] = true
		}
	}
	for key := range keys {
		c.compareExtra(key)
	}
}

func (c *comparison) compareExtra(key extraKey) {
	t := c.extras[key.name]
	if t == nil {
		t = new(tally)
		c.extras[key.name] = t
	}
	a, b := c.withoutMislabelled(key), c.b.extras[key]
	for _, p := range align(a, shifted(b, -c.offset)) {
		switch {
		case p.b == none:
			c.addExtraOrphan(t, key, true, a[p.a])
		case p.a == none:
			c.addExtraOrphan(t, key, false, b[p.b])
		default:
			c.addExtraMatch(t, key, a[p.a], b[p.b])
		}
	}
}

func (c *comparison) addExtraOrphan(t *tally, key extraKey, inA bool, s step) {
	if !c.inside(s) {
		return
	}
	if inA {
		t.A++
	} else {
		t.B++
	}
	c.extraOrphans = append(c.extraOrphans, extraOrphan{key, inA, s})
}

// withoutMislabelled leaves out, before steps are matched, labels of the runtime that gotap cannot have: all labels of a
// goroutine are alike, so that each could be matched with one of gotap's of another time.
func (c *comparison) withoutMislabelled(key extraKey) []step {
	return slices.DeleteFunc(slices.Clone(c.a.extras[key]), func(s step) bool {
		wrong := c.isMislabelled(key, s)
		c.mislabelled += btoi(wrong && c.inside(s))
		return wrong
	})
}

// The runtime labels whatever starts on a P that has chosen to mark (p.gcMarkWorkerMode). That may be an ordinary
// goroutine, because the P was stopped before its worker ran, or from Go 1.26 on because a P that got its worker when
// the world started had something better to run, gave the worker back, and kept the mode (releaseNextGCMarkWorker).
// There even a worker is labelled that does not mark: one that goes on in gcMarkDone, after another goroutine woke it
// or after a preemption. gotap labels workers that the scheduler wakes to mark, which is no goroutine and so has no
// stack.
func (c *comparison) isMislabelled(key extraKey, label step) bool {
	if !strings.HasPrefix(key.name, "Label GC") {
		return false
	}
	name := c.name(key.res.id)
	if name != "" && !strings.HasPrefix(name, "runtime.gcBgMark") {
		return true
	}
	last, ok := c.a.before(key.res, label.at, goStart)
	return ok && (last.kind != goUnblock || last.stack != 0)
}

// before returns the last step of a resource before the one of kind k that is the last at a time.
func (h *history) before(r resource, at int64, k kind) (step, bool) {
	steps := h.steps[r]
	i := sort.Search(len(steps), func(i int) bool { return steps[i].at > at }) - 1
	if i < 1 || steps[i].kind != k {
		return step{}, false
	}
	return steps[i-1], true
}

func (c *comparison) addExtraMatch(t *tally, key extraKey, x, y step) {
	if c.inside(y) {
		t.B++
		t.MatchedB++
	}
	if !c.inside(x) {
		return
	}
	t.A++
	t.MatchedA++
	t.delays = append(t.delays, x.delay(y))
	if late := x.delay(y) - c.offset; max(late, -late) > lateExtra {
		c.lateExtras = append(c.lateExtras, extraOrphan{key, true, x})
	}
	t.Threads += btoi(x.thread == y.thread)
	t.Procs += btoi(x.proc == y.proc)
	t.Reasons++
	t.ReasonsEqual += btoi(x.reason == y.reason)
	if x.reason != y.reason {
		c.extraValues[[3]string{key.name, x.reason, y.reason}]++
		c.otherValues = append(c.otherValues, extraOrphan{key, true, x}, extraOrphan{key, false, y})
	}
	switch {
	case x.stack != 0:
		t.Stacks++
		t.StacksEqual += btoi(x.stack == y.stack)
		if x.stack != y.stack {
			c.extraStacks[extraStacks{key.name, x.stack, y.stack}]++
		}
	case y.stack != 0:
		t.StacksExtra++
	}
}

// What differs more (ns) than any probe costs is worth a line of its own.
const lateExtra = 50e3

type extraStacks struct {
	name string
	a, b stackID
}

type extraOrphan struct {
	key extraKey
	inA bool
	step
}

const extraFormat = "%-54s %8v %8v %8s %8s %8s %8s %5v %8s %8s %8s"

func (p printer) extras() {
	if len(p.c.extras) == 0 {
		return
	}
	p.line(extraFormat, "ranges, metrics, labels, annotations", "runtime", "gotap", "recall", "precis.", "values",
		"stacks", "extra", "threads", "p50 us", "p99 us")
	for _, name := range slices.Sorted(maps.Keys(p.c.extras)) {
		t := p.c.extras[name]
		abs := sizes(t.delays)
		p.line(extraFormat, name, t.A, t.B, percent(t.MatchedA, t.A), percent(t.MatchedB, t.B),
			percent(t.ReasonsEqual, t.Reasons), percent(t.StacksEqual, t.Stacks), t.StacksExtra,
			percent(t.Threads, t.MatchedA), micros(quantile(abs, 0.5)), micros(quantile(abs, 0.99)))
	}
	if p.c.mislabelled > 0 {
		p.line("left out: %d labels of GC workers that the runtime gave to who did not mark", p.c.mislabelled)
	}
	p.line("")
	for _, d := range byCount(p.c.extraValues, 8) {
		p.line("%8d times %s: runtime %q, gotap %q", p.c.extraValues[d], d[0], d[1], d[2])
	}
	p.extraPlaces("other values", p.c.otherValues)
	for _, d := range byCount(p.c.extraStacks, 6) {
		p.line("different stacks: %d times %s", p.c.extraStacks[d], d.name)
		p.sideBySide(p.frames(d.a), p.frames(d.b))
	}
	p.extraPlaces("times differ by more than 50 us", p.c.lateExtras)
	p.extraOrphans()
}

func (p printer) extraPlaces(what string, list []extraOrphan) {
	for i, o := range list {
		if i < 6 || *verbose {
			p.line("%s: %s", what, p.place(o))
		}
	}
}

// place says which event of which trace it is, and when it was, in the window and by the trace's clock.
func (p printer) place(o extraOrphan) string {
	side := "gotap"
	if o.inA {
		side = "runtime"
	}
	return fmt.Sprintf("%s: %s %s +%.6f s (%d ns) thread %d proc %d %s", side, o.key.name, o.key.res,
		float64(o.at-p.c.start)/1e9, o.at, o.thread, o.proc, o.reason)
}

// The judged ones come first: a list that is cut must have what the verdict is about.
func (p printer) extraOrphans() {
	list := p.c.extraOrphans
	slices.SortFunc(list, func(x, y extraOrphan) int {
		skipped := btoi(hasPrefixOf(*skipExtras, x.key.name)) - btoi(hasPrefixOf(*skipExtras, y.key.name))
		return cmp.Or(skipped, cmp.Compare(x.at, y.at))
	})
	for i, o := range list {
		if i == 12 && !*verbose {
			p.line("... %d more unmatched", len(list)-i)
			return
		}
		p.line("only %s", p.place(o))
	}
}

func (r resource) String() string {
	switch {
	case r == nobody:
		return ""
	case r.isProc:
		return fmt.Sprintf("P %d", r.id)
	}
	return fmt.Sprintf("G %d", r.id)
}

func hasPrefixOf(list, name string) bool {
	return list != "" && slices.ContainsFunc(strings.Split(list, ","), func(p string) bool {
		return strings.HasPrefix(name, p)
	})
}

// judgeExtraTallies reports by fail what is not good enough.
func (c *comparison) judgeExtraTallies(fail func(format string, args ...any)) {
	if !*judgeExtras {
		return
	}
	for _, name := range slices.Sorted(maps.Keys(c.extras)) {
		t, values := c.extras[name], *minValues
		if hasPrefixOf(*skipExtras, name) {
			continue
		}
		if hasPrefixOf(*roughExtras, name) {
			values = *minRough
		}
		// An event may be on one side of the window's end only.
		if got := t.recall(); got < *minExtras && t.A-t.MatchedA > *fewExtras {
			fail("recall of %s %.5f < %g", name, got, *minExtras)
		}
		if got := t.precision(); got < *minExtras && t.B-t.MatchedB > *fewExtras {
			fail("precision of %s %.5f < %g", name, got, *minExtras)
		}
		if got := share(t.ReasonsEqual, t.Reasons); got < values {
			fail("values of %s %.5f < %g", name, got, values)
		}
		// On a busy machine threads lose their CPU some fifty times in a second or two, perhaps between the two
		// tracers each time. Among few events these would be the 99th percentile, and two among twelve the
		// 90th.
		q := 0.99
		switch n := len(t.delays); {
		case n < 100:
			q = 0.5
		case n < 5000:
			q = 0.9
		}
		late := quantile(sizes(t.delays), q)
		if *maxExtraP99 > 0 && late > maxExtraP99.Nanoseconds() {
			fail("p%.0f of time differences of %s %v > %v", 100*q, name, time.Duration(late), *maxExtraP99)
		}
	}
	for _, want := range strings.Split(*needExtras, ",") {
		if want != "" && !c.hasExtra(want) {
			fail("the runtime's trace has no %s", want)
		}
	}
}

func (c *comparison) hasExtra(prefix string) bool {
	for name, t := range c.extras {
		if strings.HasPrefix(name, prefix) && t.A > 0 {
			return true
		}
	}
	return false
}
