// SPDX-License-Identifier: Apache-2.0

// profile [-slack NS] GO GOTAP: are these pprof files the same profile, sample by sample? GO is of `go tool trace -pprof=TYPE`,
// which has one location for each address, of the first frame that it meets in the order of a map. So a sample is
// compared by its addresses, and each of GO's lines must be one that GOTAP has at that address. Outermost frames of
// address 0 make no difference there. With -slack each single wait may differ by so much.
//
// profile -type TYPE TRACE GOTAP: is GOTAP what the events of the trace give (truth.go)?
package main

import (
	"flag"
	"fmt"
	"internal/profile"
	"maps"
	"os"
	"slices"
	"strings"
)

type line struct {
	addr       uint64
	name, file string
	line       int64
}

type contents struct {
	types   []string
	samples map[string][]int64
	lines   map[line]bool
}

func newContents() *contents {
	return &contents{samples: map[string][]int64{}, lines: map[line]bool{}}
}

func load(path string) (*contents, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	p, err := profile.Parse(f)
	if err != nil {
		return nil, fmt.Errorf("%s: %v", path, err)
	}
	c := newContents()
	for _, t := range append(p.SampleType, p.PeriodType) {
		c.types = append(c.types, t.Type+"/"+t.Unit)
	}
	for _, s := range p.Sample {
		c.sample(s)
	}
	return c, nil
}

// addressKey stands for a stack. Outermost frames of address 0 make no difference.
func addressKey(addrs []uint64) string {
	var key strings.Builder
	for len(addrs) > 0 && addrs[len(addrs)-1] == 0 {
		addrs = addrs[:len(addrs)-1]
	}
	for _, a := range addrs {
		fmt.Fprintf(&key, " %#x", a)
	}
	return key.String()
}

func (c *contents) sample(s *profile.Sample) {
	var addrs []uint64
	for _, loc := range s.Location {
		addrs = append(addrs, loc.Address)
		for _, l := range loc.Line {
			c.lines[line{loc.Address, l.Function.Name, l.Function.Filename, l.Line}] = true
		}
	}
	key := addressKey(addrs)
	for _, name := range []string{"state", "reason"} {
		for _, v := range s.Label[name] {
			key += " " + name + "=" + v
		}
	}
	old := c.samples[key]
	for i := range old {
		s.Value[i] += old[i]
	}
	c.samples[key] = s.Value
}

func equal(a, b []int64, slack int64) bool {
	return slices.Equal(a, b) || len(a) == 2 && len(b) == 2 && a[0] == b[0] && max(a[1]-b[1], b[1]-a[1]) <= slack*a[0]
}

func compare(a, b *contents, slack int64) (faults []string) {
	if !slices.Equal(a.types, b.types) {
		faults = append(faults, fmt.Sprintf("types %v and %v", a.types, b.types))
	}
	for key, v := range a.samples {
		if !equal(v, b.samples[key], slack) {
			faults = append(faults, fmt.Sprintf("sample %v and %v at%s", v, b.samples[key], key))
		}
	}
	for key, v := range b.samples {
		if a.samples[key] == nil {
			faults = append(faults, fmt.Sprintf("sample nothing and %v at%s", v, key))
		}
	}
	return faults
}

// missing says which lines of all lacks does not have.
func missing(all, lacks *contents) (faults []string) {
	for l := range all.lines {
		if l.addr != 0 && !lacks.lines[l] {
			faults = append(faults, fmt.Sprintf("no line %+v", l))
		}
	}
	return faults
}

func sums(c *contents) []int64 {
	all := make([]int64, len(c.types)-1)
	for v := range maps.Values(c.samples) {
		for i := range v {
			all[i] += v[i]
		}
	}
	return all
}

func main() {
	slack := flag.Int64("slack", 0, "ns")
	kind := flag.String("type", "", "GO is a trace, of which this profile is made")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "usage: profile [-slack NS] GO GOTAP; profile -type TYPE TRACE GOTAP")
		os.Exit(2)
	}
	var a *contents
	b, err := load(flag.Arg(1))
	switch {
	case err != nil:
	case *kind == "":
		a, err = load(flag.Arg(0))
	default:
		a, err = loadTruth(*kind, flag.Arg(0))
	}
	if err != nil {
		fmt.Println("FAIL", err)
		os.Exit(1)
	}
	faults := compare(a, b, *slack)
	if *kind == "" {
		faults = append(faults, missing(a, b)...)
	} else {
		faults = append(faults, missing(b, a)...)
	}
	for _, f := range faults[:min(len(faults), 10)] {
		fmt.Println(f)
	}
	if len(faults) != 0 {
		fmt.Println("FAIL", len(faults), "differences in", len(a.samples), "samples")
		os.Exit(1)
	}
	fmt.Println("same", len(a.samples), "samples", sums(a))
}
