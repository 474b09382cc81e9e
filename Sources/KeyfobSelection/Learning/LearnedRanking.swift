internal import KeyfobModel

/// How likely each of the open candidates is.
struct LearnedRanking {
    private let model: LearnedModel
    private let slots: [Int: Int]
    private let likelihoods: (slots: [Double], unused: Double, preferred: Double?)
    private let preferred: Int?

    /// Whether one more account that was never used would change nothing.
    let isSaturated: Bool

    /// The likeliest that there is evidence for; nil when there is none for any.
    let best: (index: Int, probability: Double)?

    /// - Parameters:
    ///   - evidence: The history and the time.
    ///   - candidates: Accounts.
    ///   - indices: Which of them to choose from, each account once.
    ///   - groups: The groups in the order of the request: the first that has a default decides, that of
    ///     the owner alone where they are of several.
    ///   - parameters: How to weigh.
    init(
        _ evidence: Evidence, of candidates: [Candidate], at indices: [Int], groups: [AccessGroup],
        parameters: LearnedParameters
    ) {
        var byTag = TagTable(count: indices.count)
        var preferred: (index: Int, place: Int)?
        let isOneGroup = indices.allSatisfy { candidates[$0].group == candidates[indices[0]].group }
        for index in indices {
            byTag.insert(candidates[index].tag, at: index)
            guard candidates[index].isDefault, isOneGroup || candidates[index].isOwnersDefault else { continue }
            let place = groups.firstIndex(of: candidates[index].group) ?? groups.count
            if let other = preferred {
                let ids = (candidates[index].account.id, candidates[other.index].account.id)
                guard (place, ids.0) < (other.place, ids.1) else { continue }
            }
            preferred = (index, place)
        }
        let model = LearnedModel(
            evidence.history, now: evidence.now, candidateCount: indices.count, parameters: parameters
        ) { [byTag] in byTag.place(of: $0) != nil }
        var slots: [Int: Int] = [:]
        for (slot, tag) in model.windows.accounts.enumerated() {
            if let index = byTag.place(of: tag) { slots[index] = slot }
        }
        let chosenByDefault = preferred?.index
        let likelihoods = model.probabilities(
            among: indices.count, preferred: chosenByDefault.map { slots[$0] ?? model.windows.accounts.count })
        var best: (index: Int, probability: Double)?
        for (index, slot) in slots where likelihoods.slots[slot] > (best?.probability ?? 0) {
            // Two that are equally likely are below every threshold.
            best = (index, likelihoods.slots[slot])
        }
        if let chosenByDefault, let probability = likelihoods.preferred, probability > (best?.probability ?? 0) {
            best = (chosenByDefault, probability)
        }
        self.model = model
        self.slots = slots
        self.likelihoods = likelihoods
        self.preferred = chosenByDefault
        let strangers = indices.count - slots.count - (chosenByDefault.map { slots[$0] == nil } ?? false ? 1 : 0)
        isSaturated = strangers >= LearnedModel.strangerLimit
        self.best = best
    }

    /// Whether nothing was ever used.
    var isBlank: Bool { model.isBlank }

    /// How likely a candidate is.
    func probability(of index: Int) -> Double {
        if index == preferred, let probability = likelihoods.preferred { return probability }
        return slots[index].map { likelihoods.slots[$0] } ?? likelihoods.unused
    }

    /// What the history says of a candidate.
    func usage(of index: Int) -> Usage {
        Usage(
            probability: probability(of: index),
            share: Usage.Share(model.windows.near, slot: slots[index], level: model.windows.level))
    }
}
