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
                switch answers.values[item] {
                case .sealed(let sealed):
                    let decoded = areForeign ? answers.session.plain(sealed) : answers.session.decode(sealed)
                    guard let secret = decoded else {
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

    /// The secret of one item.
    ///
    /// - Throws: as ``secrets(of:_:)``; the item's own failure too.
    func secret(of item: ItemPath) throws(SecretServiceError) -> SecretBytes {
        let answers = try sealedSecrets(of: [item])
        switch answers.values[item] {
        case .sealed(let sealed):
            guard let secret = answers.session.decode(sealed) else { throw .damaged }
            return secret
        case .failed(let error): throw error
        case nil: throw .noItem
        }
    }

    /// What the service said of an item.
    private enum Answer {
        /// The secret, encrypted for the session.
        case sealed(Variant)
        case failed(SecretServiceError)
    }

    private struct Answers {
        let session: SecretSession
        var values: [ItemPath: Answer]
    }

    /// The secrets as they come, or why there is none.
    private func sealedSecrets(of items: [ItemPath]) throws(SecretServiceError) -> Answers {
        var answers = try getSecrets(of: items)
        guard access.mayPrompt else { return answers }
        let locked = items.filter { if case .failed(.locked) = answers.values[$0] { true } else { false } }
        guard !locked.isEmpty else { return answers }
        try unlock(locked)
        let more = try getSecrets(of: locked)
        guard more.session === answers.session else { return try getSecrets(of: items) }
        answers.values.merge(more.values) { $1 }
        return answers
    }

    private func getSecrets(of items: [ItemPath]) throws(SecretServiceError) -> Answers {
        try attempt(whenGone: .noItem) { (deadline) throws(BusFailure) in
            let session = try openSession(deadline)
            var answers = Answers(session: session, values: [:])
            try getSecrets(of: items[...], into: &answers, deadline)
            for item in items where answers.values[item] == nil {
                answers.values[item] = .failed(try reasonForNoSecret(of: item, deadline))
            }
            return answers
        }
    }

    /// Asks for all in one call; where the service refuses that, for each half.
    private func getSecrets(
        of items: ArraySlice<ItemPath>, into answers: inout Answers, _ deadline: Deadline
    ) throws(BusFailure) {
        let answer: Variant
        do throws(BusFailure) {
            answer = try call(
                Self.servicePath, Method(Interfaces.service, "GetSecrets"),
                [
                    .paths(items.map(\.path), gone: .noItem),
                    .path(answers.session.path, gone: .noService),
                ],
                returning: "(a{o(oayays)})", deadline)
        } catch {
            guard let failure = error.ofOneItem else { throw error }
            guard items.count > 1 else {
                for item in items { answers.values[item] = .failed(failure) }
                return
            }
            let middle = items.startIndex + items.count / 2
            try getSecrets(of: items[..<middle], into: &answers, deadline)
            try getSecrets(of: items[middle...], into: &answers, deadline)
            return
        }
        for (path, secret) in answer.elements.first?.entries ?? [:] {
            answers.values[ItemPath(path: path)] = .sealed(secret)
        }
    }

    /// Why the service left an item out.
    private func reasonForNoSecret(
        of item: ItemPath, _ deadline: Deadline
    ) throws(BusFailure) -> SecretServiceError {
        do throws(BusFailure) {
            let isLocked = try property(item.path, Interfaces.item, "Locked", type: "b", deadline).boolean
            return isLocked == true ? .locked : .noItem
        } catch {
            guard error.ofOneItem == .noItem else { throw error }
            return .noItem
        }
    }
}
