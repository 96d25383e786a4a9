// SPDX-License-Identifier: Apache-2.0

package main

import (
	"math/rand"
	"testing"
)

// pingPong is what a goroutine does that talks to another: a regular sequence, a step every period ns.
func pingPong(n int, period int64) []step {
	cycle := []kind{goUnblock, goStart, goBlock}
	steps := make([]step, n)
	for i := range steps {
		steps[i] = step{at: 1e9 + int64(i)*period, kind: cycle[i%len(cycle)]}
	}
	return steps
}

func without(steps []step, from, to int) []step {
	out := append([]step{}, steps[:from]...)
	return append(out, steps[to:]...)
}

func delayed(steps []step, by func(i int) int64) []step {
	out := append([]step{}, steps...)
	for i := range out {
		out[i].at += by(i)
	}
	return out
}

// unmatched returns the indices into either sequence, and fails if the pairs are not in order and complete.
func unmatched(t *testing.T, a, b []step, pairs []pair) (onlyA, onlyB []int) {
	t.Helper()
	i, j := 0, 0
	for _, p := range pairs {
		if p.a != none && p.a != i || p.b != none && p.b != j {
			t.Fatalf("pair %v out of order, want %d %d", p, i, j)
		}
		switch {
		case p.b == none:
			onlyA = append(onlyA, i)
		case p.a == none:
			onlyB = append(onlyB, j)
		case a[i].kind != b[j].kind:
			t.Fatalf("matched %v with %v", a[i].kind, b[j].kind)
		}
		i, j = i+btoi(p.a != none), j+btoi(p.b != none)
	}
	if i != len(a) || j != len(b) {
		t.Fatalf("pairs cover %d of %d and %d of %d", i, len(a), j, len(b))
	}
	return onlyA, onlyB
}

func expect(t *testing.T, got []int, want ...int) {
	t.Helper()
	if len(got) != len(want) {
		t.Fatalf("got %v, want %v", got, want)
	}
	for i := range got {
		if got[i] != want[i] {
			t.Fatalf("got %v, want %v", got, want)
		}
	}
}

func TestEqualSequencesMatchThroughout(t *testing.T) {
	a := pingPong(30000, 5e3)
	b := delayed(a, func(int) int64 { return 700 })
	onlyA, onlyB := unmatched(t, a, b, align(a, b))
	expect(t, onlyA)
	expect(t, onlyB)
}

func TestLostCycleIsFoundWhereItWas(t *testing.T) {
	a := pingPong(9000, 5e3)
	b := delayed(without(a, 4500, 4503), func(int) int64 { return 700 })
	onlyA, onlyB := unmatched(t, a, b, align(a, b))
	expect(t, onlyA, 4500, 4501, 4502)
	expect(t, onlyB)
}

func TestLostAndInventedCyclesAreBothFound(t *testing.T) {
	whole := pingPong(9000, 5e3)
	a, b := without(whole, 6000, 6003), without(whole, 3000, 3003)
	onlyA, onlyB := unmatched(t, a, b, align(a, b))
	expect(t, onlyA, 3000, 3001, 3002)
	expect(t, onlyB, 5997, 5998, 5999)
}

func TestLateStepsStillMatch(t *testing.T) {
	a := pingPong(300, 20e6)
	b := delayed(a, func(i int) int64 { return int64(i%2) * 15e6 })
	onlyA, onlyB := unmatched(t, a, b, align(a, b))
	expect(t, onlyA)
	expect(t, onlyB)
}

func TestOneEmptySide(t *testing.T) {
	a := pingPong(3, 1e6)
	onlyA, onlyB := unmatched(t, a, nil, align(a, nil))
	expect(t, onlyA, 0, 1, 2)
	expect(t, onlyB)
	onlyA, onlyB = unmatched(t, nil, a, align(nil, a))
	expect(t, onlyA)
	expect(t, onlyB, 0, 1, 2)
}

func TestOtherEndOfSyscall(t *testing.T) {
	a := []step{{at: 1000, kind: goSyscallBegin}, {at: 5000, kind: goSyscallEnd}, {at: 9000, kind: goBlock}}
	b := []step{{at: 1000, kind: goSyscallBegin}, {at: 5000, kind: goSyscallEndBlocked},
		{at: 6000, kind: goStart}, {at: 9000, kind: goBlock}}
	onlyA, onlyB := unmatched(t, a, b, align(a, b))
	expect(t, onlyA, 1)
	expect(t, onlyB, 1, 2)
}

