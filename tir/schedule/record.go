package schedule

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strconv"
)

// record builds the text of a step: a JSON array as AutoScheduler writes it.
type record []byte

func newRecord(k Kind, ints ...int) record {
	r := record(`["` + k + `"`)
	for _, v := range ints {
		r = r.int(int64(v))
	}
	return r
}

func (r record) int(v int64) record { return strconv.AppendInt(append(r, ", "...), v, 10) }

func (r record) flag(v bool) record {
	if v {
		return r.int(1)
	}
	return r.int(0)
}

func (r record) text(s string) record {
	q, err := json.Marshal(s)
	if err != nil {
		panic("BUG: schedule: " + err.Error())
	}
	return append(append(r, ", "...), q...)
}

func (r record) end() string { return string(append(r, ']')) }

func recordInts[T int | int64](r record, list []T) record {
	r = append(r, ", ["...)
	for i, v := range list {
		if i > 0 {
			r = append(r, ", "...)
		}
		r = strconv.AppendInt(r, int64(v), 10)
	}
	return append(r, ']')
}

// String returns the record form: ["AN", stage, iter, annotation].
func (s Annotate) String() string { return newRecord(AN, s.At, s.Iter, int(s.Ann)).end() }

// String returns the record form: ["FU", stage, [iters]].
func (s Fuse) String() string { return recordInts(newRecord(FU, s.At), s.Iters).end() }

// String returns the record form: ["PR", stage, iter, text].
func (s Pragma) String() string { return newRecord(PR, s.At, s.Iter).text(s.Text).end() }

// String returns the record form: ["RE", stage, [old positions]].
func (s Reorder) String() string { return recordInts(newRecord(RE, s.At), s.Order).end() }

// String returns the record form: ["SP", stage, iter, extent, [lengths], inner to outer].
func (s Split) String() string {
	return recordInts(newRecord(SP, s.At, s.Iter).int(s.Extent), s.Lengths).flag(s.InnerToOuter).end()
}

// String returns the record form: ["FSP", stage, iter, step, parts].
func (s FollowSplit) String() string { return newRecord(FSP, s.At, s.Iter, s.Src, s.Parts).end() }

// String returns the record form: ["FFSP", stage, iter, [steps], level, factor].
func (s FollowFusedSplit) String() string {
	return recordInts(newRecord(FFSP, s.At, s.Iter), s.Srcs).int(int64(s.Level)).flag(s.Factor).end()
}

// String returns the record form: ["SA", stage, iter, factor, offset].
func (s StorageAlign) String() string {
	return newRecord(SA, s.At, s.Iter).int(s.Factor).int(s.Offset).end()
}

// String returns the record form: ["CA", stage, target, iter].
func (s ComputeAt) String() string { return newRecord(CA, s.At, s.Target, s.TargetIter).end() }

// String returns the record form: ["CI", stage].
func (s ComputeInline) String() string { return newRecord(CI, s.At).end() }

// String returns the record form: ["CR", stage].
func (s ComputeRoot) String() string { return newRecord(CR, s.At).end() }

// String returns the record form: ["CHR", stage, scope, [readers]].
func (s CacheRead) String() string {
	return recordInts(newRecord(CHR, s.At).text(s.Scope), s.Readers).end()
}

// String returns the record form: ["CHW", stage, scope].
func (s CacheWrite) String() string { return newRecord(CHW, s.At).text(s.Scope).end() }

// String returns the record form: ["RF", stage, iter, factor iter].
func (s Rfactor) String() string { return newRecord(RF, s.At, s.Iter, s.FactorIter).end() }

// String returns the record form: ["PH", stage].
func (s Phases) String() string { return newRecord(PH, s.At).end() }

// String returns the record form: ["WG", stage, tile].
func (s Winograd) String() string { return newRecord(WG, s.At).int(s.Tile).end() }

// FormatSteps is the reverse of ParseSteps. Its text is byte for byte that of
// AutoScheduler's logs.
func FormatSteps(steps []Step) []byte {
	out := []byte{'['}
	for i, s := range steps {
		if i > 0 {
			out = append(out, ", "...)
		}
		out = append(out, s.String()...)
	}
	return append(out, ']')
}

// ParseSteps decodes AutoScheduler's JSON form: a list of step lists. An error
// names the step. Numbers are checked for being whole, not for making sense:
// that is Replay's work.
func ParseSteps(text []byte) ([]Step, error) {
	var list []json.RawMessage
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, fmt.Errorf("schedule: steps are not a JSON list: %w", err)
	}
	steps := make([]Step, len(list))
	for i, raw := range list {
		s, err := parseStep(raw)
		if err != nil {
			return nil, fmt.Errorf("schedule: step %d: %w", i, err)
		}
		steps[i] = s
	}
	return steps, nil
}

