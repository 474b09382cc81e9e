internal import KeyfobInterop
internal import KeyfobRecords
internal import KeyfobSodium

extension Keyring.Caches {
    /// What is in another tool's file that has to be opened before it is read; nil for another.
    static func opened(_ bytes: borrowing SecretBytes) throws(KeyringError) -> SecretBytes? {
        do {
            return try bytes.withBytes { (bytes) throws(ToolFileError) in try ToolFile.opened(bytes) }
        } catch {
            throw KeyringError(error)
        }
    }

    /// What another tool's file holds; nil for a file of nobody's.
    static func toolFile(
        _ bytes: borrowing SecretBytes, _ surroundings: ToolFile.Surroundings
    ) throws(KeyringError) -> ToolFile? {
        do {
            return try bytes.withBytes { (bytes) throws(ToolFileError) in try ToolFile(reading: bytes, surroundings) }
        } catch {
            throw KeyringError(error)
        }
    }

    /// Takes over what another tool's file holds, all of it in one transaction.
    func importFile(
        _ tool: ToolFile, _ file: borrowing SecretBytes, in groups: [AccessGroup]?, bringsBackRemoved: Bool,
        taking decisions: DecisionKinds, isDryRun: Bool, progress: (Int, Int) -> Void
    ) throws(KeyringError) -> Keyring.ImportReport {
        let importer = CacheImport(cache: tool.contents, isByName: true, bringsBackRemoved: bringsBackRemoved)
        var report = try file.withBytes { (bytes) throws(KeyringError) in
            try run(in: groups, isDryRun: isDryRun) { writer, report in
                try importer.run(writer, bytes, &report, progress)
                for client in tool.clients {
                    var found = Keyring.FoundClient(id: client.id, environment: client.environment)
                    if decisions.contains(.clients) {
                        found.outcome = try writer.add(client, secret: client.secret.secret(in: bytes))
                    }
                    report.clients.append(found)
                }
            }
        }
        // What was imported stays, whether or not others have it too.
        try? file.withBytes { (bytes) throws(KeyringError) in
            try warnOfSharing(
                tool.contents, bytes, but: report.removedAccounts, group: report.group, isTakenOver: false,
                advice: .signInApart)
        }
        report.format = Keyring.CacheFormat(tool.format)
        report.skipped = tool.findings.map(\.description)
        report.elsewhere = tool.findings.compactMap { finding in
            guard case .inKeyring(let command) = finding.reason, case .account(let name, let host) = finding.place
            else { return nil }
            return Keyring.TokenElsewhere(username: name, host: host, command: command)
        }
        return report
    }
}

extension GroupWriter {
    /// Adds a client with its secret, unless one of that id is there: what the owner has said of it stays.
    fileprivate func add(_ client: ToolFile.Client, secret: borrowing SecretBytes) throws -> Keyring.StoreOutcome {
        let place = EnvironmentAliases.canonicalName(of: client.environment)
        let name = RegistrySetting.client(client.id, at: place)
        guard try setting(name) == nil else { return .kept }
        let registration = ClientRegistration(id: client.id, authentication: .post)
        if let problem = registration.problem { throw KeyringError(.damaged, problem) }
        guard (1...Keyring.Clients.secretLimit).contains(secret.count) else {
            throw KeyringError(
                .limitExceeded, "the secret is longer than \(Keyring.Clients.secretLimit) bytes, or empty")
        }
        try setSetting(name, to: registration.json(secret: secret))
        _ = try save(clientSecret: secret, clientID: client.id, environment: place)
        return .added
    }
}

extension KeyringError {
    fileprivate init(_ error: ToolFileError) {
        let advice: Advice? =
            switch error {
            case .encrypted(.oidcAgent): .decryptFirst(.oidcAgent)
            case .encrypted(.gnuPG): .decryptFirst(.gnuPG)
            case .database, .damagedDump, .noPerson, .otherUniverse, .otherTokenEndpoint, .malformed, .missing: nil
            }
        self.init(.damaged, error.description, advice: advice)
    }
}
