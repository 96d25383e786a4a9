// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
	"sort"
	"strings"
)

// A tally counts the steps of one kind inside the common window.
type tally struct {
	A        int `json:"runtime"` // steps of the runtime's trace
	B        int `json:"gotap"`
	MatchedA int `json:"runtime_matched"`
	MatchedB int `json:"gotap_matched"`

	Reasons      int `json:"reasons"` // matched steps with a reason on either side
	ReasonsEqual int `json:"reasons_equal"`
	Stacks       int `json:"stacks"` // matched steps with a stack in the runtime's trace
	StacksEqual  int `json:"stacks_equal"`
	StacksExtra  int `json:"stacks_extra"` // matched steps with a stack in gotap's trace only
	Threads      int `json:"threads_equal"`
	Procs        int `json:"procs_equal"`

	delays []int64 // gotap's time minus the runtime's, of matched steps
}

func (t *tally) add(o *tally) {
	t.A += o.A
	t.B += o.B
	t.MatchedA += o.MatchedA
	t.MatchedB += o.MatchedB
	t.Reasons += o.Reasons
	t.ReasonsEqual += o.ReasonsEqual
	t.Stacks += o.Stacks
	t.StacksEqual += o.StacksEqual
	t.StacksExtra += o.StacksExtra
	t.Threads += o.Threads
	t.Procs += o.Procs
	t.delays = append(t.delays, o.delays...)
}

// share is a quotient of counts in which nothing out of nothing is all.
func share(part, whole int) float64 {
	if whole == 0 {
		return 1
	}
	return float64(part) / float64(whole)
}

func (t *tally) recall() float64    { return share(t.MatchedA, t.A) }
func (t *tally) precision() float64 { return share(t.MatchedB, t.B) }

// A stackPair is how one kind of step differs in its stacks.
type stackPair struct {
	kind  kind
	entry bool
	a, b  stackID
}

// An orphan is a step that only one trace has.
type orphan struct {
	res  resource
	inA  bool
	pos  int // in its own sequence
	step step
}

// A pattern is what one trace says between two matches where the other says something else.
type pattern struct {
	a, b string
}

type comparison struct {
	a, b       *history
	stacks     *stackTable
	start, end int64
	offset     int64   // of gotap's clock, taken off for the alignment only
	delays     []int64 // the median of each goroutine's
	kinds      [nKinds]tally
	stackDiffs map[stackPair]int
	reasons    map[[3]string]int // kind, the runtime's reason, gotap's
	orphans    []orphan
	patterns   map[pattern]int
	examples   map[pattern]orphan
	aligned    map[resource][]pair

	extras       map[string]*tally
	extraValues  map[[3]string]int // name, what the runtime says, what gotap says
	extraStacks  map[extraStacks]int
	extraOrphans []extraOrphan
	lateExtras   []extraOrphan // matched, the runtime's
	otherValues  []extraOrphan // matched, of both sides
	mislabelled  int
}

// compare aligns again if the clocks of the two traces turn out to differ: a constant difference is one finding, and
// must not look like lost steps. Each goroutine has one voice: those that do the same over and over are many steps, all
// of which may be taken for their neighbours. Where most are such, the first difference that is found is too small,
// and the next one nearer.
func compare(a, b *history, stacks *stackTable, margin int64) (*comparison, error) {
	c, err := compareAt(a, b, stacks, margin, 0)
	for tries := 0; tries < 4 && err == nil; tries++ {
		offset := quantile(sorted(c.delays), 0.5)
		if max(offset-c.offset, c.offset-offset) <= clockNoise {
			break
		}
		c, err = compareAt(a, b, stacks, margin, offset)
	}
	return c, err
}

// A smaller median difference (ns) than this is the cost of tracing.
const clockNoise = 20e3

func compareAt(a, b *history, stacks *stackTable, margin, offset int64) (*comparison, error) {
	start := max(a.start, b.start)
	c := &comparison{
		offset: offset,
		a:      a, b: b, stacks: stacks,
		start:      max(start, a.traced(start), b.traced(start)) + margin,
		end:        min(a.end, b.end) - margin,
		stackDiffs: make(map[stackPair]int),
		reasons:    make(map[[3]string]int),
		patterns:   make(map[pattern]int),
		examples:   make(map[pattern]orphan),
		aligned:    make(map[resource][]pair),

		extras:      make(map[string]*tally),
		extraValues: make(map[[3]string]int),
		extraStacks: make(map[extraStacks]int),
	}
	if c.end <= c.start {
		return nil, fmt.Errorf("no common window: runtime %s, gotap %s", span(a), span(b))
	}
	for _, r := range c.resources() {
		c.compareResource(r)
	}
	c.compareExtras()
	return c, nil
}

// traced returns when the stop-the-world ends in which the runtime's tracing starts, if that is after start: on a busy
// machine the stop takes long, and the two tracers have different parts of what happens in it.
func (h *history) traced(start int64) int64 {
	var first int64
	for key, steps := range h.extras {
		if key.name != "RangeEnd stop-the-world (start trace)" {
			continue
		}
		i := sort.Search(len(steps), func(i int) bool { return steps[i].at >= start })
		if i < len(steps) && (first == 0 || steps[i].at < first) {
			first = steps[i].at
		}
	}
	return first
}

