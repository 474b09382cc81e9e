internal import Keyfob

/// `Schemas/account-list.schema.json`.
struct AccountListDocument: LongJSONDocument {
    let formatVersion = 1
    let accounts: [Record]

    func writeMembers(to json: inout JSONWriter) {
        json.member("accounts", each: accounts) { $1.members(of: $0, isDocument: true) }
        json.member("formatVersion", formatVersion)
    }
}
