// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Part d: how long it takes until gotap records, and to go; and to name addresses.

// firstEvent is the time at which a trace begins (CLOCK_MONOTONIC ns).
func firstEvent(b *bench, path string) (int64, error) {
	cmd := exec.Command(b.gotap, "text", path)
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		return 0, err
	}
	defer cmd.Wait()
	defer out.Close()
	var ticks, frequency float64
	for in := bufio.NewScanner(out); in.Scan() && frequency == 0; {
		line := in.Text()
		if _, after, ok := strings.Cut(line, " time="); ok && ticks == 0 {
			fmt.Sscan(after, &ticks)
		}
		if after, ok := strings.CutPrefix(line, "Frequency freq="); ok {
			fmt.Sscan(after, &frequency)
		}
	}
	if ticks == 0 || frequency == 0 {
		return 0, fmt.Errorf("%s has no event", path)
	}
	return int64(ticks / frequency * 1e9), nil
}

type latencies struct {
	attach, first, detach values // ms
	resident              values // MiB
}

func (l *latencies) measure(b *bench, t target) error {
	path := filepath.Join(b.scratch, "latency.trace")
	begin := monotonic()
	stop, err := startGotap(b, t.pid(), path)
	if err != nil {
		return err
	}
	attached := monotonic()
	if _, err = t.work(b.slice); err != nil {
		return err
	}
	rec, err := stop()
	if err != nil {
		return err
	}
	first, err := firstEvent(b, path)
	if err != nil {
		return err
	}
	l.attach = append(l.attach, float64(attached-begin)/1e6)
	l.first = append(l.first, float64(first-begin)/1e6)
	l.detach = append(l.detach, float64(rec.wall)/1e6)
	l.resident = append(l.resident, rec.maxRSS/(1<<20))
	return nil
}

func sizeOf(path string) string {
	st, err := os.Stat(path)
	if err != nil {
		return "-"
	}
	return fmt.Sprintf("%.0f MB", float64(st.Size())/1e6)
}

func (b *bench) latencyRow(t *table, name, path string, on target) error {
	var l latencies
	for i := 0; i < b.repeats; i++ {
		if err := l.measure(b, on); err != nil {
			return err
		}
	}
	t.add(name, sizeOf(path), l.attach.text("%.0f"), l.first.text("%.0f"), l.detach.text("%.0f"), l.resident.text("%.0f"))
	return nil
}

func latencyTable(b *bench) error {
	t := &table{
		name:  "d1",
		title: "From the start of `gotap record` until it records, and from the signal until it has ended (ms):",
		head:  []string{"program", "size", "attached", "first event", "ended", "resident MiB"},
		footer: "caddy and prometheus are Debian's, stripped. The resident memory has the rings in it " +
			"and the pages of the program's file that were looked at.",
	}
	w, err := startWorker(b, "pingpong", 1)
	if err != nil {
		return err
	}
	err = b.latencyRow(t, "small, at work", b.tool("work"), w)
	w.stop()
	if err != nil {
		return err
	}
	if err = b.serverRow(t, "caddy", b.caddy, startServer); err == nil {
		err = b.serverRow(t, "prometheus", b.large, startPrometheus)
	}
	b.show(t)
	return err
}

// serverRow: nothing, where the program cannot be had.
func (b *bench) serverRow(t *table, name, path string, start func(*bench, string) (*server, error)) error {
	if path == "" {
		return nil
	}
	s, err := start(b, path)
	if err != nil {
		return err
	}
	defer s.stop()
	return b.latencyRow(t, name+" under wrk", path, s)
}

func symbolTable(b *bench) error {
	const addresses = 10000
	t := &table{
		name:  "d2",
		title: fmt.Sprintf("Names of %d distinct addresses, spread over the whole text (CPU ms):", addresses),
		head:  []string{"program", "size", "open", "first time", "again", "ns per new address"},
	}
	for _, file := range []string{b.tool("work"), b.caddy, b.large} {
		if file == "" {
			continue
		}
		var open, first, again, each values
		for i := 0; i < b.repeats; i++ {
			out, err := exec.Command(b.tool("symbols"), file, fmt.Sprint(addresses)).Output()
			if err != nil {
				return fmt.Errorf("symbols %s: %w", file, err)
			}
			var x, y, z float64
			fmt.Sscan(string(out), &x, &y, &z)
			open, first, again = append(open, x/1e6), append(first, y/1e6), append(again, z/1e6)
			each = append(each, y/addresses)
		}
		t.add(filepath.Base(file), sizeOf(file), open.text("%.2f"), first.text("%.1f"), again.text("%.2f"), each.text("%.0f"))
	}
	b.show(t)
	return nil
}

func partLatency(b *bench) error {
	if err := latencyTable(b); err != nil {
		return err
	}
	return symbolTable(b)
}
