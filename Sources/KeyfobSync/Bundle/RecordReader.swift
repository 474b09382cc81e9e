internal import KeyfobModel
internal import KeyfobSodium

/// Reads a record from its line.
struct RecordReader {
    let line: Int
    /// The minor version that wrote the line, where it is newer than this build's.
    let newerMinor: Int?

    /// The record that an object is, without its secret.
    func record(_ object: inout LineObject, _ bytes: RawSpan) throws(BundleError) -> ItemRecord {
        guard let kind = BundleManifest.RecordKind(rawValue: try object.text(.kind, bytes)) else { throw unknownKind }
        guard let group = try? AccessGroup(try object.text(.group, bytes)) else {
            throw .badField(line: line, .group)
        }
        guard let field = BundleError.Field(rawValue: kind.rawValue) else { throw unknownKind }
        let isThisDeviceOnly = try object.optionalFlag(.thisDeviceOnly) ?? false
        let isOwners = try object.optionalFlag(.owners) ?? false
        var unknown = ItemHistory.UnknownFields()
        var inner = try object.object(field, bytes)
        let content = try content(kind, &inner, &unknown, bytes)
        unknown.add(inner.unknownFields(bytes), in: kind.rawValue)

        var stamps = try object.object(.stamps, bytes)
        guard let version = try stamps.optionalVersion(.record, bytes) else {
            throw .missingField(line: line, .record)
        }
        var record = ItemRecord(
            group: group, content: content, version: version, isThisDeviceOnly: isThisDeviceOnly, isOwners: isOwners)
        record.history.deletion = try stamps.optionalVersion(.deleted, bytes)
        if let fields = try stamps.optionalObject(.fields, bytes) {
            for (name, value) in fields.rest {
                record.history.fieldVersions[FieldName(name)] = try fields.version(value, .fields, bytes)
            }
        }
        unknown.add(stamps.unknownFields(bytes), in: ItemHistory.UnknownFields.stampsPath)
        record.history.unknownFields = unknown
        return record
    }

    private var unknownKind: BundleError {
        newerMinor.map { .newerVersion(major: BundleManifest.formatVersion, minor: $0) } ?? .unknownKind(line: line)
    }

    /// The secret of a record, straight from the line into guarded memory; nil where it has none.
    func secret(_ object: inout LineObject, _ tape: JSONTape, _ bytes: RawSpan) throws(BundleError) -> SecretBytes? {
        let (text, base64) = (object.take(.secret), object.take(.secretBase64))
        switch (text, base64) {
        case (nil, nil): return nil
        case (let value?, nil):
            guard let text = tape.text(of: value) else { throw .badField(line: line, .secret) }
            guard text.hasEscapes else {
                return SecretBytes(copying: bytes.extracting(text.range), placement: .recycled)
            }
            return SecretBytes(count: text.decodedCount(in: bytes), placement: .recycled) { output in
                text.decode(from: bytes, into: &output)
            }
        case (nil, let value?):
            guard let text = tape.text(of: value),
                let secret = Base64.standard.decodeSecret(bytes.extracting(text.range))
            else {
                throw .badField(line: line, .secretBase64)
            }
            return secret
        default: throw .badField(line: line, .secretBase64)
        }
    }

    private func content(
        _ kind: BundleManifest.RecordKind, _ object: inout LineObject, _ unknown: inout ItemHistory.UnknownFields,
        _ bytes: RawSpan
    ) throws(BundleError) -> ItemContent {
        switch kind {
        case .account: return .account(try account(&object, &unknown, bytes))
        case .credential: return .credential(try credential(&object, &unknown, bytes))
        case .appMetadata:
            let (clientID, environment) = (try object.text(.clientID, bytes), try object.text(.environment, bytes))
            let family = try object.optionalText(.family, bytes)
            return .appMetadata(
                AppMetadata(
                    clientID: clientID, environment: environment,
                    family: family.map { $0.isEmpty ? .none : .member($0) } ?? .unknown,
                    additionalFields: try object.additionalFields(bytes)))
        case .clientSecret:
            return .clientSecret(
                clientID: try object.text(.clientID, bytes), environment: try object.text(.environment, bytes))
        case .setting:
            return .setting(name: try object.text(.name, bytes), value: try object.optionalText(.value, bytes))
        case .foreign:
            return .foreign(section: try object.text(.section, bytes), key: try object.text(.key, bytes))
        case .tombstone:
            guard let kind = ItemKind(rawValue: try object.text(.kind, bytes)) else { throw unknownKind }
            return .tombstone(ItemKey(kind, try object.texts(.key, bytes)))
        }
    }

