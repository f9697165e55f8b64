package compute

import (
	"fmt"
	"strings"
)

// A token is a word, a number or a sign of a workload file.
type token struct {
	kind tokenKind
	text string
	line int
}

type tokenKind uint8

const (
	endToken    tokenKind = iota // of a statement
	nameToken                    // x, T_add@2, conv.local
	numberToken                  // 12, 0.5f32, 1e-5, without a sign
	signToken                    // ( -> >= ...
)

func (t token) String() string {
	if t.kind == endToken {
		return "the end of the statement"
	}
	return fmt.Sprintf("%q", t.text)
}

// maxTokens bounds a statement, and so how deep an expression can be.
const maxTokens = 20_000

// lexStatements cuts a text into statements. A statement is a line, with the
// lines after it that begin with a space or a tab; # begins a comment.
func lexStatements(text string) ([][]token, error) {
	var list [][]token
	for i, line := range strings.Split(text, "\n") {
		line, _, _ = strings.Cut(line, "#")
		line = strings.TrimRight(line, " \t\r")
		if line == "" {
			continue
		}
		tokens, err := lexLine(line, i+1)
		if err != nil {
			return nil, err
		}
		if line[0] != ' ' && line[0] != '\t' {
			list = append(list, tokens)
			continue
		}
		if len(list) == 0 {
			return nil, lineError(i+1, "a line that begins with a space goes on with the line before, and there is none")
		}
		last := &list[len(list)-1]
		if len(*last)+len(tokens) > maxTokens {
			return nil, lineError(i+1, "a statement of more than %d words and signs: split it up", maxTokens)
		}
		*last = append(*last, tokens...)
	}
	return list, nil
}

func lineError(line int, format string, args ...any) error {
	return fmt.Errorf("line %d: %s", line, fmt.Sprintf(format, args...))
}

// signs holds the longer signs before those that they begin with.
var signs = []string{
	"->", "&&", "||", "==", "!=", "<=", ">=",
	"(", ")", "[", "]", "{", "}", ",", ":", "=", "+", "-", "*", "/", "<", ">", "!",
}

func lexLine(s string, line int) ([]token, error) {
	var list []token
	for {
		s = strings.TrimLeft(s, " \t")
		if s == "" {
			return list, nil
		}
		kind, n := signToken, 0
		switch {
		case isLetter(s[0]):
			kind, n = nameToken, nameLength(s)
		case isDigit(s[0]):
			kind, n = numberToken, numberLength(s)
		default:
			for _, sign := range signs {
				if strings.HasPrefix(s, sign) {
					n = len(sign)
					break
				}
			}
		}
		if n == 0 {
			return nil, lineError(line, "unexpected character %q", []rune(s)[0])
		}
		if len(list) == maxTokens {
			return nil, lineError(line, "more than %d words and signs in a line: split it up", maxTokens)
		}
		list = append(list, token{kind, s[:n], line})
		s = s[n:]
	}
}

func isLetter(c byte) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' || c == '_' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }

// nameLength returns the length of the name at the beginning of s, its label
// included.
func nameLength(s string) int {
	n := 0
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n]) || s[n] == '.') {
		n++
	}
	if n+1 < len(s) && s[n] == '@' && isDigit(s[n+1]) {
		for n++; n < len(s) && isDigit(s[n]); n++ {
		}
	}
	return n
}

// numberLength returns the length of the number at the beginning of s, its
// exponent and suffix included.
func numberLength(s string) int {
	n := 0
	digits := func() {
		for n < len(s) && isDigit(s[n]) {
			n++
		}
	}
	digits()
	if n < len(s) && s[n] == '.' {
		n++
		digits()
	}
	if n < len(s) && s[n]|0x20 == 'e' {
		k := n + 1
		if k < len(s) && (s[k] == '+' || s[k] == '-') {
			k++
		}
		if k < len(s) && isDigit(s[k]) {
			n = k
			digits()
		}
	}
	for n < len(s) && (isLetter(s[n]) || isDigit(s[n])) {
		n++
	}
	return n
}
