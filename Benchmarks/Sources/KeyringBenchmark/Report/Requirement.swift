import Foundation

/// Something that must hold, and whether it does.
struct Requirement: Encodable {
    let name: String
    let value: Double
    let isMet: Bool

    var text: String {
        (isMet ? "met      " : "not met  ") + name + String(format: " (%.2f)", value)
    }
}

extension Comparison {
    /// What must hold; each with the figure that decides it.
    var requirements: [Requirement] {
        guard let smallest = rows.first, let largest = rows.last,
            let middle = rows.first(where: { $0.accounts == 1_000 })
        else { return [] }
        func ratio(_ name: Measurements.Name) -> Double { largest.lookUp[name] / smallest.lookUp[name] }
        let growth = ratio(.lookupMicroseconds)
        let newGrowth = ratio(.newLookupMicroseconds)
        let repeatedGrowth = ratio(.repeatedLookupMicroseconds)
        let againstSilent =
            rows.map { $0.lookUp[.lookupMicroseconds] / $0.peerMemory[.lookupMicroseconds] }.max() ?? .nan
        let repeatedAgainstSilent =
            rows.map { $0.lookUp[.repeatedLookupMicroseconds] / $0.peerMemory[.repeatedLookupMicroseconds] }.max()
            ?? .nan
        let first = middle.peerFirst[.firstAccessMilliseconds] / middle.first[.firstAccessMilliseconds]
        let reopening = middle.peerFirst[.reopeningMilliseconds] / middle.first[.reopeningMilliseconds]
        let shortest = middle.peerFirst[.shortestAccessMilliseconds] / middle.first[.firstAccessMilliseconds]
        let sizes = "\(largest.credentials) credentials to one at \(smallest.credentials)"
        return [
            Requirement(
                name: "a lookup at \(sizes), random accounts: at most 1.5", value: growth, isMet: growth <= 1.5),
            Requirement(
                name: "a lookup at \(sizes), accounts not asked before: at most 1.5", value: newGrowth,
                isMet: newGrowth <= 1.5),
            Requirement(
                name: "a lookup at \(sizes), same account: at most 1.5", value: repeatedGrowth,
                isMet: repeatedGrowth <= 1.5),
            Requirement(
                name: "a lookup to acquire_token_silent, random accounts: below 1", value: againstSilent,
                isMet: againstSilent < 1),
            Requirement(
                name: "a lookup to acquire_token_silent, same account: below 1", value: repeatedAgainstSilent,
                isMet: repeatedAgainstSilent < 1),
            Requirement(
                name: "msal-extensions' first access to Keyfob's at 1,000 accounts: at least 100", value: first,
                isMet: first >= 100),
            Requirement(
                name: "the same in a process that runs already: at least 100", value: reopening,
                isMet: reopening >= 100),
            Requirement(
                name: "its shortest first access to Keyfob's at 1,000 accounts: at least 100", value: shortest,
                isMet: shortest >= 100),
        ]
    }
}
