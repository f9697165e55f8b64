package tune

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/wmtune/wmtune/codegen/model"
	"github.com/wmtune/wmtune/dataset"
	place "github.com/wmtune/wmtune/tune/folder"
)

// resultFile is the file of a folder that says what lies there.
const resultFile = "result.json"

// A folder holds a kernel, its result.json and perhaps the tuning log. It is replaced as a
// whole: the next one is made beside it, and the two change places. Where that cannot be, as
// for a mount point, all files are written before the first takes its place.
type folder struct {
	dir  string
	log  string // file name of the tuning log, if it lies in the folder; else ""
	lock *os.File
}

// openFolder makes the folder of a workload's kernel, and makes sure that it can be written to, and
// that it holds neither the kernel of another workload nor files that are not ours. No other session
// writes to it until it is closed.
func openFolder(dir, workload, log string) (*folder, error) {
	dir, err := filepath.Abs(dir)
	if err == nil {
		err = os.MkdirAll(dir, 0o777)
	}
	if err != nil {
		return nil, fmt.Errorf("folder for the results: %w; choose another with --out", err)
	}
	f := &folder{dir: dir}
	if path, err := filepath.Abs(log); log != "" && err == nil && filepath.Dir(path) == dir {
		f.log = filepath.Base(path)
	}
	if f.lock, err = place.Lock(dir); err != nil {
		return nil, err
	}
	place.RemoveStale(dir)
	if r, err := f.result(); err == nil && r.Workload != workload {
		f.close()
		return nil, fmt.Errorf("folder %s holds the kernel of %s; choose another with --out", dir,
			(&dataset.Task{Workload: r.Workload}).Title())
	}
	err = f.foreign()
	if err == nil {
		f.removeUnfinished()
		var probe *os.File
		if probe, err = os.CreateTemp(dir, unfinished+"*"); err == nil {
			probe.Close()
			err = os.Remove(probe.Name())
		}
		if err != nil {
			err = fmt.Errorf("folder for the results: %w; choose another with --out", err)
		}
	}
	if err != nil {
		f.close()
		return nil, err
	}
	return f, nil
}

// close lets other sessions write to the folder.
func (f *folder) close() { f.lock.Close() }

// removeUnfinished removes what killed sessions were writing inside of the folder.
func (f *folder) removeUnfinished() {
	entries, _ := os.ReadDir(f.dir)
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), unfinished) {
			os.RemoveAll(filepath.Join(f.dir, e.Name()))
		}
	}
}

// result reads result.json.
func (f *folder) result() (Result, error) {
	var r Result
	data, err := os.ReadFile(filepath.Join(f.dir, resultFile))
	if err != nil {
		return r, err
	}
	return r, json.Unmarshal(data, &r)
}

// unfinished is how names begin of what is being written inside of the folder.
const unfinished = ".wmtune-new."

// passing reports whether a name is that of something that a session is writing, here or as a folder in this one.
func passing(name string) bool {
	return strings.HasPrefix(name, unfinished) || strings.HasPrefix(name, ".wmtune.")
}

// foreign is an error that names the files of the folder that no session has written.
func (f *folder) foreign() error {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return fmt.Errorf("folder for the results: %w", err)
	}
	r, _ := f.result()
	known := append(r.Files, f.log, resultFile, "example") // example.c says how to make the last
	var list []string
	for _, e := range entries {
		if !slices.Contains(known, e.Name()) && !passing(e.Name()) &&
			!isLog(filepath.Join(f.dir, e.Name())) {
			list = append(list, e.Name())
		}
	}
	if len(list) > 0 {
		return fmt.Errorf("folder %s holds files that wmtune did not write: %s; move them or choose "+
			"another folder with --out",
			f.dir, strings.Join(list[:min(len(list), 5)], ", "))
	}
	return nil
}

// isLog reports whether a file is a tuning log, such as one that an earlier search wrote
// with another --log.
func isLog(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() || info.Size() == 0 {
		return false
	}
	r, err := dataset.Open(path)
	if err != nil {
		return false
	}
	r.Close()
	return true
}

// replace puts a kernel and its result into the folder, in the place of what lies there.
func (f *folder) replace(kernel []model.File, r *Result) error {
	data, err := json.MarshalIndent(r, "", "  ")
	if err != nil {
		return fmt.Errorf("%s: %w", resultFile, err)
	}
	files := append(slices.Clone(kernel), model.File{Name: resultFile, Data: append(data, '\n')})
	swapped := false
	if f.foreign() == nil { // what somebody has put there since stays where it is
		swapped, err = f.exchange(files)
	}
	if err == nil && !swapped {
		err = f.rewrite(files)
	}
	if err != nil {
		return fmt.Errorf("write the best kernel: %w; the log is intact: free space or choose another folder with --out, "+
			"and run the same command again", err)
	}
	return nil
}

// exchange makes a folder beside ours and has the two change places. It reports false, with
// nothing changed, where the system cannot do that.
func (f *folder) exchange(files []model.File) (bool, error) {
	if !place.Exchangeable(f.dir) {
		return false, nil
	}
	next, err := place.NewStage(f.dir)
	if err != nil {
		return false, nil
	}
	defer next.Close()
	for _, file := range files {
		if err := next.Put(file); err != nil {
			return false, err
		}
	}
	if !f.linkLogs(next.Dir, files) || next.Exchange(f.dir) != nil {
		return false, nil
	}
	f.lock.Close()
	f.lock = next.Keep()
	return true, nil
}

// linkLogs has the next folder hold the tuning logs of this one, which may be open: a link
// is the same file.
func (f *folder) linkLogs(next string, files []model.File) bool {
	entries, err := os.ReadDir(f.dir)
	if err != nil {
		return false
	}
	r, _ := f.result()
	for _, e := range entries {
		name := e.Name()
		ours := slices.Contains(r.Files, name) ||
			slices.ContainsFunc(files, func(x model.File) bool { return x.Name == name })
		if ours || name == resultFile || passing(name) {
			continue
		}
		if os.Link(filepath.Join(f.dir, name), filepath.Join(next, name)) != nil {
			return false
		}
	}
	return true
}

// rewrite replaces the files one by one, after all of them were written.
func (f *folder) rewrite(files []model.File) error {
	next, err := os.MkdirTemp(f.dir, unfinished+"*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(next)
	stage := place.Stage{Dir: next}
	for _, file := range files {
		if err := stage.Put(file); err != nil {
			return err
		}
	}
	old, _ := f.result()
	return stage.Rewrite(f.dir, resultFile, old.Files)
}
