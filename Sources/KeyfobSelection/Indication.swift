public import KeyfobModel

/// What tells whose token is meant, although nobody has decided it.
public enum Indication: Hashable, Sendable {
    /// The repository's `user.email` is the account's own address.
    case committer(MailAddress)
    /// The repository's `user.email` is of the domain of the account, and of no other one.
    case domain(MailAddress)
    /// Whoever owns what the address names, its only component, is called as the account is.
    case owner(ResourceURL)

    /// A stable name for documents.
    public var name: String {
        switch self {
        case .committer: "committer"
        case .domain: "committerDomain"
        case .owner: "owner"
        }
    }
}

extension RequestContext {
    /// The address whose first component may own something: the request's, or the remote's where that is at the same host
    /// or the request has none.
    package var ownedAddress: ResourceURL? {
        guard let url else { return remote }
        if url.owner == nil, let remote, remote.host == url.host { return remote }
        return url
    }

    /// Whether anything in it may indicate an account.
    package var mayIndicate: Bool { committer != nil || ownedAddress?.owner != nil }

    /// Whether that component certainly is an owner, as in repositories' addresses, and not some word of an API.
    var namesRepository: Bool {
        guard let url else { return true }
        return tool == RequestContext.git || remote?.host == url.host
    }
}

extension MailAddress {
    /// Whether its domain is that of whoever employs the person, as far as is known, and not of everybody's mail.
    package var tellsOrganisation: Bool { hiddenLogins.isEmpty && !PublicMail.domains.contains(domain) }
}

extension Account {
    /// Whether it is an address of this person.
    func has(_ address: MailAddress) -> Bool {
        mailAddress == address || address.hiddenLogins(at: id.environment).contains(Identifier.foldedName(username))
    }

    /// Whether its user name or its label is the name of whoever owns an address, as the host compares names.
    func owns(_ address: ResourceURL) -> Bool {
        [username, label].contains { $0.map(address.isOwned) ?? false }
    }
}
