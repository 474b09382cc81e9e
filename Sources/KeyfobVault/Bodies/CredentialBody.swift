package import KeyfobModel

/// The attributes of a credential record.
///
/// 1 home account id, 2 environment, 3 client id, 4 realm, 5 scopes, 6 family id, 7 token type,
/// 8 key id, 9 cached at, 10 expires on, 11 extended expires on, 12 refresh on (i64 seconds since
/// 1970), 13 grant (see ``GrantBody``), 14 additional field (repeats: 1 name, 2 JSON). The kind is the record's.
package enum CredentialBody {
    private static let lastKnown: UInt16 = 14

    /// The body of `credential`; fields of `previous` that this build does not know stay.
    package static func encode(_ credential: Credential, replacing previous: FieldList? = nil) -> FieldList {
        var body = FieldList()
        body.append(1, credential.account.homeAccountID)
        body.append(2, credential.account.environment)
        body.append(3, credential.clientID)
        body.append(4, credential.realm)
        body.append(5, credential.scopes.spaceSeparated)
        body.append(6, credential.familyID)
        body.append(7, credential.tokenType)
        body.append(8, credential.keyID)
        body.append(9, credential.cachedAt?.seconds)
        body.append(10, credential.expiresOn?.seconds)
        body.append(11, credential.extendedExpiresOn?.seconds)
        body.append(12, credential.refreshOn?.seconds)
        if let grant = credential.grant { body.append(13, GrantBody.encode(grant)) }
        credential.additionalFields.append(to: &body, as: 14)
        body.keepUnknown(of: previous, above: lastKnown)
        return body
    }

    /// The credential in `body`.
    package static func decode(
        _ body: FieldList, kind: Credential.Kind
    ) throws(FieldList.Malformed) -> Credential {
        guard
            let account = AccountID(homeAccountID: try body.requiredText(1), environment: try body.requiredText(2))
        else { throw FieldList.Malformed() }
        var credential = Credential(kind: kind, account: account, clientID: try body.requiredText(3))
        credential.realm = try body.text(4) ?? ""
        credential.scopes = ScopeSet(spaceSeparated: try body.text(5) ?? "")
        credential.familyID = try body.text(6)
        credential.tokenType = try body.text(7)
        credential.keyID = try body.text(8)
        credential.cachedAt = try time(9, in: body)
        credential.expiresOn = try time(10, in: body)
        credential.extendedExpiresOn = try time(11, in: body)
        credential.refreshOn = try time(12, in: body)
        credential.grant = try body.lists(13).first.map(GrantBody.decode)
        credential.additionalFields = try AdditionalFields(body, 14)
        return credential
    }

    private static func time(_ number: UInt16, in body: FieldList) throws(FieldList.Malformed) -> Timestamp? {
        let seconds: Int64? = try body.integer(number)
        return seconds.map(Timestamp.init(seconds:))
    }
}
