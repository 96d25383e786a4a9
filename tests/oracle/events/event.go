// SPDX-License-Identifier: Apache-2.0

package main

import (
	"internal/trace"
	"internal/trace/tracev2"
	"reflect"
	"slices"
)

// typeName gives the event of the format behind an event, which the package keeps to itself.
func typeName(ev trace.Event) string {
	typ := reflect.ValueOf(ev).FieldByName("base").FieldByName("typ").Uint()
	if ev.Kind() == trace.EventSync {
		return "Sync"
	}
	return tracev2.Specs()[typ].Name
}

func (o *object) event(ev trace.Event) {
	o.open('{')
	o.int("time", int64(ev.Time()))
	o.id("m", int64(ev.Thread()))
	o.id("p", int64(ev.Proc()))
	o.id("g", int64(ev.Goroutine()))
	o.string("event", typeName(ev))
	o.string("kind", ev.Kind().String())
	o.details(ev)
	o.stack("stack", ev.Stack())
	if ev.Kind() == trace.EventStateTransition {
		if stack := ev.StateTransition().Stack; stack != ev.Stack() {
			o.stack("new_stack", stack)
		}
	}
	o.close('}')
}

func (o *object) details(ev trace.Event) {
	switch ev.Kind() {
	case trace.EventSync:
		o.sync(ev.Sync())
	case trace.EventMetric:
		metric := ev.Metric()
		o.string("name", metric.Name)
		o.uint("value", metric.Value.Uint64())
	case trace.EventLabel:
		label := ev.Label()
		o.string("label", label.Label)
		o.resource(label.Resource)
	case trace.EventRangeBegin, trace.EventRangeActive, trace.EventRangeEnd:
		o.rang(ev)
	case trace.EventTaskBegin, trace.EventTaskEnd:
		task := ev.Task()
		o.uint("task", uint64(task.ID))
		o.id("parent", int64(task.Parent))
		o.string("type", task.Type)
	case trace.EventRegionBegin, trace.EventRegionEnd:
		region := ev.Region()
		o.uint("task", uint64(region.Task))
		o.string("type", region.Type)
	case trace.EventLog:
		log := ev.Log()
		o.uint("task", uint64(log.Task))
		o.string("category", log.Category)
		o.string("message", log.Message)
	case trace.EventStateTransition:
		o.transition(ev.StateTransition())
	case trace.EventExperimental:
		o.experimental(ev.Experimental())
	}
}

func (o *object) sync(s trace.Sync) {
	o.int("n", int64(s.N))
	if c := s.ClockSnapshot; c != nil {
		o.key("clock")
		o.open('{')
		o.int("time", int64(c.Trace))
		o.uint("mono_ns", c.Mono)
		o.uint("wall_sec", uint64(c.Wall.Unix()))
		o.uint("wall_nsec", uint64(c.Wall.Nanosecond()))
		o.close('}')
	}
	batches := s.ExperimentalBatches["AllocFree"]
	if len(batches) == 0 {
		return
	}
	o.key("batches")
	o.open('[')
	for _, b := range batches {
		o.element()
		o.open('{')
		o.uint("experiment", uint64(tracev2.AllocFree))
		o.id("m", int64(b.Thread))
		o.uint("bytes", uint64(len(b.Data)))
		o.close('}')
	}
	o.close(']')
}

func (o *object) resource(r trace.ResourceID) {
	switch r.Kind {
	case trace.ResourceGoroutine:
		o.string("of", "goroutine")
		o.id("id", int64(r.Goroutine()))
	case trace.ResourceProc:
		o.string("of", "proc")
		o.id("id", int64(r.Proc()))
	default:
		o.null("of")
		o.null("id")
	}
}

func (o *object) rang(ev trace.Event) {
	o.string("name", ev.Range().Name)
	o.resource(ev.Range().Scope)
	if ev.Kind() != trace.EventRangeEnd {
		return
	}
	attrs := ev.RangeAttributes()
	if len(attrs) == 0 {
		return
	}
	o.key("attributes")
	o.open('{')
	for _, a := range attrs {
		o.uint(a.Name, a.Value.Uint64())
	}
	o.close('}')
}

func (o *object) transition(tr trace.StateTransition) {
	o.resource(tr.Resource)
	if tr.Resource.Kind == trace.ResourceProc {
		from, to := tr.Proc()
		o.string("from", from.String())
		o.string("to", to.String())
	} else {
		from, to := tr.Goroutine()
		o.string("from", from.String())
		o.string("to", to.String())
	}
	o.string("reason", tr.Reason)
}

func (o *object) experimental(x trace.ExperimentalEvent) {
	o.string("experiment", x.Experiment)
	o.key("args")
	o.open('{')
	for i, name := range x.Args {
		v := x.ArgValue(i)
		if v.Kind() == trace.ValueString {
			o.string(name, v.String())
		} else {
			o.uint(name, v.Uint64())
		}
	}
	o.close('}')
}

func (o *object) stack(name string, s trace.Stack) {
	frames := slices.Collect(s.Frames())
	if len(frames) == 0 {
		return
	}
	o.key(name)
	o.open('[')
	for _, f := range frames {
		o.element()
		o.open('{')
		o.string("func", f.Func)
		o.string("file", f.File)
		o.uint("line", f.Line)
		o.uint("pc", f.PC)
		o.close('}')
	}
	o.close(']')
}
