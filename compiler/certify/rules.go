package certify

import "anvil/compiler/diag"

// reason makes a rule of verification: each is an error that concerns trust.
func reason(id, title, doc, hint string) diag.Rule {
	return diag.Rule{ID: id, Title: title, Doc: doc, Hint: hint, Class: diag.Error, Security: true, Since: "0.1"}
}

// restoreFirst is what to do of a pack that does not verify by itself, whatever its certificate says.
const restoreFirst = "restore the pack as version control has it; or remove PACK, build it again with `anvil mcp adopt TARGET --mode MODE --out PACK`, approve what you have read, and only then certify it"

const certifyAgain = "certify the pack again with `anvil mcp certify PACK --key FILE`"

var (
	checkFailed = reason("certification-check-failed", "A static check of a certification fails",
		`What the check found is told beside it. Mend it and certify again; nothing is signed while a check fails.`, "")
	certificateMissing = reason("certificate-missing", "A pack has no signed certificate",
		`Verification with a trust file asks for a signature, and the pack has none: it was never certified with a key, or its certificate was taken away.`,
		certifyAgain)
	envelopeMalformed = reason("envelope-malformed", "An envelope that two readers could read differently",
		`The envelope is no JSON, names a member twice, has an unknown one or bytes behind it, spells base64 in another way than the standard one with padding,
or has a signature that is none. Nothing in it is looked at.`, certifyAgain)
	payloadTypeUnknown = reason("payload-type-unknown", "An envelope over something else than an in-toto statement",
		`The type is signed together with the payload. What it names is not what anvil signs, so nothing in it is looked at.`, certifyAgain)
	signatureUntrusted = reason("signature-untrusted", "No signature is of a key that is trusted",
		`No key of the trust file made one of the signatures: another key did, or what was signed was changed afterwards. Which key an envelope names is a
hint and decides nothing.`, "have the pack certified by somebody whose key is in the trust file; compare keys with `anvil keys show FILE`")
	keyidContradicts = reason("keyid-contradicts", "A signature is named after another key than the one that made it",
		`A signature of one key of the trust file carries the id of another one. Whoever edited the envelope wants it to be taken for somebody else's.`, certifyAgain)
	predicateUnknown = reason("predicate-unknown", "A statement of a type or version that is not known",
		`What was signed is no certification, or one of a later major version. What this version of anvil does not know cannot be believed.`,
		"use a newer anvil, or certify the pack again with this one")
	statementMalformed = reason("statement-malformed", "What was signed is no statement about a pack",
		`It names a member or a subject twice, has an unknown member, a digest that is not whole, or times that are none.`, certifyAgain)
	subjectsMissing = reason("subjects-missing", "What was signed is about nothing",
		`A statement without a subject fits every pack, so it fits none.`, certifyAgain)
	keyRoleMissing = reason("key-role-missing", "Nobody signed who may sign for a part",
		`A certificate says that the surface was captured so, that the gate lets it pass, and that operations were approved. Who signs vouches for the parts that
the trust file gives the key: capture, gate, approve, or certify for all of them. For one of the parts too few keys signed that may.`,
		"have it signed by a key with that role too: `anvil mcp certify PACK --add-signature --key FILE`; or give a key that signed the role in the trust file")
	keyOutOfTime = reason("key-out-of-time", "A key signed outside its time",
		`The certificate was issued before notBefore or after notAfter of its key, or that time is over by now. A time of issue is the signer's own word.`,
		"have it signed by a key that is in its time")
	keyRevoked = reason("key-revoked", "A key signed that is revoked",
		`Once a key is revoked nothing it signed counts, whatever time of issue it says: whoever has the key can say any.`,
		"certify the pack again with a key that is not revoked")
	signaturesTooFew = reason("signatures-too-few", "Fewer trusted people signed than are required",
		`Each key counts once, however often it signed. --require says how many are needed.`,
		"have it signed by others too: `anvil mcp certify PACK --add-signature --key FILE`")
	subjectMismatch = reason("subject-mismatch", "A certificate is of another pack",
		`A digest that was signed is not that of this pack: the pack was changed, approved or built anew since, or the certificate belongs to another one.`, certifyAgain)
	certificationDiffers = reason("certification-differs", "certification.json is not what was signed",
		`What people read beside the pack is not what the signatures are under, or it is gone.`, certifyAgain)
	certificateExpired = reason("certificate-expired", "The time of a certificate is over",
		`A certificate holds for a time, and never longer than the approvals it rests on. Look at the pack again and certify it anew.`, certifyAgain)
	certifiedApprovalOver = reason("certified-approval-over", "A certificate outlives an approval that it rests on",
		`An approval in the pack is over by now, or ends before the certificate says that it does, whoever signed it. What nobody approves any more is not certified.`,
		"look at the operation with `anvil mcp review PACK OPERATION`, approve it again if it is still wanted, and run `anvil mcp certify PACK --key FILE`")
	certificateEarly = reason("certificate-not-yet-valid", "A certificate is dated in the future",
		`Its time of issue is later than the clock here says. One of the two is wrong.`, "see that the clock is right, and certify the pack again")
	serialRolledBack = reason("serial-rolled-back", "An older certificate stands in the place of a newer one",
		`The trust file has seen a higher serial of this pack, or asks for one. What was certified before does not hold once it was replaced.`,
		"put the newest certification.json and attestations/certification.dsse.json of the pack in their place, as version control has them; if they are lost, look at the pack "+
			"again and run `anvil mcp certify PACK --key FILE`")
	policyUnknown = reason("policy-unknown", "A certificate by a policy that is not known",
		`The policy is not one that this anvil knows, is not what its digest says, or is not among those that the trust file lists.`,
		"add the policy's digest to policies in the trust file once you know what it asks for, or certify again by a known one")
	certificationFailed = reason("certification-failed", "A certificate says that a check failed",
		`It was issued as failed, or a check in it failed, or one that has to be there is not.`, "mend what failed, and certify again")
	gateRefused = reason("certified-gate-refused", "A certificate says that the gate refuses the surface",
		`The gate found an error that its policy does not accept, or rules that this anvil knows were not evaluated.`, "mend what the gate found, and certify again")
	liveDiffers = reason("live-surface-differs", "The server shows another surface than the certified one",
		`It was changed since it was certified, or shows something else to whoever asks now.`,
		"see what changed with `anvil mcp diff PACK TARGET`; take it over with `anvil mcp adopt --mode MODE --out PACK TARGET`, approve what you have read, and run `anvil mcp certify PACK --key FILE`")
)

// Rules lists the reasons for which a pack is not certified or a certificate not believed.
var Rules = diag.NewCatalog(certificateEarly, certificateExpired, certificateMissing, certificationDiffers, certificationFailed, checkFailed, certifiedApprovalOver, envelopeMalformed,
	gateRefused, keyOutOfTime, keyRevoked, keyRoleMissing, keyidContradicts, liveDiffers, payloadTypeUnknown, policyUnknown, predicateUnknown,
	serialRolledBack, signatureUntrusted, signaturesTooFew, statementMalformed, subjectMismatch, subjectsMissing)
