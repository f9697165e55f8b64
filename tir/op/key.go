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
		if text != none || k.Required() {
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
		case part == "":
			return nil, errors.New("a number is missing beside x")
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

// params are the values of an operator's keys.
type params struct {
	op     *Operator
	values map[string]value
}

func (p *params) get(key string) value {
	v, ok := p.values[key]
	if !ok {
		panic("BUG: op: " + p.op.Name + " has no key " + key)
	}
	return v
}

func (p *params) int(key string) int64     { return p.get(key).numbers[0] }
func (p *params) text(key string) string   { return p.get(key).text }
func (p *params) flag(key string) bool     { return p.get(key).numbers[0] == 1 }
func (p *params) shape(key string) []int64 { return slices.Clone(p.get(key).numbers) }

// has reports whether the operator takes a key.
func (p *params) has(key string) bool { _, ok := p.values[key]; return ok }

func (p *params) transposed() transposed { return transposed{p.flag("ta"), p.flag("tb")} }

func (p *params) layout() Layout {
	if p.text("layout") == "NCHW" {
		return ChannelsFirst
	}
	return ChannelsLast
}

// spatial returns the sizes of the image, from d to w.
func (p *params) spatial() []int64 {
	var list []int64
	for _, key := range []string{"d", "h", "w"} {
		if p.has(key) {
			list = append(list, p.int(key))
		}
	}
	return list
}

// windows returns the windows along n dimensions.
func (p *params) windows(n int) []Window {
	list := make([]Window, n)
	for i := range list {
		pad := p.per("p", i)
		list[i] = Window{Size: p.per("k", i), Stride: p.per("s", i), Dilation: 1, Before: pad, After: pad}
		if p.has("dilation") {
			list[i].Dilation = p.per("dilation", i)
		}
	}
	return list
}

// per returns the value of a key for spatial dimension i.
func (p *params) per(key string, i int) int64 {
	v := p.get(key).numbers
	if len(v) == 1 {
		return v[0]
	}
	return v[i]
}

// dtypeNames are the element types that operators take, under the names used in
// workload notation.
var dtypeNames = []struct {
	name string
	t    tir.DType
}{
	{"f32", tir.F32}, {"f64", tir.F64}, {"f16", tir.F16}, {"bf16", tir.BF16},
	{"i8", tir.I8}, {"u8", tir.U8}, {"i16", tir.I16}, {"u16", tir.U16},
	{"i32", tir.I32}, {"u32", tir.U32}, {"i64", tir.I64}, {"u64", tir.U64},
}

// parseDType reads a short name, or the long one that DType.String gives.
func parseDType(name string) (tir.DType, error) {
	var known string
	for _, d := range dtypeNames {
		if name == d.name || name == d.t.String() {
			return d.t, nil
		}
		known += " " + d.name
	}
	return tir.Invalid, fmt.Errorf("unknown type %q: known are%s", name, known)
}

func dtypeName(t tir.DType) string {
	for _, d := range dtypeNames {
		if d.t == t {
			return d.name
		}
	}
	panic("BUG: op: no operator takes " + t.String())
}

// types are the types of one workload.
//
//	elements   store  arith  result
//	f32 f64    same   same   same
//	f16 bf16   same   f32    same
//	i8 i16     same   i32    i32, or the same of the reductions max and min and of max pools
//	u8 u16     same   i32    i32, or the same of the reductions max and min and of max pools
//	i32 i64    same   same   same
//	u32 u64    same   same   same
type types struct {
	store  tir.DType // of inputs
	arith  tir.DType // of what is computed
	result tir.DType // of the output and of the operands of epilogues
}

func typesOf(store tir.DType) types {
	switch store {
	case tir.F16, tir.BF16:
		return types{store, tir.F32, store}
	case tir.I8, tir.U8, tir.I16, tir.U16:
		return types{store, tir.I32, tir.I32}
	}
	return types{store, store, store}
}

// data is the type of the first operand of a product: of int8 it is uint8, as in quantized models.
func (t types) data() tir.DType {
	if t.store == tir.I8 {
		return tir.U8
	}
	return t.store
}

// cast converts e to t where that is not its type.
func cast(t tir.DType, e tir.Expr) tir.Expr {
	if e.DType() == t {
		return e
	}
	return &tir.Cast{X: e, To: t}
}
