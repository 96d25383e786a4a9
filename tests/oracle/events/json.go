// SPDX-License-Identifier: Apache-2.0

package main

import (
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// object is a JSON object that is being written. The keys stand in the order in which gotap writes them, so
// encoding/json is of no use.
type object struct {
	text  []byte
	comma bool
}

func (o *object) key(name string) {
	if o.comma {
		o.text = append(o.text, ',')
	}
	o.comma = true
	o.text = append(o.text, '"')
	o.text = append(o.text, name...)
	o.text = append(o.text, '"', ':')
}

func (o *object) open(bracket byte) {
	o.text = append(o.text, bracket)
	o.comma = false
}

func (o *object) close(bracket byte) {
	o.text = append(o.text, bracket)
	o.comma = true
}

func (o *object) element() {
	if o.comma {
		o.text = append(o.text, ',')
	}
	o.comma = true
}

func (o *object) uint(name string, v uint64) {
	o.key(name)
	o.text = strconv.AppendUint(o.text, v, 10)
}

func (o *object) int(name string, v int64) {
	o.key(name)
	o.text = strconv.AppendInt(o.text, v, 10)
}

func (o *object) null(name string) {
	o.key(name)
	o.text = append(o.text, "null"...)
}

// id: -1 is none.
func (o *object) id(name string, v int64) {
	if v == -1 {
		o.null(name)
	} else {
		o.uint(name, uint64(v))
	}
}

func (o *object) string(name, s string) {
	o.key(name)
	o.text = append(o.text, '"')
	for i := 0; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == '"' || r == '\\':
			o.text = append(o.text, '\\', byte(r))
		case r == utf8.RuneError && n == 1 || !strconv.IsPrint(r):
			o.escape(r)
		default:
			o.text = append(o.text, s[i:i+n]...)
		}
		i += n
	}
	o.text = append(o.text, '"')
}

func (o *object) escape(r rune) {
	units := []rune{r}
	if r > 0xffff {
		high, low := utf16.EncodeRune(r)
		units = []rune{high, low}
	}
	for _, unit := range units {
		o.text = append(o.text, '\\', 'u')
		for shift := 12; shift >= 0; shift -= 4 {
			o.text = append(o.text, "0123456789abcdef"[unit>>shift&15])
		}
	}
}
