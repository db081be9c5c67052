package wording

// sayings are the phrases that are cues, by class.
var sayings = func() lexicon {
	l := lexicon{}
	addOverrides(l)
	addSecrecy(l)
	l.add(CallFirst, `
		before ..1 using|calling|invoking|running|executing|use|call|calls any|every|all|other|another ..2 tool|tools|function|functions;
		before any|every|all other ..1 tool|tools|function|functions|action|actions;
		before every|each|any ..1 message|response|prompt|conversation|turn|answer|task;
		must|always|should ..2 call|use|run|invoke|execute|be|called this|it|used|invoked ..4 first;
		call|use|run|invoke|execute this|it ..2 first ..1 before;
		call|use|run|invoke|execute|called|used|invoked ..4 before|prior ..1 anything|everything;
		call|use|run|invoke|execute|called|used|invoked ..4 before|prior answering|responding|replying ..2 user|anything|everything|anyone;
		before doing anything|everything ..1 else;
		before anything|everything else;
		instead of ..2 any|all|every|other|native|built-in|builtin|default ..2 tool|tools;
		over|above any|all|every|other ..2 tool|tools;
		prefer|use this ..3 over|before|above|rather any|all|every|other|native|built-in|builtin|than;
		dont use ..2 other|native|built-in|builtin|default ..2 tool|tools;
		must|always ..2 call|called|use|used|run|invoke|invoked ..7 every|each ..1 message|request|prompt|conversation|turn|
			response|session|query|question;
		must|always ..2 include|append|add ..7 every|each ..1 message|prompt|conversation|turn|response|question`)
	l.add(Exfiltration, `
		send|include|pass|provide|append|attach|copy|upload|forward|paste|submit|transmit|embed|put|insert|share|output|print|reveal|repeat|
			leak ..4 system|developer prompt|message|instructions;
		send|include|pass|provide|append|attach|copy|upload|forward|paste|submit|transmit|embed|put|insert|share|leak ..4 conversation|chat|
			message|dialog|dialogue history|log|transcript|context;
		send|include|pass|provide|append|attach|copy|upload|forward|paste|submit|transmit|embed|share|leak ..3 full|entire|whole|complete|
			previous|prior|all ..1 conversation|chat|transcript|messages|dialogue;
		send|upload|forward|transmit|post|exfiltrate|leak ..4 contents|content|file|files|results|environment|conversation ..5 to ..2 http|
			https|server|endpoint|url|webhook|email|address;
		include|append|attach|send|dump|print|leak|paste|embed|reveal|upload|forward|exfiltrate|copy|insert ..5 environment|env variable|variables|vars|values;
		include|append|attach|send|dump|print|leak|paste|embed|reveal|upload|forward|exfiltrate|copy|insert|pass ..2 value|values|content|contents|output of ..4
			environment|env|process.env|os.environ|printenv;
		include|append|attach|send|dump|print|leak|paste|embed|reveal|upload|forward|exfiltrate|copy|insert ..3 process|os env|environ;
		forward|forwards|bcc|cc ..2 all|every|each|any ..3 mail|mails|email|emails|message|messages ..1 to;
		bcc|cc ..6 on|in|to every|each|all ..2 mail|mails|email|emails|message|messages`)
	l.add(Credential, `
		send|include|pass|paste|attach|forward|upload|leak|append|share|give|reveal|print|dump|copy|put|read any|all|the|your|their|his|user|
			user's|users ..3 api|access|private|secret|signing|ssh key|keys|token|tokens;
		send|include|pass|paste|attach|forward|upload|leak|append|share|give|reveal|print|dump|copy|put any|all|the|your|their|his|user|user's|
			users ..2 password|passwords|passphrase|credential|credentials|cookies;
		ask|asks|prompt ..2 user ..2 for ..4 password|passwords|passphrase|credential|credentials|apikey;
		ask|asks|prompt ..2 user ..2 for ..4 api|access|private|secret key|keys|token|tokens`)
	addLater(l)
	addLanguages(l)
	return l
}()

