package trajectory

import (
	"os"
	"path/filepath"

	"github.com/wmtune/wmtune/dataset/split"
)

// WriteSums writes the sums of files as they are.
func WriteSums(dir string) error {
	sums := map[string]string{}
	for _, name := range fileNames() {
		sum, _, err := sumOf(filepath.Join(dir, name))
		if err != nil {
			return err
		}
		sums[name] = sum
	}
	return os.WriteFile(filepath.Join(dir, sumsName), []byte(sumsText(sums)), 0o666)
}

// SetParts changes the parts that a task is said to be in.
func (s *Set) SetParts(task int, p split.Parts) { s.tasks[task].Split = p }
