internal import KeyfobBus
package import KeyfobSodium

extension SecretService {
    /// Reads the secrets of many items in few calls, and hands each to `body`, in the order of `items`.
    ///
    /// Items that are locked one by one are unlocked first, when asking is allowed. An item that went meanwhile
    /// (`noItem`), is `locked`, or holds what Keyfob did not store (`damaged`) is a failure of its own.
    ///
    /// - Parameter areForeign: Whether other programs have stored them, in a form of their own; none is `damaged` then.
    /// - Throws: what ends the reading of all: `timedOut`, `noService`, `noBus`, `promptDismissed`; what `body` throws.
    package func secrets(
        of items: [ItemPath], areForeign: Bool = false,
        _ body: (ItemPath, consuming Result<SecretBytes, SecretServiceError>) throws -> Void
    ) throws {
        var portion = BatchSize(deadline: access.deadline)
        var rest = items[...]
        while !rest.isEmpty {
            let some = Array(rest.prefix(portion.count))
            rest = rest.dropFirst(some.count)
            let start = ContinuousClock.now
            let answers = try sealedSecrets(of: some)
            let time = start.duration(to: .now)
            var longest = 0
            for item in some {
                switch answers[item] {
                case .sealed(let sealed):
                    guard let secret = Self.secret(sealed, isForeign: areForeign) else {
                        try body(item, .failure(.damaged))
                        continue
                    }
                    longest = max(longest, secret.count)
                    try body(item, .success(secret))
                case .failed(let error): try body(item, .failure(error))
                case nil: try body(item, .failure(.noItem))
                }
            }
            portion.adapt(longest: longest, time: time)
        }
    }

    /// The secret of one item; of one that is locked by itself, once it is unlocked.
    ///
    /// - Throws: as ``secrets(of:_:)``; the item's own failure too.
    func secret(of item: ItemPath) throws(SecretServiceError) -> SecretBytes {
        try Self.secret(in: sealedSecrets(of: [item])[item])
    }

    /// The secret of one item as far as it can be read now: nobody is asked for anything.
    ///
    /// - Throws: as ``secret(of:)``.
    package func readableSecret(of item: ItemPath) throws(SecretServiceError) -> SecretBytes {
        try Self.secret(in: getSecrets(of: [item])[item])
    }

    private static func secret(in answer: Answer?) throws(SecretServiceError) -> SecretBytes {
        switch answer {
        case .sealed(let sealed):
            guard let secret = Self.secret(sealed, isForeign: false) else { throw .damaged }
            return secret
        case .failed(let error): throw error
        case nil: throw .noItem
        }
    }

    private static func secret(_ sealed: SealedSecret, isForeign: Bool) -> SecretBytes? {
        switch sealed.text() {
        case .some(let text) where isForeign: return text
        case .some(let text): return SecretForm.decoded(text)
        case nil: return nil
        }
    }

    /// What the service said of an item.
    private enum Answer {
        case sealed(SealedSecret)
        case failed(SecretServiceError)
    }

    private typealias Answers = [ItemPath: Answer]

    /// The secrets as they come, or why there is none.
    private func sealedSecrets(of items: [ItemPath]) throws(SecretServiceError) -> Answers {
        var answers = try getSecrets(of: items)
        guard access.mayPrompt else { return answers }
        let locked = items.filter { if case .failed(.locked) = answers[$0] { true } else { false } }
        guard !locked.isEmpty else { return answers }
        try unlock(locked)
        let more = try getSecrets(of: locked)
        answers.merge(more) { $1 }
        return answers
    }

    private func getSecrets(of items: [ItemPath]) throws(SecretServiceError) -> Answers {
        try attempt(whenGone: .noItem) { (deadline) throws(ServiceFailure) in
            var answers: Answers = [:]
            try getSecrets(of: items[...], into: &answers, deadline)
            for item in items where answers[item] == nil {
                answers[item] = .failed(try reasonForNoSecret(of: item, deadline))
            }
            return answers
        }
    }

    /// Asks for all in one call; where the service refuses that, for each half.
    private func getSecrets(
        of items: ArraySlice<ItemPath>, into answers: inout Answers, _ deadline: Deadline
    ) throws(ServiceFailure) {
        let found: [String: SealedSecret]
        do throws(ServiceFailure) {
            guard items.allSatisfy({ BusArgument.isPath($0.path) }) else { throw .decided(.noItem) }
            _ = try openSession(deadline)
            found = try wire.secrets(of: items.map(\.path), from: findOwner(deadline), deadline)
        } catch {
            guard let failure = error.ofOneItem else { throw error }
            guard items.count > 1 else {
                for item in items { answers[item] = .failed(failure) }
                return
            }
            let middle = items.startIndex + items.count / 2
            try getSecrets(of: items[..<middle], into: &answers, deadline)
            try getSecrets(of: items[middle...], into: &answers, deadline)
            return
        }
        for (path, secret) in found { answers[ItemPath(path: path)] = .sealed(secret) }
    }

    /// Why the service left an item out.
    private func reasonForNoSecret(
        of item: ItemPath, _ deadline: Deadline
    ) throws(ServiceFailure) -> SecretServiceError {
        do throws(ServiceFailure) {
            let isLocked = try property(item.path, Interfaces.item, "Locked", type: "b", deadline).boolean
            return isLocked == true ? .locked : .noItem
        } catch {
            guard error.ofOneItem == .noItem else { throw error }
            return .noItem
        }
    }
}
