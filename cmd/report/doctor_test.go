package report

import (
	"bytes"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/machine"
)

// TestDoctorNames: doctor says both names of a processor whose features contradict its own.
func TestDoctorNames(t *testing.T) {
	d := machine.Diagnosis{CPU: "sapphirerapids", CPUNamed: "rocketlake", CPUBeyond: []string{"avx512fp16", "amx-tile"}}
	var out bytes.Buffer
	Diagnosis(&out, &d)
	for _, want := range []string{"processor   sapphirerapids", "rocketlake; no such processor has avx512fp16, amx-tile"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is missing of\n%s", want, out.String())
		}
	}
}
