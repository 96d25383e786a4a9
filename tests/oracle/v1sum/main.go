// SPDX-License-Identifier: Apache-2.0

// v1sum says where the goroutines of a v2 trace spent their time as the parsers of Go 1.15 to 1.21 would of a v1
// trace of the same program (internal/trace/goroutines.go of 1.19): a system call that keeps its P is execution, one
// that loses it is a system call from there on; waiting to be started counts from the creation, which for all that
// live at the begin is the begin.
//
//	v1sum FILE SPAN
//
// SPAN is how many ns the v1 trace lasts: it has no events for some that may be the last ones here. A line for each goroutine, as v1parse -goroutines has it, and how many steps it took:
//
//	ID EXEC SCHEDWAIT IO BLOCK SYSCALL STEPS
package main

import (
	"fmt"
	"internal/trace"
	"os"
	"slices"
	"strconv"

	"cmd/gotap/tracefile"
)

type class int

const (
	exec class = iota
	sched
	netIO
	block
	syscall
	other // asleep, or for a reason that has no class
	classes
)

type goroutine struct {
	now    class
	since  trace.Time
	spent  [classes]trace.Time
	steps  int
	inCall bool
	begins bool // it waits since the begin, which counts as waiting to be started if nothing ends it
	ended  bool
}

type summary struct {
	gs          map[trace.GoID]*goroutine
	calls       map[trace.ProcID]*goroutine // P -> who is in a system call there
	start, last trace.Time
}

func (g *goroutine) step(now trace.Time, to class) {
	g.spent[g.now] += now - g.since
	g.now, g.since = to, now
	g.steps++
	g.begins = false
}

func blockClass(reason string) class {
	switch reason {
	case "chan send", "chan receive", "select", "sync", "sync.(*Cond).Wait":
		return block
	case "network":
		return netIO
	}
	return other
}

func (s *summary) known(id trace.GoID) *goroutine {
	g := s.gs[id]
	if g == nil {
		g = &goroutine{now: sched, since: s.start}
		s.gs[id] = g
	}
	return g
}

func (s *summary) loseP(p trace.ProcID, now trace.Time) {
	if g := s.calls[p]; g != nil && g.inCall {
		g.step(now, syscall)
	}
	delete(s.calls, p)
}

// What a status says; only that of a goroutine that is new says more than there is.
func (s *summary) status(id trace.GoID, to trace.GoState, now trace.Time) {
	if s.gs[id] != nil {
		return
	}
	g := s.known(id)
	switch to {
	case trace.GoRunning:
		g.now = exec
	case trace.GoWaiting, trace.GoSyscall:
		g.begins = true
	}
}

func (s *summary) goStep(ev trace.Event, st trace.StateTransition) {
	from, to := st.Goroutine()
	id, now := st.Resource.Goroutine(), ev.Time()
	if from == trace.GoUndetermined {
		s.status(id, to, now)
		return
	}
	if from == to {
		return
	}
	if from == trace.GoNotExist {
		s.gs[id] = &goroutine{now: sched, since: now, begins: to == trace.GoWaiting}
		return
	}
	g := s.known(id)
	switch {
	case to == trace.GoSyscall:
		g.inCall = true
		s.calls[ev.Proc()] = g
		return
	case from == trace.GoSyscall && to == trace.GoRunning:
		g.inCall = false
		if g.begins { // it has no P at the begin in v1, and returns by GoSysExit: the time before is none of waiting
			g.since = now
			g.step(now, exec)
		}
		return
	}
	g.inCall = false
	switch to {
	case trace.GoRunning:
		g.step(now, exec)
	case trace.GoRunnable:
		if g.begins { // it was unblocked, so the time before was none of waiting to be started
			g.since = now
		}
		g.step(now, sched)
	case trace.GoWaiting:
		g.step(now, blockClass(st.Reason))
	case trace.GoNotExist:
		g.step(now, other)
		g.ended = true
	}
}

func (s *summary) add(ev trace.Event) error {
	if s.start == 0 && ev.Kind() != trace.EventSync {
		s.start = ev.Time()
	}
	if ev.Kind() != trace.EventStateTransition {
		return nil
	}
	st := ev.StateTransition()
	switch st.Resource.Kind {
	case trace.ResourceGoroutine:
		s.goStep(ev, st)
	case trace.ResourceProc:
		if from, to := st.Proc(); from == trace.ProcRunning && to == trace.ProcIdle {
			s.loseP(st.Resource.Proc(), ev.Time())
		}
	}
	return nil
}

func (s *summary) print() {
	var ids []trace.GoID
	for id, g := range s.gs {
		if !g.ended {
			g.step(s.last, other)
		}
		ids = append(ids, id)
	}
	slices.Sort(ids)
	for _, id := range ids {
		t, n := s.gs[id].spent, s.gs[id].steps
		fmt.Println(id, int64(t[exec]), int64(t[sched]), int64(t[netIO]), int64(t[block]), int64(t[syscall]), n)
	}
}

func main() {
	span, err := strconv.ParseInt(os.Args[2], 10, 64)
	if err != nil {
		fmt.Fprintf(os.Stderr, "v1sum: %v\n", err)
		os.Exit(2)
	}
	s := &summary{gs: make(map[trace.GoID]*goroutine), calls: make(map[trace.ProcID]*goroutine)}
	if err := tracefile.Each(os.Args[1], s.add); err != nil {
		fmt.Fprintf(os.Stderr, "v1sum: %v\n", err)
		os.Exit(1)
	}
	s.last = s.start + trace.Time(span)
	s.print()
}
