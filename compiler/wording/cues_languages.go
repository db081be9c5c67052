package wording

import (
	"anvil/internal/lazy"
)

// spacedSayings are the phrases of languages that part words by spaces: to set aside what the model was told, and to keep something from the user.
// They are written as they are spelled; case, accents and look-alike letters are folded.
var spacedSayings = []struct{ override, secrecy string }{
	{ // Spanish
		`ignora|ignore|ignorar|ignorad|ignoren|olvida|olvide|olvidar|olviden|omite|omita|descarta|descarte|desobedece|desobedezca ..3 instrucción|instrucciones|
				indicaciones|órdenes|reglas|directrices|directivas|mensajes ..3 anterior*|previa*|previo*|precedente*|sistema|arriba|recibid*;
			ignora|ignore|ignorar|olvida|olvide|olvidar|descarta|descarte ..3 anterior|anteriores|previas ..1 instrucciones|indicaciones|órdenes|reglas;
			ignora|ignore|ignorar|olvida|olvide|olvidar todo ..2 anterior|dicho;
			instrucciones|indicaciones|órdenes|reglas anteriores|previas ..4 ignoradas|ignorarse|olvidadas|anuladas|inválidas|nulas`,
		`no ..2 digas|diga|decir|decirle|menciones|mencione|mencionar|informes|informe|informar|reveles|revele|revelar|cuentes|cuente|contar|comentes|notifiques|
				notifique|avises|avise|muestres|muestre|mostrar ..4 usuario|usuarios|usuaria;
			no ..3 usuario|usuarios sepa|sepan|vea|vean|note|noten|entere;
			sin ..1 decir|decirle|decírselo|informar|informarle|avisar|avisarle|notificar|notificarle|mencionar|mencionarlo|preguntar|preguntarle|consultar ..3 usuario|usuarios;
			sin que ..2 usuario|usuarios ..2 sepa|sepan|vea|vean|note|noten|entere;
			silenciosamente|secretamente|discretamente envía|envíe|manda|mande|lee|lea|copia|copie|sube|suba|llama|llame|ejecuta|ejecute|reenvía|reenvíe`,
	},
	{ // French
		`ignore|ignorez|ignorer|oublie|oubliez|oublier|néglige|négligez|négliger|désobéis ..3 instruction*|consigne*|directive*|règle*|ordre*|message* ..3
				précédent*|antérieur*|ci-dessus|système|initial*|reçu*;
			ignore|ignorez|ignorer|oublie|oubliez|oublier ..2 précédentes|précédents|anciennes ..1 instruction*|consigne*|directive*|règle*|ordre*;
			ignore|ignorez|ignorer|oublie|oubliez|oublier tout ..3 précède|dit|reçu;
			instructions|consignes|directives|règles|ordres précédentes|précédents|antérieures ..5 ignorées|ignorés|oubliées|annulées|annulés|caduques|nulles`,
		`ne|n'en ..2 dis|dites|dire|mentionne|mentionnez|mentionner|révèle|révélez|révéler|informe|informez|informer|montre|montrez|montrer|préviens|prévenez|
				avertis|avertissez|parle|parlez|parler ..6 utilisateur|utilisateurs|l'utilisateur|usager|l'usager;
			n'informe|n'informez|n'avertis|n'avertissez ..2 l'utilisateur|utilisateur|utilisateurs|l'usager;
			sans ..1 dire|informer|prévenir|avertir|mentionner|notifier|demander|consulter|l'avis|en ..5 utilisateur|utilisateurs|l'utilisateur|l'usager;
			sans que l'utilisateur|utilisateur|l'usager ..3 sache|voie|remarque|s'en|aperçoive;
			l'insu ..2 utilisateur|utilisateurs|l'utilisateur|l'usager;
			silencieusement|secrètement|discrètement envoie|envoyez|lis|lisez|copie|copiez|appelle|appelez|exécute|exécutez|transmets|transmettez;
			envoie|envoyez|lis|lisez|copie|copiez|appelle|appelez|exécute|exécutez|transmets|transmettez ..6 silencieusement|secrètement|discrètement`,
	},
	{ // German
		`ignoriere|ignorieren|ignorier|vergiss|vergessen|vergesse|missachte|missachten|verwirf|übergehe ..3 vorherig*|vorige*|bisherig*|obig*|früher*|
				vorangegangen*|vorangehend*|vorhergehend*|ursprünglich*|alle|sämtliche|deine ..2 anweisung*|instruktion*|regel*|vorgabe*|befehle|richtlinie*|anleitung*;
			vergiss|vergessen|ignoriere|ignorieren alles ..2 bisher|vorher|zuvor|oben|gesagte;
			vorherige|vorherigen|vorige|vorigen|bisherige|bisherigen|obige|obigen|frühere|früheren anweisungen|instruktionen|regeln|vorgaben|richtlinien ..4
				ignorieren|vergessen|missachten|verwerfen|ungültig|hinfällig|aufgehoben;
			befolge|beachte|befolgen|beachten ..3 vorherig*|bisherig*|obig*|früher* anweisung*|instruktion*|regel*|vorgabe* nicht`,
		`sag|sage|sagen|erzähl|erzähle|erzählen|verrate|verraten|teile|melde ..2 dem|den|der benutzer|nutzer|anwender|benutzern|nutzern|benutzerin|nutzerin ..5 nichts|nicht;
			informiere|informieren|benachrichtige|benachrichtigen|frage|fragen|warne ..2 benutzer|nutzer|anwender ..3 nicht;
			erwähne|erwähnen|zeige|zeigen|verrate ..5 benutzer|nutzer|anwender ..2 nicht|nichts;
			erwähne|erwähnen|zeige|verrate ..2 nicht|nichts ..4 benutzer|nutzer|anwender;
			ohne ..1 dass ..1 benutzer|nutzer|anwender ..3 merkt|bemerkt|weiß|erfährt|sieht|mitbekommt;
			ohne ..4 benutzer|nutzer|anwender ..4 informieren|sagen|benachrichtigen|fragen|mitzuteilen|warnen|erwähnen|zeigen|bescheid;
			ohne ..1 wissen ..2 benutzers|nutzers|anwenders|benutzer|nutzer;
			heimlich|stillschweigend|unbemerkt ..1 sende|senden|lies|lese|kopiere|lade|rufe|führe|leite|übermittle|schicke;
			sende|lies|lese|kopiere|lade|rufe|führe|leite|übermittle|schicke ..6 heimlich|unbemerkt|stillschweigend`,
	},
	{ // Portuguese
		`ignore|ignora|ignorem|ignorar|esqueça|esquece|esqueçam|esquecer|desconsidere|desconsidera|desconsiderar|descarte|descarta ..3 instruções|instrução|ordens|
				regras|orientações|diretrizes|comandos|mensagens ..3 anterior*|prévia*|acima|precedente*|sistema|recebid*;
			ignore|ignora|ignorar|esqueça|esquece|desconsidere ..2 anteriores|prévias ..1 instruções|ordens|regras|orientações;
			ignore|ignora|esqueça|esquece|desconsidere tudo ..3 anterior|antes|disse|dito;
			instruções|ordens|regras|orientações anteriores|prévias ..5 ignoradas|esquecidas|anuladas|inválidas|nulas`,
		`não ..2 diga|digas|dizer|conte|contes|contar|mencione|menciones|mencionar|informe|informes|informar|revele|reveles|revelar|avise|avises|avisar|mostre|mostres|
				notifique|notificar ..4 usuário|usuários|utilizador|utilizadores|usuária;
			não ..2 deixe|deixes ..2 usuário|utilizador ..2 saber|ver|perceber|notar;
			sem ..1 dizer|informar|avisar|notificar|contar|mencionar|perguntar|consultar ..3 usuário|usuários|utilizador|utilizadores;
			sem que ..1 usuário|usuários|utilizador ..2 saiba|saibam|perceba|veja|note;
			silenciosamente|secretamente|discretamente envie|envia|leia|lê|copie|copia|chame|execute|encaminhe`,
	},
	{ // Italian
		`ignora|ignorare|ignorate|ignori|dimentica|dimenticare|dimenticate|scarta|trascura|trascurare ..3 istruzioni|istruzione|ordini|regole|direttive|indicazioni|
				messaggi ..3 precedent*|anterior*|sopra|sistema|ricevut*;
			ignora|ignorare|ignorate|ignori|dimentica|dimenticare ..2 precedenti ..1 istruzioni|ordini|regole|direttive|indicazioni;
			ignora|ignorare|dimentica|dimenticare tutto ..3 precedenza|precede|prima|detto;
			istruzioni|regole|direttive|indicazioni precedenti ..5 ignorate|dimenticate|annullate|nulle|invalide`,
		`non ..2 dire|dirlo|dica|dite|menzionare|menziona|rivelare|informare|comunicare|mostrare|avvisare|raccontare|notificare|riferire ..4 utente|all'utente|l'utente|utenti|agli;
			non ..1 far|fare ..2 sapere|vedere|notare ..3 utente|all'utente|utenti;
			senza ..1 dire|dirlo|informare|avvisare|comunicare|comunicarlo|chiedere|menzionare|menzionarlo|notificare|consultare ..3 utente|all'utente|l'utente|utenti;
			senza che l'utente|utente ..3 sappia|veda|noti|accorga;
			insaputa|all'insaputa ..1 utente|dell'utente|utenti;
			silenziosamente|segretamente|discretamente invia|inviare|leggi|leggere|copia|copiare|chiama|chiamare|esegui|inoltra`,
	},
	{ // Russian
		`игнорируй|игнорируйте|игнорировать|проигнорируй|проигнорируйте|забудь|забудьте|забыть|отбрось|отбросьте|отмени|отмените ..3 предыдущ*|прежн*|предшеству*|
				прошл*|все|выше|выше* ..3 инструкц*|указан*|правил*|команд*|сообщен*|распоряжен*|ограничен*;
			предыдущие|прежние|прошлые ..1 инструкции|указания|правила|команды|сообщения ..3 игнорируй|игнорируйте|игнорировать|забудь|забудьте|недействительны|отменены|отменяются;
			забудь|забудьте|игнорируй|игнорируйте ..1 всё ..3 раньше|выше|ранее|до`,
		`не ..1 говори|говорите|говорить|сообщай|сообщайте|сообщать|рассказывай|рассказывайте|упоминай|упоминайте|раскрывай|раскрывайте|показывай|показывайте|уведомляй|
				уведомляйте|информируй|информируйте|предупреждай|предупреждайте ..4 пользовател*;
			не сообщая|уведомляя|говоря|предупреждая|спрашивая|информируя ..3 пользовател*;
			не ставя ..2 известность ..1 пользовател*;
			без ведома|согласия|уведомления|разрешения ..1 пользовател*;
			чтобы пользовател* ..1 не узнал|увидел|заметил|знал|видел;
			тайно|втайне|незаметно ..2 отправь|отправьте|отправляй|прочитай|прочитайте|скопируй|скопируйте|вызови|вызовите|перешли|перешлите|от|для ..1 пользовател*;
			тайно|втайне|незаметно ..1 отправь|отправьте|отправляй|прочитай|прочитайте|скопируй|скопируйте|вызови|вызовите|перешли|перешлите`,
	},
}

