package import KeyfobModel

/// The attributes of an account record.
///
/// 1 home account id, 2 environment, 3 user name, 4 display name, 5 label, 6 profile (repeats):
/// 1 realm, 2 local account id, 3 environment, 4 user name, 5 display name, 6 authority type,
/// 7 additional field (repeats: 1 name, 2 JSON); 7 former name (repeats), 8 proved by a sign-in u8.
package enum AccountBody {
    private static let lastKnown: UInt16 = 8

    /// The body of `account`; fields of `previous` that this build does not know stay.
    package static func encode(_ account: Account, replacing previous: FieldList? = nil) -> FieldList {
        var body = FieldList()
        body.append(1, account.id.homeAccountID)
        body.append(2, account.id.environment)
        body.append(3, account.username)
        body.append(4, account.displayName)
        body.append(5, account.label)
        for profile in account.tenantProfiles { body.append(6, encode(profile)) }
        for name in account.formerNames { body.append(7, name) }
        if account.isProved { body.append(8, UInt8(1)) }
        body.keepUnknown(of: previous, above: lastKnown)
        return body
    }

    /// The account in `body`.
    package static func decode(_ body: FieldList) throws(FieldList.Malformed) -> Account {
        guard
            let id = AccountID(homeAccountID: try body.requiredText(1), environment: try body.requiredText(2))
        else { throw FieldList.Malformed() }
        var account = Account(id: id, username: try body.text(3) ?? "")
        account.displayName = try body.text(4)
        account.label = try body.text(5)
        for list in try body.lists(6) { account.tenantProfiles.append(try decodeProfile(list)) }
        account.formerNames = Array(try body.texts(7).prefix(Account.formerNamesLimit))
        let proved: UInt8? = try body.integer(8)
        account.isProved = proved == 1
        return account
    }

    private static func encode(_ profile: TenantProfile) -> FieldList {
        var list = FieldList()
        list.append(1, profile.realm)
        list.append(2, profile.localAccountID)
        list.append(3, profile.environment)
        list.append(4, profile.username)
        list.append(5, profile.displayName)
        list.append(6, profile.authorityType)
        profile.additionalFields.append(to: &list, as: 7)
        return list
    }

    private static func decodeProfile(_ list: FieldList) throws(FieldList.Malformed) -> TenantProfile {
        TenantProfile(
            realm: try list.text(1) ?? "", localAccountID: try list.text(2) ?? "",
            environment: try list.requiredText(3), username: try list.text(4) ?? "",
            displayName: try list.text(5), authorityType: try list.text(6),
            additionalFields: try AdditionalFields(list, 7))
    }
}

extension AdditionalFields {
    func append(to list: inout FieldList, as number: UInt16) {
        for field in fields {
            var entry = FieldList()
            entry.append(1, field.name)
            entry.append(2, field.json)
            list.append(number, entry)
        }
    }

    init(_ list: FieldList, _ number: UInt16) throws(FieldList.Malformed) {
        self.init()
        for entry in try list.lists(number) {
            fields.append(Field(name: try entry.requiredText(1), json: try entry.requiredText(2)))
        }
    }
}
