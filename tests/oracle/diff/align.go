// SPDX-License-Identifier: Apache-2.0

package main

// Two sequences of steps are aligned at the least cost: leaving out a step of either side costs gapCost, matching two
// of the same kind costs the difference of their times. So a lost event is found where it is missing, also within a
// fast, regular sequence, whose longest common subsequence would be as long with any other event left out. A step that
// the reader has moved has no time of its own: for these the values decide which step of the other side it is.
const (
	near      = 2e6      // ns: the first pass looks no further than this
	gapCost   = near / 2 // any near match is worth more than two gaps
	valueCost = 10e3     // of a match of two values that differ
	far       = 500e6    // ns: the second pass, between the matches of the first

	burst    = 100 // matches at most between the gaps of the third pass
	maxCells = 256 << 20
)

// none stands for the missing half of a pair.
const none = -1

// A pair holds one index into either sequence.
type pair struct{ a, b int }

// align returns pairs in an order that keeps both sequences in theirs; every step of both is in exactly one.
func align(a, b []step) []pair {
	pairs := alignNear(a, b, near)
	return alignBursts(a, b, alignGaps(a, b, pairs))
}

const (
	moveMatch = iota
	moveSkipA
	moveSkipB
)

// A band is the part of the cost matrix that is worth a look: row i has the columns from lo[i] to hi[i].
type band struct {
	lo, hi []int
	cells  int
}

// makeBand leaves in row i the prefixes of b that end near the i-th step of a.
func makeBand(a, b []step, window int64) band {
	w := band{lo: make([]int, len(a)+1), hi: make([]int, len(a)+1)}
	first := earliest(a)
	lo, hi := 0, 0
	for i := 1; i <= len(a); i++ {
		for lo < len(b) && b[lo].at < first[i-1]-window {
			lo++
		}
		for hi < len(b) && b[hi].at <= a[i-1].at+window {
			hi++
		}
		w.lo[i], w.hi[i] = lo, max(lo, hi)
		w.cells += w.hi[i] - lo + 1
	}
	return w
}

// earliest lists when each step or one behind it may have been.
func earliest(a []step) []int64 {
	first := make([]int64, len(a))
	for i := len(a) - 1; i >= 0; i-- {
		first[i] = a[i].at - a[i].late
		if i+1 < len(a) {
			first[i] = min(first[i], first[i+1])
		}
	}
	return first
}

// alignNear is the textbook's alignment, confined to a band and with two rows of costs.
func alignNear(a, b []step, window int64) []pair {
	w := makeBand(a, b, window)
	for ; w.cells > maxCells; window /= 2 {
		w = makeBand(a, b, window/2)
	}
	moves := make([][]uint8, len(a)+1)
	prev := []int64{0}
	for i := 1; i <= len(a); i++ {
		moves[i] = make([]uint8, w.hi[i]-w.lo[i]+1)
		prev = nextRow(a[i-1], b, w, i, prev, moves[i], window)
	}
	return walkBack(len(a), len(b), w, moves)
}

func nextRow(x step, b []step, w band, i int, prev []int64, moves []uint8, window int64) []int64 {
	lo, hi, prevLo := w.lo[i], w.hi[i], w.lo[i-1]
	// Beyond the band's edge a row can only go on by leaving out steps of b.
	above := func(j int) int64 {
		if over := j - w.hi[i-1]; over > 0 {
			return prev[len(prev)-1] + int64(over)*gapCost
		}
		return prev[j-prevLo]
	}
	row := make([]int64, hi-lo+1)
	for j := lo; j <= hi; j++ {
		best, move := above(j)+gapCost, uint8(moveSkipA)
		if j > lo && row[j-lo-1]+gapCost < best {
			best, move = row[j-lo-1]+gapCost, moveSkipB
		}
		if j > 0 && j-1 >= prevLo {
			if cost, ok := matchCost(x, b[j-1], window); ok && above(j-1)+cost <= best {
				best, move = above(j-1)+cost, moveMatch
			}
		}
		row[j-lo], moves[j-lo] = best, move
	}
	return row
}

func matchCost(x, y step, window int64) (int64, bool) {
	d := distance(x, y)
	ok := x.kind == y.kind && d <= window
	if x.value != y.value {
		d += valueCost
	}
	return d, ok
}

func distance(x, y step) int64 {
	d := x.delay(y)
	return max(d, -d)
}

// delay is how much later y is than x, which may be late itself.
func (x step) delay(y step) int64 {
	d := y.at - x.at
	if d < 0 {
		d = min(d+x.late, 0)
	}
	return d
}

func walkBack(i, j int, w band, moves [][]uint8) []pair {
	var pairs []pair
	for i > 0 || j > 0 {
		switch {
		case i == 0 || j > w.hi[i] || moves[i][j-w.lo[i]] == moveSkipB:
			j--
			pairs = append(pairs, pair{none, j})
		case moves[i][j-w.lo[i]] == moveSkipA:
			i--
			pairs = append(pairs, pair{i, none})
		default:
			i, j = i-1, j-1
			pairs = append(pairs, pair{i, j})
		}
	}
	for l, r := 0, len(pairs)-1; l < r; l, r = l+1, r-1 {
		pairs[l], pairs[r] = pairs[r], pairs[l]
	}
	return pairs
}

