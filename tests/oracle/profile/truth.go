// SPDX-License-Identifier: Apache-2.0

// The profiles that go tool trace does not have, from the events of internal/trace, by docs/pprof.md.

package main

import (
	"fmt"
	"internal/trace"
	"io"
	"os"
)

// A goroutine and the stay that goes on.
type goroutine struct {
	state  trace.GoState
	since  trace.Time
	reason string
	begun  bool // by an event, not found
	stack  string
	placed bool // it has a stack, if only one of address 0
}

type openRange struct {
	since trace.Time
	stack string
}

type rangeKey struct {
	scope trace.ResourceID
	name  string
}

type truth struct {
	kind   string
	out    *contents
	gs     map[trace.GoID]*goroutine
	ranges map[rangeKey]openRange
	sync   trace.Time
	last   trace.Time
}

var stateNames = map[trace.GoState]string{
	trace.GoRunnable: "runnable", trace.GoRunning: "running", trace.GoWaiting: "waiting", trace.GoSyscall: "syscall",
}

var truthTypes = map[string][]string{
	"block": {"contentions/count", "delay/nanoseconds"}, "waker": {"contentions/count", "delay/nanoseconds"},
	"wall": {"intervals/count", "time/nanoseconds"}, "gc": {"ranges/count", "time/nanoseconds"},
	"goroutine": {"goroutine/count"}, "cpu": {"samples/count"},
}

func (t *truth) add(stack, state, reason string, ns int64) {
	key := stack
	if state != "" {
		key += " state=" + state
	}
	if reason != "" {
		key += " reason=" + reason
	}
	v := t.out.samples[key]
	if v == nil {
		v = make([]int64, len(t.out.types)-1)
		t.out.samples[key] = v
	}
	v[0]++
	if len(v) > 1 {
		v[1] += ns
	}
}

func (t *truth) addresses(s trace.Stack) string {
	var addrs []uint64
	for f := range s.Frames() {
		addrs = append(addrs, f.PC)
		t.out.lines[line{f.PC, f.Func, f.File, int64(f.Line)}] = true
	}
	return addressKey(addrs)
}

// hasFrames: Go 1.22 now and then writes a stack of one frame, of address 0: then it is not known where the goroutine is, and it is
// no longer where it was.
func hasFrames(s trace.Stack) bool {
	for range s.Frames() {
		return true
	}
	return false
}

func reasonOf(g *goroutine) string {
	switch {
	case g.reason != "" || g.state != trace.GoWaiting:
		return g.reason
	case g.begun:
		return "coroutine"
	}
	return "not known: since before the trace"
}

// The stay of g ends; waker is the stack of the event that ends it.
func (t *truth) stay(g *goroutine, end trace.Time, waker string) {
	ns := int64(end - g.since)
	if ns == 0 || g.reason == "gotap: not recorded" {
		return
	}
	switch {
	case t.kind == "wall":
		t.add(g.stack, stateNames[g.state], reasonOf(g), ns)
	case t.kind == "block" && g.state == trace.GoWaiting:
		t.add(g.stack, "", reasonOf(g), ns)
	case t.kind == "waker" && g.state == trace.GoWaiting:
		t.add(waker, "", reasonOf(g), ns)
	}
}

func (t *truth) transition(ev *trace.Event) {
	st := ev.StateTransition()
	if st.Resource.Kind != trace.ResourceGoroutine {
		return
	}
	old, new := st.Goroutine()
	g := t.gs[st.Resource.Goroutine()]
	stack, has := t.addresses(st.Stack), hasFrames(st.Stack)
	if old == new {
		if g != nil && !g.placed {
			g.stack, g.placed = stack, has
		}
		return
	}
	next := &goroutine{state: new, since: ev.Time(), reason: st.Reason, begun: true, stack: stack, placed: has}
	if g != nil {
		t.stay(g, ev.Time(), t.addresses(ev.Stack()))
		if !has {
			next.stack, next.placed = g.stack, g.placed
		}
	} else if old == trace.GoUndetermined {
		next.begun, next.since = false, t.sync
	}
	t.gs[st.Resource.Goroutine()] = next
	if new == trace.GoNotExist {
		delete(t.gs, st.Resource.Goroutine())
	}
}

func (t *truth) endRange(key rangeKey, end trace.Time) {
	if r, ok := t.ranges[key]; ok && end > r.since {
		t.add(r.stack, "", key.name, int64(end-r.since))
	}
	delete(t.ranges, key)
}

func (t *truth) rangeEvent(ev *trace.Event) {
	r := ev.Range()
	key := rangeKey{r.Scope, r.Name}
	if t.kind != "gc" || r.Name != "GC mark assist" && r.Name != "GC incremental sweep" {
		return
	}
	_, open := t.ranges[key]
	switch {
	case ev.Kind() == trace.EventRangeBegin:
		t.ranges[key] = openRange{ev.Time(), t.addresses(ev.Stack())}
	case ev.Kind() == trace.EventRangeEnd:
		t.endRange(key, ev.Time())
	case !open:
		t.ranges[key] = openRange{t.sync, ""}
	}
}

func (t *truth) event(ev *trace.Event) {
	if t.last == 0 {
		t.sync = ev.Time()
	}
	t.last = ev.Time()
	switch ev.Kind() {
	case trace.EventSync:
		t.sync = ev.Time()
	case trace.EventStateTransition:
		t.transition(ev)
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		t.rangeEvent(ev)
	case trace.EventStackSample:
		if t.kind == "cpu" {
			t.add(t.addresses(ev.Stack()), "", "", 0)
		}
	}
}

func (t *truth) finish() {
	for _, g := range t.gs {
		t.stay(g, t.last, "")
		if t.kind == "goroutine" {
			t.add(g.stack, stateNames[g.state], reasonOf(g), 0)
		}
	}
	for key := range t.ranges {
		t.endRange(key, t.last)
	}
}

// loadTruth is the profile of that type of the trace at path. It has the lines of all stacks.
func loadTruth(kind, path string) (*contents, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	r, err := trace.NewReader(f)
	if err != nil {
		return nil, err
	}
	if truthTypes[kind] == nil {
		return nil, fmt.Errorf("no type %q", kind)
	}
	t := &truth{kind: kind, out: newContents(), gs: map[trace.GoID]*goroutine{}, ranges: map[rangeKey]openRange{}}
	t.out.types = append(append(t.out.types, truthTypes[kind]...), "trace/count")
	for {
		ev, err := r.ReadEvent()
		if err == io.EOF {
			break
		}
		if err != nil {
			return nil, err
		}
		t.event(&ev)
	}
	t.finish()
	return t.out, nil
}
