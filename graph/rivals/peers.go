package rivals

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"github.com/wmtune/wmtune/codegen/run"
	"github.com/wmtune/wmtune/tune"
)

// packages are the Python packages that a peer needs.
var packages = map[string]string{
	"ort": "numpy onnx onnxruntime", "openvino": "numpy onnx openvino", "torch": "numpy torch", "inductor": "numpy torch",
}

// CheckPeers reports a name that is not one of PeerNames, as a *tune.OptionError.
func CheckPeers(names []string) error {
	for _, name := range names {
		if !slices.Contains(PeerNames(), name) {
			return tune.Optionf("unknown peer %q: known are %s", name, strings.Join(PeerNames(), ", "))
		}
	}
	return nil
}

// Peers are those that take part in a benchmark, and those that are missing.
type Peers []*Peer

// PeerOptions say which peers are started, and how.
type PeerOptions struct {
	Names  []string // of PeerNames
	Python string   // path of the Python that has their libraries
	Dir    string   // folder for the peers' program, which must be there
	Script []byte   // a program in place of peers.py, which it may import

	Threads int
	Pinned  bool // threads are pinned to the first cores that this process may use, at most one to a core

	Say  func(text string) // told what a user should know; nil: nobody listens
	Show func(text string) // told what is going on; nil: nobody listens
}

func (o *PeerOptions) show(text string) {
	if o.Show != nil {
		o.Show(text)
	}
}

// OpenPeers starts peers and asks for their versions. Of a peer that cannot take part it says how to install it.
func OpenPeers(ctx context.Context, o PeerOptions) (Peers, error) {
	places, err := o.places()
	if err != nil || len(o.Names) == 0 {
		return nil, err
	}
	path := filepath.Join(o.Dir, "peers.py")
	if err = renameio.WriteFile(path, script, 0o644); err == nil && o.Script != nil {
		path = filepath.Join(o.Dir, "program.py")
		err = renameio.WriteFile(path, o.Script, 0o644)
	}
	if err != nil {
		return nil, err
	}
	var list Peers
	for _, name := range o.Names {
		o.show("starting " + name)
		command := []string{o.Python, path, name, strings.Join(places, ",")}
		if !o.Pinned {
			command = append(command, "free")
		}
		p := NewPeer(name, command, Limits{})
		list = append(list, p)
		_, err := p.Version(ctx)
		if ctx.Err() != nil {
			list.Close()
			return nil, ctx.Err()
		}
		if err != nil && o.Say != nil {
			o.Say(fmt.Sprintf("%s; '%s -m pip install %s' installs it", err, o.Python, packages[name]))
		}
	}
	return list, nil
}

// places are the cores of threads; if they are not pinned, only how many there are counts.
func (o *PeerOptions) places() (list []string, err error) {
	cores, err := run.UsableCores()
	for i := range o.Threads {
		switch {
		case !o.Pinned:
			list = append(list, fmt.Sprint(i))
		case i < len(cores):
			list = append(list, fmt.Sprint(cores[i]))
		}
	}
	return list, err
}

// Versions lists the peers with their versions, or as missing.
func (l Peers) Versions() []string {
	var list []string
	for _, p := range l {
		version := "missing"
		if p.missing == nil {
			version = p.version
		}
		list = append(list, p.name+" "+version)
	}
	return list
}

// Close ends the processes.
func (l Peers) Close() {
	for _, p := range l {
		p.Close()
	}
}

// A ModelPeer is a peer that runs a whole model, whatever it is asked to prepare.
type ModelPeer struct {
	*Peer
	Model ModelInput

	// MaxError is the largest difference from the outputs in the file of inputs, as a share of the largest value; nil if
	// the file has none.
	MaxError *float64
}

// ModelInput are what a peer knows of a model.
type ModelInput struct {
	Path   string           `json:"path"`             // of the ONNX file
	Inputs string           `json:"inputs,omitempty"` // .npz file with in0, in1... in order, and out0; "": random ones
	Dims   map[string]int64 `json:"dims,omitempty"`   // extents of open dimensions of random inputs; default 1
	Torch  string           `json:"torch,omitempty"`  // Python file that makes the torch module; see peers.py
}

// Prepare implements Contender.
func (p *ModelPeer) Prepare(ctx context.Context, _ string) (string, error) {
	version, err := p.Version(ctx)
	if err != nil {
		return "", err
	}
	a, err := p.ask(ctx, PeerRequest{Do: "prepare", Model: &p.Model}, p.limits.Prepare)
	p.MaxError = a.MaxError
	return version, err
}
