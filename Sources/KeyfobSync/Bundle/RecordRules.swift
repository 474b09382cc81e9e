internal import KeyfobModel

/// What holds for every record, whether it is written or read.
///
/// Identifiers are refused that no vault holds: blank, too long, with control characters or invisible marks. User
/// names, display names and reasons are free text of providers and kept as they are.
struct RecordRules {
    let purpose: BundlePurpose
    let groups: Set<AccessGroup>

    init(_ manifest: BundleManifest) {
        purpose = manifest.purpose
        groups = Set(manifest.groups)
    }

    /// Checks a record on a line.
    ///
    /// - Throws: `unlistedGroup`, `notForPurpose`, `badField`, `missingField`.
    func check(_ record: ItemRecord, hasSecret: Bool, line: Int) throws(BundleError) {
        guard groups.contains(record.group) else { throw .unlistedGroup(line: line) }
        guard !record.isThisDeviceOnly || purpose == .backup else { throw .notForPurpose(line: line, purpose) }
        guard !record.isOwners || purpose != .export && record.kind == .setting else {
            throw .notForPurpose(line: line, purpose)
        }
        switch record.content {
        case .account(let account):
            try check(account.label, .label, line)
            for profile in account.tenantProfiles {
                if !profile.realm.isEmpty { try check(profile.realm, .id, line) }
            }
            let realms = account.tenantProfiles.map { Identifier.folded($0.realm) }
            guard Set(realms.map { Array($0.utf8) }).count == realms.count else {
                throw .badField(line: line, .tenantProfiles)
            }
        case .credential(let credential): try check(credential, line)
        case .appMetadata(let metadata):
            try check(metadata.clientID, .clientID, line)
            try check(metadata.environment, .environment, line)
        case .clientSecret(let clientID, let environment):
            try check(clientID, .clientID, line)
            try check(environment, .environment, line)
        case .setting(let name, _): try check(name, .name, line)
        case .foreign(let section, _):
            if !section.isEmpty { try check(section, .section, line) }
        case .tombstone(let key):
            guard key.kind != .grant, key.parts.count == ItemKey.partCount(of: key.kind) else {
                throw .badField(line: line, .tombstone)
            }
            for part in key.namingParts where !part.isEmpty { try check(part, .key, line) }
        }
        let needsSecret =
            switch record.content {
            case .credential(let credential):
                credential.kind != .refreshToken || (credential.grant ?? Grant()).state == .active
            case .clientSecret, .foreign: true
            default: false
            }
        let mayHaveSecret = needsSecret || record.kind == .credential
        guard hasSecret || !needsSecret else { throw .missingField(line: line, .secret) }
        guard !hasSecret || mayHaveSecret else { throw .badField(line: line, .secret) }
    }

    private func check(_ credential: Credential, _ line: Int) throws(BundleError) {
        guard credential.kind != .accessToken || purpose != .sync else { throw .notForPurpose(line: line, purpose) }
        try check(credential.clientID, .clientID, line)
        if !credential.realm.isEmpty { try check(credential.realm, .tenant, line) }
        guard credential.kind == .refreshToken || credential.grant == nil else {
            throw .badField(line: line, .grant)
        }
    }

    private func check(_ text: String?, _ field: BundleError.Field, _ line: Int) throws(BundleError) {
        guard let text else { return }
        guard Identifier.isAcceptable(text) else { throw .badField(line: line, field) }
    }
}
