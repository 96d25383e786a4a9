// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// --attach inline: the recording begins with uprobes, and measuring when they have gone.

const inlineName = "gotap, inline"

// inlineRun is such a recording; its end must have taken all out of the program.
type inlineRun struct{ *gotapRun }

func (g inlineRun) stop() (recording, error) {
	rec, err := g.gotapRun.stop()
	if err == nil && rec.Inline.State != "undone" {
		err = fmt.Errorf("--attach inline: %s: %s", rec.Inline.State, rec.Inline.Why)
	}
	return rec, err
}

// startInline returns when code in the program has taken the place of uprobes.
func startInline(b *bench, pid int, path string, args ...string) (*gotapRun, error) {
	return launch(b, pid, path, func() bool { return inlineRuns(pid) }, append([]string{"--attach", "inline"}, args...)...)
}

func inlineTracer(name string, args ...string) tracer {
	return tracer{name, func(b *bench, t target) (running, error) {
		g, err := startInline(b, t.pid(), filepath.Join(b.scratch, "inline.trace"), args...)
		return inlineRun{g}, err
	}}
}

// textOf is the first executable mapping of a program: as it is in its memory, and in its file.
func textOf(pid int) (now, file []byte, err error) {
	maps, err := os.ReadFile(fmt.Sprintf("/proc/%d/maps", pid))
	if err != nil {
		return nil, nil, err
	}
	for _, line := range strings.Split(string(maps), "\n") {
		var start, end, offset int64
		if n, _ := fmt.Sscanf(line, "%x-%x r-xp %x", &start, &end, &offset); n != 3 {
			continue
		}
		if now, err = readAt(fmt.Sprintf("/proc/%d/mem", pid), start, end-start); err == nil {
			file, err = readAt(fmt.Sprintf("/proc/%d/exe", pid), offset, end-start)
		}
		return now, file, err
	}
	return nil, nil, fmt.Errorf("process %d has no text", pid)
}

func readAt(path string, at, n int64) ([]byte, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	data := make([]byte, n)
	got, err := f.ReadAt(data, at)
	if got > 0 { // the last page of a file is mapped whole
		err = nil
	}
	return data, err
}

const breakpoint, call, callLength = 0xCC, 0xE8, 5

// inlineRuns: calls lead elsewhere than in the file, and none of these has a breakpoint.
func inlineRuns(pid int) bool {
	now, file, err := textOf(pid)
	if err != nil {
		return false
	}
	changed := 0
	for at := 0; at+callLength <= len(now); at++ {
		if file[at] != call || now[at] != call && now[at] != breakpoint ||
			bytes.Equal(now[at+1:at+callLength], file[at+1:at+callLength]) {
			continue
		}
		if now[at] == breakpoint {
			return false
		}
		changed++
		at += callLength - 1
	}
	return changed > 0
}
