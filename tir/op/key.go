package op

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/wmtune/wmtune/tir"
)

// A Key is a parameter of an operator.
type Key struct {
	Name    string
	Help    string
	Default string // "" if the key must be given

	want    want
	choices []string
}

// Required reports whether the key must be given.
func (k Key) Required() bool { return k.Default == "" }

// none is the default of keys that name something optional.
const none = "none"

// A want is what a key's value must be.
type want uint8

const (
	size         want = iota // 1, 2...
	sizeOrZero               // 0, 1...
	sizes                    // one size, or one per spatial dimension: 3x5
	sizesOrZero              // the same from 0 on
	bit                      // 0 or 1
	choice                   // one of the key's choices
	dims                     // a shape: 32x128
	dtype                    // an element type
	epilogueList             // bias+relu
)

// maxSize bounds each number in the notation.
const maxSize = 1<<31 - 1

// A value is what a key was set to.
type value struct {
	text      string
	numbers   []int64
	dtype     tir.DType
	epilogues []Epilogue
}

// parse reads the text of a value. Spatial is the number of spatial dimensions
// of the operator.
func (k Key) parse(text string, spatial int) (value, error) {
	v := value{text: text}
	var err error
	switch k.want {
	case size:
		v.numbers, err = parseNumbers(text, 1, 1)
	case sizeOrZero:
		v.numbers, err = parseNumbers(text, 0, 1)
	case bit:
		if text != "0" && text != "1" {
			err = errors.New("must be 0 or 1")
		}
		if v.numbers = []int64{0}; text == "1" {
			v.numbers[0] = 1
		}
	case sizes, sizesOrZero:
		least := int64(1)
		if k.want == sizesOrZero {
			least = 0
		}
		v.numbers, err = parseNumbers(text, least, max(spatial, 1))
		if err == nil && len(v.numbers) != 1 && len(v.numbers) != spatial {
			err = fmt.Errorf("has %d numbers: give one, or %d, one per spatial dimension", len(v.numbers), spatial)
		}
	case dims:
		if text != none {
			v.numbers, err = parseNumbers(text, 1, maxDims)
		}
	case choice:
		err = fmt.Errorf("must be one of %s", strings.Join(k.choices, " "))
		for _, c := range k.choices {
			if c == text {
				err = nil
			}
		}
		if n, bad := strconv.ParseInt(text, 10, 64); err == nil && bad == nil {
			v.numbers = []int64{n}
		}
	case dtype:
		v.dtype, err = parseDType(text)
		if err == nil {
			v.text = dtypeName(v.dtype)
		}
	case epilogueList:
		v.epilogues, err = parseEpilogues(text)
	}
	if err != nil {
		return value{}, fmt.Errorf("%s=%s: %w", k.Name, text, err)
	}
	if k.want <= sizesOrZero || k.want == dims && v.numbers != nil {
		v.text = joinNumbers(v.numbers, k.want)
	}
	return v, nil
}

// joinNumbers is the canonical text of numbers: 3x5, and 3 for 3x3 where each
// spatial dimension has one.
func joinNumbers(list []int64, w want) string {
	if w != dims && len(slices.Compact(slices.Clone(list))) == 1 {
		list = list[:1]
	}
	var b strings.Builder
	for i, n := range list {
		if i > 0 {
			b.WriteByte('x')
		}
		fmt.Fprint(&b, n)
	}
	return b.String()
}

// maxDims bounds the rank of elementwise operands.
const maxDims = 6

// parseNumbers reads up to most numbers of at least least, joined by x.
func parseNumbers(text string, least int64, most int) ([]int64, error) {
	var list []int64
	for part := range strings.SplitSeq(text, "x") {
		n, err := strconv.ParseInt(part, 10, 64)
		switch {
		case errors.Is(err, strconv.ErrRange) || err == nil && n > maxSize:
			return nil, fmt.Errorf("must not be above %d", int64(maxSize))
		case err != nil:
			return nil, fmt.Errorf("%q is not a whole number", part)
		case n < least:
			return nil, fmt.Errorf("must be at least %d", least)
		}
		list = append(list, n)
	}
	if len(list) > most {
		return nil, fmt.Errorf("has %d numbers: at most %d can be given", len(list), most)
	}
	return list, nil
}
