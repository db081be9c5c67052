#compdef @NAME@
# Completion of @NAME@ for zsh: . <(@NAME@ --completion zsh), behind compinit
_anvil_pack() {
	local line
	local -a values texts
	while IFS= read -r line; do
		values+=("${line%%$'\t'*}")
		texts+=("${line/$'\t'/  }")
	done < <("${(Q)words[1]}" --complete zsh "${(@Q)words[2,CURRENT]}" 2>/dev/null)
	compadd -l -d texts -a -- values
}
compdef _anvil_pack @NAME@
