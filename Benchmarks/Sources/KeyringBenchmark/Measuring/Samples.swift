/// What something took, several times.
struct Samples {
    private let sorted: [Double]

    init(_ values: [Double]) {
        sorted = values.sorted()
    }

    /// What each call of `body` takes, in seconds.
    static func timing<Element>(_ elements: [Element], _ body: (Element) throws -> Void) rethrows -> Samples {
        var values: [Double] = []
        values.reserveCapacity(elements.count)
        for element in elements {
            let stopwatch = Stopwatch()
            try body(element)
            values.append(stopwatch.seconds)
        }
        return Samples(values)
    }

    /// What `rounds` calls of `body` take, in seconds.
    static func timing(_ rounds: Int, _ body: () throws -> Void) rethrows -> Samples {
        try timing(Array(0..<rounds)) { _ in try body() }
    }

    var median: Double {
        guard let first = sorted.first else { return .nan }
        return sorted.count == 1 ? first : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
    }

    /// What `share` of the samples do not exceed.
    func percentile(_ share: Double) -> Double {
        guard let last = sorted.last else { return .nan }
        let index = Int(share * Double(sorted.count))
        return index < sorted.count ? sorted[index] : last
    }

    func scaled(_ factor: Double) -> Samples { Samples(sorted.map { $0 * factor }) }
}
