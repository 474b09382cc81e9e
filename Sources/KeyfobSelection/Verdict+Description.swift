public import KeyfobModel

// One line for each, in words that a person understands.

extension Verdict: CustomStringConvertible {
    /// One line that a person understands.
    public var description: String {
        switch self {
        case .chosen(let reason): "chosen: \(reason)"
        case .possible(let usage): "possible: \(usage.map { "\($0)" } ?? "it fits, and so does another")"
        case .rejected(let rejection): "rejected: \(rejection)"
        }
    }
}

extension Verdict.Reason: CustomStringConvertible {
    /// The reason, as the end of a sentence.
    public var description: String {
        switch self {
        case .explicit: "the request names it"
        case .addressUser(let user): "the address names its user, \(user)"
        case .usual: "KEYFOB_ACCOUNT names it"
        case .bound(let binding): "\(binding.subject) is bound to it\(binding.suffix)"
        case .onlyOne: "no other account fits"
        case .onlyGranted: "no other account was granted the scopes"
        case .indicated(let indication):
            switch indication {
            case .committer(let address): "the repository's user.email, \(address), is its address"
            case .domain(let address): "the repository's user.email, \(address), is of its domain"
            case .owner(let address): "\(address) has its name"
            }
        case .learned(let usage): "\(usage)"
        case .calledFrom(let folder, let binding):
            "the folder of the program that called git, \(folder), is bound to it\(binding.suffix)"
        case .groupDefault: "it is the default of its group"
        }
    }
}

extension Verdict.Reason {
    /// Why nobody else is taken, behind "and", where the account itself will not do.
    package var meaning: String {
        if case .indicated(.owner(let address)) = self { "\(address) means this account" } else { description }
    }
}

extension Verdict.Rejection: CustomStringConvertible {
    /// The reason, as the end of a sentence.
    public var description: String {
        switch self {
        case .notNamed: "the request names another account"
        case .otherEnvironment(let own): "it is at \(own)"
        case .hostNotAllowed(let host): "its tokens do not go to \(host)"
        case .notInTenant(let realm): "it has no profile in tenant \(realm)"
        case .unknownToClient(let client): "client \(client) has no tokens of it"
        case .signedOut: "signed out"
        case .scopesNotGranted(let scopes): "it cannot get \(scopes)"
        case .boundToAnother(let binding): "\(binding.subject) is bound to another account\(binding.suffix)"
        case .neverGranted(let scopes): "it was never granted \(scopes), and another account was"
        case .anotherIndicated(let indication):
            switch indication {
            case .committer(let address): "the repository's user.email, \(address), is another account's address"
            case .domain(let address): "the repository's user.email, \(address), is of another account's domain"
            case .owner(let address): "\(address) has another account's name"
            }
        case .lessLikely(let usage): "\(usage)"
        case .notDefault: "another account is the default"
        case .boundInVain(let binding):
            "\(binding.subject) is bound to an account that does not fit\(binding.suffix)"
        case .removed: "it was removed"
        case .meant(let reason, let rejection): "\(rejection), and \(reason.meaning)"
        }
    }
}

extension Binding {
    fileprivate var suffix: String {
        let file = if case .file(let path, _) = origin { " by \(path)" } else { "" }
        return file + (writer == .group ? ", by a key of group '\(origin.group)'" : "")
    }
}

extension Binding.Subject: CustomStringConvertible {
    /// What is bound, with its kind: `directory /home/ada/work`.
    public var description: String {
        switch self {
        case .directory(let path): "directory \(path)"
        case .url(let url): "address \(url)"
        case .host(let host): "host \(host)"
        case .tool(let tool): "tool \(tool)"
        }
    }
}

extension Usage: CustomStringConvertible {
    /// How often the account was used, and where: `used 12 of the last 14 times here`.
    public var description: String {
        guard let share else { return "never used before" }
        guard share.count > 0 else {
            if share.total == 1 { return "another account was used the last time \(share.scope.place)" }
            return "not among the last \(share.total) used \(share.scope.place)"
        }
        if share.total == 1 { return "used the last time \(share.scope.place)" }
        if share.count == share.total { return "used all of the last \(share.total) times \(share.scope.place)" }
        return "used \(share.count) of the last \(share.total) times \(share.scope.place)"
    }
}

extension Usage.Scope {
    /// Where, as the end of a sentence.
    fileprivate var place: String {
        switch self {
        case .place: "here"
        case .owner: "for this owner"
        case .host: "at this host"
        case .tool: "by this tool"
        case .everywhere: "anywhere"
        }
    }
}
