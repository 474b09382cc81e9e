extension SecretService {
    /// Unlocks a collection; asks the person when that is needed and allowed.
    ///
    /// - Throws: `locked` when asking is not allowed, or did not help; `promptDismissed`; `noCollection`.
    package func unlock(_ collection: String) throws(SecretServiceError) {
        guard try self.collection(at: collection).isLocked else { return }
        try change("Unlock", [collection], whenGone: .noCollection)
    }

    /// Unlocks items that are locked one by one, as those are that KeePassXC wants a confirmation for.
    ///
    /// - Throws: as ``unlock(_:)``, with `noItem`.
    package func unlock(_ items: [ItemPath]) throws(SecretServiceError) {
        guard !items.isEmpty else { return }
        try change("Unlock", items.map(\.path), whenGone: .noItem)
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
        try attempt(whenGone: gone) { (deadline) throws(BusFailure) in
            let answer = try call(
                Self.servicePath, Method(Interfaces.service, method), [.paths(paths, gone: gone)], returning: "(aoo)",
                deadline)
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
    /// - Parameter refusal: What is thrown when asking is not allowed.
    /// - Returns: The prompt's result, whose type depends on what was asked for.
    func answerPrompt(
        _ path: String, refusal: SecretServiceError, _ deadline: Deadline
    ) throws(BusFailure) -> Variant {
        guard access.mayPrompt else {
            dismissPrompt(path, deadline)
            throw .decided(refusal)
        }
        let person = Deadline(in: access.promptDeadline)
        let waiting = PromptWaiting(bus, owner: try findOwner(deadline), prompt: path)
        // Without a window of ours.
        _ = try call(path, Method(Interfaces.prompt, "Prompt"), [.string("")], returning: "()", person)
        switch waiting.wait(until: person) {
        case .completed(let result): return result
        case .dismissed: throw .decided(.promptDismissed)
        case .gone: throw bus.isClosed ? .closed : .decided(.noService)
        case .unanswered:
            dismissPrompt(path, Deadline(in: access.deadline))
            throw .decided(.promptDismissed)
        }
    }

    /// Lets go of a prompt that will not be answered; nothing depends on whether the service takes note.
    private func dismissPrompt(_ path: String, _ deadline: Deadline) {
        _ = try? call(path, Method(Interfaces.prompt, "Dismiss"), returning: "()", deadline)
    }
}
