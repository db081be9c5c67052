package wording

// sayings are the phrases that are cues, by class.
var sayings = func() lexicon {
	l := lexicon{}
	l.add(Override, `
		ignore|disregard|forget|override|bypass|discard ..3 previous|prior|above|earlier|preceding|original|existing|all|any|your|system|safety
			..2 instruction|instructions|prompt|prompts|rule|rules|guideline|guidelines|directive|directives|policy|policies|guardrails|training;
		ignore|disregard|forget ..2 everything ..2 above|before|previous|earlier|told|said;
		dont follow|obey ..3 previous|prior|above|your|system|user|user's ..2 instruction|instructions|prompt|prompts|rules|guidelines|request;
		your new|real|actual|true instruction|instructions|task|goal|objective|role|purpose is|are;
		new|updated|revised system prompt|instruction|instructions;
		you are now a|an|the|in|no|dan|acting;
		you are no longer;
		pretend ..2 you are;
		act as if you;
		takes|take precedence|priority over ..3 instruction|instructions|prompt|prompts|rules|request|requests;
		supersede|supersedes|overrides ..3 instruction|instructions|prompt|prompts|rules|guidelines;
		regardless of|what ..3 user|users|user's ..2 says|say|said|asks|ask|asked|wants|request|requests|instructions`)
	l.add(CallFirst, `
		before ..1 using|calling|invoking|running|executing|use|call|calls any|every|all|other|another ..2 tool|tools|function|functions;
		before any|every|all other ..1 tool|tools|function|functions|action|actions;
		before every|each|any ..1 message|response|prompt|conversation|turn|answer|task;
		must|always|should ..2 call|use|run|invoke|execute|be|called this|it|used|invoked ..4 first;
		call|use|run|invoke this|it ..2 first ..1 before;
		instead of ..2 any|all|every|other|native|built-in|builtin|default ..2 tool|tools;
		over|above any|all|every|other ..2 tool|tools;
		prefer|use this ..3 over|before|above|rather any|all|every|other|native|built-in|builtin|than;
		dont use ..2 other|native|built-in|builtin|default ..2 tool|tools;
		must|always ..2 call|called|use|used|run|invoke|invoked|include|append|add ..7 every|each ..1 message|request|prompt|conversation|turn|
			response|session|query|question`)
	l.add(Secrecy, `
		dont ..1 tell|mention|inform|reveal|disclose|notify|alert|show|explain|expose|warn ..5 user|users|human|humans|anyone|anybody|customer|
			operator|person;
		dont ..1 mention|reveal|disclose ..3 this|it|that|these;
		without ..1 telling|informing|notifying|mentioning|alerting|asking|warning|prompting ..2 user|users|human|anyone|them|permission|
			confirmation;
		without ..2 user's|users|user|human ..1 knowledge|consent|permission|approval|confirmation|knowing|awareness;
		silently|secretly|covertly|quietly|discreetly ..1 send|sends|call|read|upload|include|append|execute|run|forward|copy|collect|invoke|
			record|transmit|exfiltrate|pass;
		hide|conceal|keep ..4 from ..1 user|users|human|operator;
		hidden|secret|invisible from|to ..1 user|users|human;
		user|users dont ..1 need|have ..1 know|see;
		so ..2 user|users dont ..1 know|see|notice;
		dont ask ..3 user|users ..2 for ..2 confirmation|permission|approval|consent;
		dont ask ..2 for ..2 confirmation|permission|approval|consent`)
	l.add(Exfiltration, `
		send|include|pass|provide|append|attach|copy|upload|forward|paste|submit|transmit|embed|put|insert|share|output|print|reveal|repeat|
			leak ..4 system|developer prompt|message|instructions;
		send|include|pass|provide|append|attach|copy|upload|forward|paste|submit|transmit|embed|put|insert|share|leak ..4 conversation|chat|
			message|dialog|dialogue history|log|transcript|context;
		send|include|pass|provide|append|attach|copy|upload|forward|paste|submit|transmit|embed|share|leak ..3 full|entire|whole|complete|
			previous|prior|all ..1 conversation|chat|transcript|messages|dialogue;
		send|upload|forward|transmit|post|exfiltrate|leak ..4 contents|content|file|files|results|environment|conversation ..5 to ..2 http|
			https|server|endpoint|url|webhook|email|address;
		include|append|attach|send|dump|print|leak ..3 environment variables`)
	l.add(Credential, `
		send|include|pass|paste|attach|forward|upload|leak|append|share|give|reveal|print|dump|copy|put|read any|all|the|your|their|his|user|
			user's|users ..3 api|access|private|secret|signing|ssh key|keys|token|tokens;
		send|include|pass|paste|attach|forward|upload|leak|append|share|give|reveal|print|dump|copy|put any|all|the|your|their|his|user|user's|
			users ..2 password|passwords|passphrase|credential|credentials|cookies;
		ask|asks|prompt ..2 user ..2 for ..4 password|passwords|passphrase|credential|credentials|apikey;
		ask|asks|prompt ..2 user ..2 for ..4 api|access|private|secret key|keys|token|tokens;
		contents|read|open|cat|send|upload|include|copy|dump|leak ..4 .env|.npmrc|.netrc|.pypirc|.pgpass|.htpasswd`)
	return l
}()

// literals are texts that are cues wherever they stand, in lower case.
var literals = func() []literal {
	var all []literal
	add := func(class Class, whole bool, texts ...string) {
		for _, t := range texts {
			all = append(all, literal{class, t, whole})
		}
	}
	add(Credential, true, "id_rsa", "id_ed25519", "id_ecdsa", "id_dsa", ".git-credentials",
		"aws_secret_access_key", "aws_session_token", "claude_desktop_config.json", "login.keychain")
	add(Credential, false, "~/.ssh", "/.ssh/", "/etc/passwd", "/etc/shadow", "~/.aws", ".aws/credentials", "~/.kube/config", "~/.gnupg",
		"~/.config/gcloud",
		"~/.docker/config.json", "~/.cursor/mcp.json", "/proc/self/environ", "169.254.169.254", "~/.bash_history", "~/.zsh_history")
	add(Markup, false, "<important>", "</important>", "<system>", "</system>", "<system-reminder>", "<system_prompt>", "<instructions>",
		"<instruction>", "<secret>", "<hidden>",
		"<critical>", "<admin>", "<assistant>", "<user>", "<human>", "<|im_start|>", "<|im_end|>", "<|system|>", "<|user|>", "<|assistant|>",
		"<|endoftext|>", "<|eot_id|>", "<|start_header_id|>",
		"[inst]", "[/inst]", "<<sys>>", "[system]", "[system message]", "[system prompt]", "### system:", "### instruction:", "\n\nhuman:",
		"\n\nassistant:", "\nsystem:")
	add(Override, false, "忽略之前", "忽略以上", "忽略先前", "忽略所有", "无视之前", "以前の指示を無視")
	add(Secrecy, false, "不要告诉用户", "不要让用户知道", "不要向用户", "请勿告诉用户", "ユーザーに伝えない", "ユーザーには言わない")
	return all
}()

// hostTools are tools that hosts have built in or that widely used servers bring, by names that are no ordinary words.
var hostTools = words(`bash webfetch websearch web_search web_fetch todowrite todo_write multiedit notebookedit notebook_edit
	str_replace_editor read_file write_file edit_file
	create_file delete_file list_directory list_dir run_command execute_command run_terminal_cmd run_in_terminal codebase_search grep_search file_search
	send_email send_message fetch_url http_request execute_sql computer_use text_editor apply_patch mcp__filesystem mcp__github`)
