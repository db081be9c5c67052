package pack

import "anvil/compiler/diag"

var (
	fileMissing = diag.Rule{ID: "pack-file-missing", Title: "A sealed file is gone", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `The manifest lists a file that the folder does not hold. Restore it, or build the pack again with "anvil mcp adopt".`}
	fileChanged = diag.Rule{ID: "pack-file-changed", Title: "A sealed file was changed", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `A file's digest is not the one its manifest states. Generated files are not edited by hand: change the inputs and build again.`}
	fileUnexpected = diag.Rule{ID: "pack-file-unexpected", Title: "A file was smuggled in", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `The folder holds a file, link or folder that the manifest does not list. Remove it.`}
	fileSpecial = diag.Rule{ID: "pack-file-special", Title: "Something else stands in the place of a sealed file", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `Where the manifest seals a file or needs a folder, there is a link, a pipe, a device, a folder or a set-uid file: what it leads to, or
does when it is started, is nothing the pack has sealed. Remove it, and build the pack again with "anvil mcp adopt".`}
	fileUnreadable = diag.Rule{ID: "pack-file-unreadable", Title: "A file of the pack may not be read", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `Who verifies has no right to read the manifest, a sealed file, a certificate or the folder of one, so nothing is known of what it holds.
Give yourself the right, and verify again.`}
	tooLarge = diag.Rule{ID: "pack-too-large", Title: "The pack holds more than a pack can", Class: diag.Error, Security: true, Since: "0.1",
		Doc:  `A manifest has 64 MiB at most, all the files together 1 GiB, and there are 100,000 of them at most. Nothing is read beyond that.`,
		Hint: "take the pack from who made it again; or " + rebuild}
	fileShared = diag.Rule{ID: "pack-file-shared", Title: "A sealed file has another name", Class: diag.Warning, Since: "0.1",
		Doc: `A file of the pack is a hard link: who writes to its other name changes the pack, which then no longer verifies. Copy the folder
without links. It happens too while another anvil replaces the pack.`}
	pathUnportable = diag.Rule{ID: "pack-path-unportable", Title: "Windows cannot have a file of this name", Class: diag.Warning, Since: "0.1",
		Doc: `A path of the pack holds a name that Windows keeps for a device, a character that it refuses, or ends in a dot or a space. The pack
cannot be opened there.`}
	outputDangling = diag.Rule{ID: "pack-output-dangling", Title: "Build graph and artifacts contradict each other", Class: diag.Error, Since: "0.1",
		Doc: `A node of the build graph makes an artifact that the manifest does not list, that another makes too, or that is said to be of another
kind; or no node makes an artifact. Build the pack again with "anvil mcp adopt".`}
	archiveMalformed = diag.Rule{ID: "pack-archive-malformed", Title: "The archive is not one that anvil writes", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `An archive of a pack is the same bytes wherever it is made: a tar of regular files in order, without times and owners, with nothing
behind them. This one is cut short, holds something more, or was made by another program. Make it with "anvil pack archive".`}
	idRepeated = diag.Rule{ID: "pack-id-repeated", Title: "Two packs have one id", Class: diag.Error, Since: "0.1",
		Doc: `The id is that of the service, and callers tell operations apart by it: of two packs with one id nobody can say whose operation is
meant. Use one of them.`}
	pathUnsafe = diag.Rule{ID: "pack-path-unsafe", Title: "An artifact path leaves the pack", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `The manifest lists a path that is absolute, climbs out of the folder, holds control characters, is listed twice, or is the same as
another to a file system that ignores case or normalises Unicode.`}
	contentsMismatch = diag.Rule{ID: "pack-contents-mismatch", Title: "The list of artifacts is not the sealed one", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `The digest that the manifest states of its artifacts and nodes is not theirs. It was edited by hand; build the pack again.`}
	digestMismatch = diag.Rule{ID: "pack-digest-mismatch", Title: "The pack digest is wrong", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `The digest that the manifest states is not the digest of the manifest. It was edited by hand; build the pack again.`}
	// NotReproduced is found by who can build: a sealed file is not what the pack's own inputs give.
	NotReproduced = diag.Rule{ID: "pack-not-reproduced", Title: "A sealed file does not follow from the pack's inputs", Class: diag.Error, Security: true, Since: "0.1",
		Doc: `Built again from the snapshot and the approvals in the pack, a file comes out different: it was forged together with its
digest, or another version of anvil made it. Build the pack again with "anvil mcp adopt".`}
)

// Rules lists the rules of pack verification.
var Rules = diag.NewCatalog(fileMissing, fileChanged, fileUnexpected, fileSpecial, fileUnreadable, fileShared, pathUnsafe, pathUnportable, outputDangling, archiveMalformed, idRepeated, contentsMismatch,
	digestMismatch, tooLarge, NotReproduced)
