// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
)

// Servers of part a: the price that a user sees. Each round has a window of load without a tracer and one with each,
// in another order each time; all ratios are of windows of the same round. gotap has its default budget.

const (
	freeName         = "gotap, no budget"
	inlineFreeName   = "gotap, inline, no budget"
	deferName        = "gotap, inline, deferred"
	againstNameToo   = "--against, inline"
	postScript       = "wrk.method = \"POST\"\nwrk.headers[\"Content-Type\"] = \"application/json\"\nwrk.body = [[%s]]\n"
	orderToBeDecoded = `{"id": 48151, "customer": {"name": "Ada Lovelace", "email": "ada@example.org"}, "currency": "EUR", "lines": ` +
		`[{"sku": "GO-1.27", "amount": 2, "price": 1999}, {"sku": "TRACE-2", "amount": 1, "price": 450}, ` +
		`{"sku": "RING-4M", "amount": 12, "price": 25}], "express": true, "note": "ring twice"}`
)

// site is a server that is measured.
type site struct {
	name, table, column, title string
	start                      func(b *bench) (target, error)
}

var sites = []site{
	{"http", "a5", "net/http, hello", "A server of net/http that answers \"hello\"", func(b *bench) (target, error) {
		return startServed(b, "http", "http", "")
	}},
	{"caddy", "a3", "caddy", "caddy of Debian, stripped, that answers \"hello\"; runtime/trace over HTTP, by its admin endpoint", startCaddy},
	{"tls", "a6", "TLS and JSON", "A server of net/http with TLS that decodes a JSON request and encodes a JSON answer", startOrders},
}

func startOrders(b *bench) (target, error) {
	script := filepath.Join(b.scratch, "post.lua")
	if err := os.WriteFile(script, []byte(fmt.Sprintf(postScript, orderToBeDecoded)), 0o600); err != nil {
		return nil, err
	}
	return startServed(b, "tls", "https", script)
}

// canDefer: has this gotap the option?
func (b *bench) canDefer() bool {
	help, _ := exec.Command(b.gotap, "record", "--help").Output()
	return strings.Contains(string(help), "--defer")
}

func defaultTracer() tracer {
	return tracer{gotapName, func(b *bench, t target) (running, error) {
		return startRecord(b, t.pid(), filepath.Join(b.scratch, "gotap.trace"))
	}}
}

func serverTracers(b *bench) []tracer {
	tracers := []tracer{
		floorTracer("default"),
		defaultTracer(),
		gotapTracer(freeName),
		inlineTracer(inlineName),
		inlineTracer(inlineFreeName, noBudget()...),
	}
	if b.canDefer() {
		tracers = append(tracers, inlineTracer(deferName, "--defer"))
	}
	tracers = append(tracers, ownTracer)
	if b.against != "" {
		tracers = append(tracers, against(defaultTracer(), againstName), against(inlineTracer(inlineName), againstNameToo))
	}
	return tracers
}

// window is what one tracer did to the server in one round; CPU and idle time in ns per request.
type window struct {
	rate, server, client, own, idle float64
	other                           float64 // part of the machine that was neither idle nor used by server, client, tracer
	rec                             recording
	requests                        float64
}

func newWindow(s slice, own float64, rec recording) window {
	whole := s.wall * float64(runtime.NumCPU())
	return window{
		rate: s.ops / s.wall * 1e9, server: s.cpu / s.ops, client: s.client / s.ops, own: own / s.ops, idle: s.idle / s.ops,
		other: (whole - s.cpu - s.client - own - s.idle) / whole, rec: rec, requests: s.ops,
	}
}

// round is one window of each tracer, by its name; "" is without.
type round map[string]window

// mean is that of the two windows without a tracer.
func mean(a, b window) window {
	return window{
		rate: (a.rate + b.rate) / 2, server: (a.server + b.server) / 2, client: (a.client + b.client) / 2,
		idle: (a.idle + b.idle) / 2, other: (a.other + b.other) / 2,
	}
}

// turned is the order of round number turn: begun at another place each time, and backwards every other time.
func turned[T any](all []T, turn int) []T {
	at := turn % len(all)
	order := append(slices.Clone(all[at:]), all[:at]...)
	if turn%2 == 1 {
		slices.Reverse(order)
	}
	return order
}

