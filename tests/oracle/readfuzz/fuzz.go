// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

const headerSize = 16

// A batch of mutants is written, judged and given to one run of gotap.
const perRun = 100

// report is what gotap check --json says of a file.
type report struct {
	OK     bool
	Events int
	Fault  struct {
		Kind   string
		Events int `json:"after_events"`
		Rule   string
		Event  string
	}
}

func (r report) verdict() verdict {
	if r.OK {
		return verdict{"ok", r.Events, ""}
	}
	return verdict{r.Fault.Kind, r.Fault.Events, r.Fault.Event + ": " + r.Fault.Rule}
}

// agree compares what both mean. A trap is gotap's own kind: Go's reader and validator may
// take the trace, or die of it.
func agree(goes verdict, ours verdict) bool {
	if ours.kind == "trap" {
		return goes.kind == "panic" || goes.kind == "ok" || goes.events >= ours.events
	}
	return goes.kind == ours.kind && goes.events == ours.events
}

// refusesLater says whether ours is refused for an event that its header does not have: the reader of
// Go 1.22 refuses it, those of later releases take it under header 1.22.
func refusesLater(text string, data []byte) bool {
	if len(data) < 7 {
		return false
	}
	var header, typ int
	if _, err := fmt.Sscanf(string(data[:7]), "go 1.%d", &header); err != nil {
		return false
	}
	for _, sign := range []string{"found invalid event type: ", "expected batch event, got event "} {
		if _, after, ok := strings.Cut(text, sign); ok {
			fmt.Sscanf(after, "%d", &typ)
		}
	}
	switch {
	case typ >= 45 && typ <= 49, typ >= 128 && typ <= 136:
		return header < 23
	case typ == 51:
		return header < 25
	}
	return false
}

// known names the reason of a disagreement that is none of gotap's making, or "".
func known(goes verdict, ours verdict, data []byte) string {
	if goes.text == legacy {
		return "another format"
	}
	// A table or sync batch that ends where a number should begin makes Go's reader return
	// a bare io.EOF, which its users take for the end of the trace.
	if ours.kind == "reader" && strings.HasSuffix(ours.text, ": EOF") &&
		goes.events == ours.events &&
		(goes.kind == "ok" || strings.HasPrefix(goes.text, "sync 1 has no clock")) {
		return "EOF inside a table"
	}
	if ours.kind == "reader" && refusesLater(ours.text, data) {
		return "event of a later header"
	}
	return ""
}

func fuzz(args []string) error {
	fs := flag.NewFlagSet("fuzz", flag.ExitOnError)
	gotap := fs.String("gotap", "", "the gotap to compare with")
	n := fs.Int("n", 1000, "number of mutants")
	seed := fs.Int64("seed", 1, "seed of the mutations")
	keep := fs.String("keep", "", "directory for mutants without agreement")
	fs.Parse(args)
	var seeds [][]byte
	for _, file := range fs.Args() {
		data, err := loadSeed(file)
		if err != nil {
			return err
		}
		seeds = append(seeds, data)
	}
	dir, err := os.MkdirTemp("", "readfuzz")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	rng := rand.New(rand.NewSource(*seed))
	kinds := map[string]int{}
	differ := 0
	// The seeds themselves come first, then what becomes of them.
	for done := -len(seeds); done < *n; {
		var mutants [][]byte
		if done < 0 {
			mutants = seeds
		}
		for done >= 0 && len(mutants) < perRun {
			mutants = append(mutants, mutate(rng, seeds[rng.Intn(len(seeds))]))
		}
		reports, err := check(*gotap, dir, mutants)
		if err != nil {
			return err
		}
		for i, data := range mutants {
			goes, ours := judge(data), reports[i].verdict()
			kinds[goes.kind]++
			if agree(goes, ours) {
				continue
			}
			if why := known(goes, ours, data); why != "" {
				kinds["known: "+why]++
				continue
			}
			differ++
			name := fmt.Sprintf("seed%d-%d.trace", *seed, done+i)
			fmt.Printf("%s\n\tGo    %s\n\tgotap %s\n", name, goes, ours)
			if *keep != "" {
				os.WriteFile(filepath.Join(*keep, name), data, 0o666)
			}
		}
		done += len(mutants)
	}
	fmt.Printf("%d mutants %v, %d without agreement\n", *n, kinds, differ)
	if differ > 0 {
		os.Exit(1)
	}
	return nil
}

// loadSeed reads a trace, or an entry of a Go fuzzing corpus that holds one.
func loadSeed(file string) ([]byte, error) {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	text, ok := strings.CutPrefix(string(data), "go test fuzz v1\n[]byte(")
	if !ok {
		return data, nil
	}
	text, err = strconv.Unquote(strings.TrimSuffix(strings.TrimSpace(text), ")"))
	return []byte(text), err
}

