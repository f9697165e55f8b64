package ansor

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"regexp"
	"testing"
	"time"
)

var mutants = flag.Int("mutants", 3000, "how many changed lines TestMutants reads")

var (
	integers = regexp.MustCompile(`-?\b\d+\b`)
	kinds    = regexp.MustCompile(`"[A-Z]{2,4}"`)
	lists    = regexp.MustCompile(`\[[^\[\]]*\], `)
)

// mutate returns a line that is a little different: mostly one that still parses,
// with other numbers or steps, and sometimes one that does not.
func mutate(rng *rand.Rand, line string) string {
	pick := func(re *regexp.Regexp) (from, to int) {
		all := re.FindAllStringIndex(line, -1)
		if len(all) == 0 {
			return 0, 0
		}
		at := all[rng.IntN(len(all))]
		return at[0], at[1]
	}
	numbers := []string{"-1", "0", "1", "2", "3", "5", "8", "13", "100", "2147483648", "4611686018427387904", "9223372036854775807", "-9223372036854775808"}
	tags := []string{"AN", "FU", "PR", "RE", "SP", "FSP", "FFSP", "SA", "CA", "CI", "CR", "CHR", "CHW", "RF"}
	switch rng.IntN(8) {
	default:
		from, to := pick(integers)
		return line[:from] + numbers[rng.IntN(len(numbers))] + line[to:]
	case 4:
		from, to := pick(kinds)
		return line[:from] + `"` + tags[rng.IntN(len(tags))] + `"` + line[to:]
	case 5: // a step or list twice
		from, to := pick(lists)
		return line[:to] + line[from:to] + line[to:]
	case 6: // or not at all
		from, to := pick(lists)
		return line[:from] + line[to:]
	case 7:
		b := []byte(line)
		b[rng.IntN(len(b))] = byte(rng.IntN(128))
		return string(b)
	}
}

// TestMutants: changed lines are refused or become records that are written and
// read again; nothing panics, and nothing takes long.
func TestMutants(t *testing.T) {
	lines := append(sample(t), shortLine, shortLine, shortLine)
	im := NewImporter()
	kept, refused := 0, map[string]int{}
	for i := range *mutants {
		rng := rand.New(rand.NewPCG(11, uint64(i)))
		text := lines[rng.IntN(len(lines))]
		for range 1 + rng.IntN(3) {
			text = mutate(rng, text)
		}
		began := time.Now()
		err := sameAgain(im, text)
		if took := time.Since(began); took > 10*time.Second {
			t.Errorf("mutant %d took %s: %s", i, took, text)
		}
		switch err.(type) {
		case nil:
			kept++
		case differs:
			t.Errorf("mutant %d: %s\n%v", i, text, err)
		default:
			refused[regexp.MustCompile(`[^a-z ].*`).ReplaceAllString(err.Error(), "")]++
		}
	}
	t.Logf("%d were records, and the others were none for %d reasons: %v", kept, len(refused), refused)
	if kept < *mutants/20 || len(refused) < 5 {
		t.Errorf("%d were records, and the others were none for %d reasons", kept, len(refused))
	}
}

// differs says that a record was not the same after it was written and read.
type differs string

func (d differs) Error() string { return string(d) }

// sameAgain imports a line, and checks that the record is written as a line that
// is the same record again. The error is why it is no record, or a differs.
func sameAgain(im *Importer, text string) error {
	l, err := ParseLine([]byte(text))
	if err != nil {
		return err
	}
	r, err := im.Record(l, 0)
	if err != nil {
		return err
	}
	first := LineOf(&r).Append(nil)
	again, err := ParseLine(first)
	if err != nil {
		return differs(fmt.Sprintf("was written as %s: %v", first, err))
	}
	back, err := im.Record(again, 0)
	if err != nil {
		return differs(fmt.Sprintf("was written as %s: %v", first, err))
	}
	if second := LineOf(&back).Append(nil); !bytes.Equal(first, second) {
		return differs(fmt.Sprintf("was written as %s\nand then as %s", first, second))
	}
	return nil
}
