package onnx

import (
	"errors"
	"fmt"
	"strconv"
)

// externalData returns size bytes that lie outside of the file.
func (d *decoder) externalData(where []pair, size int64) ([]byte, error) {
	location, offset, length := "", int64(0), size
	for _, p := range where {
		var err error
		switch p.key {
		case "location":
			location = p.value
		case "offset":
			offset, err = strconv.ParseInt(p.value, 10, 64)
		case "length":
			length, err = strconv.ParseInt(p.value, 10, 64)
		}
		if err != nil || offset < 0 || length < 0 {
			return nil, fmt.Errorf("damaged: the %s of its data is %q", p.key, p.value)
		}
	}
	switch {
	case location == "":
		return nil, errors.New("damaged: it does not say where its data is")
	case length != size:
		return nil, fmt.Errorf("damaged: its data is said to be %d bytes, and its shape and type need %d", length, size)
	case size == 0:
		return nil, nil
	case offset > 1<<62-size:
		return nil, fmt.Errorf("damaged: its data is said to begin at byte %d", offset)
	case d.opt.External == nil:
		return nil, fmt.Errorf("its data is in another file, %q, which is not given", location)
	}
	if part := fmt.Sprint(location, offset, size); !d.ranges[part] {
		d.ranges[part] = true
		d.outside += uint64(size)
	}
	if d.opt.Memory > 0 && d.outside > d.opt.Memory {
		return nil, fmt.Errorf("its data is %d bytes outside of the file, with that of tensors before it %d, and %d may be "+
			"used: allow more with --memory", size, d.outside, d.opt.Memory)
	}
	b, err := d.opt.External(location, offset, size)
	if err == nil && int64(len(b)) != size {
		err = fmt.Errorf("BUG: %d bytes of external data, not %d", len(b), size)
	}
	if err != nil {
		return nil, err
	}
	return b[:size:size], nil
}