func check(gotap, dir string, mutants [][]byte) ([]report, error) {
	args := []string{"check", "--json"}
	for i, data := range mutants {
		name := filepath.Join(dir, fmt.Sprintf("%d.trace", i))
		if err := os.WriteFile(name, data, 0o666); err != nil {
			return nil, err
		}
		args = append(args, name)
	}
	cmd := exec.Command(gotap, args...)
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if exit, ok := err.(*exec.ExitError); err != nil && (!ok || exit.ExitCode() != 1) {
		return nil, fmt.Errorf("%s: %v", gotap, err)
	}
	lines := strings.Split(strings.TrimSpace(string(out)), "\n")
	if len(lines) != len(mutants) {
		return nil, fmt.Errorf("%d reports for %d files", len(lines), len(mutants))
	}
	reports := make([]report, len(lines))
	for i, line := range lines {
		if err := json.Unmarshal([]byte(line), &reports[i]); err != nil {
			return nil, fmt.Errorf("%v in %s", err, line)
		}
	}
	return reports, nil
}

// mutate changes a trace in one to four places: bytes, or whole batches with sound framing.
func mutate(rng *rand.Rand, seed []byte) []byte {
	data := bytes.Clone(seed)
	if len(data) <= headerSize {
		return data
	}
	for n := 1 + rng.Intn(4); n > 0 && len(data) > headerSize+1; n-- {
		if rng.Intn(3) == 0 {
			data = mutateBatches(rng, data)
		} else {
			data = mutateBytes(rng, data)
		}
	}
	return data
}

func mutateBytes(rng *rand.Rand, data []byte) []byte {
	i := headerSize + rng.Intn(len(data)-headerSize)
	switch rng.Intn(8) {
	case 0:
		data[i] ^= 1 << rng.Intn(8)
	case 1:
		data[i] = byte(rng.Intn(256))
	case 2, 3:
		data[i] = byte(rng.Intn(54))
	case 4:
		data[i] += byte(rng.Intn(5) - 2)
	case 5:
		return data[:i]
	case 6:
		data = append(data[:i], data[i+1:]...)
	case 7:
		data = append(data[:i], append([]byte{byte(rng.Intn(256))}, data[i:]...)...)
	}
	return data
}

// batches splits a trace into header, batches and end markers; nil if it cannot.
func batches(data []byte) [][]byte {
	parts := [][]byte{data[:headerSize]}
	for at := headerSize; at < len(data); {
		size := batchSize(data[at:])
		if size == 0 || at+size > len(data) {
			return nil
		}
		parts = append(parts, data[at:at+size])
		at += size
	}
	return parts
}

func batchSize(data []byte) int {
	at := 1
	switch data[0] {
	case 52:
		return 1
	case 49:
		at = 2
	case 1:
	default:
		return 0
	}
	for i := 0; i < 4; i++ {
		if at >= len(data) {
			return 0
		}
		v, n := binary.Uvarint(data[at:])
		if n <= 0 {
			return 0
		}
		at += n
		if i == 3 {
			if v > 1<<16 {
				return 0
			}
			at += int(v)
		}
	}
	return at
}

func mutateBatches(rng *rand.Rand, data []byte) []byte {
	parts := batches(data)
	if len(parts) < 3 {
		return mutateBytes(rng, data)
	}
	i, j := 1+rng.Intn(len(parts)-1), 1+rng.Intn(len(parts)-1)
	switch rng.Intn(4) {
	case 0:
		parts[i], parts[j] = parts[j], parts[i]
	case 1:
		parts = append(parts[:i], parts[i+1:]...)
	case 2:
		parts[i] = shiftTime(rng, parts[i])
	case 3:
		parts = append(parts, nil)
		copy(parts[i+1:], parts[i:])
		parts[i] = bytes.Clone(parts[j])
	}
	return bytes.Join(parts, nil)
}

// shiftTime moves the base time of a batch, so that threads are met in another order.
func shiftTime(rng *rand.Rand, batch []byte) []byte {
	if batch[0] != 1 {
		return batch
	}
	at := 1
	for i := 0; i < 2; i++ {
		_, n := binary.Uvarint(batch[at:])
		at += n
	}
	v, n := binary.Uvarint(batch[at:])
	v += uint64(rng.Intn(1<<16) - 1<<15)
	out := binary.AppendUvarint(bytes.Clone(batch[:at]), v)
	return append(out, batch[at+n:]...)
}