// withUntraced has two windows without a tracer among the others, half a round apart.
func withUntraced(tracers []tracer) []tracer {
	none := tracer{"", func(*bench, target) (running, error) {
		return helper(func() (recording, error) { return recording{}, nil }), nil
	}}
	half := len(tracers) / 2
	return slices.Concat([]tracer{none}, tracers[:half], []tracer{none}, tracers[half:])
}

func oneRound(b *bench, t target, tracers []tracer, turn int) (round, error) {
	r := round{}
	for _, tr := range turned(withUntraced(tracers), turn) {
		s, own, rec, ok, err := traced(b, t, tr, b.window)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", tr.name, err)
		}
		if !ok {
			continue
		}
		w := newWindow(s, own, rec)
		if before, again := r[tr.name]; again {
			w = mean(before, w)
		}
		r[tr.name] = w
	}
	return r, nil
}

// rounds of one server.
type rounds []round

// of collects a number of one tracer, with the window without a tracer of the same round.
func (all rounds) of(name string, number func(with, without window) float64) (v values) {
	for _, r := range all {
		if with, ok := r[name]; ok {
			v = append(v, number(with, r[""]))
		}
	}
	return v
}

func kept(with, without window) float64 { return with.rate / without.rate }

// allCPU depends less than the throughput on what else runs on the machine, and leaves out idle time.
func allCPU(with, without window) float64 {
	return (with.server + with.client + with.own) / (without.server + without.client)
}

func addedCPU(with, without window) float64  { return with.server - without.server }
func addedIdle(with, without window) float64 { return with.idle - without.idle }
func ownCPU(with, _ window) float64          { return with.own }
func perRequest(with, _ window) float64      { return with.rec.Records / with.requests }
func repairs(with, _ window) float64         { return with.rec.Repairs }
func unrecorded(with, _ window) float64      { return 100 * with.rec.Unrecorded / with.rec.Seconds }
func lostRecords(with, _ window) float64 {
	return 100 * with.rec.Lost / max(1, with.rec.Records+with.rec.Lost)
}

// afterwards is the CPU of gotap beyond the window, per request: to begin, to end, and what is done when the recording is over.
func afterwards(with, _ window) float64 { return float64(with.rec.cpu)/with.requests - with.own }

var levels = []string{"whole", "short-stacks", "no-stacks", "no-extras", "slices"}

// level is the last level of the budget that was reached in any round.
func (all rounds) level(name string) string {
	last := 0
	for _, r := range all {
		for _, step := range r[name].rec.Steps {
			last = max(last, slices.Index(levels, step.Level))
		}
	}
	return levels[last]
}

func (all rounds) has(name string) bool { return len(all.of(name, kept)) > 0 }

func (all rounds) row(name string) []string {
	own := all.of(ownName, kept)
	row := []string{name, all.of(name, kept).middle("%.2f"), all.of(name, kept).over(own).middle("%.2f"),
		all.of(name, allCPU).middle("%.2f"), all.of(name, addedCPU).middle("%.0f"), "-", all.of(name, addedIdle).middle("%.0f"), "-", "-", "-", "-", "-"}
	if name == floorName || name == ownName {
		return row
	}
	copy(row[7:], []string{all.of(name, perRequest).text("%.1f"), all.of(name, lostRecords).text("%.2f"),
		all.of(name, repairs).text("%.0f"), all.of(name, unrecorded).text("%.0f"), all.level(name)})
	row[5] = all.of(name, ownCPU).middle("%.0f")
	return row
}

// without describes the server with no tracer.
func (all rounds) without() string {
	number := func(f func(w window) float64) values {
		return all.of("", func(w, _ window) float64 { return f(w) })
	}
	return fmt.Sprintf("Untraced: %s requests/s; CPU of the server %s ns and idle time %s ns of a request; other programs used %s %% of the machine.",
		number(func(w window) float64 { return w.rate }).middle("%.0f"), number(func(w window) float64 { return w.server }).middle("%.0f"),
		number(func(w window) float64 { return w.idle }).middle("%.0f"), number(func(w window) float64 { return 100 * w.other }).middle("%.0f"))
}

