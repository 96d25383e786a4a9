// SPDX-License-Identifier: Apache-2.0

package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/bits"
	"strings"

	"cmd/gotap/tracefile"
	"internal/trace"
)

// An event of an address: it is taken (or found to exist), or given back.
type event struct {
	at     int64
	exists bool
	taken  bool
	what   string // size and class
}

func (e *event) String() string {
	switch {
	case e == nil:
		return "nothing"
	case e.exists:
		return fmt.Sprintf("exists %s at %d", e.what, e.at)
	case e.taken:
		return fmt.Sprintf("taken %s at %d", e.what, e.at)
	}
	return fmt.Sprintf("given back at %d", e.at)
}

// history has what a trace tells of memory, by kind and address. The runtime writes its list while the world is
// stopped; but it gives each event a tick of its own clock, of 64 ns, and writes faster than that, so the list ends later
// than the world starts again. Its first event has the right time.
type history struct {
	units  *units
	list   int64 // when the list of what exists begins
	end    int64
	raw    []rawEvent
	types  map[uint64]string     // of the generation, by id
	pages  map[uint64]spanOfPage // by address: what the span there is for
	events map[string]map[uint64][]event
}

type rawEvent struct {
	name     string
	at       int64
	args     []uint64
	typeName string // of an object
}

type spanOfPage struct {
	class, pages uint64
}

// units is the information batch: what the ids of events count.
type units struct {
	base, page, align, stack uint64
}

func load(path string) (*history, error) {
	h := &history{events: make(map[string]map[uint64][]event), pages: make(map[uint64]spanOfPage)}
	if err := tracefile.Each(path, h.add); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if h.units == nil {
		return nil, fmt.Errorf("%s: no information batch of the experiment AllocFree", path)
	}
	for _, e := range h.raw {
		h.resolve(e)
	}
	return h, nil
}

func (h *history) add(ev trace.Event) error {
	if ev.Kind() == trace.EventSync {
		return h.addBatches(ev.Sync().ExperimentalBatches["AllocFree"])
	}
	h.end = int64(ev.Time())
	if ev.Kind() != trace.EventExperimental || isObject(ev.Experimental().Name) && !strings.Contains(*kinds, "HeapObject") {
		return nil
	}
	e := ev.Experimental()
	raw := rawEvent{name: e.Name, at: h.end}
	for i := range e.Args {
		raw.args = append(raw.args, e.ArgValue(i).Uint64())
	}
	if isObject(e.Name) && len(raw.args) == 2 && raw.args[1] != 0 {
		raw.typeName = h.types[raw.args[1]]
		if raw.typeName == "" {
			return fmt.Errorf("type %d is not in the tables of its generation", raw.args[1])
		}
	}
	h.raw = append(h.raw, raw)
	return nil
}

func (h *history) addBatches(batches []trace.ExperimentalBatch) error {
	h.types = make(map[uint64]string)
	for _, b := range batches {
		if len(b.Data) > 0 && b.Data[0] == 0 {
			if err := h.addTypes(b.Data[1:]); err != nil {
				return err
			}
		}
		if len(b.Data) == 0 || b.Data[0] != 1 {
			continue
		}
		var v [4]uint64
		data := b.Data[1:]
		for i := range v {
			n := 0
			if v[i], n = binary.Uvarint(data); n <= 0 {
				return errors.New("a short information batch")
			}
			data = data[n:]
		}
		h.units = &units{v[0], v[1], v[2], v[3]}
	}
	return nil
}

// addTypes reads a batch of types: id, address, size, bytes with pointers, name.
func (h *history) addTypes(data []byte) error {
	for len(data) > 0 {
		var v [5]uint64
		for i := range v {
			n := 0
			if v[i], n = binary.Uvarint(data); n <= 0 {
				return errors.New("a short batch of types")
			}
			data = data[n:]
		}
		if uint64(len(data)) < v[4] {
			return errors.New("a short name of a type")
		}
		h.types[v[0]] = fmt.Sprintf("type %s at %#x, %d bytes, %d with pointers", data[:v[4]], v[1], v[2], v[3])
		data = data[v[4]:]
	}
	return nil
}

func isObject(name string) bool { return strings.HasPrefix(name, "HeapObject") }

// slotSize is that of the span at the address, 0 if it is not known.
func (h *history) slotSize(addr uint64) uint64 {
	s := h.pages[addr&^(h.units.page-1)]
	if class := s.class >> 2; class != 0 {
		return classSizes[class]
	}
	return s.pages * h.units.page
}

// follow keeps which span each page belongs to.
func (h *history) follow(raw rawEvent) {
	switch raw.name {
	case "Span", "SpanAlloc":
		for i := range raw.args[1] {
			h.pages[h.units.base+(raw.args[0]+i)*h.units.page] = spanOfPage{raw.args[2], raw.args[1]}
		}
	}
}

func (h *history) resolve(raw rawEvent) {
	h.follow(raw)
	e := event{at: raw.at, exists: true, taken: true}
	kind := raw.name
	if k, ok := strings.CutSuffix(kind, "Alloc"); ok {
		kind, e.exists = k, false
	} else if k, ok := strings.CutSuffix(kind, "Free"); ok {
		kind, e.exists, e.taken = k, false, false
	}
	unit := h.units.page
	switch kind {
	case "GoroutineStack":
		unit = h.units.stack
	case "HeapObject":
		unit = h.units.align
		if h.slotSize(h.units.base+raw.args[0]*unit) < *objectMin {
			return
		}
	}
	switch {
	case !e.taken:
	case kind == "HeapObject":
		e.what = raw.typeName
	case kind == "Span":
		e.what = fmt.Sprintf("%d pages, class %d", raw.args[1], raw.args[2])
	case bits.Len64(raw.args[1]) == 0: // a dead goroutine without a stack: the runtime tells it all the same
		return
	default:
		e.what = fmt.Sprintf("%d bytes", uint64(1)<<(raw.args[1]-1))
	}
	if e.exists && h.list == 0 {
		h.list = e.at
	}
	if h.events[kind] == nil {
		h.events[kind] = make(map[uint64][]event)
	}
	addr := h.units.base + raw.args[0]*unit
	h.events[kind][addr] = append(h.events[kind][addr], e)
}

func (h *history) of(kind string) map[uint64][]event { return h.events[kind] }

// listed is what the list says to exist at the address, nil if nothing.
func listed(events []event) *event {
	for i := range events {
		if events[i].exists {
			return &events[i]
		}
	}
	return nil
}

// stateAt says what there is at the address just before @at, nil if nothing.
func stateAt(events []event, at int64) *event {
	var state *event
	for i := range events {
		if events[i].at >= at {
			break
		}
		state = nil
		if events[i].taken {
			state = &events[i]
		}
	}
	return state
}

// since are the events behind @at that are no list.
func since(events []event, at int64) []event {
	var rest []event
	for _, e := range events {
		if e.at > at && !e.exists {
			rest = append(rest, e)
		}
	}
	return rest
}

// runtime, class_to_size of Go 1.22 to 1.27
var classSizes = [...]uint64{
	0, 8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 144, 160, 176, 192, 208, 224, 240, 256, 288, 320, 352,
	384, 416, 448, 480, 512, 576, 640, 704, 768, 896, 1024, 1152, 1280, 1408, 1536, 1792, 2048, 2304,
	2688, 3072, 3200, 3456, 4096, 4864, 5376, 6144, 6528, 6784, 6912, 8192, 9472, 9728, 10240, 10880,
	12288, 13568, 14336, 16384, 18432, 19072, 20480, 21760, 24576, 27264, 28672, 32768,
}
