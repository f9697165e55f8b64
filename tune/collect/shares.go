package collect

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseShares reads three percentages, of random, evolved and neighbouring candidates.
func ParseShares(text string) (shares [3]int, err error) {
	parts, sum := strings.Split(text, "/"), 0
	for i := range shares {
		n, err := strconv.Atoi(parts[min(i, len(parts)-1)])
		if err != nil || n < 0 || len(parts) != len(shares) {
			return shares, fmt.Errorf("%q: want three percentages: random/evolved/neighbours, such as 50/25/25", text)
		}
		shares[i] = n
		sum += n
	}
	if sum != 100 {
		return shares, fmt.Errorf("%q: they make %d, not 100", text, sum)
	}
	if shares[2] == 100 {
		return shares, fmt.Errorf("%q: there must be candidates to have neighbours of", text)
	}
	return shares, nil
}
