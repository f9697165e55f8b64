package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/spf13/pflag"

	"github.com/wmtune/wmtune/cmd/report"
	"github.com/wmtune/wmtune/dataset/database"
)

const databaseArgs = "[verify | clean] [flags]"

const databaseWhat = `Database prints where the record database is and what it holds: tuning logs of the
tasks of models, schedules that scorers chose, and compiled kernels. 'wmtune compile'
reads and fills it, so that it does no work twice. Several processes may use it at once.

'wmtune database verify' reads all of it and lists damaged entries.
'wmtune database clean' removes entries that no command has used for a while. The
database is a cache: without it wmtune searches and compiles everything again.`

const databaseExamples = `  wmtune database
  wmtune database verify
  wmtune database clean --older 7d
  wmtune database --database folder --json
`

const databaseVerifyWhat = `Verify reads all of the record database and lists damaged entries: a round of a log
that a killed process left unfinished, a file whose checksum is wrong. Commands skip
damaged entries. The exit code is 1 if there are any.`

const databaseCleanWhat = `Clean removes the logs, schedules and kernels of the record database that no command
has used for a while.`

// databaseVerbs are the verbs of database.
func databaseVerbs() []verb {
	return []verb{
		{"verify", "[--json]", 0, "read all of it and report damage", databaseVerifyWhat, "", declareDatabaseVerify, nil},
		{"clean", "[--older 30d]", 0, "remove what is long unused", databaseCleanWhat, "", declareDatabaseClean, nil},
	}
}

func declareDatabase(fs *pflag.FlagSet) action {
	dir := ""
	declareDatabaseFolder(fs, &dir)
	asJSON := fs.Bool("json", false, "one JSON object")
	return func(_ context.Context, args []string, stdout, _ io.Writer) error {
		if len(args) > 0 {
			return usagef("unknown command %q: known are verify and clean", args[0])
		}
		return withDatabase(dir, func(db *database.Database) error {
			c, err := db.Contents()
			if err != nil {
				return err
			}
			if *asJSON {
				return json.NewEncoder(stdout).Encode(c)
			}
			fmt.Fprintf(stdout, "%s: %s\n%s, %s, %s\n", c.Dir, report.Size(c.Bytes), count(c.Logs, "tuning log"),
				count(c.Choices, "chosen schedule"), count(c.Objects, "compiled kernel"))
			return nil
		})
	}
}

func declareDatabaseVerify(fs *pflag.FlagSet) action {
	dir := ""
	declareDatabaseFolder(fs, &dir)
	asJSON := fs.Bool("json", false, "one JSON object")
	return func(_ context.Context, _ []string, stdout, _ io.Writer) error {
		return withDatabase(dir, func(db *database.Database) error {
			c, err := db.Verify()
			switch {
			case err != nil:
				return err
			case *asJSON:
				err = json.NewEncoder(stdout).Encode(c)
			default:
				for _, text := range c.Damage {
					fmt.Fprintln(stdout, text)
				}
				_, err = fmt.Fprintf(stdout, "%s: %s in %s, %s, %s\n", c.Dir, count(c.Records, "record"),
					count(c.Logs, "tuning log"), count(c.Choices, "chosen schedule"), count(c.Objects, "compiled kernel"))
			}
			if err == nil && len(c.Damage) > 0 {
				err = fmt.Errorf("record database: damage in %s, listed above; commands skip damaged entries",
					count(len(c.Damage), "place"))
			}
			return err
		})
	}
}

func declareDatabaseClean(fs *pflag.FlagSet) action {
	dir := ""
	declareDatabaseFolder(fs, &dir)
	older := fs.String("older", "30d", "age of files to remove, a `duration` such as 30d or 12h")
	return func(_ context.Context, _ []string, stdout, _ io.Writer) error {
		age, err := database.ParseAge(*older)
		if err != nil {
			return usagef("--older: %v", err)
		}
		return withDatabase(dir, func(db *database.Database) error {
			files, bytes, err := db.Clean(time.Now().Add(-age))
			fmt.Fprintf(stdout, "%s: removed %s, %s\n", db.Dir(), count(files, "file"), report.Size(bytes))
			return err
		})
	}
}

// withDatabase opens the record database for do.
func withDatabase(dir string, do func(*database.Database) error) error {
	if dir != "" && dir != "none" {
		if _, err := os.Stat(dir); err != nil { // only the default folder is made
			return fmt.Errorf("record database: %w; 'wmtune compile MODEL.onnx --database %s' makes it", err, dir)
		}
	}
	why := ""
	db, err := openDatabase(dir, func(text string) { why = ": " + text })
	switch {
	case err != nil:
		return err
	case db == nil:
		return usagef("there is no record database: name its folder with --database%s", why)
	}
	return do(db)
}

// declareDatabaseFolder declares --database.
func declareDatabaseFolder(fs *pflag.FlagSet, dir *string) {
	fs.StringVar(dir, "database", "",
		"record database, a `folder`; none: keep nothing (default: wmtune in the user's cache)")
}

// openDatabase opens the record database: in the user's cache folder if dir is "", and none if it is "none". It says
// what is not used or not kept. A cache that cannot be made costs time only, unless the user has named it.
func openDatabase(dir string, say func(string)) (*database.Database, error) {
	named := dir != ""
	switch dir {
	case "none":
		return nil, nil
	case "":
		cache, err := os.UserCacheDir()
		if err != nil {
			say("no folder for caches is known, so nothing is kept: set HOME, or name a folder with --database")
			return nil, nil
		}
		dir = filepath.Join(cache, "wmtune")
	}
	db, err := database.Open(dir)
	switch {
	case err != nil && named:
		return nil, err
	case err != nil:
		say(err.Error() + "; nothing is kept")
		return nil, nil
	}
	for _, err := range []error{db.Shared(), db.ReadOnly()} {
		if err != nil {
			say(err.Error())
		}
	}
	return db, nil
}
