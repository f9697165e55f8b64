package main

import (
	"encoding/json"
	"fmt"

	"github.com/google/renameio/v2"
)

// writeJSON replaces a file by one JSON value.
func writeJSON(path string, value any) error {
	data, err := json.MarshalIndent(value, "", " ")
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return renameio.WriteFile(path, append(data, '\n'), 0o644)
}
