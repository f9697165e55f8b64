package sketch

import (
	"testing"

	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/tirtest"
)

// TestAttend: attention has one sketch. Both products have tiles in what reads them; the scale is inlined, the mask,
// which two stages read, is not; no sum is divided. AutoScheduler has many.
func TestAttend(t *testing.T) {
	s := parsed(t, tirtest.AttentionText)
	list, err := Generate(t.Context(), CPU, s.DAG, cpu(2).Target)
	if err != nil {
		t.Fatal(err)
	}
	if len(list) != 1 {
		t.Fatalf("%d sketches", len(list))
	}
	inlined, inside := "", ""
	for stage, st := range list[0].Stages {
		if st.At == schedule.Inlined {
			inlined += " " + st.Op.Name
		}
		if at, ok := list[0].Attach.At(stage); ok {
			inside += " " + st.Op.Name + " in " + list[0].Stages[at.Stage].Op.Name
		}
	}
	if inlined != " scaled" || inside != " s in masked mixed in attend" {
		t.Errorf("inlined:%s; computed%s\n%s", inlined, inside, list[0])
	}
	if product, ok := Attends(list[0]); !ok || list[0].Stages[product].Op.Name != "mixed" {
		t.Errorf("the product is stage %d, %v", product, ok)
	}
	if list, err = Generate(t.Context(), AutoScheduler, s.DAG, cpu(2).Target); err != nil || len(list) < 10 {
		t.Errorf("AutoScheduler: %d sketches, %v", len(list), err)
	}
}

// TestDoesNotAttend: products of other operands are none of attention.
func TestDoesNotAttend(t *testing.T) {
	for _, text := range []string{`input x: float32[64, 64]
input v: float32[64, 64]
top(i: 64) = max(j: 64) x[i, j]
y(i: 64, d: 64) = sum(j: 64) x[i, j]*v[j, d]
z(i: 64, d: 64) = y[i, d]/top[i]
output z
`, `input x: float32[64, 64]
input v: float32[64, 64]
mean(i: 64) = sum(j: 64) x[i, j]
e(i: 64, j: 64) = exp(x[i, j] - mean[i])
y(i: 64, d: 64) = sum(j: 64) e[i, j]*v[j, d]
z(i: 64, d: 64) = max(y[i, d], 0)
output z
`, `input x: float32[64, 64]
input v: float32[64, 64]
e(i: 64, j: 64) = exp(x[i, j])
y(i: 64, d: 64) = sum(j: 64) e[i, j]*v[j, d]
output y
`} {
		s := parsed(t, text)
		if product, ok := Attends(s); ok {
			t.Errorf("stage %d of\n%s", product, text)
		}
	}
}
