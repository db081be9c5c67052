package gate

import (
	"fmt"
	"strconv"

	"anvil/compiler/diag"
	"anvil/compiler/wording"
)

// checkSecrets reports each credential that stands in a string, masked: as a value of a schema by one rule, anywhere else by another.
func checkSecrets(v *survey) []diag.Finding {
	var findings []diag.Finding
	v.secrets = map[string]bool{}
	v.eachUtterance(func(u utterance) {
		secrets := wording.Secrets(u.text)
		rule := secretInSchema
		if u.role == valueRole || u.role == patternRole {
			rule = sensitiveDefault
		}
		if len(secrets) == 0 && u.role != nameRole && u.role != patternRole && wording.Random(u.text) && wording.NamesSecret(u.property) && !wording.Placeholder(u.text) {
			secrets = []wording.Secret{{Kind: fmt.Sprintf("value of %s", u.property), Value: u.text}}
		}
		for i, s := range secrets {
			v.secrets[s.Value] = true
			masked, kind := wording.Mask(s.Value), diag.Shorten(diag.Printable(s.Kind), 60)
			f := u.finding(rule, fmt.Sprintf("%s holds what looks like a secret (%s) at character %d: %s", u.place(), kind, s.At, diag.Printable(masked)))
			f.Hint = "revoke it and take it out of the server; where it is made up, write it as a placeholder like YOUR_API_KEY"
			findings = append(findings, f.Sealed(kind, wording.Label(s.Value), strconv.Itoa(i)))
		}
	})
	return findings
}
