package diff

import (
	"slices"
	"strings"
	"testing"
)

// catalogue is what a diff of surfaces has to know, by area. Of schemas it holds stems: each stands for a rule of the input and one of the output.
var catalogue = map[string]string{
	"server": `srv-name-changed srv-version-changed-surface-same srv-version-same-surface-changed srv-version-decreased srv-identity-missing
		srv-instructions-added srv-instructions-changed srv-instructions-removed srv-title-website-icons-changed proto-upgraded proto-downgraded
		proto-version-dropped proto-version-added cap-removed cap-added cap-listchanged-removed cap-subscribe-removed ext-added ext-removed
		ext-settings-changed transport-changed endpoint-origin-changed auth-scheme-changed auth-scopes-widened list-order-changed list-paging-changed
		list-nondeterministic cache-scope-public ttl-changed declared-version-contradicts-surface`,
	"tool": `tool-removed tool-added tool-renamed tool-name-case-changed tool-reintroduced-changed tool-canonical-collision tool-confusable-added
		tool-count-budget-crossed tool-tokens-grew tool-description-changed tool-description-whitespace tool-description-removed
		tool-description-cue-introduced tool-hidden-text-introduced tool-title-changed tool-icons-changed tool-meta-changed tool-exec-mode-changed
		tool-deprecated-marked tool-deprecated-unmarked tool-removed-without-deprecation tool-header-binding-added tool-header-binding-renamed
		tool-header-binding-removed`,
	"hint": `hint-readonly-lost hint-readonly-gained hint-destructive-gained hint-destructive-lost hint-idempotent-lost hint-idempotent-gained
		hint-openworld-gained hint-openworld-lost hint-made-explicit hint-contradiction hint-irrelevant`,
	"schema": `required-added required-removed prop-added-optional prop-added-closed prop-removed-closed prop-removed-open prop-renamed type-narrowed
		type-widened type-replaced enum-introduced enum-dropped enum-value-added enum-value-removed enum-retyped const-changed bound-tightened
		bound-loosened multiple-of-added multiple-of-relaxed unique-items-added unique-items-removed pattern-added pattern-removed pattern-changed
		format-added format-changed items-typed items-untyped prefix-items-changed content-changed root-type-dropped object-closed object-opened pattern-props-changed
		prop-names-changed dependent-required-changed dependent-schemas-changed anyof-branch-added anyof-branch-removed oneof-branch-added
		oneof-branch-removed allof-branch-added allof-branch-removed not-added not-removed cond-changed root-composition-added ref-inlined
		ref-extracted ref-target-changed ref-remote-introduced ref-recursive-introduced default-changed default-added default-removed
		description-changed examples-changed title-changed deprecated-changed access-changed dialect-changed schema-added schema-removed
		sensitive-param-introduced unbounded-string-introduced schema-complexity-exceeded`,
	"prompt": `prompt-removed prompt-renamed prompt-added prompt-arg-required-added prompt-arg-became-required prompt-arg-optional-added prompt-arg-removed
		prompt-text-changed`,
	"resource": `resource-removed resource-uri-changed resource-added resource-mime-changed resource-meta-changed template-removed template-var-added
		template-var-removed template-literal-changed template-expansion-widened template-mime-changed`,
}

// unshipped names what the catalogue has and no rule of this package, and why. The mirrors of schema rules are waived in waived.
var unshipped = map[string]string{
	"auth-scheme-changed":   "a snapshot holds no challenge and no resource metadata: the surface is captured behind authentication",
	"auth-scopes-widened":   "a snapshot holds no challenge and no resource metadata: the surface is captured behind authentication",
	"list-order-changed":    "a snapshot keeps its lists sorted, so that the order of arrival is no drift",
	"list-paging-changed":   "pages are joined when a surface is captured; the gate's page-size rule looks at the capture",
	"list-nondeterministic": "one snapshot holds one capture; the probe has a rule of this name",
	"cache-scope-public":    "how long and for whom a list may be cached is no part of the surface and left out of the snapshot",
	"ttl-changed":           "how long and for whom a list may be cached is no part of the surface and left out of the snapshot",
}

func TestCatalogueIsShipped(t *testing.T) {
	listed := map[string]bool{}
	for area, text := range catalogue {
		for id := range strings.FieldsSeq(text) {
			names := []string{id}
			if area == "schema" {
				names = []string{"in-" + id, "out-" + id}
			}
			for _, name := range names {
				listed[name] = true
				_, shipped := Rules.Find(name)
				reason := unshipped[name]
				if mirror := mirrorOf(name); !shipped && area == "schema" {
					reason = waived[mirror]
				}
				switch {
				case !shipped && reason == "":
					t.Errorf("%s is no rule, and no reason is given", name)
				case shipped && unshipped[name] != "":
					t.Errorf("%s is a rule: its waiver is stale", name)
				}
			}
		}
	}
	for name := range unshipped {
		if !listed[name] {
			t.Errorf("%s is waived and in no catalogue", name)
		}
	}
	if len(listed) < 180 {
		t.Errorf("the catalogue lists %d ids only", len(listed))
	}
}

func mirrorOf(id string) string {
	side, stem, _ := strings.Cut(id, "-")
	return map[string]string{"in": "out-", "out": "in-"}[side] + stem
}

// TestVariance holds the class of every schema rule against its mirror: what breaks callers of the input does not break readers of the output, and the
// reverse, but for changes that go both ways or are no matter of values.
func TestVariance(t *testing.T) {
	bothWays := []string{"type-replaced", "enum-retyped", "const-changed", "prop-renamed", "schema-complexity-exceeded", "ref-remote-introduced",
		"root-type-dropped"}
	for _, r := range all {
		side, stem, _ := strings.Cut(r.ID, "-")
		if side != "in" || r.Class != "breaking" || slices.Contains(bothWays, stem) {
			continue
		}
		if out, ok := Rules.Find("out-" + stem); ok && out.Class == "breaking" {
			t.Errorf("%s breaks on both sides", stem)
		}
	}
}
