// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os/exec"
	"strings"
	"time"
)

// Part b: the kernel's own counts (bpf_stats), by tools/bench.d/kinds.c, while a program works.

// cost of one program or kind: ns in each repeat.
type cost struct {
	ns           values
	runs         float64
	instructions string
}

type costs struct {
	of    map[string]*cost
	order []string
}

func (c *costs) note(name string, runs, ns float64, instructions string) {
	if c.of[name] == nil {
		c.of[name] = &cost{}
		c.order = append(c.order, name)
	}
	v := c.of[name]
	v.instructions = instructions
	if runs >= 100 {
		v.ns = append(v.ns, ns)
		v.runs += runs
	}
}

func (c *costs) read(out string) {
	for _, line := range strings.Split(out, "\n") {
		var runs, ns float64
		words := append(strings.Fields(line), "")
		if len(words) < 5 {
			continue
		}
		fmt.Sscan(words[2], &runs)
		fmt.Sscan(words[3], &ns)
		c.note(words[0]+" "+words[1], runs, ns, words[4])
	}
}

// while runs a command as long as the worker works, again and again.
func while(w *worker, cmd *exec.Cmd) (string, error) {
	over := make(chan struct{})
	idle := make(chan struct{})
	go func() {
		defer close(idle)
		for {
			select {
			case <-over:
				return
			default:
				w.work(100 * time.Millisecond)
			}
		}
	}()
	out, err := cmd.Output()
	close(over)
	<-idle
	if exit, ok := err.(*exec.ExitError); ok {
		err = fmt.Errorf("%s", exit.Stderr)
	}
	return string(out), err
}

// helperTable shows what the single things cost that a probe does.
func helperTable(b *bench) error {
	t := &table{
		name:  "b3",
		title: "The single things that a probe does, as programs of their own at one instruction (`tools/bench.d/helpers.bpf.c`):",
		head:  []string{"program", "ns", "above an empty program"},
	}
	w, err := startWorker(b, "syscall", 1)
	if err != nil {
		return err
	}
	defer w.stop()
	c := &costs{of: map[string]*cost{}}
	for i := 0; i < b.repeats; i++ {
		out, err := while(w, exec.Command(b.tool("helpers"), fmt.Sprint(w.pid()), fmt.Sprint(b.slice.Milliseconds())))
		if err != nil {
			return err
		}
		c.read(out)
	}
	empty := c.of["helper nothing"].ns.median()
	for _, name := range c.order {
		v := c.of[name]
		t.add(strings.TrimPrefix(name, "helper "), v.ns.text("%.0f"), fmt.Sprintf("%.0f", v.ns.median()-empty))
	}
	b.show(t)
	return nil
}

// floorCost is what the kernel counts for an empty program: the price of counting.
func floorCost(b *bench, w *worker) (values, error) {
	c, err := startChild(nil, b.tool("floor"), fmt.Sprint(w.pid()), "default", "stats")
	if err == nil {
		err = c.expect("ready")
	}
	if err != nil {
		return nil, err
	}
	w.work(b.slice)
	var runs, ns float64
	fmt.Sscan(c.finish(), &runs, &ns)
	return values{ns / runs}, nil
}

// noneCost is the price of a transition that is of no interest, which a program of syscalls tells.
func noneCost(b *bench) (values, error) {
	w, err := startWorker(b, "syscall", 1)
	if err != nil {
		return nil, err
	}
	defer w.stop()
	c := &costs{of: map[string]*cost{}}
	if err := c.measure(b, w); err != nil {
		return nil, err
	}
	return c.of["kind none"].ns, nil
}

// measure runs kinds, whose last arguments may be the price of a transition of no interest.
func (c *costs) measure(b *bench, w *worker, more ...string) error {
	const shortest = 200 * time.Millisecond // enough records of each kind
	length := max(b.slice, shortest).Milliseconds()
	for i := 0; i < b.repeats; i++ {
		args := append([]string{fmt.Sprint(w.pid()), fmt.Sprint(length), "127"}, more...)
		out, err := while(w, exec.Command(b.tool("kinds"), args...))
		if err != nil {
			return err
		}
		c.read(out)
	}
	return nil
}

func newKindTables() (kinds, programs *table) {
	kinds = &table{
		name:  "b1",
		title: "BPF time per record of `casgstatus`, by kind, stacks of up to 127 frames:",
		head:  []string{"workload", "kind", "ns"},
		footer: "`empty` is an empty program: the price of the kernel's counting, which is in all of these numbers. `none` is a " +
			"transition that is of no interest.",
	}
	programs = &table{
		name:  "b2",
		title: "BPF time per run of each program, and its instructions after verification:",
		head:  []string{"program", "workload", "ns per run", "instructions"},
	}
	return kinds, programs
}

func fill(kinds, programs *table, c *costs, workload string, empty values, seen map[string]bool) {
	if workload == "pingpong" {
		kinds.add(workload, "empty", empty.text("%.0f"))
	}
	for _, name := range c.order {
		v := c.of[name]
		what, short, _ := strings.Cut(name, " ")
		switch {
		case what == "kind" && len(v.ns) > 0:
			kinds.add(workload, short, v.ns.text("%.0f"))
		case what == "program" && v.runs > 1000:
			programs.add(short, workload, v.ns.text("%.0f"), v.instructions)
			seen[short] = true
		}
	}
}

func partKinds(b *bench) error {
	kinds, programs := newKindTables()
	seen := map[string]bool{}
	var last *costs
	none, err := noneCost(b)
	if err != nil {
		return err
	}
	kinds.add("syscall", "none", none.text("%.0f"))
	for _, name := range []string{"pingpong", "deep", "spawn", "syscall", "pull", "alloc"} {
		w, err := startWorker(b, name, 1)
		if err != nil {
			return err
		}
		b.say("%s", name)
		last = &costs{of: map[string]*cost{}}
		empty, err := floorCost(b, w)
		if err == nil {
			err = last.measure(b, w, fmt.Sprint(none.median()))
		}
		w.stop()
		if err != nil {
			return err
		}
		fill(kinds, programs, last, name, empty, seen)
	}
	for _, name := range last.order {
		if what, short, _ := strings.Cut(name, " "); what == "program" && !seen[short] {
			programs.add(short, "-", "-", last.of[name].instructions)
		}
	}
	b.show(kinds)
	b.show(programs)
	return helperTable(b)
}
