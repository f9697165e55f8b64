package scorerservice_test

import (
	"bytes"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/wmtune/wmtune/codegen/worker"
	"github.com/wmtune/wmtune/search"
	. "github.com/wmtune/wmtune/tune/scorerservice"
	"github.com/wmtune/wmtune/tune/scorerservice/servicetest"
)

func page(t *testing.T) string {
	t.Helper()
	text, err := os.ReadFile("../../docs/manual/scorer-protocol.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// fieldRow is a field in a table of the page: `name`, or [`name`] if it may be missing.
var fieldRow = regexp.MustCompile("(?m)^\\| (\\[?)`([a-z_]+)`\\]? \\| ")

// fields returns the fields of the tables in a text, those that may be missing in brackets.
func fields(text string) []string {
	var list []string
	for _, m := range fieldRow.FindAllStringSubmatch(text, -1) {
		list = append(list, m[1]+m[2])
	}
	return list
}

// TestPageFields: the tables of the page have the fields of the messages, in their order, and say which may be missing.
func TestPageFields(t *testing.T) {
	text := page(t)
	section := func(head string) string {
		_, rest, ok := strings.Cut(text, "\n"+head+"\n")
		if !ok {
			t.Fatalf("the page has no %q", head)
		}
		rest, _, _ = strings.Cut(rest, "\n## ")
		rest, _, _ = strings.Cut(rest, "\n### ")
		return rest
	}
	for head, types := range map[string][]any{
		"### hello": {Hello{}, HelloAnswer{}}, "### open": {Open{}, OpenAnswer{}}, "### score": {Score{}, ScoreAnswer{}},
		"### update": {Update{}, UpdateAnswer{}}, "### explain": {Explain{}, ExplainAnswer{}},
		"### traces": {Traces{}, TracesAnswer{}}, "### close": {Close{}}, "### cancel": {Cancel{}, CancelAnswer{}},
	} {
		var want []string
		for _, message := range types {
			of := reflect.TypeOf(message)
			for i := range of.NumField() {
				name, option, _ := strings.Cut(of.Field(i).Tag.Get("json"), ",")
				if option == "omitempty" {
					name = "[" + name
				}
				if name != "" { // an Answer, which has a section of its own
					want = append(want, name)
				}
			}
		}
		if got := fields(section(head)); !slices.Equal(got, want) {
			t.Errorf("%s: the page has the fields\n%q, the messages\n%q", head, got, want)
		}
	}
	codes := []string{"[error", "[notes"}
	for _, c := range Codes {
		codes = append(codes, string(c))
	}
	if got := fields(section("## In any answer")); !slices.Equal(got, codes) {
		t.Errorf("the page has the codes\n%q, want\n%q", got, codes)
	}
}

// TestPageBytes: the bytes of the page are a hello.
func TestPageBytes(t *testing.T) {
	_, text, _ := strings.Cut(page(t), "\n```bytes\n")
	text, _, _ = strings.Cut(text, "```")
	data, err := hex.DecodeString(strings.Join(strings.Fields(text), ""))
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := Serve(t.Context(), bytes.NewReader(data), &out, options(search.Random{})); err != nil {
		t.Fatal(err)
	}
	f, err := worker.ReadFrame(&out, worker.Bounds{Header: 1 << 20})
	if err != nil || f.Number != 1 || !strings.HasPrefix(string(f.Header), `{"version":1,`) {
		t.Errorf("answer %d: %s, %v", f.Number, f.Header, err)
	}
}

// TestPageExchange: the exchange of the page is what comes about. "..." stands for any text.
func TestPageExchange(t *testing.T) {
	_, text, _ := strings.Cut(page(t), "\n```exchange\n")
	text, _, ok := strings.Cut(text, "```")
	if !ok {
		t.Fatal("the page has no exchange")
	}
	s := serve(t, t.Context(), search.Random{Seed: 1})
	asked := 0
	var got []string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if request, ok := strings.CutPrefix(line, "> "); ok {
			asked++
			if !json.Valid([]byte(request)) {
				t.Fatalf("it is no JSON: %s", request)
			}
			s.Send(json.RawMessage(request))
			f := s.Receive()
			got = []string{"< " + string(f.Header)}
			if len(f.Blobs) > 0 {
				got = append(got, "  "+strings.Trim(fmt.Sprint(servicetest.Scores(f.Blobs[0])), "[]"))
			}
			continue
		}
		if len(got) == 0 {
			t.Fatalf("the page has more than what was answered: %s", line)
		}
		want := strings.ReplaceAll(regexp.QuoteMeta(line), `\.\.\.`, ".*")
		if !regexp.MustCompile("^" + want + "$").MatchString(got[0]) {
			t.Errorf("the page has\n%s\nthe answer is\n%s", line, got[0])
		}
		got = got[1:]
	}
	if asked < 6 {
		t.Errorf("only %d requests", asked)
	}
}
