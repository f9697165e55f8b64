package database

import (
	"slices"
	"testing"

	"github.com/wmtune/wmtune/tir/target"
)

// TestMachine: records of numbers of 8 and 16 bits are apart by whether there are tile registers; others are not.
func TestMachine(t *testing.T) {
	d := &Database{dir: "db"}
	with := target.Generic(64, 2)
	with.Features = []string{"amx-bf16", "amx-int8", "amx-tile", "avx512f", "avx512vnni"}
	without := with
	without.Features = []string{"avx512f", "avx512vnni"}
	for workload, apart := range map[string]bool{
		"matmul:m=4,n=4,k=4":                  false,
		"matmul:m=4,n=4,k=4,dtype=i8":         true,
		"dense:m=4,n=4,k=4,dtype=bf16":        true,
		"input x: uint8[4]\noutput x\n":       true,
		"input x: float16[4]\noutput x\n":     true,
		"input x: float32[4, 16]\noutput x\n": false,
	} {
		if (d.Log(workload, with, target.Rewrite) != d.Log(workload, without, target.Rewrite)) != apart {
			t.Errorf("%q: the logs are apart: %v", workload, !apart)
		}
		if Machine(workload, without) != without.String() {
			t.Errorf("%q: the key changed where there is nothing to say", workload)
		}
		for _, on := range []target.Target{with, without} {
			if d.Log(workload, otherwise(otherwise(on)), target.Rewrite) != d.Log(workload, on, target.Rewrite) {
				t.Errorf("%q: twice otherwise is not the same", workload)
			}
		}
	}
	if !slices.Equal(with.Features, []string{"amx-bf16", "amx-int8", "amx-tile", "avx512f", "avx512vnni"}) {
		t.Errorf("the target's own features are %v", with.Features)
	}
}
