package report

import (
	"bytes"
	"regexp"
	"strings"
	"testing"
)

// TestPage: the page is whole, escapes what it shows, and needs no network.
func TestPage(t *testing.T) {
	p := Page{
		Title: "Records", Facts: []string{"a & b"},
		Tables: []Table{{Head: []string{"a<b *"}, Rows: [][]string{{"4.00"}}, Notes: []string{"of one & all"}}},
		Bars:   []Bars{{Title: "labels", Across: "share", Counts: []int{1, 2}}},
	}
	var b bytes.Buffer
	if err := p.Write(&b); err != nil {
		t.Fatal(err)
	}
	text := b.String()
	for _, want := range []string{"a &amp; b", "a&lt;b *</th>", "<td>4.00</td>", "of one &amp; all", "<svg", "</html>"} {
		if !strings.Contains(text, want) {
			t.Errorf("not in the page: %s", want)
		}
	}
	if found := regexp.MustCompile(`(?i)https?:|src=|@import|url\(|<script|<link`).FindString(text); found != "" {
		t.Errorf("the page loads something: %s", found)
	}
}
