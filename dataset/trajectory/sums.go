package trajectory

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"

	"github.com/wmtune/wmtune/dataset/file"
)

// sumsName is the file that makes a folder a dataset: it lists the SHA-256 of the
// other files, as sha256sum does. Arrow files have no checksum, and readers of
// Arrow believe every length that they read; so nothing is read that does not have
// its sum.
const sumsName = "SHA256SUMS"

// sumOf returns the SHA-256 and the size of a file.
func sumOf(path string) (sum string, size int64, err error) { return sumOfFirst(path, math.MaxInt64) }

// sumOfFirst returns the SHA-256 of the first bytes of a file, and how many there are.
func sumOfFirst(path string, first int64) (sum string, size int64, err error) {
	f, err := file.Open(path)
	if err != nil {
		return "", 0, err
	}
	defer f.Close()
	h := sha256.New()
	if size, err = io.Copy(h, io.LimitReader(f, first)); err != nil {
		return "", 0, err
	}
	return hex.EncodeToString(h.Sum(nil)), size, nil
}

// sumsText is the content of SHA256SUMS.
func sumsText(sums map[string]string) string {
	var b strings.Builder
	for _, name := range fileNames() {
		fmt.Fprintf(&b, "%s  %s\n", sums[name], name)
	}
	return b.String()
}

// fileNames lists the tables' files.
func fileNames() []string {
	var list []string
	for _, f := range formats {
		list = append(list, f.name+".arrow")
	}
	return append(list, metaTable+".arrow")
}

// errNotWhole says that a folder holds no dataset, or one that was not finished.
var errNotWhole = errors.New("it holds no whole dataset: there is no " + sumsName +
	"; run the command that builds it again")

// readSums returns the content of a file that has some lines.
func readSums(path string) ([]byte, error) {
	f, err := file.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	return io.ReadAll(io.LimitReader(f, 1<<16))
}

// verify checks the files of a dataset against their sums.
func verify(dir string) error {
	data, err := readSums(filepath.Join(dir, sumsName))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, e := os.Stat(dir); e != nil {
			return fmt.Errorf("dataset %s: there is no such folder", dir)
		}
		return fmt.Errorf("dataset %s: %w", dir, errNotWhole)
	case err != nil:
		return fmt.Errorf("dataset %s: %w", dir, err)
	}
	sums := map[string]string{}
	for line := range strings.Lines(string(data)) {
		sum, name, ok := strings.Cut(strings.TrimSuffix(line, "\n"), "  ")
		if !ok {
			return fmt.Errorf("dataset %s: %s is damaged", dir, sumsName)
		}
		sums[name] = sum
	}
	for _, name := range fileNames() {
		sum, _, err := sumOf(filepath.Join(dir, name))
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return fmt.Errorf("dataset %s: %s is missing; build the dataset again", dir, name)
		case err != nil:
			return fmt.Errorf("dataset %s: %w", dir, err)
		case sum != sums[name]:
			return fmt.Errorf("dataset %s: %s is damaged: its SHA-256 is not the one in %s; build the dataset again", dir,
				name, sumsName)
		}
	}
	return nil
}
