package database

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/wmtune/wmtune/dataset"
	"github.com/wmtune/wmtune/dataset/measure"
	"github.com/wmtune/wmtune/tir/schedule"
	"github.com/wmtune/wmtune/tir/target"
)

// appender is the environment variable that makes this test program append to the database of a folder.
const appender = "WMTUNE_TEST_APPEND"

func TestMain(m *testing.M) {
	if dir := os.Getenv(appender); dir != "" {
		if err := appendForever(dir, os.Args[1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// tasks are the workloads that appenders write records of.
const tasks = 3

var here = target.Generic(32, 2)

func workloadOf(i int) string { return fmt.Sprintf("matmul:m=%d,n=8,k=8", i+1) }

// record is record i of a writer. All that it holds follows from both.
func record(writer uint64, i int) dataset.Record {
	return dataset.Record{
		WorkloadKey: "key", Workload: workloadOf(i % tasks), Target: here, Layout: target.Rewrite,
		Steps: []schedule.Step{schedule.Split{At: 1, Iter: 0, Extent: 8, Lengths: []int64{int64(1 + i%8)}}},
		Costs: []float64{1e-3 + float64(i)*1e-9}, Status: measure.OK, Seed: writer, Trial: i,
	}
}

func blob(writer string, i int) []byte {
	return bytes.Repeat(fmt.Appendf(nil, "%s %d;", writer, i), 300)
}

// appendForever appends to the logs and puts objects, and says "ack N" when record and object N are kept.
func appendForever(dir, writer string) error {
	d, err := Open(dir)
	if err != nil {
		return err
	}
	seed, err := strconv.ParseUint(writer, 10, 64)
	if err != nil {
		return err
	}
	for i := 0; ; i++ {
		path := d.Log(workloadOf(i%tasks), here, target.Rewrite)
		log, err := dataset.OpenWriter(path, dataset.WriterOptions{})
		for errors.Is(err, dataset.ErrLocked) { // another writer
			time.Sleep(time.Millisecond)
			log, err = dataset.OpenWriter(path, dataset.WriterOptions{})
		}
		if err != nil {
			return err
		}
		if err := errors.Join(log.Append([]dataset.Record{record(seed, i)}), log.Close()); err != nil {
			return err
		}
		d.Put("object", Key(writer, fmt.Sprint(i)), blob(writer, i))
		fmt.Println("ack", i)
	}
}

// A writer is a process that appends.
type writer struct {
	name  string
	cmd   *exec.Cmd
	first chan struct{} // closed when it acknowledged a record, or is dead
	acked chan int      // how many records, when it is dead
}

func startWriter(t *testing.T, dir, name string) *writer {
	t.Helper()
	cmd := exec.Command(os.Args[0], name)
	cmd.Env = append(os.Environ(), appender+"="+dir)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w := &writer{name, cmd, make(chan struct{}), make(chan int, 1)}
	go func() {
		n := 0
		for s := bufio.NewScanner(out); s.Scan(); {
			if s.Text() != fmt.Sprint("ack ", n) {
				continue
			}
			if n++; n == 1 {
				close(w.first)
			}
		}
		if n == 0 {
			close(w.first)
		}
		w.acked <- n
	}()
	return w
}

// kill ends the process as nothing can keep it from, and returns how many records it has acknowledged.
func (w *writer) kill(t *testing.T) int {
	t.Helper()
	if err := w.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	n := <-w.acked
	_ = w.cmd.Wait()
	if !strings.Contains(w.cmd.ProcessState.String(), "killed") {
		t.Fatalf("the writer ended by itself: %s", w.cmd.ProcessState)
	}
	return n
}

// checkKept fails unless the database has what each writer acknowledged, at most one record more, and nothing else.
func checkKept(t *testing.T, d *Database, acked map[string]int) {
	t.Helper()
	found := map[uint64]map[int]bool{}
	for i := range tasks {
		list, err := d.Records(workloadOf(i), here, target.Rewrite)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range list {
			want := record(r.Seed, r.Trial)
			if r.Workload != want.Workload || r.Cost() != want.Cost() ||
				fmt.Sprint(r.Steps) != fmt.Sprint(want.Steps) || found[r.Seed][r.Trial] {
				t.Fatalf("record %d of writer %d is torn or there twice: %+v", r.Trial, r.Seed, r)
			}
			if found[r.Seed] == nil {
				found[r.Seed] = map[int]bool{}
			}
			found[r.Seed][r.Trial] = true
		}
	}
	for name, n := range acked {
		seed, _ := strconv.ParseUint(name, 10, 64)
		for i := range n {
			if !found[seed][i] {
				t.Fatalf("record %d of writer %s is lost; it acknowledged %d", i, name, n)
			}
			if got := d.Get("object", Key(name, fmt.Sprint(i))); !bytes.Equal(got, blob(name, i)) {
				t.Fatalf("object %d of writer %s is lost or torn: %d bytes", i, name, len(got))
			}
		}
		if len(found[seed]) > n+1 {
			t.Fatalf("writer %s acknowledged %d records, and %d are there", name, n, len(found[seed]))
		}
		if next := d.Get("object", Key(name, fmt.Sprint(n))); next != nil && !bytes.Equal(next, blob(name, n)) {
			t.Fatalf("object %d of writer %s is torn", n, name)
		}
		delete(found, seed)
	}
	if len(found) > 0 {
		t.Fatalf("records of writers that there were not: %v", found)
	}
}

// TestKill: 20 processes are killed while they write. What they acknowledged is there, nothing torn is used, and Verify
// says no more than that a round or a file was cut short.
func TestKill(t *testing.T) {
	d, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(1, 2))
	acked := map[string]int{}
	for i := range 20 {
		name := fmt.Sprint(i + 1)
		w := startWriter(t, d.Dir(), name)
		if i%2 == 0 { // however busy the machine is
			<-w.first
		}
		time.Sleep(time.Duration(20+rng.IntN(120)) * time.Millisecond)
		acked[name] = w.kill(t)
		checkKept(t, d, acked)
		c, err := d.Verify()
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range c.Damage {
			if !strings.Contains(text, "a process ended") && !strings.Contains(text, "is not whole") {
				t.Errorf("after writer %s: %s", name, text)
			}
		}
	}
	total := 0
	for _, n := range acked {
		total += n
	}
	if total < 10 {
		t.Errorf("%d records were acknowledged in all: too few for a test", total)
	}
	if c, err := d.Verify(); err != nil || c.Records < total || c.Objects < total {
		t.Errorf("%d acknowledged: %+v, %v", total, c, err)
	}
}

// TestTwoWriters: two processes write to the same logs at once. One of them is killed in between, and another takes its
// place.
func TestTwoWriters(t *testing.T) {
	d, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	a, b := startWriter(t, d.Dir(), "1"), startWriter(t, d.Dir(), "2")
	<-a.first
	time.Sleep(200 * time.Millisecond)
	acked := map[string]int{"1": a.kill(t)}
	c := startWriter(t, d.Dir(), "3")
	<-b.first
	<-c.first
	time.Sleep(200 * time.Millisecond)
	acked["2"], acked["3"] = b.kill(t), c.kill(t)
	checkKept(t, d, acked)
	if min(acked["1"], acked["2"], acked["3"]) == 0 {
		t.Errorf("acknowledged: %v", acked)
	}
}

// noLog is the content of a file that is no log, and as long as one.
var noLog = []byte("no log, but as long as one may be")

// TestVerify: each kind of damage is said.
func TestVerify(t *testing.T) {
	d, err := Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	path := d.Log(workloadOf(0), here, target.Rewrite)
	log, err := dataset.OpenWriter(path, dataset.WriterOptions{})
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3 {
		if err := log.Append([]dataset.Record{record(1, tasks*i)}); err != nil {
			t.Fatal(err)
		}
	}
	if err := log.Close(); err != nil {
		t.Fatal(err)
	}
	key := Key("x")
	d.Put("object", key, []byte("code"))
	if c, err := d.Verify(); err != nil || len(c.Damage) > 0 || c.Records != 3 || c.Logs != 1 || c.Objects != 1 {
		t.Fatalf("%+v, %v", c, err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	object := d.path("object", key)
	unfinished := filepath.Join(filepath.Dir(object), "."+key+"4711")
	for _, c := range []struct {
		damage  func() error
		want    string
		records int
	}{
		{func() error { return os.Truncate(path, int64(len(data)-5)) }, "is not whole", 2},
		{func() error { return os.WriteFile(path, noLog, 0o666) }, "not a tuning log", 0},
		{func() error { return os.WriteFile(object, bytes.Repeat([]byte{7}, 40), 0o666) }, "its checksum is wrong", 0},
		{func() error { return os.WriteFile(unfinished, []byte("co"), 0o666) }, "ended while it wrote this file", 0},
	} {
		if err := c.damage(); err != nil {
			t.Fatal(err)
		}
		got, err := d.Verify()
		if err != nil || got.Records != c.records || !strings.Contains(strings.Join(got.Damage, "\n"), c.want) {
			t.Errorf("want %q: %+v, %v", c.want, got, err)
		}
	}
	if n, _, err := d.Clean(time.Now().Add(time.Minute)); err != nil || n != 3 {
		t.Errorf("cleaned %d files, %v", n, err)
	}
}

// TestMisses: records that a lookup does not use are counted by what is different of them.
func TestMisses(t *testing.T) {
	d, err := Open(filepath.Join(t.TempDir(), "a[b*")) // which a pattern would not match
	if err != nil {
		t.Fatal(err)
	}
	other, cores, wide := here, here, here
	other.CPU, cores.Hardware.Cores, wide.Features = "znver9", 8, []string{"avx512f"}
	for _, c := range []struct {
		t      target.Target
		l      target.Layout
		timing measure.Timing
		n      int
	}{
		{here, target.Rewrite, measure.Repeated, 5}, {other, target.Rewrite, measure.Repeated, 12},
		{cores, target.Rewrite, measure.Repeated, 2}, {wide, target.Rewrite, measure.Repeated, 4},
		{here, target.Keep, measure.Repeated, 3}, {here, target.Rewrite, measure.Deployed, 6},
	} {
		log, err := dataset.OpenWriter(d.Timed(c.timing).Log(workloadOf(0), c.t, c.l), dataset.WriterOptions{})
		if err != nil {
			t.Fatal(err)
		}
		for i := range c.n {
			r := record(1, tasks*i)
			r.Target, r.Layout, r.Timing = c.t, c.l, c.timing
			if err := log.Append([]dataset.Record{r}); err != nil {
				t.Fatal(err)
			}
		}
		log.Close()
	}
	unreadable := strings.Replace(d.Log(workloadOf(0), here, target.Rewrite), logEnding, "x"+logEnding, 1)
	if err := os.WriteFile(unreadable, noLog, 0o666); err != nil {
		t.Fatal(err)
	}
	got := d.Misses(workloadOf(0), here, target.Rewrite)
	want := map[string]int{
		"are in logs that this wmtune cannot read":                         1,
		fmt.Sprintf("were made with other vector instructions (%s)", wide): 4,
		"were timed deployed, not repeated":                                6,
		"were made on another processor (znver9, 2 cores)":                 12,
		"were made with 8 cores, not 2":                                    2,
		"were made with the weight layout keep, not rewrite":               3,
	}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%v", got)
	}
	if got := d.Misses(workloadOf(1), here, target.Rewrite); len(got) > 0 {
		t.Errorf("of another workload: %v", got)
	}
}
