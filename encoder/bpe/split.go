package bpe

// pattern is what split does, for other tools: words are names with the blanks and
// line ends before them, numbers (products of powers), or anything else, each of
// these with one blank or line end before it. So the start of a line is one word with
// its depth, and a number is the same word wherever it stands.
const pattern = `[ \n]*[A-Za-z_]+[0-9]*|[ \n]?[0-9]+(?:[*^.][0-9]+)*|[ \n]?[^A-Za-z_0-9 \n]+|[ \n]+`

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

func digit(c byte) bool { return c >= '0' && c <= '9' }

func blank(c byte) bool { return c == ' ' || c == '\n' }

// while returns the end of what satisfies is, from a place on.
func while(text string, at int, is func(c byte) bool) int {
	for at < len(text) && is(text[at]) {
		at++
	}
	return at
}

// next returns the length of the first word of a text that is not empty.
func next(text string) int {
	blanks := while(text, 0, blank)
	switch {
	case blanks == len(text) || blanks > 1 && !letter(text[blanks]):
		return blanks
	case letter(text[blanks]):
		return while(text, while(text, blanks, letter), digit)
	case digit(text[blanks]):
		return number(text, blanks)
	}
	return while(text, blanks, func(c byte) bool { return !letter(c) && !digit(c) && !blank(c) })
}

// number returns the end of the number that begins at a place.
func number(text string, at int) int {
	for {
		at = while(text, at, digit)
		if at+1 >= len(text) || text[at] != '*' && text[at] != '^' && text[at] != '.' || !digit(text[at+1]) {
			return at
		}
		at++
	}
}
