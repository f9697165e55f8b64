//go:build ignore

// Continues a text: reads the tokens of a prompt from a file, numbers with spaces between, and prints the tokens that a
// decoder thinks likeliest, one after the other. It needs the module github.com/ebitengine/purego and no cgo.
//
//	wmtune compile MODEL.onnx --name decoder --dim seq=1..16 --state 'present.*=past.*,max=1024' --out bundle
//	CGO_ENABLED=0 go run decoder.go bundle prompt.txt 20
//
// The model has one input, of tokens, and one output.
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"unsafe"

	"github.com/ebitengine/purego"
)

const most = 1 << 16 // tokens

// A Decoder is a context of the library. Its cache has the tokens of all runs before.
type Decoder struct {
	context uintptr
	run     func(context uintptr, dims *int64, inputs, outputs *unsafe.Pointer) int32
	bytes   func(dims *int64, tensor int32) int64
	text    func(code int32) string
	close   func(context uintptr)

	chunk int // tokens that a run takes at most
}

// Open loads the bundle in a folder.
func Open(folder string) (*Decoder, error) {
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	lib, err := purego.Dlopen(filepath.Join(folder, "decoder.so"), purego.RTLD_NOW|purego.RTLD_LOCAL)
	if err != nil {
		return nil, err
	}
	d := &Decoder{}
	var open func(context *uintptr, weights string, threads int32) int32
	purego.RegisterLibFunc(&open, lib, "decoder_open")
	purego.RegisterLibFunc(&d.run, lib, "decoder_run_dims")
	purego.RegisterLibFunc(&d.bytes, lib, "decoder_bytes_dims")
	purego.RegisterLibFunc(&d.text, lib, "decoder_error")
	purego.RegisterLibFunc(&d.close, lib, "decoder_close")
	for n := int64(1); n <= most && d.bytes(&n, 0) > 0; n++ {
		d.chunk = int(n)
	}
	return d, d.check(open(&d.context, filepath.Join(folder, "decoder.weights"), 0))
}

func (d *Decoder) check(code int32) error {
	if code != 0 {
		return fmt.Errorf("decoder: %s", d.text(code))
	}
	return nil
}

// Next runs the model for new tokens, and returns the token that it thinks likeliest after them.
func (d *Decoder) Next(tokens []int64) (best int64, err error) {
	dims := int64(len(tokens))
	logits, shape := make([]float32, max(d.bytes(&dims, 1)/4, 1)), make([]int64, 3)
	in := unsafe.Pointer(unsafe.SliceData(tokens))
	out := []unsafe.Pointer{unsafe.Pointer(unsafe.SliceData(logits)), unsafe.Pointer(unsafe.SliceData(shape))}
	if err := d.check(d.run(d.context, &dims, &in, unsafe.SliceData(out))); err != nil {
		return 0, err
	}
	words := shape[2]
	last := logits[(dims-1)*words:][:words]
	for i, x := range last {
		if x > last[best] {
			best = int64(i)
		}
	}
	return best, nil
}

func run(folder, prompt, more string) error {
	count, err := strconv.Atoi(more)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(prompt)
	if err != nil {
		return err
	}
	var tokens []int64
	for _, word := range strings.Fields(string(text)) {
		n, err := strconv.ParseInt(word, 10, 64)
		if err != nil {
			return err
		}
		tokens = append(tokens, n)
	}
	d, err := Open(folder)
	if err != nil {
		return err
	}
	defer d.close(d.context)
	for ; len(tokens) > d.chunk; tokens = tokens[d.chunk:] { // a prompt runs in parts
		if _, err := d.Next(tokens[:d.chunk]); err != nil {
			return err
		}
	}
	for range count {
		token, err := d.Next(tokens)
		if err != nil {
			return err
		}
		fmt.Println(token)
		tokens = []int64{token} // the context knows those before
	}
	return nil
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: decoder FOLDER PROMPT TOKENS: a bundle, a file of tokens, and how many more")
		os.Exit(2)
	}
	if err := run(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