func span(h *history) string {
	return fmt.Sprintf("%.6f..%.6f s", float64(h.start)/1e9, float64(h.end)/1e9)
}

// resources lists what has steps in either trace, goroutines first.
func (c *comparison) resources() []resource {
	set := make(map[resource]bool)
	for _, h := range []*history{c.a, c.b} {
		for r := range h.steps {
			set[r] = true
		}
	}
	list := make([]resource, 0, len(set))
	for r := range set {
		list = append(list, r)
	}
	sort.Slice(list, func(i, j int) bool {
		if list[i].isProc != list[j].isProc {
			return list[j].isProc
		}
		return list[i].id < list[j].id
	})
	return list
}

func (c *comparison) inside(s step) bool { return c.start <= s.at && s.at <= c.end }

// The whole sequences are aligned, so that a step near the window's edge finds its match beyond it.
func (c *comparison) compareResource(r resource) {
	a, b := c.a.steps[r], c.b.steps[r]
	pairs := align(a, shifted(b, -c.offset))
	var delays []int64
	c.aligned[r] = pairs
	for _, p := range pairs {
		switch {
		case p.b == none:
			c.addOrphan(orphan{r, true, p.a, a[p.a]})
		case p.a == none:
			c.addOrphan(orphan{r, false, p.b, b[p.b]})
		default:
			c.addMatch(a[p.a], b[p.b])
			delays = append(delays, a[p.a].delay(b[p.b]))
		}
	}
	if !r.isProc && len(delays) > 0 {
		c.delays = append(c.delays, quantile(sorted(delays), 0.5))
	}
	c.addPatterns(r, a, b, pairs)
}

func shifted(steps []step, by int64) []step {
	if by == 0 {
		return steps
	}
	out := slices.Clone(steps)
	for i := range out {
		out[i].at += by
	}
	return out
}

func (c *comparison) addOrphan(o orphan) {
	if !c.inside(o.step) {
		return
	}
	t := &c.kinds[o.step.kind]
	if o.inA {
		t.A++
	} else {
		t.B++
	}
	c.orphans = append(c.orphans, o)
}

func (c *comparison) addMatch(x, y step) {
	t := &c.kinds[x.kind]
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
	t.Threads += btoi(x.thread == y.thread)
	t.Procs += btoi(x.proc == y.proc)
	c.compareReasons(t, x, y)
	c.compareStacks(t, x.kind, false, x.stack, y.stack)
	if x.entry != 0 {
		c.compareStacks(t, x.kind, true, x.entry, y.entry)
	}
}

func (c *comparison) compareReasons(t *tally, x, y step) {
	if x.reason == "" && y.reason == "" {
		return
	}
	t.Reasons++
	t.ReasonsEqual += btoi(x.reason == y.reason)
	if x.reason != y.reason {
		c.reasons[[3]string{x.kind.String(), x.reason, y.reason}]++
	}
}

func (c *comparison) compareStacks(t *tally, k kind, entry bool, a, b stackID) {
	switch {
	case a == 0 && b == 0:
	case a == 0:
		t.StacksExtra++
	default:
		t.Stacks++
		t.StacksEqual += btoi(a == b)
		if a != b {
			c.stackDiffs[stackPair{k, entry, a, b}]++
		}
	}
}

// addPatterns collects what stands between matches: a lost step, or one thing told as another.
func (c *comparison) addPatterns(r resource, a, b []step, pairs []pair) {
	var onlyA, onlyB []string
	var first *orphan
	flush := func() {
		if first != nil {
			p := pattern{strings.Join(onlyA, " "), strings.Join(onlyB, " ")}
			c.patterns[p]++
			if _, ok := c.examples[p]; !ok {
				c.examples[p] = *first
			}
		}
		onlyA, onlyB, first = nil, nil, nil
	}
	add := func(list *[]string, o orphan) {
		if !c.inside(o.step) {
			return
		}
		if first == nil {
			first = &o
		}
		if len(*list) < 6 {
			*list = append(*list, o.step.label())
		} else if len(*list) == 6 {
			*list = append(*list, "...")
		}
	}
	for _, p := range pairs {
		switch {
		case p.b == none:
			add(&onlyA, orphan{r, true, p.a, a[p.a]})
		case p.a == none:
			add(&onlyB, orphan{r, false, p.b, b[p.b]})
		default:
			flush()
		}
	}
	flush()
}

func (s step) label() string {
	if s.reason == "" {
		return s.kind.String()
	}
	return s.kind.String() + "(" + s.reason + ")"
}

// total sums the kinds from first to last.
func (c *comparison) total(first, last kind) tally {
	var sum tally
	for k := first; k <= last; k++ {
		sum.add(&c.kinds[k])
	}
	return sum
}
