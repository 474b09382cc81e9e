internal import Keyfob
internal import KeyfobAgent
internal import KeyfobModel

extension ProgramPermission {
    /// What it is about.
    func words(_ account: String?) -> String {
        let tokens = scopes.isEmpty ? "tokens" : "tokens for \(scopes)"
        let client = clientID.map { " at client \($0)" } ?? ""
        return "\(tokens) of \(account ?? "each account") of group '\(group)'\(client)"
    }
}

extension ChangeDocument {
    mutating func fill(_ permission: ProgramPermission) {
        subject = Subject(program: permission.program)
        (account, group, client) = (permission.account?.description, permission.group.name, permission.clientID)
    }
}
