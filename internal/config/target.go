package config

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Kind says what a [Target] is.
type Kind string

// The kinds of a Target. The first three have a Server, the last two a Path.
const (
	KindCommand  Kind = "command"  // COMMAND ARG... behind "--"
	KindURL      Kind = "url"      //
	KindName     Kind = "name"     // from the configuration
	KindSnapshot Kind = "snapshot" // a file
	KindPack     Kind = "pack"     // a folder that holds anvil-pack.json
)

// Target is what a command was asked to work on.
type Target struct {
	Kind   Kind
	Server Server
	Path   string // as given; for a pack named by its manifest, the folder of that
}

// manifestName is the file that makes a folder a pack.
const manifestName = "anvil-pack.json"

// ParseTarget finds the one target among the arguments of a command. args are those before "--", flags taken out;
// dashdash are those behind it, nil when there was no "--". file may be nil: no configuration was found. transport is
// the value of --transport, "" when it was not given; it must suit the target and replaces what a configuration says.
//
// A name of the configuration wins over a file of the same name; ./NAME forces the path. A path is only looked at, not
// read: whether it holds what its kind promises is found out by who opens it.
func ParseTarget(args, dashdash []string, file *File, transport string) (Target, error) {
	forced, err := normalTransport(transport)
	if err != nil {
		return Target{}, fmt.Errorf("--transport: %w", err)
	}
	target, err := findTarget(args, dashdash, file)
	if err != nil || forced == "" {
		return target, err
	}
	switch {
	case target.Path != "":
		return Target{}, fmt.Errorf("--transport is for servers; %s is a %s", target.Path, target.Kind)
	case forced == Stdio && target.Server.Command == "":
		return Target{}, errors.New("--transport stdio needs a command; give it behind --")
	case forced != Stdio && target.Server.URL == "":
		return Target{}, fmt.Errorf("--transport %s needs a URL, not a command", forced)
	}
	target.Server.Transport = forced
	return target, nil
}

func findTarget(args, dashdash []string, file *File) (Target, error) {
	switch {
	case dashdash != nil && len(args) > 0:
		return Target{}, fmt.Errorf("two targets: %s, and the command behind --; give one", quoted(args[0]))
	case dashdash != nil && (len(dashdash) == 0 || dashdash[0] == ""):
		return Target{}, errors.New("no command behind --; give what to start, as in -- npx NAME")
	case dashdash != nil:
		return Target{Kind: KindCommand, Server: Server{
			Transport: Stdio, Command: dashdash[0], Args: append([]string(nil), dashdash[1:]...),
		}}, nil
	case len(args) > 1:
		return Target{}, fmt.Errorf("two targets: %s and %s; give one (a command with arguments goes behind --)", quoted(args[0]), quoted(args[1]))
	case len(args) == 0 || args[0] == "":
		return Target{}, fmt.Errorf("no target; give -- COMMAND ARG..., a URL, a path, or a name from the configuration (%s)", searched(file))
	}
	return parseWord(args[0], file)
}

func quoted(arg string) string { return fmt.Sprintf("%q", maskWord(arg)) }

func searched(file *File) string {
	if file == nil {
		return "there is none: looked for " + strings.Join(fileNames, ", ")
	}
	return file.Path + ": " + file.listNames()
}

func parseWord(word string, file *File) (Target, error) {
	if schemed.MatchString(word) {
		if err := checkURL(word); err != nil {
			return Target{}, err
		}
		return Target{Kind: KindURL, Server: Server{URL: word}}, nil
	}
	if file != nil && !isForcedPath(word) {
		if _, ok := file.entries[word]; ok {
			server, err := file.Server(word)
			if err != nil {
				return Target{}, err
			}
			return Target{Kind: KindName, Server: server}, nil
		}
	}
	info, err := os.Stat(word)
	switch {
	case err == nil && info.IsDir():
		return packTarget(word)
	case err == nil && !info.Mode().IsRegular():
		return Target{}, fmt.Errorf("%s is no regular file: it is neither a snapshot (a JSON file) nor a pack (a folder with %s)", word, manifestName)
	case err == nil:
		return fileTarget(word)
	case isForcedPath(word):
		return Target{}, fmt.Errorf("no snapshot or pack there: %w", err)
	}
	return Target{}, unknownWord(word, file)
}

func isForcedPath(word string) bool {
	slashed := filepath.ToSlash(word)
	return word == "." || word == ".." || strings.HasPrefix(slashed, "./") || strings.HasPrefix(slashed, "../") || filepath.IsAbs(word)
}

func unknownWord(word string, file *File) error {
	hint := ""
	if strings.ContainsAny(word, ":") {
		hint = "; an address needs http:// or https:// in front"
	}
	return fmt.Errorf("%s is neither a server of the configuration (%s) nor a file%s", quoted(word), searched(file), hint)
}

func packTarget(dir string) (Target, error) {
	if info, err := os.Stat(filepath.Join(dir, manifestName)); err != nil || !info.Mode().IsRegular() {
		return Target{}, fmt.Errorf("folder %s is no pack: it holds no %s", dir, manifestName)
	}
	return Target{Kind: KindPack, Path: dir}, nil
}

func fileTarget(path string) (Target, error) {
	base := filepath.Base(path)
	switch {
	case base == manifestName:
		return Target{Kind: KindPack, Path: filepath.Dir(path)}, nil
	case slices.Contains(fileNames, base):
		return Target{}, fmt.Errorf("%s is a configuration; give it with --config and name one of its servers", path)
	case strings.EqualFold(filepath.Ext(base), ".json") || startsLikeJSON(path):
		return Target{Kind: KindSnapshot, Path: path}, nil
	}
	return Target{}, fmt.Errorf("%s is neither a snapshot (a JSON file) nor a pack (a folder with %s)", path, manifestName)
}

func startsLikeJSON(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head, err := io.ReadAll(io.LimitReader(f, 512))
	return err == nil && bytes.HasPrefix(bytes.TrimSpace(head), []byte("{"))
}
