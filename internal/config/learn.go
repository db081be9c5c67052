package config

import (
	"fmt"
	"path/filepath"
	"strings"

	"anvil/compiler/canon"
	"anvil/compiler/diag"
)

func (f *File) readStore(value *canon.Node, at string) error {
	text, ok := value.Str()
	if !ok || !diag.Legible(text) {
		return f.problem(at, "learn.store must say where what is learned is kept: a path, sqlite:PATH or postgres://...")
	}
	f.store = text
	return nil
}

// LearnStore returns where what is learned is kept, learn.store, with its variables filled in; "" where the file does not say. A path is relative to the file.
func (f *File) LearnStore() (string, error) { return f.located("learn.store", f.store) }

// FacadeState returns where facades keep their state, facade.state, as LearnStore does.
func (f *File) FacadeState() (string, error) { return f.located("facade.state", f.state) }

// located fills in the variables of a setting that is a path or the address of a database.
func (f *File) located(setting, store string) (string, error) {
	at := "/" + strings.ReplaceAll(setting, ".", "/")
	if store == "" {
		return "", nil
	}
	if f.lookup != nil {
		x := expander{lookup: f.lookup}
		filled, missing := x.expand(store)
		switch {
		case x.used && f.dotenvErr != nil:
			return "", f.dotenvErr
		case len(missing) > 0:
			return "", fmt.Errorf("%s: %s needs %s, which is not set; set it in the environment or in .env beside the file, or write ${NAME:-default}",
				f.place(at), setting, strings.Join(missing, ", "))
		case filled == "":
			return "", f.problem(at, "%s is empty once its variables are filled in", setting)
		}
		store = filled
	}
	if IsAddress(store) || store == ":memory:" {
		return store, nil
	}
	path, scheme := strings.CutPrefix(store, "sqlite:")
	if !filepath.IsAbs(path) && path != ":memory:" {
		path = filepath.Join(filepath.Dir(f.Path), path)
	}
	if scheme {
		path = "sqlite:" + path
	}
	return path, nil
}

// IsAddress reports a store that is no file: postgres://..., or the address of something else.
func IsAddress(store string) bool { return strings.Contains(store, "://") }
