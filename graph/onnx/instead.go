package onnx

import (
	"bytes"
	"unicode/utf8"
)

// formats are files that are taken for models, by the bytes that they begin with.
var formats = []struct {
	at    int
	magic string
	what  string
}{
	{0, "version https://git-lfs", "a pointer of Git LFS: run `git lfs pull` to get the file that it stands for"},
	{0, "\x89PNG", "a PNG image"},
	{0, "\xff\xd8\xff", "a JPEG image"},
	{0, "%PDF", "a PDF document"},
	{0, "PK\x03\x04", "a zip archive, as of PyTorch, Keras or NumPy: export the model to ONNX"},
	{0, "\x1f\x8b", "compressed with gzip"},
	{0, "\x89HDF", "an HDF5 file, as of Keras: export the model to ONNX"},
	{0, "GGUF", "a GGUF file"},
	{0, "\x80\x02", "a pickle of Python, as of old PyTorch: export the model to ONNX"},
	{0, "\x93NUMPY", "an array of NumPy"},
	{0, "\x7fELF", "a program or library"},
	{4, "TFL3", "a TensorFlow Lite model"},
	{4, "ORTM", "a model in ONNX Runtime's own format: compile the ONNX file from which it was made"},
}

// instead says what a file is that is no model, or "".
func instead(b []byte) string {
	for _, f := range formats {
		if len(b) > f.at && bytes.HasPrefix(b[f.at:], []byte(f.magic)) {
			return f.what
		}
	}
	head := b[:min(len(b), 512)]
	for _, c := range head {
		if c < ' ' && c != '\n' && c != '\r' && c != '\t' {
			return ""
		}
	}
	for len(head) > 0 {
		r, n := utf8.DecodeRune(head)
		if r == utf8.RuneError && len(head) >= utf8.UTFMax {
			return ""
		}
		head = head[n:]
	}
	head = bytes.ToLower(bytes.TrimSpace(b[:min(len(b), 512)]))
	switch {
	case len(b) == 0:
		return ""
	case bytes.HasPrefix(head, []byte("<!doctype html")), bytes.HasPrefix(head, []byte("<html")):
		return "a web page: the download may have failed"
	}
	return "text"
}
