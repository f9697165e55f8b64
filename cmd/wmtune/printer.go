package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/wmtune/wmtune/cmd/report"
)

// A printer is what the command prints to. It escapes what a terminal would obey:
// names and messages come from logs and files of others. All text that a verb
// prints goes through it, so no verb has to think of it. JSON means the same after it.
type printer struct {
	mu   sync.Mutex
	w    io.Writer
	part []byte // of a character whose other bytes are still to come
}

func (p *printer) Write(b []byte) (int, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	text := append(p.part, b...)
	whole := len(text)
	for i := max(0, whole-utf8.UTFMax+1); i < whole; i++ {
		if utf8.RuneStart(text[i]) && !utf8.FullRune(text[i:]) {
			whole = i
			break
		}
	}
	p.part = bytes.Clone(text[whole:])
	if _, err := p.w.Write(escape(text[:whole])); err != nil {
		return 0, err
	}
	return len(b), nil
}

// escape returns text with an escape for each control character but tabs and line
// ends, each mark that turns the direction of writing, and each byte that is no UTF-8.
func escape(text []byte) []byte {
	if !bytes.ContainsFunc(text, obeyed) {
		return text
	}
	var out []byte
	for len(text) > 0 {
		r, n := utf8.DecodeRune(text)
		switch {
		case r == utf8.RuneError && n == 1:
			out = fmt.Appendf(out, `\x%02x`, text[0])
		case r != utf8.RuneError && obeyed(r):
			out = fmt.Appendf(out, `\u%04x`, r)
		default:
			out = append(out, text[:n]...)
		}
		text = text[n:]
	}
	return out
}

// obeyed reports whether a character is more than a sign to be shown. Bytes that
// are no UTF-8 decode as utf8.RuneError, and may be: 8-bit terminals know commands of
// one byte.
func obeyed(r rune) bool {
	return unicode.IsControl(r) && r != '\n' && r != '\t' || r == utf8.RuneError || unicode.Is(unicode.Bidi_Control, r)
}

// printPage prints a value as JSON or the tables of its page. Then it writes the page to a file, if path names one.
func printPage(w io.Writer, asJSON bool, value any, p report.Page, path string) error {
	if asJSON {
		if err := json.NewEncoder(w).Encode(value); err != nil {
			return err
		}
	} else {
		for _, t := range p.Tables {
			t.Print(w)
			fmt.Fprintln(w)
		}
	}
	if path == "" {
		return nil
	}
	err := p.WriteFile(path)
	if err == nil && !asJSON {
		fmt.Fprintf(w, "page: %s\n", path)
	}
	return err
}
