// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"slices"
)

// Part m: what the events of sampled allocations (group alloc) cost. Throughput counts what a request pays beyond its CPU
// time, too: caches, waits. A window with the group and one without it are of the same round, and all ratios of such pairs.

const (
	withAlloc    = "with alloc"
	withoutAlloc = "without"
	sampleEach   = 512 << 10 // the runtime's own rate, which the linker has switched off in the program
)

// keptBetween: the throughput with the group, that without it is 1.
func (all rounds) keptBetween(suffix string) (v values) {
	for _, r := range all {
		with, ok := r[withAlloc+suffix]
		without, also := r[withoutAlloc+suffix]
		if ok && also {
			v = append(v, with.rate/without.rate)
		}
	}
	return v
}

func allocTracers() []tracer {
	return []tracer{
		inlineTracer(withoutAlloc, noBudget()...),
		inlineTracer(withAlloc, slices.Concat(noBudget(), []string{"-e", "+alloc"})...),
		gotapTracer(withoutAlloc + viaUprobes),
		gotapTracer(withAlloc+viaUprobes, "-e", "+alloc"),
	}
}

func startSampled(b *bench, s site) (target, error) {
	t, err := s.start(b)
	if err != nil {
		return nil, err
	}
	if answer, err := t.(*served).ask("sample %d", sampleEach); err != nil || answer != "done" {
		return nil, fmt.Errorf("the program does not sample: %s %w", answer, err)
	}
	return t, nil
}

func samples(with, _ window) float64 { return with.rec.Allocs / with.rec.Seconds }

func (all rounds) allocRow(title, way, suffix string) []string {
	return []string{title, way, all.keptBetween(suffix).middle("%.4f"), all.of(withAlloc+suffix, kept).middle("%.3f"),
		all.of(withAlloc+suffix, samples).middle("%.0f"), all.of(withAlloc+suffix, func(w, _ window) float64 { return w.rec.Lost }).middle("%.0f")}
}

func partAllocations(b *bench) error {
	t := &table{
		name:  "alloc",
		title: "Throughput under wrk with the events of allocations (`-e +alloc`, one sample in 512 KiB):",
		head:  []string{"server", "attached", "with the group, without it = 1", "untraced = 1", "samples a second", "lost"},
		footer: fmt.Sprintf("Median of %d rounds, quartiles in brackets (least and most of less than eight), with windows of %v; each ratio is of two windows of one "+
			"round. `make bench ARGS=m` measures it.", b.rounds, b.window),
	}
	for _, s := range sites {
		if s.name == "caddy" || !b.wants(s.name) {
			continue
		}
		sampled := s
		sampled.start = func(b *bench) (target, error) { return startSampled(b, s) }
		all, err := sampled.measure(b, allocTracers())
		if err != nil {
			return fmt.Errorf("%s: %w", s.name, err)
		}
		t.add(all.allocRow(s.column, "inline", "")...)
		t.add(all.allocRow(s.column, "uprobes", viaUprobes)...)
	}
	b.show(t)
	return nil
}