// fields reads the parts of a step one after the other, and keeps the first
// error.
type fields struct {
	rest []json.RawMessage
	n    int // read
	err  error
}

func (f *fields) next(what string, to any) {
	if f.err != nil {
		return
	}
	if len(f.rest) == 0 {
		f.err = fmt.Errorf("field %d (%s) is missing", f.n, what)
		return
	}
	null := f.rest[0][0] != '"' && bytes.Contains(f.rest[0], []byte("null")) // which Unmarshal leaves 0
	if err := json.Unmarshal(f.rest[0], to); err != nil || null {
		f.err = fmt.Errorf("field %d (%s) is %s", f.n, what, f.rest[0])
	}
	f.rest = f.rest[1:]
	f.n++
}

func (f *fields) int(what string) (v int) {
	f.next(what, &v)
	return v
}

func (f *fields) int64(what string) (v int64) {
	f.next(what, &v)
	return v
}

func (f *fields) ints(what string) []int {
	v := []int{}
	f.next(what, &v)
	return v
}

func (f *fields) text(what string) (v string) {
	f.next(what, &v)
	return v
}

func (f *fields) flag(what string) bool {
	v := f.int(what)
	if f.err == nil && v != 0 && v != 1 {
		f.err = fmt.Errorf("field %d (%s) is %d, neither 0 nor 1", f.n-1, what, v)
	}
	return v == 1
}

func parseStep(raw json.RawMessage) (Step, error) {
	var f fields
	if err := json.Unmarshal(raw, &f.rest); err != nil {
		return nil, fmt.Errorf("it is not a JSON list: %w", err)
	}
	kind := Kind(f.text("kind"))
	if f.err != nil {
		return nil, f.err
	}
	at := f.int("stage")
	s := f.step(kind, at)
	switch {
	case s == nil:
		return nil, fmt.Errorf("unknown kind %q", kind)
	case f.err != nil:
		return nil, fmt.Errorf("(%s) %w", kind, f.err)
	case len(f.rest) > 0:
		return nil, fmt.Errorf("(%s) it has %d fields too many", kind, len(f.rest))
	}
	return s, nil
}

// step reads what comes after the kind and the stage. Struct fields are filled
// in the order in which they are recorded.
func (f *fields) step(kind Kind, at int) Step {
	switch kind {
	case AN:
		s := Annotate{At: at, Iter: f.int("iterator")}
		a := f.int("annotation")
		if f.err == nil && (a < 0 || a > int(Tensorize)) {
			f.err = fmt.Errorf("unknown annotation %d", a)
		}
		s.Ann = Annotation(a)
		return s
	case FU:
		return Fuse{At: at, Iters: f.ints("iterators")}
	case PR:
		return Pragma{At: at, Iter: f.int("iterator"), Text: f.text("pragma")}
	case RE:
		return Reorder{At: at, Order: f.ints("order")}
	case SP:
		s := Split{At: at, Iter: f.int("iterator"), Extent: f.int64("extent"), Lengths: []int64{}}
		f.next("lengths", &s.Lengths)
		s.InnerToOuter = f.flag("inner to outer")
		return s
	case FSP:
		return FollowSplit{At: at, Iter: f.int("iterator"), Src: f.int("source step"), Parts: f.int("parts")}
	case FFSP:
		return FollowFusedSplit{At: at, Iter: f.int("iterator"), Srcs: f.ints("source steps"), Level: f.int("level"),
			Factor: f.flag("factor")}
	case SA:
		return StorageAlign{At: at, Iter: f.int("iterator"), Factor: f.int64("factor"), Offset: f.int64("offset")}
	case CA:
		return ComputeAt{At: at, Target: f.int("target stage"), TargetIter: f.int("target iterator")}
	case CI:
		return ComputeInline{At: at}
	case CR:
		return ComputeRoot{At: at}
	case CHR:
		return CacheRead{At: at, Scope: f.text("scope"), Readers: f.ints("readers")}
	case CHW:
		return CacheWrite{At: at, Scope: f.text("scope")}
	case RF:
		return Rfactor{At: at, Iter: f.int("iterator"), FactorIter: f.int("factor position")}
	case WG:
		return Winograd{At: at, Tile: f.int64("tile")}
	case PH:
		return Phases{At: at}
	}
	return nil
}
