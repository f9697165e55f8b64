// Package bpe splits text into tokens by byte-level byte pair encoding (Sennrich et
// al. 2016, on bytes as in GPT-2), and learns the tokens.
//
// A tokenizer is a file in the form of Hugging Face's tokenizer.json, which other
// tools read. Its tables are loaded by github.com/sugarme/tokenizer; splitting,
// merging and learning are our own: the library's trainer skips most words of large
// texts, its merging depends on chance in long runs, and both are a hundred times
// slower.
//
// The package must not know what texts are about, but for one rule: digits never
// merge with letters.
package bpe
