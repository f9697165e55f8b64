package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/wmtune/wmtune/codegen/machine"
)

// TestDoctorLibraries: doctor finds the libxgboost that the variable names, and only that one, and without libLLVM it
// fails in both forms.
func TestDoctorLibraries(t *testing.T) {
	library := filepath.Join(t.TempDir(), "mine.so")
	if err := os.WriteFile(library, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{library: library, "/nonexistent.so": ""} {
		t.Setenv(xgboostVariable, path)
		code, stdout, stderr := wmtune(t, "doctor", "--quick", "--json")
		var d machine.Diagnosis
		if err := json.Unmarshal([]byte(stdout), &d); code != exitOK || err != nil || d.XGBoost != want {
			t.Errorf("exit code %d, %v, libxgboost %q, want %q: %s", code, err, d.XGBoost, want, stderr)
		}
	}
	t.Setenv(llvmVariable, "/nonexistent.so")
	for _, args := range [][]string{{"doctor", "--quick"}, {"doctor", "--quick", "--json"}} {
		if code, _, stderr := wmtune(t, args...); code != exitFailed {
			t.Errorf("%v: exit code %d without libLLVM: %s", args, code, stderr)
		}
	}
}