func addLanguages(l lexicon) {
	for _, in := range spacedSayings {
		l.add(Override, in.override)
		l.add(Secrecy, in.secrecy)
	}
}

// unspacedSayings are those of languages that write no spaces, or join what English writes apart.
var unspacedSayings = []struct {
	class   Class
	pattern *lazy.Regexp
}{
	// Chinese
	{Override, chain(`忽略|无视|無視|忽视|忽視|忘记|忘記|忘掉|不要理会|不要理會|不理会|不要遵守|不要遵循|抛弃|放弃|覆盖`,
		`之前|以前|先前|以上|上述|前面|上面|此前|所有|一切|原有|原来|系统|系統`, `指令|指示|说明|說明|提示|规则|規則|要求|命令|内容|內容|设定|設定|约束|限制`)},
	{Override, chain(`之前|以前|先前|以上|上述|前面|此前|原有|系统|系統`, `指令|指示|提示|规则|規則|要求|命令|限制`, `作废|作廢|无效|無效|失效|取消|废除|不再有效|不再适用|忽略|无视`)},
	{Secrecy, chain(`不要|请勿|請勿|勿|别|別|不得|不能|切勿|不可|禁止|无需|無需`, `告诉|告訴|告知|通知|提醒|透露|说明|說明|提及|让|讓|向|对|對`, `用户|用戶|使用者|客户|客戶|人类|人類`)},
	{Secrecy, chain(`不要|请勿|請勿|勿|别|別|不得|切勿|不可`, `让|讓|被`, `用户|用戶|使用者`, `知道|看到|发现|發現|察觉|察覺`)},
	{Secrecy, chain(`瞒着|瞞著|背着|避开`, `用户|用戶|使用者`)},
	{Secrecy, chain(`在|不|未`, `用户|用戶|使用者`, `不知情|不知道|未察觉|同意的?情况下不`)},
	{Secrecy, chain(`不|未|无需|無需|不要|不用`, `告知|通知|询问|詢問|告诉|告訴|征得|徵得|经过|經過`, `用户|用戶|使用者`)},
	// Japanese
	{Override, chain(`以前|これまで|今まで|上記|前述|先ほど|すべて|全て|既存|元`, `指示|命令|プロンプト|ルール|指令|設定|制約`, `無視|忘れ|破棄|従わない|従うな|従わず|無効`)},
	{Secrecy, chain(`ユーザー|ユーザ|利用者|使用者`, `に|には|へ|にも`, `伝えない|伝えず|言わない|言わず|知らせない|知らせず|教えない|教えず|話さない|見せない|見せず|通知しない|通知せず|知らせる(?:な|ことなく)|明かさない|伝えるな|言うな|告げず`)},
	{Secrecy, chain(`ユーザー|ユーザ|利用者`, `知られ|気づかれ|気付かれ|悟られ`, `ない|ず`)},
	{Secrecy, chain(`ユーザー|ユーザ|利用者`, `許可|同意|確認|了承`, `なし|なく|得ず|取らず|求めず`)},
	{Secrecy, chain(`ユーザー|ユーザ|利用者`, `内緒|秘密|黙って`)},
	// Korean
	{Override, chain(`이전|기존|앞선|앞의|위의|지금까지|모든|원래`, `지시|명령|지침|프롬프트|규칙|설정|제약`, `무시|잊|따르지|무효|버리`)},
	{Secrecy, chain(`사용자|유저|이용자`, `에게|한테|께|에겐`, `말하지|알리지|알려주지|보여주지|언급하지|밝히지|공개하지|통보하지|전달하지|말하면`)},
	{Secrecy, chain(`사용자|유저|이용자`, `모르게|몰래|모르도록|알지|눈치채지`)},
	{Secrecy, chain(`사용자|유저|이용자`, `동의|허락|승인|확인`, `없이`)},
}

// chain is a pattern of texts one behind the other, with a few characters of the same sentence between them.
func chain(alternatives ...string) *lazy.Regexp {
	pattern := ""
	for i, a := range alternatives {
		if i > 0 {
			pattern += `[^。！？.!?]{0,8}?`
		}
		pattern += "(?:" + a + ")"
	}
	return lazy.MustCompile(pattern)
}

// otherLanguages looks for the phrases of languages that write no spaces.
func (c *collector) otherLanguages() {
	if c.at == nil || !hasEastAsian(c.text) {
		return
	}
	for _, s := range unspacedSayings {
		c.all(s.class, s.pattern)
	}
}

func hasEastAsian(text string) bool {
	for _, r := range text {
		if r >= 0x3040 && r <= 0x30FF || r >= 0x4E00 && r <= 0x9FFF || r >= 0xAC00 && r <= 0xD7A3 {
			return true
		}
	}
	return false
}
