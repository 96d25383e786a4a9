// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Part l: what the groups of requests cost: an operation of each kind, recorded with the group and without it, in windows of
// the same round. The price is CPU time of the program and of gotap together, which depends less on other work than rates do.

const (
	withoutGroup = "without the group"
	withGroup    = "with the group"
	viaUprobes   = ", by uprobes"
)

// operation is one that is measured.
type operation struct {
	name, title, group string
	start              func(b *bench) (target, error)
}

var operations = []operation{
	{"hello", "served, net/http, no pattern", "+http", func(b *bench) (target, error) { return startServed(b, "http", "http", "") }},
	{"mux", "served, net/http, pattern of ServeMux", "+http", func(b *bench) (target, error) { return startServed(b, "mux", "http", "") }},
	{"conn", "the same without a pattern, a connection for each", "+http", startConnections},
	{"ask", "sent by http.Client", "+http", startAsk},
	{"query", "query of database/sql, driver without a database", "+sql", func(b *bench) (target, error) { return startWorker(b, "query", 1) }},
	{"grpc", "served, gRPC, unary", "+grpc", startGRPC},
}

// startConnections: wrk asks over a new connection each time.
func startConnections(b *bench) (target, error) {
	script := filepath.Join(b.scratch, "close.lua")
	if err := os.WriteFile(script, []byte("wrk.headers[\"Connection\"] = \"close\"\n"), 0o600); err != nil {
		return nil, err
	}
	return startServed(b, "http", "http", script)
}

// asking is a program that asks another one, which is not traced.
type asking struct {
	*worker
	asked *served
}

func (a *asking) stop() {
	a.worker.stop()
	a.asked.stop()
}

func startAsk(b *bench) (target, error) {
	asked, err := startServed(b, "http", "http", "")
	if err != nil {
		return nil, err
	}
	address, err := asked.ask("address")
	if err != nil {
		return nil, err
	}
	c, err := startChild([]string{"GOMAXPROCS=1", "WORK_ASKS=" + address}, b.tool("work"), "ask")
	if err != nil {
		return nil, err
	}
	return &asking{&worker{c}, asked}, c.expect("ready")
}

// rpc is a server of gRPC, which another process calls.
type rpc struct {
	*child
	program, address string
}

// startGRPC gives nil where Debian's package was not there to build the program.
func startGRPC(b *bench) (target, error) {
	program := b.tool("grpc")
	if _, err := exec.LookPath(program); err != nil {
		return nil, nil
	}
	c, err := startChild(nil, program, "serve")
	if err != nil {
		return nil, err
	}
	if !c.out.Scan() {
		return nil, fmt.Errorf("%s ended", program)
	}
	return &rpc{c, program, c.out.Text()}, c.expect("ready")
}

func (r *rpc) pid() int { return r.cmd.Process.Pid }

func (r *rpc) work(length time.Duration) (s slice, err error) {
	cmd := exec.Command(r.program, "call", r.address, fmt.Sprint(length.Milliseconds()))
	cpu, idle, start := processCPU(r.pid()), idleTime(), time.Now()
	out, err := cmd.Output()
	s = slice{cpu: processCPU(r.pid()) - cpu, idle: idleTime() - idle, wall: float64(time.Since(start))}
	if err != nil {
		return s, fmt.Errorf("calls of gRPC: %w", err)
	}
	s.ops, err = strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
	s.client = float64(cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime())
	return s, err
}

func (r *rpc) ownTrace(string) bool { return false }
func (r *rpc) endOwnTrace()         {}
func (r *rpc) stop()                { r.finish() }

func operationTracers(group string) []tracer {
	args := func(more ...string) []string { return append(noBudget(), more...) }
	return []tracer{
		inlineTracer(withoutGroup, args()...),
		inlineTracer(withGroup, args("-e", group)...),
		gotapTracer(withoutGroup + viaUprobes),
		gotapTracer(withGroup+viaUprobes, "-e", group),
	}
}

// between collects how much more a number is with the group than without it, in the same round.
func (all rounds) between(suffix string, number func(w window) float64) (v values) {
	for _, r := range all {
		with, ok := r[withGroup+suffix]
		without, also := r[withoutGroup+suffix]
		if ok && also {
			v = append(v, number(with)-number(without))
		}
	}
	return v
}

func programCPU(w window) float64 { return w.server / 1000 }
func gotapCPU(w window) float64   { return w.own / 1000 }
func bothCPU(w window) float64    { return (w.server + w.own) / 1000 }

func (o operation) row(all rounds) []string {
	row := []string{o.title, "`" + o.group + "`", all.of("", func(w, _ window) float64 { return programCPU(w) }).middle("%.1f")}
	for _, suffix := range []string{"", viaUprobes} {
		whole := all.of(withoutGroup+suffix, func(with, without window) float64 { return bothCPU(with) - programCPU(without) })
		price := all.between(suffix, bothCPU)
		row = append(row, fmt.Sprintf("%.1f", whole.median()), price.middle("%.1f"),
			fmt.Sprintf("%.1f + %.1f", all.between(suffix, programCPU).median(), all.between(suffix, gotapCPU).median()))
	}
	return row
}

func (o operation) measure(b *bench) (all rounds, err error) {
	t, err := o.start(b)
	if err != nil || t == nil {
		return nil, err
	}
	defer t.stop()
	if _, err = t.work(b.window); err != nil {
		return nil, err
	}
	for turn := range b.rounds {
		r, err := oneRound(b, t, operationTracers(o.group), turn)
		if err != nil {
			return nil, err
		}
		for name, w := range r {
			if w.rec.Lost > 0 {
				return nil, fmt.Errorf("%s: %.0f records were lost", name, w.rec.Lost)
			}
		}
		all = append(all, r)
	}
	return all, nil
}

func partRequests(b *bench) error {
	t := &table{
		name:  "requests",
		title: "CPU time of one operation, in us: of the program without gotap; what a recording of the default groups adds; what the group adds to that:",
		head: []string{"operation", "group", "untraced", "inline: recording", "inline: group", "of these program + gotap", "uprobes: recording",
			"uprobes: group", "of them program + gotap"},
		footer: fmt.Sprintf("Median of %d rounds, quartiles in brackets, with windows of %v; program and gotap together, then each. At 20,000 operations a second "+
			"1 us is 2 %% of a core. `make bench ARGS=l` measures it.", b.rounds, b.window),
	}
	for _, o := range operations {
		if !b.wants(o.name) {
			continue
		}
		b.say("%s", o.title)
		all, err := o.measure(b)
		if err != nil {
			return fmt.Errorf("%s: %w", o.name, err)
		}
		if all == nil {
			b.say("%s: the program could not be built", o.name)
			continue
		}
		t.add(o.row(all)...)
	}
	b.show(t)
	return nil
}
