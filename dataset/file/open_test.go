package file

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

// TestOpen: a file is opened, through a link too. What is none is an error that names the path and says what lies
// there, and nobody waits for the writer of a pipe.
func TestOpen(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	if err := os.WriteFile(at("plain"), []byte("text"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := unix.Mkfifo(at("pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	socket, err := net.Listen("unix", at("socket"))
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	for name, to := range map[string]string{"link": "plain", "to pipe": "pipe", "to zero": "/dev/zero"} {
		if err := os.Symlink(to, at(name)); err != nil {
			t.Fatal(err)
		}
	}
	for name, want := range map[string]string{
		"plain": "", "link": "", "pipe": "it is a pipe", "to pipe": "it is a pipe", "to zero": "it is a device",
		"": "it is a folder", "socket": "no such device or address", "none": "no such file",
	} {
		data, err := Read(at(name), 4)
		switch {
		case want == "" && (err != nil || string(data) != "text"):
			t.Errorf("%s: %q, %v", name, data, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), at(name)) || !strings.Contains(err.Error(), want)):
			t.Errorf("%s: %v, want %s", name, err, want)
		}
	}
	if _, err := Read(at("plain"), 3); err == nil || !strings.Contains(err.Error(), "more than 3 bytes") {
		t.Error(err)
	}
}
