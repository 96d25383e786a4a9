// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"math"
	"os"
)

// Part i: what triggers (--on) cost an event, beside making the trace without: gotap assemble of the same records.

// Of all kinds that look at events; none is ever true, so that nothing but looking is measured.
var triggers = []string{
	"blocked>10m:sync", "runnable>10m", "syscall>10m", "stw>10m", "goroutines>1000000", "heap>1000G", "region:none>10m",
	"task:none>10m", "func:none>10m", "sched-p99>10m", "log:none", "hang>10m",
}

var triggerCounts = []int{0, 1, 3, 12}

// assembleWith gives the CPU time, in ns a record, of making the trace with the first n triggers.
func assembleWith(b *bench, path string, n int) (float64, error) {
	args := []string{"assemble", "--json", "-o", path + ".trace"}
	for _, t := range triggers[:n] {
		args = append(args, "--on", t)
	}
	r, err := runGotap(b, append(args, path)...)
	if err != nil {
		return 0, err
	}
	return float64(r.cpu.Nanoseconds()) / r.Records, nil
}

// leastOfTurns: others on the machine only add to a time. All numbers of triggers take turns.
func leastOfTurns(b *bench, path string) ([]float64, error) {
	const turns = 5
	least := make([]float64, len(triggerCounts))
	for turn := 0; turn < turns; turn++ {
		for i, n := range triggerCounts {
			ns, err := assembleWith(b, path, n)
			if err != nil {
				return nil, err
			}
			if turn == 0 {
				least[i] = math.Inf(1)
			}
			least[i] = min(least[i], ns)
		}
	}
	return least, nil
}

func partTriggers(b *bench) error {
	t := &table{
		name:  "i1",
		title: "A record of two goroutines that hand values over, from a spool file to a trace (`gotap assemble --on`), by the number of triggers:",
		head:  []string{"triggers", "ns", "above none", "ratio"},
		footer: fmt.Sprintf("CPU time of the whole process over the records, the least of 5 that take turns. No trigger is true. Of 1: `%s`, "+
			"of 3: `%s` and `%s` too, of 12: all kinds that look at events but `gc`.", triggers[0], triggers[1], triggers[2]),
	}
	path, _, err := spool(b, "pingpong", 10*b.slice)
	if err != nil {
		return err
	}
	defer os.Remove(path)
	total, more := make([]values, len(triggerCounts)), make([]values, len(triggerCounts))
	for i := 0; i < b.repeats; i++ {
		least, err := leastOfTurns(b, path)
		if err != nil {
			return err
		}
		for k, ns := range least {
			total[k], more[k] = append(total[k], ns), append(more[k], ns-least[0])
		}
	}
	for k, n := range triggerCounts {
		t.add(fmt.Sprint(n), total[k].text("%.0f"), more[k].text("%.0f"), total[k].over(total[0]).text("%.2f"))
	}
	b.show(t)
	return nil
}
