import Foundation

/// What a step found out: one line of JSON on its standard output, from Swift and from Python alike.
struct Measurements {
    /// What is measured, with its unit.
    enum Name: String, CaseIterable {
        case accounts
        case credentials
        case importSeconds
        case listMilliseconds
        case lookupMicroseconds
        case repeatedLookupMicroseconds
        /// As ``lookupMicroseconds``, of accounts that were not asked about before.
        case newLookupMicroseconds
        case firstAccessMilliseconds
        /// As ``firstAccessMilliseconds``, in a process that runs already: opened anew, as after a restart of what
        /// uses it or after another process's write.
        case reopeningMilliseconds
        /// As ``firstAccessMilliseconds``, by the shortest way the library has.
        case shortestAccessMilliseconds
        case processMilliseconds
        /// A silent refresh, the median of many.
        case refreshMilliseconds
        /// As ``refreshMilliseconds``: 95 of 100 take no longer.
        case refreshTailMilliseconds
        /// What the provider takes for a refresh that no library asks for.
        case endpointMilliseconds
        /// What it takes to make one block of a file durable.
        case syncMilliseconds
        /// Until the last of 30 that ask at once has ended.
        case atOnceMilliseconds
        /// What the provider was asked for them.
        case atOnceRequests
        /// As ``atOnceRequests``, with a refresh token that had been replaced.
        case atOnceReuses
        /// How many of the 30 got no token.
        case atOnceFailures
        /// In MiB.
        case peakMemory
    }

    private(set) var values: [Name: Double]

    init(_ values: [Name: Double]) {
        self.values = values
    }

    init(parsing json: Data) throws {
        let document = try JSONDecoder().decode([String: Double].self, from: json)
        self.init(
            Dictionary(
                uniqueKeysWithValues: document.compactMap { key, value in Name(rawValue: key).map { ($0, value) } }))
    }

    /// The medians of several runs of one step.
    init(mediansOf runs: [Measurements]) {
        var medians: [Name: Double] = [:]
        for name in Name.allCases {
            let values = runs.compactMap { $0.values[name] }
            if !values.isEmpty { medians[name] = Samples(values).median }
        }
        self.init(medians)
    }

    subscript(name: Name) -> Double { values[name] ?? .nan }

    func merging(_ other: Measurements) -> Measurements {
        Measurements(values.merging(other.values) { max($0, $1) })
    }

    /// With names as keys, for JSON.
    var document: [String: Double] {
        Dictionary(uniqueKeysWithValues: values.map { ($0.key.rawValue, $0.value) })
    }

    func write() throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys]
        print(String(decoding: try encoder.encode(document), as: UTF8.self))
    }
}
