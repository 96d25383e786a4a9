// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"path/filepath"
)

// Part e: the highest rate of records that a ring size holds, and what is lost above it.

// tryRing records the flood at a rate (0: as fast as it can) and gives records per second and the part that was lost.
func tryRing(b *bench, w *worker, size string, rate int) (perSecond, lost float64, err error) {
	stop, err := startGotap(b, w.pid(), filepath.Join(b.scratch, "ring.trace"), "--ring-size", size)
	if err != nil {
		return 0, 0, err
	}
	s, err := w.workAt(5*b.slice, rate)
	rec, stopErr := stop()
	if err == nil {
		err = stopErr
	}
	total := rec.Records + rec.Lost
	return total / s.wall * 1e9, rec.Lost / total, err
}

// bestRate halves the rate of the work until nothing is lost.
func bestRate(b *bench, w *worker, size string, full float64) (float64, error) {
	for rate := full / 2; rate > full/200; rate /= 2 {
		perSecond, lost, err := tryRing(b, w, size, int(rate))
		if err != nil || lost == 0 {
			return perSecond, err
		}
	}
	return 0, nil
}

const recordsPerRound = 6 // of ping-pong

type ringRow struct{ perSecond, lost, best values }

func (r *ringRow) measure(b *bench, w *worker, size string) error {
	perSecond, lost, err := tryRing(b, w, size, 0)
	if err != nil {
		return err
	}
	best := perSecond
	if lost > 0 {
		if best, err = bestRate(b, w, size, perSecond/recordsPerRound); err != nil {
			return err
		}
	}
	r.perSecond = append(r.perSecond, perSecond)
	r.lost = append(r.lost, 100*lost)
	r.best = append(r.best, best)
	return nil
}

func partRings(b *bench) error {
	t := &table{
		name:   "e1",
		title:  "Ping-pong on all CPUs as fast as it can, by size of the ring per CPU:",
		head:   []string{"ring", "records/s", "lost, %", "highest rate seen without loss"},
		footer: "Where records are lost the load is halved until none is. gotap shares the CPUs with the load.",
	}
	w, err := startWorker(b, "flood", 2)
	if err != nil {
		return err
	}
	defer w.stop()
	for _, size := range []string{"64K", "256K", "1M", "4M", "16M"} {
		var row ringRow
		for i := 0; i < b.repeats; i++ {
			if err := row.measure(b, w, size); err != nil {
				return fmt.Errorf("ring of %s: %w", size, err)
			}
		}
		t.add(size, row.perSecond.text("%.0f"), row.lost.text("%.2f"), row.best.text("%.0f"))
	}
	b.show(t)
	return nil
}
