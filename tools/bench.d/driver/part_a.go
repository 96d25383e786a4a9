// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"time"
)

// Part a: each tracer in turn on one process; before and after each a slice without, so that what a tracer adds is
// told from its neighbours in time, and the ratio to the empty probes from the same repeat.

// series is what a tracer added in each repeat.
type series struct {
	added  values // CPU ns per operation
	events values // records per operation
	lost   values // percent of the records
	repair values // what the assembler had to make up
}

type comparison struct {
	untraced values // CPU ns per operation
	of       map[string]*series
	order    []string
}

func (c *comparison) series(name string) *series {
	if c.of[name] == nil {
		c.of[name] = &series{}
		c.order = append(c.order, name)
	}
	return c.of[name]
}

// traced works a slice under a tracer; own is the CPU time of its processes meanwhile. ok is false where the target
// does not have that tracer.
func traced(b *bench, t target, tr tracer, length time.Duration) (s slice, own float64, rec recording, ok bool, err error) {
	run, err := tr.start(b, t)
	if err != nil || run == nil {
		return s, 0, rec, false, err
	}
	own = run.cpu()
	s, err = t.work(length)
	own = run.cpu() - own
	rec, stopErr := run.stop()
	if err == nil {
		err = stopErr
	}
	return s, own, rec, true, err
}

func (c *comparison) note(name string, before, with, after slice, rec recording) {
	without := (before.cpuPerOp() + after.cpuPerOp()) / 2
	s := c.series(name)
	s.added = append(s.added, with.cpuPerOp()-without)
	if rec.Records > 0 {
		s.events = append(s.events, rec.Records/with.ops)
		s.lost = append(s.lost, 100*rec.Lost/(rec.Records+rec.Lost))
		s.repair = append(s.repair, rec.Repairs)
	}
}

// repeat measures all tracers once, beginning with another one each time.
func (c *comparison) repeat(b *bench, t target, tracers []tracer, turn int, length time.Duration) error {
	before, err := t.work(length)
	for i := 0; i < len(tracers) && err == nil; i++ {
		tr := tracers[(i+turn)%len(tracers)]
		var with, after slice
		var rec recording
		var ok bool
		if with, _, rec, ok, err = traced(b, t, tr, length); err != nil || !ok {
			continue
		}
		if after, err = t.work(length); err != nil {
			break
		}
		c.untraced = append(c.untraced, before.cpuPerOp())
		c.note(tr.name, before, with, after, rec)
		before = after
	}
	return err
}

func compare(b *bench, t target, tracers []tracer, length time.Duration) (*comparison, error) {
	c := &comparison{of: map[string]*series{}}
	for _, tr := range tracers {
		c.series(tr.name)
	}
	for i := 0; i < b.repeats; i++ {
		if err := c.repeat(b, t, tracers, i, length); err != nil {
			return nil, err
		}
	}
	return c, nil
}

const floorName, gotapName, ownName = "empty probes", "gotap", "runtime/trace"

func tracersOf(b *bench) []tracer {
	tracers := []tracer{
		floorTracer("default"),
		gotapTracer(gotapName),
		inlineTracer(inlineName, noBudget()...),
		gotapTracer("gotap, depth 32", "--stack-depth", "32"),
		gotapTracer("gotap, depth 8", "--stack-depth", "8"),
		gotapTracer("gotap, depth 0", "--stack-depth", "0"),
		gotapTracer("gotap, sched+syscall", "-e", "sched"),
		ownTracer,
	}
	if b.against != "" {
		tracers = append(tracers, against(gotapTracer(gotapName), againstName))
	}
	return tracers
}

func newProgramTable(tracers []tracer) *table {
	t := &table{
		name:  "a1",
		title: "CPU time that tracing adds to one operation, as a multiple of what the empty probes add:",
		head:  []string{"workload", "untraced ns", "records", "empty probes ns"},
		footer: "In the column of the empty probes: ns per operation. `gotap` is its default: all groups but `cpu`, stacks of up " +
			"to 127 frames; `gotap, inline` the same with `--attach inline`. Median of the repeats, least and most in brackets.",
	}
	for _, tr := range tracers[1:] {
		t.head = append(t.head, tr.name)
	}
	return t
}

func (c *comparison) row(name string) []string {
	floor := c.of[floorName].added
	row := []string{name, fmt.Sprintf("%.0f", c.untraced.median()), fmt.Sprintf("%.2f", c.of[gotapName].events.median()),
		floor.text("%.0f")}
	for _, name := range c.order {
		if name != floorName {
			row = append(row, c.of[name].added.over(floor).text("%.2f"))
		}
	}
	return row
}

// perRecord is what one record adds on top of its empty probe.
func (c *comparison) perRecord(name string) []string {
	s, floor := c.of[gotapName], c.of[floorName]
	var hit, extra values
	for i := range s.added {
		if i < len(s.events) && i < len(floor.added) && s.events[i] > 0 {
			hit = append(hit, floor.added[i]/s.events[i])
			extra = append(extra, (s.added[i]-floor.added[i])/s.events[i])
		}
	}
	return []string{name, hit.text("%.0f"), extra.text("%.0f")}
}

// perInline holds --attach inline against the runtime's own tracer.
func (c *comparison) perInline(name string) []string {
	s := c.of[inlineName]
	var each values
	for i := range s.added {
		if i < len(s.events) && s.events[i] > 0 {
			each = append(each, s.added[i]/s.events[i])
		}
	}
	return []string{name, each.text("%.0f"), s.added.over(c.of[floorName].added).text("%.3f"),
		s.added.over(c.of[ownName].added).text("%.2f"), s.lost.text("%.2f"), s.repair.text("%.0f")}
}

var programs = []struct{ name, text string }{
	{"pingpong", "ping-pong"},
	{"deep", "ping-pong, 64 calls deep"},
	{"mutex", "mutex hand-over"},
	{"syscall", "syscall"},
	{"spawn", "goroutine spawn"},
	{"pull", "iter.Pull"},
	{"alloc", "allocation of 1 KiB"},
}

func comparePrograms(b *bench, tracers []tracer, ratios, ns, inline *table) error {
	for _, p := range programs {
		if !b.wants(p.name) {
			continue
		}
		t, err := startWorker(b, p.name, 1)
		if err != nil {
			return err
		}
		b.say("%s", p.text)
		c, err := compare(b, t, tracers, b.slice)
		t.stop()
		if err != nil {
			return err
		}
		ratios.add(c.row(p.text)...)
		ns.add(c.perRecord(p.text)...)
		inline.add(c.perInline(p.text)...)
	}
	return nil
}

func partPrograms(b *bench) error {
	tracers := tracersOf(b)
	ratios := newProgramTable(tracers)
	ns := &table{
		name:  "a2",
		title: "The same per record (CPU ns of the program):",
		head:  []string{"workload", "empty probes, per record", "gotap, on top of that"},
	}
	inline := &table{
		name:  "a4",
		title: "`--attach inline` beside the runtime's own tracer (CPU time that it adds to one operation):",
		head:  []string{"workload", "ns per record", "over empty probes", "over runtime/trace", "lost, %", "repairs"},
	}
	if err := comparePrograms(b, tracers, ratios, ns, inline); err != nil {
		return err
	}
	if len(ratios.rows) > 0 {
		b.show(ratios)
		b.show(ns)
		b.show(inline)
	}
	return compareServers(b)
}
