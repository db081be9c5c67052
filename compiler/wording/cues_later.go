package wording

// addLater adds phrases that say the same by other words: what was said so far, modes, consent that is given already, and results to be obeyed.
func addLater(l lexicon) {
	l.add(Override, `
		ignore|disregard|forget ..1 instruction|instructions|rules|guidelines|directives|prompt ..1 given|received|stated|provided|set ..1 so|before|earlier|above|previously|until;
		ignore|disregard|forget everything|anything|whatever|all ..1 user|users|human|operator ..1 says|said|asks|asked|wants|writes|wrote|tells|told;
		stop|cease|quit following|obeying ..1 instruction|instructions|rules|guidelines|directives|prompt ..1 above|before|earlier|given|so|received;
		you're|youre now in|a|an|the|no|dan|acting ..3 mode|assistant|agent|restrictions|model|admin|administrator|root;
		treat|consider|regard|take ..3 text|output|result|results|content|response|data|reply ..6 as ..2 system|developer|operator|your|new instruction|instructions|
			prompt|message|command|commands|orders;
		follow|obey|execute any|all|every|the ..1 instruction|instructions|commands|directives|orders ..2 in|inside|within|from|of ..2 result|results|output|outputs|
			response|reply`)
	l.add(Secrecy, `
		refrain from ..1 telling|informing|mentioning|notifying|revealing|disclosing|showing|alerting ..6 user|users|human|humans|anyone|anybody|operator|customer;
		avoid ..1 telling|informing|mentioning|notifying|alerting ..2 user|human|anyone|anybody|operator;
		avoid|omit|skip ..1 mentioning|revealing|disclosing ..3 to ..1 user|users|human|humans|anyone|anybody|operator|customer;
		user|human|operator has|have ..1 pre-approved|preapproved|pre-authorized|preauthorized ..2 all|any|every|each|this|these;
		user|human|operator has|have already approved|authorized|authorised|consented|agreed ..1 all|any|every|each|everything;
		skip|bypass|suppress|dismiss ..1 confirmation|approval|consent|permission dialog|dialogs|popup|screen`)
	l.add(Exfiltration, `
		set|fill ..4 to|with ..2 full|entire|whole|complete|exact text|content|contents|transcript|history|copy of ..1 chat|conversation|dialogue|messages|prompt|session;
		fill ..4 with ..4 your|system|developer ..1 prompt|instructions;
		set ..4 to ..4 your system|initial|original|developer prompt|instructions|message`)
	l.add(OtherTool, `
		run|execute|paste|type ..4 curl|wget ..8 bash|sh|zsh`)
}
