package onnx

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"golang.org/x/sys/unix"

	"github.com/wmtune/wmtune/dataset/file"
	"github.com/wmtune/wmtune/graph"
)

// Read decodes the ONNX file at path. Data in other files must lie in the folder of the model, unless opt.External says
// otherwise. If the model is a link, links beside it may lead to the folder that it leads to. Large files are mapped,
// and stay so as long as the program runs: they must not be changed meanwhile.
func Read(ctx context.Context, path string, opt Options) (*graph.Graph, error) {
	f, err := file.Open(path)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	b, err := contents(f)
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	if opt.External == nil {
		folder := &folder{path: filepath.Dir(path), files: map[string][]byte{}}
		if target, err := filepath.EvalSymlinks(path); err == nil {
			folder.target = filepath.Dir(target)
		}
		opt.External = func(location string, offset, length int64) ([]byte, error) {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			return folder.read(location, offset, length)
		}
	}
	g, err := decode(b, opt)
	if err != nil {
		return nil, fmt.Errorf("onnx: %s: %w", path, err)
	}
	return g, nil
}

// mapFrom is the size from which on files are mapped. Smaller ones are read, so that they may be changed.
const mapFrom = 16 << 20

// contents returns what a file holds, and closes it.
func contents(f *os.File) ([]byte, error) {
	defer f.Close()
	size, err := file.Size(f)
	if err != nil {
		return nil, err
	}
	if size == 0 {
		return nil, &fs.PathError{Op: "read", Path: f.Name(), Err: errors.New("the file is empty")}
	}
	if size < mapFrom {
		b := make([]byte, size)
		_, err := io.ReadFull(f, b)
		return b, err
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(size), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, &fs.PathError{Op: "map", Path: f.Name(), Err: err}
	}
	return b, nil
}

// A folder gives external data of the files in it.
type folder struct {
	path   string
	target string // the folder that the model lies in, if path has a link to it
	files  map[string][]byte
}

func (f *folder) read(location string, offset, length int64) ([]byte, error) {
	b, ok := f.files[location]
	if !ok {
		var err error
		if b, err = f.open(location); err != nil {
			return nil, err
		}
		f.files[location] = b
	}
	if offset > int64(len(b)) || length > int64(len(b))-offset {
		return nil, fmt.Errorf("its data is bytes %d to %d of the file %q, which ends at byte %d: it is cut off, "+
			"or another model's", offset, offset+length, location, len(b))
	}
	return b[offset : offset+length], nil
}

func (f *folder) open(location string) ([]byte, error) {
	if !filepath.IsLocal(filepath.FromSlash(location)) {
		return nil, fmt.Errorf("its data is in the file %q, which is not in the model's folder", location)
	}
	root, err := os.OpenRoot(f.path)
	if err != nil {
		return nil, err
	}
	defer root.Close()
	data, err := root.OpenFile(location, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if _, missing := os.Stat(filepath.Join(f.path, location)); err != nil && errors.Is(missing, fs.ErrNotExist) {
		return nil, fmt.Errorf("its data is in the file %q, which is missing in the model's folder, %s", location, f.path)
	}
	if link := f.outside(location); err != nil && link != "" {
		if filepath.Dir(link) != f.target {
			return nil, fmt.Errorf("its data is in the file %q, a link to %s, which is not in the model's folder: copy that "+
				"file into the folder, or name the model in a folder that has both", location, link)
		}
		data, err = file.Open(link) // as in the cache of Hugging Face
	}
	if err != nil {
		return nil, fmt.Errorf("its data is in the file %q: %w", location, err)
	}
	b, err := contents(data)
	if err != nil {
		return nil, fmt.Errorf("its data is in the file %q: %w", location, err)
	}
	return b, nil
}

// outside returns where a file of the folder is, if a link leads out of the folder; "" if none does.
func (f *folder) outside(location string) string {
	path, err := filepath.EvalSymlinks(filepath.Join(f.path, filepath.FromSlash(location)))
	if err != nil {
		return ""
	}
	home, err := filepath.EvalSymlinks(f.path)
	if err != nil {
		return ""
	}
	if within, err := filepath.Rel(home, path); err != nil || filepath.IsLocal(within) {
		return ""
	}
	return path
}
