# Completion of @NAME@ for fish: @NAME@ --completion fish | source
function __anvil_pack
	set -l words (commandline -opc) (commandline -ct)
	$words[1] --complete fish $words[2..-1] 2>/dev/null
end
complete -c @NAME@ -f -a '(__anvil_pack)'