func addOverrides(l lexicon) {
	l.add(Override, `
		ignore|disregard|forget|override|bypass|discard ..3 previous|prior|above|earlier|preceding|original|existing|all|any|your|system|safety
			..2 instruction|instructions|prompt|prompts|rule|rules|guideline|guidelines|directive|directives|policy|policies|guardrails|training;
		ignore|disregard|forget ..2 everything ..2 above|before|previous|earlier|told|said;
		dont follow|obey ..3 previous|prior|above|your|system|user|user's ..2 instruction|instructions|prompt|prompts|rules|guidelines|request;
		stop|cease|quit following|obeying ..3 previous|prior|above|earlier|your|system|safety ..2 instruction|instructions|prompt|prompts|rules|guidelines|directives;
		previous|prior|above|earlier|preceding|original|initial|system|safety|your ..1 instruction|instructions|prompt|prompts|rule|rules|guideline|guidelines|directive|
			directives|policies|restrictions|constraints ..5 void|null|invalid|obsolete|revoked|cancelled|canceled|suspended|lifted|superseded|overridden|nullified|
			rescinded|annulled|irrelevant|disregarded|ignored|forgotten;
		previous|prior|above|earlier|preceding|original|initial|system|safety|your ..1 instruction|instructions|prompt|prompts|rule|rules|guideline|guidelines|directive|
			directives|policies|restrictions|constraints ..2 dont ..1 apply|hold|count|matter;
		instruction|instructions|rules|guidelines|directives|restrictions|prompt ..4 no longer apply|applies|valid|hold|holds|relevant|binding|active|count|matter|effective;
		^ from now on|onward|onwards|forward;
		^ from this point|moment on|onward|onwards|forward;
		from now on|onward|onwards ..2 you|always|dont|only|ignore|respond|answer|act|behave|treat|speak|reply|all|every|any|each|call|use|send|include|whenever|
			pretend|obey|follow|route|forward;
		your new|real|actual|true instruction|instructions|task|goal|objective|role|purpose is|are;
		new|updated|revised system prompt|instruction|instructions;
		you are now a|an|the|in|no|dan|acting;
		you are no longer;
		pretend ..2 you are;
		act as if you;
		takes|take precedence|priority over ..3 instruction|instructions|prompt|prompts|rules|request|requests;
		supersede|supersedes|overrides ..3 instruction|instructions|prompt|prompts|rules|guidelines;
		regardless of|what ..3 user|users|user's ..2 says|say|said|asks|ask|asked|wants|request|requests|instructions`)
}

func addSecrecy(l lexicon) {
	l.add(Secrecy, `
		dont ..1 tell|inform ..5 user|users|human|humans|anyone|anybody|customer|operator|person;
		dont ..1 notify|alert|warn|show ..5 user|human|humans|anyone|anybody|operator|person;
		dont ..1 mention|reveal|disclose|explain|expose|show|describe|report|admit|acknowledge ..6 to ..1 user|users|human|humans|anyone|anybody|customer|
			operator|person;
		dont ..1 mention|reveal|disclose ..3 this|it|that|these;
		dont ..1 let ..2 user|users|human|humans|anyone|anybody|person|operator|them ..2 see|know|notice|find|learn|discover|realize|realise|suspect;
		dont ..1 allow|permit ..2 user|users|human|humans|anyone|anybody|person|operator|them ..2 know|notice|learn|discover|realize|realise|suspect;
		user|human|humans|operator mustnt ..2 see|know|notice|learn|discover|realize|realise|suspect|aware|told|informed|notified|alerted;
		without ..1 telling|informing|notifying|mentioning|alerting|asking|warning|prompting ..2 user|users|human|anyone|them|permission|
			confirmation;
		without ..2 user's|users|user|human ..1 knowledge|consent|permission|approval|confirmation|knowing|awareness|noticing|seeing|realizing|realising;
		silently|secretly|covertly|quietly|discreetly ..1 send|sends|call|read|upload|include|append|execute|run|forward|copy|collect|invoke|
			record|transmit|exfiltrate|pass|look|get|fetch|retrieve|query|search|scan|list|open|access|check|save|store|write|log|post|publish|email|mail|report|
			capture|extract|gather|harvest|track|monitor|add|attach|insert|inject|modify|change|install|download|use|perform|do|make|submit|transfer|leak|steal|
			bcc|cc|redirect|route|delete|remove;
		secretly|covertly|surreptitiously|stealthily|clandestinely;
		look|read|send|call|forward|collect|upload|include|append|execute|invoke|copy|record|transmit ..6 silently|discreetly|unnoticed;
		hide|conceal|keep ..4 from ..1 user|users|human|operator;
		hidden|secret|invisible from|to ..1 user|users|human;
		keep|stays|stay|remain|remains ..2 between us|ourselves;
		keep|stays|stay|remain|remains ..2 between you and ..1 me|us|i|model|assistant;
		keep|stays|stay|remain|remains ..2 between you $;
		user|users dont ..1 need|have ..1 know|see $;
		user|users dont ..1 need|have ..1 know|see ..1 about|this|that|it|of|anything|any|what|why;
		so ..2 user|users dont ..1 know|see|notice;
		dont ask ..3 user|users ..2 for ..2 confirmation|permission|approval|consent;
		dont ask ..2 for ..2 confirmation|permission|approval|consent`)
}