// Random steps lost on both sides: no alignment may leave more steps than were taken.
func TestRandomLosses(t *testing.T) {
	r := rand.New(rand.NewSource(1))
	for round := 0; round < 50; round++ {
		whole := delayed(pingPong(600, 40e3), func(int) int64 { return r.Int63n(10e3) })
		a, b, lost := []step{}, []step{}, 0
		for _, s := range whole {
			inA, inB := r.Intn(20) > 0, r.Intn(20) > 0
			lost += btoi(inA != inB)
			if inA {
				a = append(a, s)
			}
			if inB {
				s.at += r.Int63n(5e3)
				b = append(b, s)
			}
		}
		onlyA, onlyB := unmatched(t, a, b, align(a, b))
		if len(onlyA)+len(onlyB) > lost {
			t.Fatalf("round %d: %d left, %d lost", round, len(onlyA)+len(onlyB), lost)
		}
	}
}

// What the reader moved behind a late event: ten cycles in one place, up to 4 ms after they were.
func TestMovedStepsMatchThroughout(t *testing.T) {
	b := pingPong(3000, 130e3)
	a := delayed(b, func(int) int64 { return 700 })
	for i := 600; i < 630; i++ {
		a[i].late = a[630].at - a[i].at
		a[i].at = a[630].at - 30 + int64(i-600)
	}
	onlyA, onlyB := unmatched(t, a, b, align(a, b))
	expect(t, onlyA)
	expect(t, onlyB)
	lost := without(b, 606, 609)
	onlyA, onlyB = unmatched(t, a, lost, align(a, lost))
	if len(onlyA) != 3 || len(onlyB) != 0 {
		t.Fatalf("left %v and %v of a lost cycle", onlyA, onlyB)
	}
}

// At the begin of a burst a thread loses its CPU between the two tracers, so that one has the step later, nearer to the
// next step than to its own: all steps must match their own ones all the same.
func TestLateStepBeforeABurstMovesNothing(t *testing.T) {
	a, b := make([]step, 300), make([]step, 300)
	for i := range b {
		b[i] = step{at: 1e9 + int64(i)*400e3}
		if i > 100 && i < 150 {
			b[i].at = b[100].at + 40e6 + int64(i)*3e3
		} else if i >= 150 {
			b[i].at += 40e6
		}
		a[i] = step{at: b[i].at + 2.4e3}
	}
	a[100].at = b[101].at - 1e3
	for _, p := range align(a, b) {
		if p.a != p.b {
			t.Fatalf("%d with %d", p.a, p.b)
		}
	}
}

// Each trace has one step that the other lacks. The steps between these two follow each other more slowly than the tracers'
// times differ: they stay matched.
func TestTwoGapsOfASlowSequenceMoveNothing(t *testing.T) {
	const n = 60
	var a, b []step
	for i := range n {
		at := 1e9 + int64(i)*5e6
		if i != 40 {
			a = append(a, step{at: at})
		}
		if i != 20 {
			b = append(b, step{at: at + 1e3})
		}
	}
	onlyA, onlyB := unmatched(t, a, b, align(a, b))
	expect(t, onlyA, 20)
	expect(t, onlyB, 39)
}

// One trace begins later, and its first step is late: it matches none of the steps before.
func TestLateFirstStepIsNotAnEarlierOne(t *testing.T) {
	b := make([]step, 10)
	for i := range b {
		b[i].at = 1e9 + int64(i)*100e6
	}
	a := append([]step{}, b[4:]...)
	a[0].at += 6e6
	onlyA, onlyB := unmatched(t, a, b, align(a, b))
	expect(t, onlyA)
	expect(t, onlyB, 0, 1, 2, 3)
}

// Steps of one kind in fast sequence: their values tell them apart.
func TestValuesTellStepsApart(t *testing.T) {
	b := make([]step, 300)
	for i := range b {
		b[i] = step{at: 1e9 + int64(i)*3e3, value: uint32(i)}
	}
	a := delayed(without(b, 200, 201), func(int) int64 { return 2e3 })
	onlyA, onlyB := unmatched(t, a, b, align(a, b))
	expect(t, onlyA)
	expect(t, onlyB, 200)
}

// The reader moved the first two steps of a burst to the time behind it, where each is as near to the next step of the other
// side as to its own, and one trace has the third step late. One trace begins earlier and the other ends later: with these
// gaps, too, the steps of the burst match their own ones.
func TestMovedStepsBeforeALateOneMoveNothing(t *testing.T) {
	const n, early, from = 40, 3, 20
	var a, b []step
	for i := range early + n {
		a = append(a, step{at: 1e9 + int64(i)*5e6})
	}
	for i := range n + early {
		b = append(b, step{at: 1e9 + int64(i+early)*5e6 + 700})
	}
	for i := range int64(3) {
		b[from+i].at = b[from].at + i*50e3
		a[early+from+i] = step{at: b[from].at + 3.6e6 + i, late: 3.7e6}
	}
	a[early+from+2] = step{at: b[from].at + 7.4e6}
	onlyA, onlyB := unmatched(t, a, b, align(a, b))
	expect(t, onlyA, 0, 1, 2)
	expect(t, onlyB, n, n+1, n+2)
}
