// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
)

// Part f: reading traces, side by side with Go's own packages (tests/oracle/readfuzz) on the same file.

// usage of one run of a program.
type usage struct{ cpu, peak float64 } // ns, MiB

// usageOf fails if the program's exit status is above worst.
func (b *bench) usageOf(worst int, command []string) (u usage, err error) {
	var status int
	out, err := exec.Command(b.tool("usage"), command...).Output()
	if err == nil {
		_, err = fmt.Sscan(string(out), &u.cpu, &u.peak, &status)
	}
	if err == nil && status > worst {
		err = fmt.Errorf("exit status %d", status)
	}
	if err != nil {
		return u, fmt.Errorf("%s: %w", strings.Join(command, " "), err)
	}
	u.peak /= 1024
	return u, nil
}

// traceFile is what is read: by whom it was written, and its text form.
type traceFile struct {
	name, path, text string
	events           float64
	worst            int // exit status of gotap check
}

func (f *traceFile) prepare(b *bench) error {
	f.text = f.path + ".txt"
	if err := exec.Command(b.gotap, "text", f.path, "-o", f.text).Run(); err != nil {
		return fmt.Errorf("gotap text: %w", err)
	}
	out, err := exec.Command(b.tool("readfuzz"), "read", f.path).Output()
	if err == nil {
		_, err = fmt.Sscan(string(out), &f.events)
	}
	return err
}

// recordFile makes a trace of a workload with all CPUs, by the given tracer.
func recordFile(b *bench, workload string, by tracer, written string, worst int) (*traceFile, error) {
	w, err := startWorker(b, workload, 2)
	if err != nil {
		return nil, err
	}
	defer w.stop()
	run, err := by.start(b, w)
	if err != nil {
		return nil, err
	}
	_, err = w.work(10 * b.slice)
	if _, stopErr := run.stop(); err == nil {
		err = stopErr
	}
	if err != nil {
		return nil, err
	}
	f := &traceFile{name: workload + ", by " + by.name, path: filepath.Join(b.scratch, written), worst: worst}
	return f, f.prepare(b)
}

// readPair is the same thing done by Go's packages and by gotap.
type readPair struct {
	what       string
	goes, ours []string // arguments; TRACE and TEXT stand for the files
}

var readPairs = []readPair{
	{"text from trace", []string{"text", "TRACE"}, []string{"text", "TRACE"}},
	{"trace from text", []string{"wire", "TEXT"}, []string{"wire", "TEXT", "-o", "/dev/null"}},
	{"all events read; check --lenient", []string{"read", "TRACE"}, []string{"check", "--lenient", "TRACE"}},
	{"all events read; check", []string{"read", "TRACE"}, []string{"check", "TRACE"}},
	{"all events validated; check", []string{"validate", "TRACE"}, []string{"check", "TRACE"}},
}

func (f *traceFile) command(program string, args []string) []string {
	command := []string{program}
	for _, arg := range args {
		switch arg {
		case "TRACE":
			arg = f.path
		case "TEXT":
			arg = f.text
		}
		command = append(command, arg)
	}
	return command
}

func (c *readPair) measure(b *bench, f *traceFile, t *table) error {
	var goCPU, cpu, goPeak, peak values
	for i := 0; i < b.repeats; i++ {
		goes, err := b.usageOf(0, f.command(b.tool("readfuzz"), c.goes))
		if err != nil {
			return err
		}
		ours, err := b.usageOf(f.worst, f.command(b.gotap, c.ours))
		if err != nil {
			return err
		}
		goCPU, cpu = append(goCPU, goes.cpu/f.events), append(cpu, ours.cpu/f.events)
		goPeak, peak = append(goPeak, goes.peak), append(peak, ours.peak)
	}
	t.add(f.name, c.what, goCPU.text("%.0f"), cpu.text("%.0f"), goCPU.over(cpu).text("%.1f"),
		fmt.Sprintf("%.1f", goPeak.median()), fmt.Sprintf("%.1f", peak.median()))
	return nil
}

func partRead(b *bench) error {
	t := &table{
		name:  "f1",
		title: "Reading a trace, with Go's own packages (internal/trace, its raw tool and its validator) and with gotap:",
		head: []string{"trace", "Go's; gotap's", "Go, CPU ns per event", "gotap, CPU ns per event", "times as fast",
			"Go, peak MiB", "gotap, peak MiB"},
	}
	var size []string
	for _, file := range []struct {
		workload, path string
		by             tracer
		worst          int
	}{
		{"flood", "gotap.trace", gotapTracer("gotap"), 0},
		// Go 1.26 and later label any goroutine that starts on a P to which a mark worker is assigned
		// (traceLocker.GoStart), and that is the trace reader, which goes first: when its write(2) ends without
		// a P, the page of the mutator utilization panics. gotap check reads on after it has found that.
		{"spawn", "own.trace", ownTracer, 1},
	} {
		f, err := recordFile(b, file.workload, file.by, file.path, file.worst)
		if err != nil {
			return err
		}
		size = append(size, fmt.Sprintf("%s of %.1f million events", sizeOf(f.path), f.events/1e6))
		for _, c := range readPairs {
			if err := c.measure(b, f, t); err != nil {
				return err
			}
		}
	}
	t.footer = "CPU time and memory of whole processes, on the same file: " + strings.Join(size, ", ") + "."
	b.show(t)
	return nil
}
