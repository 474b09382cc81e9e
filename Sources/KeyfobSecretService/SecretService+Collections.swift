internal import KeyfobBus

extension SecretService {
    /// A collection of secrets: a keyring, a database, a wallet.
    package struct Collection: Equatable, Sendable {
        package let path: String
        package let isLocked: Bool
    }

    /// The collection that the person keeps their secrets in.
    ///
    /// - Throws: `noCollection` when there is none, as in KeePassXC without an open database.
    package func defaultCollection() throws(SecretServiceError) -> Collection {
        try attempt(whenGone: .noCollection) { (deadline) throws(ServiceFailure) in
            let answer = try call(
                Self.servicePath, Method(Interfaces.service, "ReadAlias"), [.string("default")], returning: "(o)",
                deadline)
            guard let path = answer.elements.first?.text, path != "/" else { throw .decided(.noCollection) }
            return try collection(path, deadline)
        }
    }

    /// The collection at a path that one had before.
    ///
    /// - Throws: `noCollection` when it is gone.
    package func collection(at path: String) throws(SecretServiceError) -> Collection {
        try attempt(whenGone: .noCollection) { (deadline) throws(ServiceFailure) in try collection(path, deadline) }
    }

    /// All collections, in the service's order.
    package func collections() throws(SecretServiceError) -> [Collection] {
        try attempt(whenGone: .noService) { (deadline) throws(ServiceFailure) in try collections(deadline) }
    }

    func collections(_ deadline: Deadline) throws(ServiceFailure) -> [Collection] {
        let paths = try property(Self.servicePath, Interfaces.service, "Collections", type: "ao", deadline)
        var collections: [Collection] = []
        for path in paths.texts ?? [] { collections.append(try collection(path, deadline)) }
        return collections
    }

    func collection(_ path: String, _ deadline: Deadline) throws(ServiceFailure) -> Collection {
        // All properties at once would bring the paths of all items.
        let isLocked = try property(path, Interfaces.collection, "Locked", type: "b", deadline).boolean
        guard let isLocked else { throw .oddAnswer }
        return Collection(path: path, isLocked: isLocked)
    }
}
