package config

import (
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// minFilled is the least length of a value that is looked for because it came in by a variable, in bytes.
const minFilled = 8

var (
	// settingWord ends the name of a variable whose value a server may well speak of.
	settingWord = regexp.MustCompile(`(^|_)(HOME|USER|USERNAME|LOGNAME|EMAIL|PWD|SHELL|PATH|PATHS|DIR|DIRS|DIRECTORY|ROOT|WORKSPACE|FOLDER|FILE|HOST|HOSTNAME|URL|URI|ENDPOINT|` +
		`ADDRESS|PORT|REGION|ZONE|ENV|ENVIRONMENT|MODE|LEVEL|LOCALE|LANG|LANGUAGE|TZ|TIMEZONE|PROJECT|ORG|ORGANIZATION|TEAM|MODEL|NAME|VERSION|BRANCH|PROFILE|DATABASE|TMPDIR)$`)

	// plainSetting are values that anybody could have chosen: words, paths, hosts, dates, versions, regions, and numbers with few digits.
	plainSetting = regexp.MustCompile(`^([A-Za-z]+([ _-][A-Za-z]+){0,2}|[~.]?/.*|[A-Za-z]:\\.*|v?[0-9]+([.-][0-9]+)+([-.+][a-z0-9.]+)?|[0-9]{1,7}|[a-z]{2,4}(-[a-z]+)+-?[0-9]{1,2}[a-z]?|` +
		`[A-Za-z0-9-]+(\.[A-Za-z0-9-]+)*\.[A-Za-z]{2,}(:[0-9]+)?|localhost(:[0-9]+)?)$`)
)

// filledSecrets returns the values that came in by variables and that the server has no reason to repeat: whoever keeps a value out of the file keeps
// it for something. A value is left out when it is short, when anybody could have chosen it, or when the name of its variable tells what it is.
func (s Server) filledSecrets() (values []string) {
	for name, value := range s.filled {
		if !isConfidential(name, value) {
			continue
		}
		values = append(values, value, url.QueryEscape(value), url.PathEscape(value))
		values = append(values, innerSecrets(value)...)
	}
	return slices.DeleteFunc(values, func(v string) bool { return len(v) < minFilled })
}

func isConfidential(name, value string) bool {
	if namesSecret(name) || isSecret(value) {
		return true
	}
	openly := settingWord.MatchString(strings.ToUpper(name)) || plainSetting.MatchString(value) || schemed.MatchString(value)
	return len(value) >= minFilled && !openly
}
