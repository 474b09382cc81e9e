internal import KeyfobBus

extension SecretService {
    /// Unlocks a collection; asks the person when that is needed and allowed.
    ///
    /// - Throws: `locked` when asking is not allowed, or did not help; `promptDismissed`; `noCollection`.
    package func unlock(_ collection: Collection) throws(SecretServiceError) {
        guard collection.isLocked else { return }
        try change("Unlock", [collection.path], whenGone: .noCollection)
    }

    /// The same for the collection at a path.
    package func unlock(_ collection: String) throws(SecretServiceError) {
        try unlock(self.collection(at: collection))
    }

    /// Whether a collection is locked.
    ///
    /// - Throws: `noCollection`.
    package func isLocked(_ collection: String) throws(SecretServiceError) -> Bool {
        try self.collection(at: collection).isLocked
    }

    /// Makes sure that a search of all collections asks nobody who may not be asked: KeePassXC asks for a database where
    /// none is open.
    ///
    /// - Throws: `locked`, or `noCollection` where there is none; nothing where asking is allowed.
    package func requireOpenCollection() throws(SecretServiceError) {
        guard !access.mayPrompt else { return }
        let collections = try collections()
        guard collections.allSatisfy(\.isLocked) else { return }
        throw collections.isEmpty ? .noCollection : .locked
    }

    /// Opens the collection that programs use where they name none; without one, some other must be open.
    ///
    /// A locked collection may show nothing, or ask the person before it answers a search.
    ///
    /// - Throws: as ``requireOpenCollection()``, and `promptDismissed`.
    package func unlockDefault() throws(SecretServiceError) {
        do throws(SecretServiceError) {
            try unlock(defaultCollection())
        } catch {
            guard error == .noCollection else { throw error }
            try requireOpenCollection()
        }
    }

    /// Unlocks items that are locked one by one, as those are that KeePassXC wants a confirmation for.
    ///
    /// - Throws: as ``unlock(_:)``, with `noItem`.
    package func unlock(_ items: [ItemPath]) throws(SecretServiceError) {
        guard !items.isEmpty else { return }
        try change("Unlock", items.map(\.path), whenGone: .noItem)
    }

    /// The collections with unlocked items that have all these attributes.
    ///
    /// Nobody is asked, where asking is not allowed.
    package func openCollections(with attributes: [String: String]) throws(SecretServiceError) -> Set<String> {
        do throws(SecretServiceError) {
            try requireOpenCollection()
        } catch {
            guard error == .locked || error == .noCollection else { throw error }
            return []
        }
        return Set(try searchByLock(attributes, in: nil).unlocked.map(\.collection))
    }

    /// Locks a collection.
    ///
    /// - Throws: `noCollection`; `needsPrompt`, `promptDismissed` where the service asks first.
    package func lock(_ collection: String) throws(SecretServiceError) {
        guard !(try self.collection(at: collection).isLocked) else { return }
        do {
            try change("Lock", [collection], whenGone: .noCollection)
        } catch .locked {
            throw .needsPrompt
        }
    }

    /// Calls Lock or Unlock, and sees that all of `paths` were.
    private func change(_ method: String, _ paths: [String], whenGone gone: SecretServiceError)
        throws(SecretServiceError)
    {
        try attempt(whenGone: gone) { (deadline) throws(ServiceFailure) in
            guard paths.allSatisfy(BusArgument.isPath) else { throw .decided(gone) }
            let answer = try call(
                Self.servicePath, Method(Interfaces.service, method), [.paths(paths)], returning: "(aoo)", deadline)
            guard let prompt = answer.elements.last?.text, var changed = answer.elements.first?.texts else {
                throw .oddAnswer
            }
            if prompt != "/" {
                let result = try answerPrompt(prompt, refusal: .locked, deadline)
                guard let more = result.texts else { throw .oddAnswer }
                changed += more
            }
            guard Set(changed).isSuperset(of: paths) else { throw .decided(.locked) }
        }
    }

    /// Lets the service ask the person.
    ///
    /// - Parameters:
    ///   - refusal: What is thrown when asking is not allowed.
    ///   - isQuiet: Whether the prompt is likely to end at once and to show nothing: then it is tried where asking is not
    ///     allowed, for as long as any call may take.
    /// - Returns: The prompt's result, whose type depends on what was asked for.
    func answerPrompt(
        _ path: String, refusal: SecretServiceError, _ deadline: Deadline, isQuiet: Bool = false
    ) throws(ServiceFailure) -> BusValue {
        guard access.mayPrompt || isQuiet else {
            dismissPrompt(path, deadline)
            throw .decided(refusal)
        }
        let person = Deadline(in: access.mayPrompt ? access.promptDeadline : access.deadline)
        let unanswered: SecretServiceError = access.mayPrompt ? .promptDismissed : refusal
        let waiting = try PromptWaiting(wire, owner: try findOwner(deadline), prompt: path)
        // Without a window of ours.
        _ = try call(path, Method(Interfaces.prompt, "Prompt"), [.string("")], returning: "()", person)
        let tell: (@Sendable () -> Void)? = access.mayPrompt ? access.whenAsking : nil
        switch waiting.outcome(until: person, telling: tell) {
        case .completed(let result): return result
        case .dismissed: throw .decided(unanswered)
        case .gone: throw wire.isClosed ? .closed : .decided(.noService)
        case .unanswered:
            dismissPrompt(path, Deadline(in: access.deadline))
            throw .decided(unanswered)
        }
    }

    /// Lets go of a prompt that will not be answered; nothing depends on whether the service takes note.
    private func dismissPrompt(_ path: String, _ deadline: Deadline) {
        _ = try? call(path, Method(Interfaces.prompt, "Dismiss"), returning: "()", deadline)
    }
}
