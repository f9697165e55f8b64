package models

import (
	"fmt"

	"github.com/wmtune/wmtune/tir/compact"
	"github.com/wmtune/wmtune/tir/compute"
	"github.com/wmtune/wmtune/tir/lower"
	"github.com/wmtune/wmtune/tir/schedule"
)

// ProgramText returns the program without steps of a DAG, as the encoder reads it.
func ProgramText(d *compute.DAG) (string, error) {
	f, err := lower.Plain(schedule.New(d))
	if err != nil {
		return "", fmt.Errorf("models: the program without steps: %w", err)
	}
	return compact.Text(f), nil
}
