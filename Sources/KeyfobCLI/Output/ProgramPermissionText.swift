internal import Keyfob
internal import KeyfobAgent
internal import KeyfobModel

extension ProgramPermission {
    /// What the program may do: `list and get tokens of ada of group 'work'`.
    func words(_ account: String?) -> String {
        let client = clientID.map { " at client \($0)" } ?? ""
        return "\(actions.words(scopes)) \(account ?? "each account") of group '\(group)'\(client)"
    }
}

extension ChangeDocument {
    mutating func fill(_ permission: ProgramPermission) {
        subject = Subject(program: permission.program)
        (account, group, client) = (permission.account?.description, permission.group.name, permission.clientID)
        actions = permission.actions.inOrder.map(\.rawValue)
    }
}
