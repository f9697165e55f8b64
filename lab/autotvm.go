package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/google/renameio/v2"
	"github.com/klauspost/compress/zstd"
	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/dataset/autotvm"
	"github.com/wmtune/wmtune/ranker/feature"
	"github.com/wmtune/wmtune/ranker/touch"
	"github.com/wmtune/wmtune/search/template"
	"github.com/wmtune/wmtune/tir"
)

const autotvmWhat = `Autotvm answers a file of questions about AutoTVM's config spaces, in the form in which
autotvm_oracle.py asks and checks them: of each task its knobs, their values in order, and
configurations by index; of each configuration its knobs and the features of its loops as
numbers. A configuration that cannot be made here has no features of loops.

  go run . autotvm autotvm-spaces.jsonl.zst --out answers.jsonl`

func declareAutoTVM(fs *pflag.FlagSet) action {
	out := fs.String("out", "", "`file` of the answers; empty: standard output")
	return func(ctx context.Context, args []string, c *console) error {
		if len(args) != 1 {
			return usagef("want one file of questions, not %d", len(args))
		}
		answers, err := answerAutoTVM(ctx, args[0])
		if err != nil {
			return err
		}
		if *out == "" {
			_, err = c.stdout.Write(answers)
			return err
		}
		return renameio.WriteFile(*out, answers, 0o666)
	}
}

// A question is a line of the oracle: a task and points of its space, or a configuration of one.
type question struct {
	ID     string            `json:"id"`
	Args   []json.RawMessage `json:"args"`
	Points []struct {
		Index int64 `json:"index"`
	} `json:"points"`
	Line string `json:"line"` // of AutoTVM's log
}

// answerAutoTVM answers the questions of a file, plain or compressed with zstd, a line each.
func answerAutoTVM(ctx context.Context, name string) ([]byte, error) {
	file, err := os.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	var r io.Reader = file
	if strings.HasSuffix(name, ".zst") {
		z, err := zstd.NewReader(file)
		if err != nil {
			return nil, err
		}
		defer z.Close()
		r = z
	}
	var answers []byte
	lines := bufio.NewScanner(r)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		var q question
		if err := json.Unmarshal(lines.Bytes(), &q); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w", name, n, err)
		}
		a, err := q.answer()
		if err != nil {
			return nil, fmt.Errorf("%s, line %d: %s: %w", name, n, q.ID, err)
		}
		text, err := json.Marshal(a)
		if err != nil {
			return nil, err
		}
		answers = append(append(answers, text...), '\n')
	}
	return answers, lines.Err()
}

// answer returns the fields of an answer.
func (q *question) answer() (map[string]any, error) {
	words := strings.Fields(q.ID) // the task, the template, and of a configuration its index
	if len(words) < 2 {
		return nil, fmt.Errorf("an id names a task and a template")
	}
	args := q.Args
	var line *autotvm.Line
	if q.Line != "" {
		var err error
		if line, err = autotvm.ParseLine([]byte(q.Line)); err != nil {
			return nil, err
		}
		args = line.Args
	}
	p, err := problemOf(words[1], args)
	if err != nil {
		return nil, err
	}
	space, err := template.Of(words[1], p)
	if err != nil {
		return nil, err
	}
	if q.Line == "" {
		return q.answerSpace(space), nil
	}
	var index int64
	if _, err := fmt.Sscan(words[len(words)-1], &index); err != nil || index < 0 || index >= space.Len() {
		return nil, fmt.Errorf("index %s of a space of %d: %v", words[len(words)-1], space.Len(), err)
	}
	a := map[string]any{"id": q.ID, "knob": space.Vector(index)}
	q.answerLoops(a, line, space, index)
	return a, nil
}

// answerLoops adds the features of the loops of a configuration.
func (q *question) answerLoops(a map[string]any, line *autotvm.Line, space template.Space, index int64) {
	state, err := line.State()
	if err != nil {
		return
	}
	text, err := feature.Spell(state, line.OneThread())
	if err != nil {
		return
	}
	rows := touch.Rows(text, func(b *tir.Buffer) string { return line.Upstream(b.Name) })
	var names [][2]any
	for _, r := range rows {
		accesses := []string{}
		for _, x := range r.Accesses {
			accesses = append(accesses, x.Name)
		}
		names = append(names, [2]any{"", accesses})
	}
	a["rows"], a["itervar"], a["curve"] = names, touch.Itervar(rows), touch.Curve(rows)
}

// answerSpace describes a space.
func (q *question) answerSpace(space template.Space) map[string]any {
	var knobs, points []map[string]any
	var dims []int
	for _, k := range space {
		var values []any
		for _, v := range k.Values {
			values = append(values, valueOf(v))
		}
		knobs = append(knobs, map[string]any{"name": k.Name, "dim": len(values), "values": values})
		dims = append(dims, len(values))
	}
	for _, p := range q.Points {
		if p.Index < 0 || p.Index >= space.Len() {
			continue // there is no such configuration: the answer lacks the point
		}
		entity, digits := map[string]any{}, space.Digits(p.Index)
		for i, k := range space {
			entity[k.Name] = valueOf(k.Values[digits[i]])
		}
		points = append(points, map[string]any{"index": space.Index(digits), "knobs": digits, "entity": entity})
	}
	return map[string]any{"id": q.ID, "knobs": knobs, "dims": dims, "length": space.Len(), "points": points}
}

// valueOf returns what JSON writes of a value.
func valueOf(v template.Value) any {
	if v.Lengths != nil {
		return v.Lengths
	}
	return json.RawMessage(v.Option)
}

// problemOf reads the arguments of a task: tensors, and of a convolution stride, padding and dilation.
func problemOf(name string, args []json.RawMessage) (p template.Problem, err error) {
	var shapes [2][]int64
	var numbers [3][]int64 // stride, padding, dilation
	convolves := strings.Contains(name, "conv2d")
	for i := range shapes {
		var fields []json.RawMessage
		if i >= len(args) || json.Unmarshal(args[i], &fields) != nil || len(fields) < 2 ||
			json.Unmarshal(fields[1], &shapes[i]) != nil || len(shapes[i]) < 2 || slices.Min(shapes[i]) < 1 {
			return p, fmt.Errorf("argument %d is no tensor", i)
		}
	}
	x, w := shapes[0], shapes[1]
	if !convolves {
		if len(x) != len(w) {
			return p, fmt.Errorf("a product of %d by %d dimensions", len(x), len(w))
		}
		n := len(x)
		return template.Problem{Batch: x[0], Rows: x[n-2], Columns: w[n-2], Depth: x[n-1]}, nil
	}
	for i, least := range []int{2, 4, 2} {
		if 2+i >= len(args) || json.Unmarshal(args[2+i], &numbers[i]) != nil || len(numbers[i]) < least {
			return p, fmt.Errorf("argument %d is no list of numbers", 2+i)
		}
	}
	stride, pad, dilation := numbers[0], numbers[1], numbers[2]
	if len(x) != 4 || len(w) != 4 || min(stride[0], stride[1]) < 1 {
		return p, fmt.Errorf("a convolution of %d by %d dimensions with stride %d", len(x), len(w), stride)
	}
	out := w[0]
	if strings.HasPrefix(name, "depthwise") {
		out *= w[1]
	}
	return template.Problem{
		Batch: x[0], In: x[1], Out: out, KernelH: w[2], KernelW: w[3],
		Height: (x[2]+pad[0]+pad[2]-(w[2]-1)*dilation[0]-1)/stride[0] + 1,
		Width:  (x[3]+pad[1]+pad[3]-(w[3]-1)*dilation[1]-1)/stride[1] + 1,
	}, nil
}
