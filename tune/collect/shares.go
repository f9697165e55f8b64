package collect

import (
	"fmt"
	"strconv"
	"strings"
)

// choices stands in place of shares: see Options.Choices.
const choices = "choices"

// ParseShares reads three percentages, of random, evolved and neighbouring candidates, or "choices".
func (o *Options) ParseShares(text string) (err error) {
	if o.Choices = text == choices; !o.Choices {
		o.Shares, err = parseShares(text)
		return err
	}
	if o.Scorer != "world" {
		return fmt.Errorf("%s: only a trained scorer can choose: add --scorer world", choices)
	}
	return nil
}

// sharesText is what ParseShares reads.
func (o *Options) sharesText() string {
	if o.Choices {
		return choices
	}
	return fmt.Sprintf("%d/%d/%d", o.Shares[0], o.Shares[1], o.Shares[2])
}

func parseShares(text string) (shares [3]int, err error) {
	parts, sum := strings.Split(text, "/"), 0
	for i := range shares {
		n, err := strconv.Atoi(parts[min(i, len(parts)-1)])
		if err != nil || n < 0 || len(parts) != len(shares) {
			return shares, fmt.Errorf("%q: want three percentages: random/evolved/neighbours, such as 50/25/25, or %s", text,
				choices)
		}
		shares[i] = n
		sum += n
	}
	if sum != 100 {
		return shares, fmt.Errorf("%q: the percentages add up to %d, not 100", text, sum)
	}
	if shares[2] == 100 {
		return shares, fmt.Errorf("%q: neighbours need random or evolved candidates", text)
	}
	return shares, nil
}
