package schedule

import (
	"slices"
	"sync"

	"github.com/wmtune/wmtune/tir"
	"github.com/wmtune/wmtune/tir/compute"
)

// A flow says how the stages of a state read each other once the inlined ones
// are substituted. It is made on first use and shared by all states with the
// same ops and inlined stages.
type flow struct {
	once    sync.Once
	bodies  [][]tir.Expr // by stage; nil for a placeholder
	loads   [][]access   // by stage, nil for one that is inlined or a placeholder
	readers [][]int      // by stage: those that read it, in order; none for an inlined one
	outputs []bool       // by stage
}

// An access is a load of another stage's result.
type access struct {
	stage int
	index []tir.Expr
}

// dataflow returns the flow of s.
func (s *State) dataflow() *flow {
	f := s.flow
	f.once.Do(func() { f.fill(s) })
	return f
}

func (f *flow) fill(s *State) {
	n := len(s.Stages)
	producer := make(map[*tir.Buffer]int, n)
	f.bodies = make([][]tir.Expr, n)
	f.loads = make([][]access, n)
	f.readers = make([][]int, n)
	f.outputs = make([]bool, n)
	for i, st := range s.Stages {
		for _, r := range st.Op.Results {
			producer[r] = i
			if slices.Contains(s.DAG.Results(), r) {
				f.outputs[i] = true
			}
		}
		if st.Op.IsPlaceholder() {
			continue
		}
		f.bodies[i] = inlineInto(st.Op, s.Stages, producer, f.bodies)
		if st.At == Inlined {
			continue
		}
		for _, body := range f.bodies[i] {
			tir.VisitExpr(body, func(e tir.Expr) bool {
				if l, ok := e.(*tir.Load); ok {
					p := producer[l.Buffer]
					f.loads[i] = append(f.loads[i], access{p, l.Index})
					if !slices.Contains(f.readers[p], i) {
						f.readers[p] = append(f.readers[p], i)
					}
				}
				return true
			})
		}
	}
}

// inlineInto returns the body of op with the bodies of inlined producers in
// place of the loads of their results. Producers come before op, so their
// bodies are free of inlined loads already.
func inlineInto(op *compute.Op, stages []*Stage, producer map[*tir.Buffer]int, bodies [][]tir.Expr) []tir.Expr {
	out := make([]tir.Expr, len(op.Body))
	for k, body := range op.Body {
		out[k] = tir.SubstituteLoads(body, func(l *tir.Load) tir.Expr {
			p := producer[l.Buffer]
			if stages[p].At != Inlined {
				return l
			}
			from := stages[p].Op
			at := make(map[*tir.Var]tir.Expr, len(l.Index))
			for d, a := range from.Axes {
				at[a.Var] = l.Index[d]
			}
			return tir.Substitute(bodies[p][slices.Index(from.Results, l.Buffer)], at)
		})
	}
	return out
}

// InlinedBody returns the body of a stage with every inlined producer
// substituted, one expression per result; the source, if the stage reduces. It
// is nil for a placeholder.
func (s *State) InlinedBody(stage int) []tir.Expr { return s.dataflow().bodies[stage] }

// Readers returns the stages that read a stage, directly or through inlined
// ones, in order. An inlined stage has none.
func (s *State) Readers(stage int) []int { return s.dataflow().readers[stage] }

// IsOutput reports whether a stage computes a result of the program.
func (s *State) IsOutput(stage int) bool { return s.dataflow().outputs[stage] }
