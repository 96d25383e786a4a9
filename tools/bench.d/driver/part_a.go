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
	rate   values // operations per second, relative to untraced
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

// traced works a slice under a tracer; ok is false where the target does not have it.
func traced(b *bench, t target, tr tracer, length time.Duration) (s slice, rec recording, ok bool, err error) {
	stop, err := tr.start(b, t)
	if err != nil || stop == nil {
		return s, rec, false, err
	}
	s, err = t.work(length)
	rec, stopErr := stop()
	if err == nil {
		err = stopErr
	}
	return s, rec, true, err
}

func (c *comparison) note(name string, before, with, after slice, rec recording) {
	without := (before.cpuPerOp() + after.cpuPerOp()) / 2
	s := c.series(name)
	s.added = append(s.added, with.cpuPerOp()-without)
	rate := (before.ops/before.wall + after.ops/after.wall) / 2
	s.rate = append(s.rate, with.ops/with.wall/rate)
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
		if with, rec, ok, err = traced(b, t, tr, length); err != nil || !ok {
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

const floorName, gotapName = "empty probes", "gotap"

func tracersOf(b *bench) []tracer {
	tracers := []tracer{
		floorTracer("default"),
		gotapTracer(gotapName),
		inlineTracer,
		gotapTracer("gotap, depth 32", "--stack-depth", "32"),
		gotapTracer("gotap, depth 8", "--stack-depth", "8"),
		gotapTracer("gotap, depth 0", "--stack-depth", "0"),
		gotapTracer("gotap, sched+syscall", "-e", "sched"),
		ownTracer,
	}
	if b.against != "" {
		tracers = append(tracers, againstTracer)
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
		s.added.over(c.of[ownTracer.name].added).text("%.2f"), s.lost.text("%.2f"), s.repair.text("%.0f")}
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
	return compareServers(b, tracers)
}

func newServerTable(name, title string) *table {
	return &table{
		name:  name,
		title: title,
		head: []string{"tracer", "records per request", "requests/s, untraced = 1", "loss over empty probes",
			"server CPU per request, added ns", "over empty probes", "lost, %"},
		footer: "The load generator and gotap itself share the CPUs with the server, as on a small machine.",
	}
}

// compareServers: a real one, and a small one that can trace itself.
func compareServers(b *bench, tracers []tracer) error {
	if b.wants("caddy") {
		t := newServerTable("a3", "A real HTTP server (caddy of Debian, stripped) under wrk on the same CPUs:")
		if err := compareCaddy(b, tracers, t); err != nil {
			return err
		}
		b.show(t)
	}
	if b.wants("http") {
		t := newServerTable("a5", "A server of net/http that answers \"hello\", under wrk on the same CPUs:")
		s, err := startHello(b)
		if err != nil {
			return err
		}
		defer s.stop()
		if err := compareServer(b, s, tracers, t); err != nil {
			return err
		}
		b.show(t)
	}
	return nil
}

func compareCaddy(b *bench, tracers []tracer, t *table) error {
	if b.caddy == "" {
		t.add("caddy could not be had", "-", "-", "-", "-", "-", "-")
		return nil
	}
	s, err := startServer(b, b.caddy)
	if err != nil {
		return err
	}
	defer s.stop()
	return compareServer(b, s, tracers, t)
}

func compareServer(b *bench, s target, tracers []tracer, t *table) error {
	b.say("%s", t.title)
	if _, err := s.work(time.Second); err != nil {
		return err
	}
	c, err := compare(b, s, tracers, 7*b.slice)
	if err != nil {
		return err
	}
	floor := c.of[floorName]
	for _, name := range c.order {
		v := c.of[name]
		if len(v.rate) == 0 { // not of this server
			continue
		}
		t.add(name, v.events.text("%.1f"), v.rate.text("%.2f"), v.rate.lost().over(floor.rate.lost()).text("%.2f"),
			v.added.text("%.0f"), v.added.over(floor.added).text("%.2f"), v.lost.text("%.2f"))
	}
	return nil
}
