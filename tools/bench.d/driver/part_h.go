// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os/exec"
	"strings"
)

// Part h: what group linux costs each context switch with its wake-up, of the program and of others
// (tools/bench.d/threads.c).

var threadModes = []struct{ name, text string }{
	{"nothing", "nothing attached"},
	{"empty", "empty programs at sched_switch and sched_waking"},
	{"others", "group linux for another process"},
	{"system", "the same with `--system`"},
	{"itself", "group linux for the process itself"},
}

// switchCosts are ns per switch of each mode.
func (b *bench) switchCosts(pid int) (map[string]float64, error) {
	const rounds = 3
	out, err := exec.Command(b.tool("threads"), fmt.Sprint(pid), fmt.Sprint(rounds)).Output()
	if err != nil {
		return nil, err
	}
	ns := map[string]float64{}
	for _, line := range strings.Split(string(out), "\n") {
		var name string
		var v float64
		if n, _ := fmt.Sscanf(line, "switch %s %f", &name, &v); n == 2 {
			ns[name] = v
		}
	}
	return ns, nil
}

func partThreads(b *bench) error {
	t := &table{
		name:  "h1",
		title: "A context switch with its wake-up, of two threads on one CPU that wake one another through pipes:",
		head:  []string{"", "ns", "above nothing", "of what empty programs add", "of a CPU at 20,000 a second"},
	}
	w, err := startWorker(b, "syscall", 1)
	if err != nil {
		return err
	}
	defer w.stop()
	total, more := map[string]values{}, map[string]values{}
	for i := 0; i < b.repeats; i++ {
		ns, err := b.switchCosts(w.pid())
		if err != nil {
			return err
		}
		for name, v := range ns {
			total[name], more[name] = append(total[name], v), append(more[name], v-ns["nothing"])
		}
	}
	for _, mode := range threadModes {
		m := more[mode.name]
		if mode.name == "nothing" {
			t.add(mode.text, total[mode.name].text("%.0f"))
			continue
		}
		t.add(mode.text, total[mode.name].text("%.0f"), m.text("%.0f"), m.over(more["empty"]).text("%.2f"),
			fmt.Sprintf("%.2f %%", m.median()*20000/1e9*100))
	}
	t.footer = "CPU time of the process, the least of 15 slices of 20 ms that take turns; without uprobes."
	b.show(t)
	return nil
}
