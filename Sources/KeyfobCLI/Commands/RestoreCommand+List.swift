internal import Keyfob
internal import KeyfobTerminal

extension RestoreCommand {
    /// Checks the backup, and lists the accounts in it as 'keyfob account list' does.
    func showAccounts(_ path: String, _ location: KeyringLocation) throws {
        let file = try opened(path, location)
        let groups = try global.groups()
        let found: BundleAccounts
        do throws(KeyringError) {
            let opener = try opening.opener(for: file, global)
            var read = try Keyring.Bundles.accounts(in: file, with: opener, groups: groups)
            if let keyring = global.keyringToJudge(read.source) {
                read = try Keyring.Bundles.accounts(in: file, with: opener, groups: groups, of: keyring)
            }
            found = read
        } catch {
            throw error.naming(bundle: file.name)
        }
        let accounts = AccountListCommand.sorted(found.accounts)
        if global.json {
            try JSONOutput.print(
                BackupAccountsDocument(
                    file: path, bundle: BundleDocument(found.source), accounts: accounts.map { Record($0) }))
        } else {
            try global.show(
                AccountListCommand.table(accounts, ProviderNames(nil, groups)), orSay: "no accounts")
            global.say("\(file.name) is \(found.source.kindText) with \(found.source.text)")
        }
        if found.source.isOfUnknownOrigin { throw ReportedFailure(status: .malformed) }
    }
}

/// `Schemas/backup-accounts.schema.json`.
struct BackupAccountsDocument: JSONDocument {
    let formatVersion = 1
    let file: String
    let bundle: BundleDocument
    let accounts: [Record]
}
