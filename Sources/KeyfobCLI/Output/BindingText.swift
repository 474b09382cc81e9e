internal import Keyfob

extension Binding {
    /// What a binding to no account does, as the end of a sentence.
    static func meaningOfNone(in group: AccessGroup) -> String {
        "wider bindings of group '\(group)' are ignored there; Keyfob chooses as if nothing were bound"
    }
}

extension Selection {
    /// A line for each binding to no account that the request meets, with what lifts it.
    var blockingLines: [String] {
        blocking.map { binding in
            let lifting =
                switch binding.origin {
                case .file(let path, _): "edit \(path)"
                case .keyring:
                    "'keyfob unbind --\(binding.subject.kind) \(ShellWord.quoted(binding.subject.text))' lifts that"
                }
            return "\(binding.subject) is bound to none: \(Binding.meaningOfNone(in: binding.origin.group)); \(lifting)"
        }
    }
}
