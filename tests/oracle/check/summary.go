// SPDX-License-Identifier: Apache-2.0

package main

import (
	"cmp"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"cmd/gotap/tracefile"
	"internal/trace"
)

// A life is what is known of one goroutine.
type life struct {
	first, last trace.GoState
	name        string
}

type summary struct {
	events, syncs int
	start, end    trace.Time
	counts        map[string]int
	lives         map[trace.GoID]*life
	procs         map[trace.ProcID]bool
	threads       map[trace.ThreadID]bool
	stacks        map[string]int // "KIND\nframe\nframe..." -> uses
	logs          []string
}

func newSummary() *summary {
	return &summary{
		counts:  make(map[string]int),
		lives:   make(map[trace.GoID]*life),
		procs:   make(map[trace.ProcID]bool),
		threads: make(map[trace.ThreadID]bool),
		stacks:  make(map[string]int),
	}
}

func (s *summary) add(ev trace.Event) {
	if s.events == 0 {
		s.start = ev.Time()
	}
	s.end = ev.Time()
	s.events++
	s.addContext(ev)
	switch ev.Kind() {
	case trace.EventSync:
		s.syncs++
	case trace.EventLog:
		s.logs = append(s.logs, fmt.Sprintf("%d %s %s", ev.Time(), ev.Log().Category, ev.Log().Message))
	case trace.EventStateTransition:
		s.addTransition(ev.StateTransition())
	}
	if *showCounts {
		s.counts[eventName(ev)]++
	}
	if *showStacks {
		s.addStack(eventName(ev), ev.Stack())
	}
}

func (s *summary) addContext(ev trace.Event) {
	if m := ev.Thread(); m != trace.NoThread {
		s.threads[m] = true
	}
	if p := ev.Proc(); p != trace.NoProc {
		s.procs[p] = true
	}
}

func (s *summary) addTransition(tr trace.StateTransition) {
	if tr.Resource.Kind == trace.ResourceProc {
		s.procs[tr.Resource.Proc()] = true
		return
	}
	_, to := tr.Goroutine()
	l := s.lives[tr.Resource.Goroutine()]
	if l == nil {
		l = &life{first: to}
		s.lives[tr.Resource.Goroutine()] = l
	}
	l.last = to
	if l.name == "" {
		l.name = outermost(tr.Stack)
	}
}

// outermost returns the outermost function of the stack, its name up to a space; empty if there is no stack.
func outermost(s trace.Stack) string {
	var name string
	for f := range s.Frames() {
		name = f.Func
	}
	name, _, _ = strings.Cut(name, " ")
	return name
}

func (s *summary) addStack(name string, stack trace.Stack) {
	if frames := tracefile.Frames(stack); len(frames) > 0 {
		s.stacks[name+"\n\t"+strings.Join(frames, "\n\t")]++
	}
}

func eventName(ev trace.Event) string {
	switch ev.Kind() {
	case trace.EventStateTransition:
		return transitionName(ev.StateTransition())
	case trace.EventMetric:
		return "Metric " + ev.Metric().Name
	case trace.EventLabel:
		return fmt.Sprintf("Label %q", ev.Label().Label)
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		return fmt.Sprintf("%s %q", ev.Kind(), ev.Range().Name)
	case trace.EventTaskBegin, trace.EventTaskEnd:
		return fmt.Sprintf("%s %q", ev.Kind(), ev.Task().Type)
	case trace.EventRegionBegin, trace.EventRegionEnd:
		return fmt.Sprintf("%s %q", ev.Kind(), ev.Region().Type)
	case trace.EventLog:
		return fmt.Sprintf("Log %q", ev.Log().Category)
	case trace.EventExperimental:
		return "Experimental " + ev.Experimental().Name
	}
	return ev.Kind().String()
}

func transitionName(tr trace.StateTransition) string {
	name := "Proc "
	if tr.Resource.Kind == trace.ResourceGoroutine {
		from, to := tr.Goroutine()
		name = fmt.Sprintf("Go %s->%s", from, to)
	} else {
		from, to := tr.Proc()
		name = fmt.Sprintf("Proc %s->%s", from, to)
	}
	if tr.Reason != "" {
		name += fmt.Sprintf(" %q", tr.Reason)
	}
	return name
}

// Every generation opens with a sync and one more closes the file.
func (s *summary) generations() int {
	return max(s.syncs-1, 0)
}

func (s *summary) String() string {
	return fmt.Sprintf("events=%d gens=%d goroutines=%d procs=%d threads=%d ms=%.3f",
		s.events, s.generations(), len(s.lives), len(s.procs), len(s.threads), float64(s.end-s.start)/1e6)
}

func (s *summary) details(out io.Writer) {
	if *showCounts {
		for _, name := range slices.Sorted(maps.Keys(s.counts)) {
			fmt.Fprintf(out, "count %d %s\n", s.counts[name], name)
		}
	}
	if *showGoroutines {
		for _, id := range slices.Sorted(maps.Keys(s.lives)) {
			l := s.lives[id]
			fmt.Fprintf(out, "goroutine %d first=%s last=%s name=%s\n", id, l.first, l.last, l.name)
		}
	}
	if *showLogs {
		for _, log := range s.logs {
			fmt.Fprintf(out, "log %s\n", log)
		}
	}
	for _, stack := range s.stacksByUse() {
		fmt.Fprintf(out, "stack %d %s\n", s.stacks[stack], stack)
	}
}

func (s *summary) stacksByUse() []string {
	return slices.SortedFunc(maps.Keys(s.stacks), func(a, b string) int {
		return cmp.Or(cmp.Compare(s.stacks[b], s.stacks[a]), cmp.Compare(a, b))
	})
}
