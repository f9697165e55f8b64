package compile

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFolderOf: a bundle lies where a link leads, which must be somewhere.
func TestFolderOf(t *testing.T) {
	dir := t.TempDir()
	folder, link := filepath.Join(dir, "folder"), filepath.Join(dir, "link")
	if err := os.Mkdir(folder, 0o777); err != nil {
		t.Fatal(err)
	}
	for path, to := range map[string]string{link: "folder", link + "2": link, link + "3": "nothing"} {
		if err := os.Symlink(to, path); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{
		folder: folder, link: folder, link + "/": folder, link + "2": folder,
		filepath.Join(dir, "new"): filepath.Join(dir, "new"),
	} {
		if got, err := folderOf(path); err != nil || got != want {
			t.Errorf("%s: %s, %v, want %s", path, got, err, want)
		}
	}
	if _, err := folderOf(link + "3"); err == nil || !strings.Contains(err.Error(), "leads nowhere") {
		t.Errorf("a link to nothing: %v", err)
	}
}
