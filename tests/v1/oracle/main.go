// SPDX-License-Identifier: Apache-2.0

// Command v1oracle reads traces with internal/trace of the Go release that it
// is built in (as a command of that GOROOT, by an overlay) and prints every
// event in a form that does not depend on how the trace was stored:
//
//	v1oracle FILE...          prints "ok N" or the first error, per file
//	v1oracle -events FILE     prints the events
//	v1oracle -lenient ...     without testtrace.Validator, which Go's own
//	                          reading of v1 traces does not always satisfy
//
// The form leaves out what v1 and v2 cannot have in common: the thread and P
// of an event, since v1 readers put some events on made-up Ps.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"internal/trace"
	"internal/trace/testtrace"
	"internal/trace/version"
	"io"
	"os"
	"strings"
)

func stack(s trace.Stack) string {
	var b strings.Builder
	for f := range s.Frames() {
		fmt.Fprintf(&b, " %s@%s:%d", f.Func, f.File, f.Line)
	}
	return b.String()
}

// describe gives the group that an event belongs to (order is compared inside
// groups, since events of different groups may share a time) and its text.
func describe(ev trace.Event) (group, text string) {
	g := fmt.Sprintf("g%d", ev.Goroutine())
	switch ev.Kind() {
	case trace.EventMetric:
		m := ev.Metric()
		return "metric", fmt.Sprintf("metric %s %s%s", m.Name, m.Value, stack(ev.Stack()))
	case trace.EventLabel:
		return g, fmt.Sprintf("label %q", ev.Label().Label)
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		r := ev.Range()
		text = fmt.Sprintf("%s %s scope=%s%s", ev.Kind(), r.Name, r.Scope, stack(ev.Stack()))
		if ev.Kind() == trace.EventRangeEnd {
			for _, a := range ev.RangeAttributes() {
				text += fmt.Sprintf(" %s=%s", a.Name, a.Value)
			}
		}
		return r.Scope.String() + r.Name, text
	case trace.EventTaskBegin, trace.EventTaskEnd:
		t := ev.Task()
		return g, fmt.Sprintf("%s id=%d parent=%d type=%q%s", ev.Kind(), t.ID, t.Parent, t.Type, stack(ev.Stack()))
	case trace.EventRegionBegin, trace.EventRegionEnd:
		r := ev.Region()
		return g, fmt.Sprintf("%s task=%d type=%q%s", ev.Kind(), r.Task, r.Type, stack(ev.Stack()))
	case trace.EventLog:
		l := ev.Log()
		return g, fmt.Sprintf("log task=%d %q %q%s", l.Task, l.Category, l.Message, stack(ev.Stack()))
	case trace.EventStackSample:
		return "sample", fmt.Sprintf("sample p=%d %s%s", ev.Proc(), g, stack(ev.Stack()))
	case trace.EventStateTransition:
		return transition(ev)
	}
	return "?", ev.String()
}

func transition(ev trace.Event) (group, text string) {
	t := ev.StateTransition()
	group = t.Resource.String()
	if t.Resource.Kind == trace.ResourceProc {
		from, to := t.Proc()
		return group, fmt.Sprintf("%s %s->%s m%d", group, from, to, ev.Thread())
	}
	from, to := t.Goroutine()
	by := ""
	if from != trace.GoUndetermined && to == trace.GoRunnable && from == trace.GoNotExist {
		by = fmt.Sprintf(" by g%d", ev.Goroutine())
	}
	return group, fmt.Sprintf("%s %s->%s reason=%q%s stack:%s|%s", group, from, to, t.Reason, by,
		stack(t.Stack), stack(ev.Stack()))
}

// headerVersion is the N of "go 1.N trace".
func headerVersion(name string) version.Version {
	f, err := os.Open(name)
	if err != nil {
		return 0
	}
	defer f.Close()
	v, err := version.ReadHeader(f)
	if err != nil {
		return 0
	}
	return v
}

func read(name string, lenient bool, each func(trace.Event)) (n int, err error) {
	f, err := os.Open(name)
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r, err := trace.NewReader(bufio.NewReader(f))
	if err != nil {
		return 0, err
	}
	v := testtrace.NewValidator()
	v.GoVersion = headerVersion(name)
	for {
		ev, err := r.ReadEvent()
		if errors.Is(err, io.EOF) {
			return n, nil
		}
		if err != nil {
			return n, err
		}
		if err := v.Event(ev); err != nil && !lenient {
			return n, fmt.Errorf("validator: %w: %s", err, ev)
		}
		if ev.Kind() != trace.EventSync {
			n++
			each(ev)
		}
	}
}

func main() {
	events := flag.Bool("events", false, "print the events")
	lenient := flag.Bool("lenient", false, "do not run the validator")
	flag.Parse()
	w := bufio.NewWriter(os.Stdout)
	failed := false
	for _, name := range flag.Args() {
		var first trace.Time
		started := false
		n, err := read(name, *lenient, func(ev trace.Event) {
			if !*events {
				return
			}
			if !started {
				first, started = ev.Time(), true
			}
			group, text := describe(ev)
			fmt.Fprintf(w, "%d\t%s\t%s\n", ev.Time()-first, group, text)
		})
		if err != nil {
			failed = true
			fmt.Fprintf(w, "%s: %s\n", name, strings.ReplaceAll(err.Error(), "\n", "; "))
		} else if !*events {
			fmt.Fprintf(w, "%s: ok %d\n", name, n)
		}
	}
	w.Flush()
	if failed {
		os.Exit(1)
	}
}
