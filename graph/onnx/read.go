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

	"github.com/wmtune/wmtune/graph"
)

// Read decodes the ONNX file at path. Data in other files must lie in the folder of the model, unless opt.External says
// otherwise. If the model is a link, links beside it may lead to the folder that it leads to. Large files are mapped,
// and stay so as long as the program runs: they must not be changed meanwhile.
func Read(ctx context.Context, path string, opt Options) (*graph.Graph, error) {
	f, err := os.OpenFile(path, os.O_RDONLY|unix.O_NONBLOCK, 0) // a FIFO without a writer must not stop us
	if err != nil {
		return nil, fmt.Errorf("onnx: %w", err)
	}
	b, err := contents(f)
	if err != nil {
		return nil, fmt.Errorf("onnx: %s: the file %w", path, err)
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

// contents returns what a file holds, and closes it. The error continues a sentence that begins with the file's name.
func contents(f *os.File) ([]byte, error) {
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("cannot be read: %w", err)
	}
	switch mode := info.Mode(); {
	case mode.IsDir():
		return nil, errors.New("is a folder")
	case !mode.IsRegular():
		return nil, errors.New("is a device, a pipe or a socket: copy its contents into a regular file")
	case info.Size() == 0:
		return nil, errors.New("is empty")
	}
	if info.Size() < mapFrom {
		b := make([]byte, info.Size())
		if _, err := io.ReadFull(f, b); err != nil {
			return nil, fmt.Errorf("cannot be read: %w", err)
		}
		return b, nil
	}
	b, err := unix.Mmap(int(f.Fd()), 0, int(info.Size()), unix.PROT_READ, unix.MAP_PRIVATE)
	if err != nil {
		return nil, fmt.Errorf("cannot be mapped: %w", err)
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
	file, err := root.OpenFile(location, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if _, missing := os.Stat(filepath.Join(f.path, location)); err != nil && errors.Is(missing, fs.ErrNotExist) {
		return nil, fmt.Errorf("its data is in the file %q, which is missing in the model's folder, %s", location, f.path)
	}
	if link := f.outside(location); err != nil && link != "" {
		if filepath.Dir(link) != f.target {
			return nil, fmt.Errorf("its data is in the file %q, a link to %s, which is not in the model's folder: copy that "+
				"file into the folder, or name the model in a folder that has both", location, link)
		}
		file, err = os.OpenFile(link, os.O_RDONLY|unix.O_NONBLOCK, 0) // as in the cache of Hugging Face
	}
	if err != nil {
		return nil, fmt.Errorf("its data is in the file %q: %w", location, err)
	}
	b, err := contents(file)
	if err != nil {
		return nil, fmt.Errorf("its data is in the file %q, which %w", location, err)
	}
	return b, nil
}

// outside returns where a file of the folder is, if a link leads out of the folder; "" if none does.
func (f *folder) outside(location string) string {
	file, err := filepath.EvalSymlinks(filepath.Join(f.path, filepath.FromSlash(location)))
	if err != nil {
		return ""
	}
	home, err := filepath.EvalSymlinks(f.path)
	if err != nil {
		return ""
	}
	if within, err := filepath.Rel(home, file); err != nil || filepath.IsLocal(within) {
		return ""
	}
	return file
}
