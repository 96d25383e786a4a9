// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// Part c: gotap as a process: from a spool file to a trace, while recording, and the size of what it writes.

// spool records a workload with all CPUs and keeps the raw records.
func spool(b *bench, name string, length time.Duration) (path string, live recording, err error) {
	path = filepath.Join(b.scratch, name+".spool")
	w, err := startWorker(b, name, 2)
	if err != nil {
		return "", live, err
	}
	defer w.stop()
	stop, err := startGotap(b, w.pid(), filepath.Join(b.scratch, name+".trace"), "--spool", path)
	if err != nil {
		return "", live, err
	}
	if _, err = w.work(length); err != nil {
		return "", live, err
	}
	live, err = stop()
	return path, live, err
}

// assembled runs gotap assemble on a spool file as often as there are repeats.
func assembled(b *bench, path string) (rates, rss values, err error) {
	for i := 0; i < b.repeats; i++ {
		r, err := runGotap(b, "assemble", "--json", "-o", path+".trace", path)
		if err != nil {
			return nil, nil, err
		}
		rates = append(rates, r.Records/r.cpu.Seconds()/1e6)
		rss = append(rss, r.maxRSS/(1<<20))
	}
	return rates, rss, nil
}

func assembleTable(b *bench) error {
	t := &table{
		name:   "c1",
		title:  "From a spool file to a trace (`gotap assemble`: merge, model, names, writer), one thread:",
		head:   []string{"workload", "records", "million records per CPU second", "resident MiB"},
		footer: "CPU time of the whole process, opening the executable's tables and reading the file included.",
	}
	for _, name := range []string{"flood", "spawn", "deep"} {
		if err := assembleRow(b, t, name, name); err != nil {
			return err
		}
		if b.against == "" {
			continue
		}
		if err := assembleRow(b.other(), t, name, name+", "+againstName); err != nil {
			return err
		}
	}
	b.show(t)
	return nil
}

// assembleRow: each gotap reads the spool file that it wrote, as their format may differ.
func assembleRow(b *bench, t *table, name, label string) error {
	path, live, err := spool(b, name, 10*b.slice)
	if err != nil {
		return err
	}
	defer os.Remove(path)
	rates, rss, err := assembled(b, path)
	if err != nil {
		return err
	}
	t.add(label, fmt.Sprintf("%.0f", live.Records), rates.text("%.1f"), rss.text("%.0f"))
	return nil
}

// live records a worker at a rate for a while and gives the recorder's own cost.
func live(b *bench, w *worker, tr tracer, length time.Duration, rate int) (recording, slice, error) {
	var s slice
	run, err := tr.start(b, w)
	if err != nil {
		return recording{}, s, err
	}
	if rate < 0 {
		time.Sleep(length)
	} else if s, err = w.workAt(length, rate); err != nil {
		return recording{}, s, err
	}
	r, err := run.stop()
	return r, s, err
}

// liveRow measures one tracer at one rate of rounds a second; 0: as fast as it can.
func liveRow(b *bench, t *table, w *worker, tr tracer, rate int) error {
	var speed, perMillion, share, start, rss, lost values
	for i := 0; i < b.repeats; i++ {
		empty, _, err := live(b, w, tr, 0, -1)
		if err != nil {
			return err
		}
		r, s, err := live(b, w, tr, 8*b.slice, rate)
		if err != nil {
			return err
		}
		speed = append(speed, r.Records/s.wall*1e9)
		perMillion = append(perMillion, (r.cpu-empty.cpu).Seconds()*1e3/(r.Records/1e6))
		share = append(share, 100*float64(r.cpu-empty.cpu)/s.wall)
		start = append(start, empty.cpu.Seconds()*1e3)
		rss = append(rss, r.maxRSS/(1<<20))
		lost = append(lost, 100*r.Lost/(r.Records+r.Lost))
	}
	t.add(tr.name, speed.text("%.0f"), perMillion.text("%.0f"), share.text("%.1f %%"), start.text("%.0f"), rss.text("%.0f"),
		lost.text("%.2f"))
	return nil
}

func liveTable(b *bench) error {
	t := &table{
		name:  "c2",
		title: "gotap's own CPU while it records:",
		head:  []string{"tracer", "records/s", "CPU ms per million records", "of one CPU", "CPU ms to start and end", "resident MiB", "lost, %"},
		footer: "Start and end (loading, verification of the BPF programs, the snapshot) are not in the second and third column. " +
			"The resident memory has the rings in it.",
	}
	w, err := startWorker(b, "flood", 2)
	if err != nil {
		return err
	}
	defer w.stop()
	for _, tr := range []tracer{gotapTracer(gotapName), inlineTracer(inlineName, noBudget()...)} {
		for _, rate := range []int{10000, 50000, 0} {
			if err := liveRow(b, t, w, tr, rate); err != nil {
				return err
			}
		}
	}
	b.show(t)
	return nil
}

// checked counts the events of any trace by gotap's own reader.
func checked(b *bench, path string) (events float64, err error) {
	var facts struct{ Events float64 }
	out, err := exec.Command(b.gotap, "check", "--json", path).Output()
	if len(out) > 0 { // a trace may be at fault and still be counted
		err = json.Unmarshal(bytes.TrimSpace(out), &facts)
	}
	return facts.Events, err
}

// both has the runtime's tracer and gotap on at the same time.
func both(b *bench, w *worker, length time.Duration) (own, ours float64, err error) {
	ownPath, ourPath := filepath.Join(b.scratch, "own.trace"), filepath.Join(b.scratch, "both.trace")
	if !w.ownTrace(ownPath) {
		return 0, 0, fmt.Errorf("runtime/trace did not start")
	}
	stop, err := startGotap(b, w.pid(), ourPath, "--events", "default,sweep") // as the runtime's
	if err != nil {
		return 0, 0, err
	}
	_, err = w.work(length)
	rec, stopErr := stop()
	w.endOwnTrace()
	if err == nil {
		err = stopErr
	}
	if err != nil {
		return 0, 0, err
	}
	events, err := checked(b, ownPath)
	st, statErr := os.Stat(ownPath)
	if err != nil || statErr != nil {
		return 0, 0, fmt.Errorf("the runtime's trace: %v %v", err, statErr)
	}
	return float64(st.Size()) / events, rec.Bytes / rec.events(), nil
}

func sizeTable(b *bench) error {
	t := &table{
		name:  "c3",
		title: "Bytes per event, both tracers on in the same run, gotap with group sweep, which the runtime's tracer has:",
		head:  []string{"workload", "runtime/trace", "gotap", "ratio"},
	}
	for _, name := range []string{"flood", "syscall", "spawn", "alloc"} {
		w, err := startWorker(b, name, 2)
		if err != nil {
			return err
		}
		var own, ours values
		for i := 0; i < b.repeats && err == nil; i++ {
			var x, y float64
			x, y, err = both(b, w, 2*b.slice)
			own, ours = append(own, x), append(ours, y)
		}
		w.stop()
		if err != nil {
			return err
		}
		t.add(name, own.text("%.2f"), ours.text("%.2f"), ours.over(own).text("%.2f"))
	}
	b.show(t)
	return nil
}

func partUser(b *bench) error {
	for _, f := range []func(*bench) error{assembleTable, liveTable, sizeTable} {
		if err := f(b); err != nil {
			return err
		}
	}
	return nil
}