func (all rounds) footer(b *bench) string {
	text := fmt.Sprintf("%s %d rounds of windows of %v, wrk with 16 connections on the same CPUs; all but the last five columns: median, quartiles in "+
		"brackets, of numbers of the same round. CPU of a request: of server, wrk and gotap. All else of CPU and idle time is ns per request. Level: the last one that the budget came to in any round.",
		all.without(), len(all), b.window)
	if all.has(deferName) {
		text += fmt.Sprintf(" Before and after the window gotap used %s ns of CPU per request, with `--defer` %s.",
			all.of(inlineName, afterwards).middle("%.0f"), all.of(deferName, afterwards).middle("%.0f"))
	}
	return text
}

func (s site) newTable() *table {
	return &table{
		name:  s.table,
		title: s.title + ", under wrk:",
		head: []string{"tracer", "throughput, untraced = 1", "over runtime/trace", "CPU of a request, untraced = 1", "server CPU, added", "gotap CPU", "idle, added",
			"records", "lost, %", "repairs", "time left out, %", "level"},
	}
}

// measure gives no rounds where the server cannot be had.
func (s site) measure(b *bench, tracers []tracer) (all rounds, err error) {
	if s.name == "caddy" && b.caddy == "" {
		return nil, nil
	}
	b.say("%s", s.title)
	t, err := s.start(b)
	if err != nil {
		return nil, err
	}
	defer t.stop()
	if _, err = t.work(b.window); err != nil {
		return nil, err
	}
	for turn := range b.rounds {
		r, err := oneRound(b, t, tracers, turn)
		if err != nil {
			return nil, err
		}
		all = append(all, r)
	}
	return all, nil
}

func (s site) compare(b *bench, tracers []tracer) (rounds, error) {
	all, err := s.measure(b, tracers)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", s.name, err)
	}
	t := s.newTable()
	if all == nil {
		t.add(append([]string{s.name + " could not be had"}, slices.Repeat([]string{"-"}, len(t.head)-1)...)...)
	} else {
		t.footer = all.footer(b)
	}
	for _, tr := range tracers {
		if all.has(tr.name) {
			t.add(all.row(tr.name)...)
		}
	}
	b.show(t)
	return all, nil
}

// prices are the rows of the table that a user sees first.
var prices = []struct{ tracer, text string }{
	{ownName, "`runtime/trace`, in the program"},
	{gotapName, "`gotap record` (uprobes)"},
	{inlineName, "`gotap record --attach inline`"},
	{deferName, "`gotap record --attach inline --defer`"},
}

// showPrices puts the servers beside one another.
func showPrices(b *bench, measured map[string]rounds) {
	var other values
	for _, all := range measured {
		other = append(other, all.of("", func(w, _ window) float64 { return 100 * w.other })...)
	}
	t := &table{
		name:  "price",
		title: "Throughput of a server at full load while it is recorded, untraced = 1:",
		head:  []string{"recorded by"},
		footer: fmt.Sprintf("Median of %d rounds, quartiles in brackets. Server, load generator and gotap share %d CPUs of a virtual machine, of which "+
			"other programs used %s %% meanwhile.", b.rounds, runtime.NumCPU(), other.middle("%.0f")),
	}
	rows := make([][]string, len(prices))
	for i, p := range prices {
		rows[i] = []string{p.text}
	}
	for _, s := range sites {
		all, ok := measured[s.name]
		if !ok {
			continue
		}
		t.head = append(t.head, s.column)
		for i, p := range prices {
			rows[i] = append(rows[i], all.of(p.tracer, kept).middle("%.2f"))
		}
	}
	for i, p := range prices {
		if p.tracer != deferName || b.canDefer() {
			t.add(rows[i]...)
		}
	}
	b.show(t)
}

func compareServers(b *bench) error {
	tracers, measured := serverTracers(b), map[string]rounds{}
	for _, s := range sites {
		if !b.wants(s.name) {
			continue
		}
		all, err := s.compare(b, tracers)
		if err != nil {
			return err
		}
		measured[s.name] = all
	}
	if len(measured) > 0 {
		showPrices(b, measured)
	}
	return nil
}