    /// The id, which is there twice: in its parts, and in one text for people.
    private func accountID(
        _ object: inout LineObject, inOneText field: BundleError.Field, _ bytes: RawSpan
    ) throws(BundleError) -> AccountID {
        let home = try object.text(.homeAccountID, bytes)
        let environment = try object.text(.environment, bytes)
        guard let id = AccountID(homeAccountID: home, environment: environment) else {
            throw .badField(line: line, .homeAccountID)
        }
        guard try object.text(field, bytes) == id.description else { throw .badField(line: line, field) }
        return id
    }

    private func account(
        _ object: inout LineObject, _ unknown: inout ItemHistory.UnknownFields, _ bytes: RawSpan
    ) throws(BundleError) -> Account {
        let id = try accountID(&object, inOneText: .id, bytes)
        var account = Account(id: id, username: try object.text(.username, bytes))
        account.displayName = try object.optionalText(.displayName, bytes)
        account.label = try object.optionalText(.label, bytes)
        account.formerNames = Array(
            (try object.optionalTexts(.formerNames, bytes) ?? []).filter { Identifier.isAcceptable($0) }
                .prefix(Account.formerNamesLimit))
        account.isProved = try object.optionalFlag(.proved) ?? false
        for object in try object.objects(.tenantProfiles, bytes) {
            var object = object
            var profile = TenantProfile(
                realm: try object.text(.id, bytes), localAccountID: try object.text(.localAccountID, bytes),
                environment: try object.text(.environment, bytes), username: try object.text(.username, bytes))
            profile.displayName = try object.optionalText(.displayName, bytes)
            profile.authorityType = try object.optionalText(.authorityType, bytes)
            profile.additionalFields = try object.additionalFields(bytes)
            unknown.add(
                object.unknownFields(bytes), in: ItemHistory.UnknownFields.path(ofProfile: profile.realm))
            account.tenantProfiles.append(profile)
        }
        return account
    }

    private func credential(
        _ object: inout LineObject, _ unknown: inout ItemHistory.UnknownFields, _ bytes: RawSpan
    ) throws(BundleError) -> Credential {
        guard let kind = Credential.Kind(rawValue: try object.text(.kind, bytes)) else {
            throw .badField(line: line, .kind)
        }
        let account = try accountID(&object, inOneText: .account, bytes)
        var credential = Credential(kind: kind, account: account, clientID: try object.text(.clientID, bytes))
        credential.realm = try object.optionalText(.tenant, bytes) ?? ""
        credential.scopes = ScopeSet(try object.texts(.scopes, bytes))
        credential.familyID = try object.optionalText(.familyID, bytes)
        credential.tokenType = try object.optionalText(.tokenType, bytes)
        credential.keyID = try object.optionalText(.keyID, bytes)
        credential.cachedAt = try object.optionalTime(.cachedOn, bytes)
        credential.expiresOn = try object.optionalTime(.expiresOn, bytes)
        credential.extendedExpiresOn = try object.optionalTime(.extendedExpiresOn, bytes)
        credential.refreshOn = try object.optionalTime(.refreshOn, bytes)
        if var grant = try object.optionalObject(.grant, bytes) {
            credential.grant = try self.grant(&grant, bytes)
            unknown.add(grant.unknownFields(bytes), in: ItemHistory.UnknownFields.grantPath)
        }
        credential.additionalFields = try object.additionalFields(bytes)
        return credential
    }

    private func grant(_ object: inout LineObject, _ bytes: RawSpan) throws(BundleError) -> Grant {
        let state: Grant.State
        switch try object.text(.state, bytes) {
        case Grant.State.active.name: state = .active
        case Grant.State.signedOut.name: state = .signedOut
        case Grant.State.needsSignIn(reason: "").name:
            state = .needsSignIn(reason: try object.text(.reason, bytes))
        default: throw .badField(line: line, .state)
        }
        var grant = Grant(
            state: state, epoch: try object.number(.epoch, bytes), generation: try object.number(.generation, bytes),
            rotates: try object.optionalFlag(.rotates))
        if let known = object.take(.known) { grant.known = try object.number(known, .known, bytes) }
        if let ended = object.take(.ended) { grant.ended = try object.number(ended, .ended, bytes) }
        // Nothing has ended that never began.
        guard grant.ended <= grant.latestEpoch else { throw .badField(line: line, .ended) }
        return grant
    }
}

extension ItemHistory.UnknownFields {
    fileprivate mutating func add(_ fields: AdditionalFields, in path: String) {
        if !fields.isEmpty { objects[path] = fields }
    }
}
