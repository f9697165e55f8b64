package workload

import (
	"bufio"
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/klauspost/compress/zstd"
)

// maxPlan bounds the bytes of a plan: a thousand workloads have a million.
const maxPlan = 256 << 20

// zstdMagic begins what zstd compressed.
var zstdMagic = []byte{0x28, 0xb5, 0x2f, 0xfd}

// ReadPlan reads the workloads of a plan: a line of JSON each, as 'wmtune workloads --json' prints them, of which
// "text", or else "spec", counts. The file may be compressed with zstd. A workload that stands there twice is
// returned once.
func ReadPlan(path string) ([]Workload, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("plan: %w", err)
	}
	defer file.Close()
	in := bufio.NewReader(file)
	var text io.Reader = in
	if magic, _ := in.Peek(len(zstdMagic)); bytes.Equal(magic, zstdMagic) {
		z, err := zstd.NewReader(in)
		if err != nil {
			return nil, fmt.Errorf("plan %s: %w", path, err)
		}
		defer z.Close()
		text = z
	}
	list, err := readPlan(text)
	if err != nil {
		return nil, fmt.Errorf("plan %s: %w", path, err)
	}
	return list, nil
}

func readPlan(r io.Reader) ([]Workload, error) {
	limited := &io.LimitedReader{R: r, N: maxPlan + 1}
	lines := bufio.NewScanner(limited)
	lines.Buffer(nil, maxFile)
	var list []Workload
	seen := map[string]int{} // its index
	for n := 1; lines.Scan(); n++ {
		if len(bytes.TrimSpace(lines.Bytes())) == 0 {
			continue
		}
		w, err := planned(lines.Bytes())
		if err != nil {
			return nil, fmt.Errorf("line %d: %w; make lines with 'wmtune workloads --model MODEL.onnx --json'", n, err)
		}
		if i, ok := seen[w.Text]; ok {
			list[i].Count += w.Count
			continue
		}
		seen[w.Text] = len(list)
		list = append(list, w)
	}
	switch {
	case lines.Err() != nil:
		return nil, lines.Err()
	case limited.N == 0:
		return nil, fmt.Errorf("it has more than %d bytes", maxPlan)
	case len(list) == 0:
		return nil, errors.New("it has no workload; make lines with 'wmtune workloads --model MODEL.onnx --json'")
	}
	return list, nil
}

// planned returns the workload of a line.
func planned(line []byte) (Workload, error) {
	var l Listing
	if err := json.Unmarshal(line, &l); err != nil {
		return Workload{}, err
	}
	text := cmp.Or(l.Text, l.Spec)
	if text == "" {
		return Workload{}, errors.New(`it has neither "text" nor "spec"`)
	}
	w, err := Find(text)
	if err != nil {
		return Workload{}, err
	}
	if l.Name != "" {
		w.Name = FolderName(l.Name)
	}
	w.Count = max(l.Count, 0)
	return w, nil
}
