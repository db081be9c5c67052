# Completion of @NAME@ for bash: . <(@NAME@ --completion bash)
_anvil_pack() {
	local line
	COMPREPLY=()
	while IFS= read -r line; do
		COMPREPLY+=("$line")
	done < <("$1" --complete bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _anvil_pack @NAME@
