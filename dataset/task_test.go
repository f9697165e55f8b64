package dataset

import "testing"

func TestTitle(t *testing.T) {
	const own = "A = PLACEHOLDER [8, 8]\nB = PLACEHOLDER [8, 8]\nC(i, j) += (A[i, k]*B[k, j])\n"
	for text, want := range map[string]string{
		"matmul:m=64,n=64,k=64": "matmul:m=64,n=64,k=64",
		" two words\n":          "two words",
		own:                     "C#845a3101",
		own + "D[i] = C[i, i]":  "D#bb3869a6",
		own + "output C\n":      "C#c586ecb8",
		own + "output C@2, D\n": "C@2#3df44d98",
		"A = x\n= odd, no name": "=#f86df684",
		"":                      "",
	} {
		r := Record{Workload: text}
		if got := r.Title(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
