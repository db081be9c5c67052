package subtype

// finish solves assertions about one type without open choices.
func (b *branch) finish() answer {
	if len(b.values) > 0 {
		return b.oneOfValues()
	}
	var found answer
	switch b.of {
	case aNull:
		found = b.listed("null")
	case aBoolean:
		found = b.listed("true", "false")
	case aNumber:
		found = b.aNumber()
	case aString:
		found = b.aString()
	case anArray:
		found = b.anArray()
	case anObject:
		found = b.anObject()
	}
	if b.doubt != "" && !found.none() {
		found.doubt = b.doubt
	}
	return found
}

// listed returns the first of the texts that is not barred.
func (b *branch) listed(texts ...string) answer {
	for _, text := range texts {
		if !b.isBarred(text) {
			return answer{value: []byte(text), waits: free}
		}
	}
	return nothing
}

func (b *branch) isBarred(text string) bool {
	for _, f := range b.barred {
		if f.values[text] != nil {
			return true
		}
	}
	return false
}

// oneOfValues holds each value that is allowed against the obligations as a whole.
func (b *branch) oneOfValues() answer {
	result := nothing
	least := smallest(b.values)
	b.spend(len(least.texts) / bytesPerStep)
	for _, text := range least.texts {
		value := least.values[text]
		if typeOf(value)&b.of == 0 || b.isBarred(text) {
			continue
		}
		if b.spend(1) {
			return result.or(answer{doubt: StopSteps, waits: free})
		}
		verdict := yes
		for _, l := range b.goals {
			verdict = verdict.and(b.holds(l, value))
		}
		switch verdict {
		case yes:
			return answer{value: []byte(text), waits: free}
		case unsure:
			result = result.or(answer{value: []byte(text), doubt: "pattern", waits: free})
		}
	}
	return result
}

func smallest(list []*formula) *formula {
	least := list[0]
	for _, f := range list[1:] {
		if len(f.values) < len(least.values) {
			least = f
		}
	}
	return least
}
