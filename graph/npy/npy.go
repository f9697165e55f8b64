// Package npy reads and writes NumPy's files of arrays: .npy has one, .npz several, by name. What a file says of an
// array is known before its elements are read, so that a caller can reject it.
//
// The package must not know what arrays are for.
package npy

import (
	"archive/zip"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/wmtune/wmtune/dataset/file"
	"github.com/wmtune/wmtune/graph"
	"github.com/wmtune/wmtune/tir"
)

// magic begins every array.
const magic = "\x93NUMPY"

// types are NumPy's names of types. NumPy has no bfloat16: the ml_dtypes package stores it as two bytes without a type.
var types = map[tir.DType]string{
	tir.Bool: "|b1", tir.I8: "|i1", tir.U8: "|u1", tir.I16: "<i2", tir.U16: "<u2", tir.I32: "<i4", tir.U32: "<u4",
	tir.I64: "<i8", tir.U64: "<u8", tir.F16: "<f2", tir.F32: "<f4", tir.F64: "<f8", tir.BF16: "|V2",
}

// A File is an open file of arrays.
type File struct {
	Arrays []*Array
	closer io.Closer
}

// An Array is what a file says of an array.
type Array struct {
	Name  string // in a .npz; the file's own name without its ending otherwise
	Alone bool   // it is a .npy file, whose name says nothing
	Type  tir.DType
	Shape []int64

	open func() (io.ReadCloser, error) // at the beginning of the array's header
}

// Open opens a .npz or .npy file, whichever it is, and reads what it says of its arrays.
func Open(path string) (*File, error) {
	f, err := file.Open(path)
	if err != nil {
		return nil, fmt.Errorf("arrays: %w", err)
	}
	list := &File{closer: f}
	if err := list.read(f, path); err != nil {
		f.Close()
		return nil, fmt.Errorf("arrays: %s: %w", path, err)
	}
	return list, nil
}

// Close closes the file.
func (f *File) Close() error { return f.closer.Close() }

func (f *File) read(r *os.File, path string) error {
	size, err := file.Size(r)
	if err != nil {
		return err
	}
	head := make([]byte, len(magic))
	if n, _ := r.ReadAt(head, 0); string(head[:n]) == magic {
		name := strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))
		err := f.add(name, func() (io.ReadCloser, error) {
			return io.NopCloser(io.NewSectionReader(r, 0, size)), nil
		})
		if err == nil {
			f.Arrays[0].Alone = true
		}
		return err
	}
	z, err := zip.NewReader(r, size)
	if err != nil {
		return fmt.Errorf("it is neither a .npz nor a .npy file: %w", err)
	}
	for _, entry := range z.File {
		if err := f.add(strings.TrimSuffix(entry.Name, ".npy"), entry.Open); err != nil {
			return err
		}
	}
	return nil
}

func (f *File) add(name string, open func() (io.ReadCloser, error)) error {
	a := &Array{Name: name, open: open}
	r, err := open()
	if err == nil {
		defer r.Close()
		err = a.header(r)
	}
	if err != nil {
		return fmt.Errorf("array %s: %w", name, err)
	}
	f.Arrays = append(f.Arrays, a)
	return nil
}

// Data reads the elements. It allocates no more than the shape says, whatever the file holds.
func (a *Array) Data() (*graph.Const, error) {
	r, err := a.open()
	if err != nil {
		return nil, fmt.Errorf("array %s: %w", a.Name, err)
	}
	defer r.Close()
	var again Array
	if err := again.header(r); err != nil {
		return nil, fmt.Errorf("array %s: %w", a.Name, err)
	}
	want := graph.Elems(a.Shape) * int64(a.Type.Bytes())
	data, err := io.ReadAll(io.LimitReader(r, want))
	if err == nil && int64(len(data)) < want {
		err = fmt.Errorf("the file has %d of its %d bytes", len(data), want)
	}
	if err != nil {
		return nil, fmt.Errorf("array %s: %w", a.Name, err)
	}
	return &graph.Const{Type: a.Type, Shape: a.Shape, Data: data}, nil
}

// header reads what stands before the elements.
func (a *Array) header(r io.Reader) error {
	var start [8]byte
	if _, err := io.ReadFull(r, start[:]); err != nil || string(start[:len(magic)]) != magic {
		return errors.New("it is not an array of NumPy")
	}
	size := 2 // bytes of the length
	if start[6] >= 2 {
		size = 4
	}
	length := make([]byte, 4)
	if _, err := io.ReadFull(r, length[:size]); err != nil {
		return errors.New("the file ends in its header")
	}
	n := binary.LittleEndian.Uint32(length)
	if start[6] < 1 || start[6] > 3 || n > maxHeader {
		return fmt.Errorf("version %d of the format with a header of %d bytes is not supported", start[6], n)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return errors.New("the file ends in its header")
	}
	return a.parse(string(text))
}

