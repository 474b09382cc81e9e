internal import KeyfobModel

extension ItemRecord {
    /// The line up to the place where the secret goes, which is the last member: an object that is still open.
    var openLine: JSONWriter {
        var writer = JSONWriter(capacity: 768)
        writer.beginObject()
        writer.member(.kind, kind.rawValue)
        writer.member(.group, group.name)
        if isThisDeviceOnly {
            writer.name(.thisDeviceOnly)
            writer.bool(true)
        }
        if isOwners {
            writer.name(.owners)
            writer.bool(true)
        }
        writer.name(kind.rawValue)
        writer.beginObject()
        write(to: &writer)
        writer.members(history.unknownFields.objects[kind.rawValue])
        writer.endObject()
        writeStamps(to: &writer)
        writer.members(history.unknownFields.objects[""])
        return writer
    }

    private func write(to writer: inout JSONWriter) {
        switch content {
        case .account(let account): write(account, to: &writer)
        case .credential(let credential): write(credential, to: &writer)
        case .appMetadata(let metadata):
            writer.member(.clientID, metadata.clientID)
            writer.member(.environment, metadata.environment)
            switch metadata.family {
            case .unknown: break
            case .none: writer.member(.family, "")
            case .member(let family): writer.member(.family, family)
            }
            writer.additionalFields(metadata.additionalFields)
        case .clientSecret(let clientID, let environment):
            writer.member(.clientID, clientID)
            writer.member(.environment, environment)
        case .setting(let name, let value):
            writer.member(.name, name)
            writer.member(.value, value)
        case .foreign(let section, let key):
            writer.member(.section, section)
            writer.member(.key, key)
        case .tombstone(let key):
            writer.member(.kind, key.kind.rawValue)
            writer.name(.key)
            writer.strings(key.parts)
        }
    }

    private func write(_ account: Account, to writer: inout JSONWriter) {
        writer.member(.id, account.id.description)
        writer.member(.homeAccountID, account.id.homeAccountID)
        writer.member(.environment, account.id.environment)
        writer.member(.username, account.username)
        writer.member(.displayName, account.displayName)
        writer.member(.label, account.label)
        if !account.formerNames.isEmpty {
            writer.name(.formerNames)
            writer.strings(account.formerNames)
        }
        if account.isProved {
            writer.name(.proved)
            writer.bool(true)
        }
        writer.name(.tenantProfiles)
        writer.beginArray()
        for profile in account.tenantProfiles {
            writer.beginObject()
            writer.member(.id, profile.realm)
            writer.member(.localAccountID, profile.localAccountID)
            writer.member(.environment, profile.environment)
            writer.member(.username, profile.username)
            writer.member(.displayName, profile.displayName)
            writer.member(.authorityType, profile.authorityType)
            writer.additionalFields(profile.additionalFields)
            writer.members(history.unknownFields.objects[ItemHistory.UnknownFields.path(ofProfile: profile.realm)])
            writer.endObject()
        }
        writer.endArray()
    }

    private func write(_ credential: Credential, to writer: inout JSONWriter) {
        writer.member(.kind, credential.kind.rawValue)
        writer.member(.account, credential.account.description)
        writer.member(.homeAccountID, credential.account.homeAccountID)
        writer.member(.environment, credential.account.environment)
        writer.member(.clientID, credential.clientID)
        if !credential.realm.isEmpty { writer.member(.tenant, credential.realm) }
        writer.name(.scopes)
        writer.strings(credential.scopes.scopes)
        writer.member(.familyID, credential.familyID)
        writer.member(.tokenType, credential.tokenType)
        writer.member(.keyID, credential.keyID)
        writer.member(.cachedOn, credential.cachedAt)
        writer.member(.expiresOn, credential.expiresOn)
        writer.member(.extendedExpiresOn, credential.extendedExpiresOn)
        writer.member(.refreshOn, credential.refreshOn)
        if let grant = credential.grant {
            writer.name(.grant)
            writer.beginObject()
            writer.member(.state, grant.state.name)
            if case .needsSignIn(let reason) = grant.state { writer.member(.reason, reason) }
            writer.member(.epoch, grant.epoch)
            writer.member(.generation, grant.generation)
            if let rotates = grant.rotates {
                writer.name(.rotates)
                writer.bool(rotates)
            }
            if grant.known > 0 { writer.member(.known, grant.known) }
            if grant.ended > 0 { writer.member(.ended, grant.ended) }
            writer.members(history.unknownFields.objects[ItemHistory.UnknownFields.grantPath])
            writer.endObject()
        }
        writer.additionalFields(credential.additionalFields)
    }

    private func writeStamps(to writer: inout JSONWriter) {
        writer.name(.stamps)
        writer.beginObject()
        writer.member(.record, version.description)
        writer.member(.deleted, history.deletion?.description)
        if !history.fieldVersions.isEmpty {
            writer.name(.fields)
            writer.beginObject()
            for (name, version) in history.fieldVersions.sorted(by: { $0.key < $1.key }) {
                writer.name(name.name)
                writer.string(version.description)
            }
            writer.endObject()
        }
        writer.members(history.unknownFields.objects[ItemHistory.UnknownFields.stampsPath])
        writer.endObject()
    }
}

extension ItemHistory.UnknownFields {
    static let grantPath = "credential.grant"
    static let stampsPath = "stamps"

    static func path(ofProfile realm: String) -> String { "account.tenantProfiles." + Identifier.folded(realm) }
}

extension JSONWriter {
    fileprivate mutating func additionalFields(_ fields: AdditionalFields) {
        guard !fields.isEmpty else { return }
        name(.additionalFields)
        beginObject()
        members(fields)
        endObject()
    }
}
