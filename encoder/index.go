package encoder

import (
	"math"
	"strings"
)

// evaluate computes an index as texts write it, such as (l0*2^3+l1)//2%7, where the
// variable one is 1 and all others are 0. It is not ok if the index holds what is no
// arithmetic of loops, such as an element of a buffer.
func evaluate(index, one string) (v float64, ok bool) {
	e := evaluation{text: index, one: one}
	v = e.sum()
	return v, !e.failed && e.at == len(index)
}

// step returns by how much an index grows with the first step of a variable.
func step(index, variable string) float64 {
	if !strings.Contains(index, variable) {
		return 0
	}
	from, ok := evaluate(index, "")
	to, too := evaluate(index, variable)
	if !ok || !too {
		return 0
	}
	return to - from
}

// An evaluation is how far an index was read.
type evaluation struct {
	text, one string
	at        int
	depth     int
	failed    bool
}

// mostDepth bounds how deep brackets may be.
const mostDepth = 64

// take skips a word if it is next.
func (e *evaluation) take(word string) bool {
	if !strings.HasPrefix(e.text[e.at:], word) {
		return false
	}
	e.at += len(word)
	return true
}

func (e *evaluation) sum() float64 {
	v := e.product()
	for !e.failed {
		switch {
		case e.take("+"):
			v += e.product()
		case e.take("-"):
			v -= e.product()
		default:
			return v
		}
	}
	return v
}

func (e *evaluation) product() float64 {
	v := e.atom()
	for !e.failed {
		switch {
		case e.take("*"):
			v *= e.atom()
		case e.take("//"):
			v = math.Floor(v / e.divisor())
		case e.take("%"):
			d := e.divisor()
			v -= d * math.Floor(v/d)
		default:
			return v
		}
	}
	return v
}

func (e *evaluation) divisor() float64 {
	d := e.atom()
	if d == 0 {
		e.failed = true
		return 1
	}
	return d
}

// atom reads a number, a variable, something in brackets, or the smaller or larger of
// two.
func (e *evaluation) atom() float64 {
	if e.depth++; e.depth > mostDepth {
		e.failed = true
	}
	defer func() { e.depth-- }()
	switch {
	case e.failed || e.at == len(e.text):
	case e.take("-"):
		return -e.atom()
	case e.take("("):
		if v := e.sum(); e.take(")") {
			return v
		}
	case e.take("min("):
		return e.pair(math.Min)
	case e.take("max("):
		return e.pair(math.Max)
	default:
		end := e.at
		for end < len(e.text) && (e.text[end] >= '0' && e.text[end] <= '9' || e.text[end] == '^' ||
			end == e.at && e.text[end] == 'l') {
			end++
		}
		word := e.text[e.at:end]
		if e.at = end; word == "" || word == "l" {
			break
		}
		if word[0] != 'l' {
			return number(word)
		}
		if word == e.one {
			return 1
		}
		return 0
	}
	e.failed = true
	return 0
}

func (e *evaluation) pair(of func(x, y float64) float64) float64 {
	x := e.sum()
	if e.take(",") {
		if y := e.sum(); e.take(")") {
			return of(x, y)
		}
	}
	e.failed = true
	return 0
}
