package llvm_test

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/llvm"
)

// TestRuntimeInStep: runtime.ll is what runtime.sh makes of runtime.c, and of the pool of whole models, as they are.
func TestRuntimeInStep(t *testing.T) {
	hash := sha256.New()
	for _, name := range []string{"../model/runtime/pool.h", "../model/runtime/processor.h", "runtime/runtime.c"} {
		source, err := os.ReadFile(filepath.FromSlash(name))
		if err != nil {
			t.Fatal(err)
		}
		hash.Write(source)
	}
	first, _, _ := strings.Cut(llvm.RuntimeIR(), "\n")
	if !strings.Contains(first, hex.EncodeToString(hash.Sum(nil))) {
		t.Errorf("the source has changed: run runtime/runtime.sh")
	}
}
