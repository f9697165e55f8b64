package main

import (
	"encoding/json"
	"fmt"
)

// writeJSON replaces a file by one JSON value.
func writeJSON(path string, value any) error {
	data, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return replaceFile(path, append(data, '\n'))
}