// alignGaps gives what lies between two matches a second chance, with a wide window: a step may be late by as long as
// a thread was kept from running.
func alignGaps(a, b []step, pairs []pair) []pair {
	out := make([]pair, 0, len(pairs))
	for start := 0; start < len(pairs); {
		end := start
		for end < len(pairs) && (pairs[end].a == none || pairs[end].b == none) {
			end++
		}
		out = append(out, alignGap(a, b, pairs[start:end])...)
		if end < len(pairs) {
			out = append(out, pairs[end])
		}
		start = end + 1
	}
	return out
}

func alignGap(a, b []step, gap []pair) []pair {
	ia, ib := halves(gap)
	if len(ia) == 0 || len(ib) == 0 || len(ia)*len(ib) > 1<<20 {
		return gap
	}
	worth := mostWorth(a, b, ia, ib)
	var out []pair
	i, j := 0, 0
	for i < len(ia) || j < len(ib) {
		switch {
		case i < len(ia) && j < len(ib) && alike(a[ia[i]], b[ib[j]]) && worth[i][j] == worth[i+1][j+1]+matchWorth(a[ia[i]], b[ib[j]]):
			out = append(out, pair{ia[i], ib[j]})
			i, j = i+1, j+1
		case j == len(ib) || i < len(ia) && worth[i+1][j] >= worth[i][j+1]:
			out = append(out, pair{ia[i], none})
			i++
		default:
			out = append(out, pair{none, ib[j]})
			j++
		}
	}
	return out
}

func halves(gap []pair) (ia, ib []int) {
	for _, p := range gap {
		if p.a != none {
			ia = append(ia, p.a)
		}
		if p.b != none {
			ib = append(ib, p.b)
		}
	}
	return ia, ib
}

func (p pair) isMatch() bool { return p.a != none && p.b != none }

func matches(pairs []pair) (n int) {
	for _, p := range pairs {
		n += btoi(p.isMatch())
	}
	return n
}

// alignBursts, the third pass, aligns gaps that are close to each other again. The first pass leaves out a step that is
// late by more than near, on both sides. If the steps of a burst follow each other as fast as the tracers' times
// differ, each step after the late one may be nearer to the next one of the other side: then there is a gap at the
// begin of the burst and another one at its end.
// Only matches that are gained may be late: two gaps in a slow sequence may be one step too many in either trace, and then
// no step between them is matched with one of another time. If the gaps that are close to each other cannot be closed all at
// once, each is tried with the nearest one of the other side: a gap of another cause must not decide for these two.
func alignBursts(a, b []step, pairs []pair) []pair {
	out := make([]pair, 0, len(pairs))
	for start := 0; start < len(pairs); {
		end := burstEnd(pairs, start)
		best, ok := alignBurst(a, b, pairs[start:end])
		if !ok {
			best = alignPairsOfGaps(a, b, pairs[start:end])
		}
		out = append(out, best...)
		start = end
	}
	return out
}

// burstEnd is the end of the gaps that are close to each other and to the one at start; of the pair at start if that is
// no gap.
func burstEnd(pairs []pair, start int) int {
	end := start + 1
	for i := start; i < len(pairs) && i < end+burst && !pairs[start].isMatch(); i++ {
		if !pairs[i].isMatch() {
			end = i + 1
		}
	}
	return end
}

func alignBurst(a, b []step, pairs []pair) ([]pair, bool) {
	again := alignGap(a, b, pairs)
	more := matches(again) - matches(pairs)
	return again, more > 0 && lateOnes(a, b, again)-lateOnes(a, b, pairs) <= more
}

func alignPairsOfGaps(a, b []step, pairs []pair) []pair {
	out := make([]pair, 0, len(pairs))
	for start := 0; start < len(pairs); {
		end := otherGap(pairs, start)
		best, ok := alignBurst(a, b, pairs[start:end])
		if !ok {
			end = start + 1
			best = pairs[start:end]
		}
		out = append(out, best...)
		start = end
	}
	return out
}

// reach is more pairs than those of a burst that alignGap takes: gaps of both sides with as many matches between them. A longer
// run of steps of one side, as before the other one's trace begins, would be looked through again from each of its steps.
const reach = 1 << 11

// otherGap is the end of the nearest gap of the other side than that at start; of the pair at start if there is none in reach.
func otherGap(pairs []pair, start int) int {
	for i := start; i < len(pairs) && i < start+reach && !pairs[start].isMatch(); i++ {
		if !pairs[i].isMatch() && (pairs[i].a == none) != (pairs[start].a == none) {
			return i + 1
		}
	}
	return start + 1
}

// lateOnes counts the matches of steps that are further apart than the first pass looks.
func lateOnes(a, b []step, pairs []pair) (n int) {
	for _, p := range pairs {
		n += btoi(p.isMatch() && distance(a[p.a], b[p.b]) > near)
	}
	return n
}

func alike(x, y step) bool { return x.kind == y.kind && distance(x, y) <= far }

// matchWorth of a match: first the number of matches counts, then equal values, then near times.
func matchWorth(x, y step) int { return 1<<42 + btoi(x.value == y.value)<<29 - int(distance(x, y)) }

// mostWorth fills the table of the longest common subsequence, from the ends backwards.
func mostWorth(a, b []step, ia, ib []int) [][]int {
	worth := make([][]int, len(ia)+1)
	for i := range worth {
		worth[i] = make([]int, len(ib)+1)
	}
	for i := len(ia) - 1; i >= 0; i-- {
		for j := len(ib) - 1; j >= 0; j-- {
			worth[i][j] = max(worth[i+1][j], worth[i][j+1])
			if x, y := a[ia[i]], b[ib[j]]; alike(x, y) {
				worth[i][j] = max(worth[i][j], worth[i+1][j+1]+matchWorth(x, y))
			}
		}
	}
	return worth
}
