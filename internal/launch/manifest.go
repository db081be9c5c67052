package launch

import (
	"path"
	"path/filepath"
	"strings"

	"anvil/compiler/canon"
)

// manifest is what matters of a package.json.
type manifest struct {
	name, version string
	bins          []bin
	odd           bool // it names programs in a way that npm would have to interpret
}

// bin is a program of a package: its name, and its file relative to the package.
type bin struct{ name, file string }

func readManifest(folder string) (manifest, error) {
	doc, err := readObject(filepath.Join(folder, "package.json"))
	if err != nil {
		return manifest{}, err
	}
	m := manifest{name: doc.Get("name").Text(), version: doc.Get("version").Text()}
	m.odd = doc.Get("directories").Get("bin") != nil
	switch programs := doc.Get("bin"); {
	case programs == nil:
	case programs.Is(canon.String):
		m.add(m.name[strings.LastIndexByte(m.name, '/')+1:], programs.Text())
	case programs.IsObject():
		for _, member := range programs.Members {
			file, isText := member.Value.Str()
			m.odd = m.odd || !isText
			m.add(member.Name, file)
		}
	default:
		m.odd = true
	}
	return m, nil
}

func (m *manifest) add(name, file string) {
	clean := path.Clean(file)
	if !programName.MatchString(name) || m.bin(name) != nil || file == "" || clean == "." ||
		!filepath.IsLocal(clean) || strings.ContainsAny(file, `\:`) {
		m.odd = true
	}
	m.bins = append(m.bins, bin{name, clean})
}

func (m *manifest) bin(name string) *bin {
	for i := range m.bins {
		if m.bins[i].name == name {
			return &m.bins[i]
		}
	}
	return nil
}

// program is the one that npx runs when none is named: the first if all are the same file, else the one that is called
// like the package.
func (m *manifest) program() (*bin, error) {
	if m.odd || len(m.bins) == 0 {
		return nil, asIs("which program of %s to run is not plain", m.name)
	}
	same := true
	for _, b := range m.bins {
		same = same && b.file == m.bins[0].file
	}
	if same {
		return &m.bins[0], nil
	}
	if b := m.bin(m.name[strings.LastIndexByte(m.name, '/')+1:]); b != nil {
		return b, nil
	}
	return nil, asIs("%s has several programs, and none of its own name", m.name)
}
