package bpe

// pattern is what split does, for other tools: words are letters with the blanks and
// line ends before them, or anything else with one of those before it. So the start
// of a line is one word with its depth, and numbers are apart from letters.
const pattern = `[ \n]*[A-Za-z_]+|[ \n]?[^A-Za-z_ \n]+|[ \n]+`

func letter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c == '_' }

func blank(c byte) bool { return c == ' ' || c == '\n' }

// next returns the length of the first word of a text that is not empty.
func next(text string) int {
	blanks := 0
	for blanks < len(text) && blank(text[blanks]) {
		blanks++
	}
	end := blanks
	switch {
	case blanks == len(text) || blanks > 1 && !letter(text[blanks]):
		return blanks
	case letter(text[blanks]):
		for end < len(text) && letter(text[end]) {
			end++
		}
	default:
		for end < len(text) && !letter(text[end]) && !blank(text[end]) {
			end++
		}
	}
	return end
}
