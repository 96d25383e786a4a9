// SPDX-License-Identifier: Apache-2.0

package main

import (
	"fmt"
	"os"
	"strings"
	"unicode/utf8"
)

// table is one result: printed, and put into the document between the marks of its name.
type table struct {
	name   string // part and number: "a1"
	title  string
	head   []string
	rows   [][]string
	footer string
}

func (t *table) add(cells ...string) { t.rows = append(t.rows, cells) }

func (t *table) widths() []int {
	widths := make([]int, len(t.head))
	for _, row := range append([][]string{t.head}, t.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(cell))
		}
	}
	return widths
}

func pad(s string, width int) string {
	return s + strings.Repeat(" ", max(0, width-utf8.RuneCountInString(s)))
}

func (t *table) line(cells []string, widths []int) string {
	padded := make([]string, len(cells))
	for i, cell := range cells {
		padded[i] = pad(cell, widths[i])
	}
	return "| " + strings.Join(padded, " | ") + " |\n"
}

// markdown is also what is printed.
func (t *table) markdown() string {
	var b strings.Builder
	widths := t.widths()
	rule := make([]string, len(widths))
	for i, w := range widths {
		rule[i] = strings.Repeat("-", w)
	}
	fmt.Fprintf(&b, "%s\n\n", t.title)
	b.WriteString(t.line(t.head, widths))
	b.WriteString(t.line(rule, widths))
	for _, row := range t.rows {
		b.WriteString(t.line(row, widths))
	}
	if t.footer != "" {
		fmt.Fprintf(&b, "\n%s\n", t.footer)
	}
	return b.String()
}

func (t *table) marks() (begin, end string) {
	return "<!-- bench " + t.name + " -->\n", "<!-- end -->"
}

// replaceIn gives the document with this table in the place of its old one.
func (t *table) replaceIn(doc string) (string, error) {
	begin, end := t.marks()
	at := strings.Index(doc, begin)
	if at < 0 {
		return doc, fmt.Errorf("no place for table %s", t.name)
	}
	at += len(begin)
	length := strings.Index(doc[at:], end)
	if length < 0 {
		return doc, fmt.Errorf("table %s has no end", t.name)
	}
	return doc[:at] + t.markdown() + doc[at+length:], nil
}

// write puts the table into all documents that have a place for it.
func (t *table) write(docs map[string]string) error {
	places := 0
	for path, text := range docs {
		if text, err := t.replaceIn(text); err == nil {
			docs[path] = text
			places++
		}
	}
	if places == 0 {
		return fmt.Errorf("no document has a place for table %s", t.name)
	}
	return nil
}

func writeTables(paths []string, tables []*table) error {
	docs := map[string]string{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		docs[path] = string(text)
	}
	for _, t := range tables {
		if err := t.write(docs); err != nil && len(paths) > 0 {
			return err
		}
	}
	for _, path := range paths {
		if err := os.WriteFile(path, []byte(docs[path]), 0o644); err != nil {
			return err
		}
	}
	return nil
}