// maxHeader bounds a header, in bytes: real ones have some hundreds.
const maxHeader = 1 << 16

// parse reads a header, such as {'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }.
func (a *Array) parse(text string) error {
	descr, ok := field(text, "descr")
	order, ok2 := field(text, "fortran_order")
	shape, ok3 := field(text, "shape")
	if !ok || !ok2 || !ok3 {
		return fmt.Errorf("the header %q is not NumPy's", text)
	}
	for t, name := range types {
		if strings.Trim(descr, `'"`) == name {
			a.Type = t
		}
	}
	if a.Type == tir.Invalid {
		return fmt.Errorf("elements of type %s are not supported: use little-endian numbers or bools", descr)
	}
	a.Shape = []int64{}
	for _, part := range strings.Split(strings.Trim(shape, "()"), ",") {
		if part = strings.TrimSpace(part); part == "" {
			continue
		}
		d, err := strconv.ParseInt(part, 10, 64)
		if a.Shape = append(a.Shape, d); err != nil || graph.CheckShape(a.Shape) != nil {
			return fmt.Errorf("the shape %s is not supported", shape)
		}
	}
	if order != "False" && len(a.Shape) > 1 {
		return errors.New("its elements lie in Fortran's order: store numpy.ascontiguousarray of it")
	}
	return nil
}

// field returns the value of a key of a header: up to the comma after it, or after the bracket that closes it.
func field(text, key string) (string, bool) {
	_, rest, ok := strings.Cut(text, "'"+key+"':")
	if !ok {
		return "", false
	}
	rest = strings.TrimSpace(rest)
	if strings.HasPrefix(rest, "(") {
		value, _, ok := strings.Cut(rest, ")")
		return value + ")", ok
	}
	value, _, ok := strings.Cut(rest, ",")
	if !ok {
		value, _, ok = strings.Cut(rest, "}")
	}
	return strings.TrimSpace(value), ok
}

// A Named array is to be written.
type Named struct {
	Name string
	*graph.Const
}

// Writable returns an error if so many arrays cannot be written to a file, as far as its name and its folder tell.
func Writable(path string, arrays int) error {
	switch ext := filepath.Ext(path); {
	case ext != ".npy" && ext != ".npz":
		return fmt.Errorf("arrays: %s: name a file that ends in .npz, or in .npy for one array", path)
	case ext == ".npy" && arrays != 1:
		return fmt.Errorf("arrays: %s takes one array, not %d: name a file that ends in .npz", path, arrays)
	}
	if info, err := os.Stat(filepath.Dir(path)); err != nil || !info.IsDir() {
		return fmt.Errorf("arrays: %s cannot be written: there is no folder %s; make it first", path, filepath.Dir(path))
	}
	return nil
}

// Write writes arrays to a file, which is replaced at once: a .npz file, or a .npy file, which takes one array.
func Write(path string, arrays []Named) error {
	if err := Writable(path, len(arrays)); err != nil {
		return err
	}
	f, err := renameio.NewPendingFile(path, renameio.WithPermissions(0o666), renameio.WithExistingPermissions(),
		renameio.WithTempDir(filepath.Dir(path)))
	if err != nil {
		return writeError(path, err)
	}
	defer f.Cleanup()
	if filepath.Ext(path) == ".npy" {
		err = writeArray(f, arrays[0].Const)
	} else {
		err = writeAll(f, arrays)
	}
	if err == nil {
		err = f.CloseAtomicallyReplace()
	}
	if err != nil {
		return writeError(path, err)
	}
	return nil
}

// writeError names the file itself, where the system names one beside it that is renamed in the end.
func writeError(path string, err error) error {
	if e := (*fs.PathError)(nil); errors.As(err, &e) {
		err = e.Err
	}
	return fmt.Errorf("arrays: %s cannot be written: %w", path, err)
}

func writeAll(w io.Writer, arrays []Named) error {
	z := zip.NewWriter(w)
	for _, a := range arrays {
		to, err := z.CreateHeader(&zip.FileHeader{Name: a.Name + ".npy", Method: zip.Store})
		if err == nil {
			err = writeArray(to, a.Const)
		}
		if err != nil {
			return err
		}
	}
	return z.Close()
}

func writeArray(w io.Writer, c *graph.Const) error {
	shape := ""
	for _, d := range c.Shape {
		shape += fmt.Sprintf("%d, ", d)
	}
	if len(c.Shape) > 1 {
		shape = strings.TrimSuffix(shape, ", ")
	}
	text := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s), }", types[c.Type],
		strings.TrimSuffix(shape, " "))
	size := 10 + len(text) + 1
	text += strings.Repeat(" ", (64-size%64)%64) + "\n"
	var b bytes.Buffer
	b.WriteString(magic + "\x01\x00")
	b.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(text))))
	b.WriteString(text)
	if _, err := w.Write(b.Bytes()); err != nil {
		return err
	}
	_, err := w.Write(c.Data)
	return err
}
