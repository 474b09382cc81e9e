/// Lines for a person, of which a service could provoke any number: the same comes no more than once a minute, and few do at all.
struct RareLines {
    private let tell: (String) -> Void
    private var last: [String: ContinuousClock.Instant] = [:]

    /// Lines that go there.
    init(_ tell: @escaping (String) -> Void) { self.tell = tell }

    /// Tells a line, unless it was told just now.
    mutating func tell(_ line: String) {
        last = last.filter { $0.value > .now - .seconds(60) }
        guard last[line] == nil, last.count < 16 else { return }
        last[line] = .now
        tell(line)
    }
}
