internal import KeyfobModel
internal import KeyfobSodium

/// Where the users of a kubeconfig are in its text, read by the rules by which tokens are imported from it (`YAMLTape`).
struct KubeconfigText {
    /// A user.
    struct User {
        let name: String
        /// Its lines, from 0.
        let lines: Range<Int>
        /// As setup writes one; nil where it is not.
        let own: OwnUser?
    }

    /// A user who gets tokens from Keyfob.
    struct OwnUser: Equatable {
        let command: String
        let arguments: [String]
    }

    /// Behind the colon of the list of users; nil where there is none.
    private(set) var list: Int?
    /// What stood behind it.
    private(set) var former = FormerEntries.nothing
    /// Where that ends, in the line of the list.
    private(set) var listEnd = 0
    private(set) var users: [User] = []
    /// How far their dashes are indented.
    private(set) var indent = 0
    /// Where the first entry's line begins.
    let start: Int
    /// In which lines, from 1, contexts name which user.
    private(set) var uses: [(user: String, line: Int)] = []

    /// The contexts, with the user of each.
    private(set) var contexts: [(name: String, user: String?)] = []
    private(set) var currentContext: String?

    private let text: [UInt8]
    private let lineStarts: [Int]

    /// Reads a file.
    ///
    /// - Throws: `unknownForm`.
    init(_ text: [UInt8]) throws(SetupFlaw) {
        guard String(validating: text, as: UTF8.self) != nil else { throw .unknownForm("it is not UTF-8") }
        // kubectl reads a file whose last line has no end too.
        let whole = text.last == 0x0A ? text : text + [0x0A]
        let tape: YAMLTape
        do throws(YAMLProblem) {
            tape = try whole.withBytes { (bytes) throws(YAMLProblem) in try YAMLTape(reading: bytes) }
        } catch {
            throw .unknownForm("line \(error.line): \(error.flaw.rawValue)")
        }
        guard tape.kind(of: tape.root) != .empty else { throw .unknownForm("it says nothing") }
        self.text = whole
        let lineEnds = whole.indices.filter { whole[$0] == 0x0A || whole[$0] == 0x0D }
        guard lineEnds.allSatisfy({ whole[$0] == 0x0A || whole[$0 + 1] == 0x0A }) else {
            throw .unknownForm("a line ends in a carriage return alone")
        }
        lineStarts =
            [whole.starts(with: "\u{FEFF}".utf8) ? 3 : 0] + lineEnds.filter { whole[$0] == 0x0A }.map { $0 + 1 }
        start = tape.range(of: tape.root).lowerBound
        guard tape.kind(of: tape.root) == .mapping, !tape.isFlow(tape.root), lineStarts.contains(start) else {
            throw .unknownForm("it is not as kubectl writes it")
        }
        try read(tape)
    }

    private mutating func read(_ tape: YAMLTape) throws(SetupFlaw) {
        uses = elements("contexts", tape).compactMap { context in
            guard let user = member("user", of: member("context", of: context, tape), tape), let name = word(user, tape)
            else { return nil }
            return (name, line(of: tape.range(of: user).lowerBound) + 1)
        }
        contexts = elements("contexts", tape).compactMap { context in
            let user = member("user", of: member("context", of: context, tape), tape)
            return member("name", of: context, tape).flatMap { word($0, tape) }.map {
                ($0, user.flatMap { word($0, tape) })
            }
        }
        currentContext = member("current-context", of: tape.root, tape).flatMap { word($0, tape) }
        guard let value = member("users", of: tape.root, tape) else { return }
        let colon = tape.lead(of: value) + 1
        (list, listEnd) = (colon, colon)
        let number = line(of: colon)
        let unknown = SetupFlaw.unknownForm("line \(number + 1) is not as kubectl writes it")
        // A name as long as this, in quotation marks or not, is the list's.
        guard text[lineStarts[number]..<colon - 1].split(separator: 0x20).count == 1 else { throw unknown }
        switch tape.kind(of: value) {
        case .empty: former = .bare
        case .sequence where !tape.isFlow(value):
            for item in tape.elements(of: value) { try add(item, tape) }
            former = .some
        case .sequence, .scalar:
            listEnd = tape.range(of: value).upperBound
            switch String(decoding: text[colon..<listEnd], as: UTF8.self) {
            case " []": former = .brackets
            case " null": former = .null
            default: throw unknown
            }
        case .mapping: throw unknown
        }
    }

    private mutating func add(_ item: YAMLTape.Value, _ tape: YAMLTape) throws(SetupFlaw) {
        let dash = tape.lead(of: item)
        let first = line(of: dash)
        let column = dash - lineStarts[first]
        guard text[lineStarts[first]..<dash].allSatisfy({ $0 == 0x20 }), users.isEmpty || column == indent,
            let name = member("name", of: item, tape).flatMap({ word($0, tape) })
        else {
            throw .unknownForm("the user in line \(first + 1) is not as kubectl writes it")
        }
        indent = column
        let end = max(dash + 1, tape.range(of: item).upperBound)
        let lines = first..<line(of: end - 1) + 1
        users.append(User(name: name, lines: lines, own: own(item, lines, tape)))
    }

    // MARK: Places

    /// The line that a byte is in, from 0.
    private func line(of offset: Int) -> Int {
        var range = 0..<lineStarts.count
        while range.count > 1 {
            let middle = (range.lowerBound + range.upperBound) / 2
            range = lineStarts[middle] <= offset ? middle..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }

    /// Where the last character of a line ends, in a text without the end that was added.
    func end(ofLine line: Int) -> Int {
        var end = line + 1 < lineStarts.count ? lineStarts[line + 1] - 1 : text.count
        if end > lineStarts[line], text[end - 1] == 0x0D { end -= 1 }
        return end
    }

    /// The end of the line of the list.
    var endOfList: Int { end(ofLine: line(of: listEnd)) }

    /// The line of the list, from 0.
    var listLine: Int { line(of: listEnd) }

    /// Where a line begins.
    func start(ofLine line: Int) -> Int { line < lineStarts.count ? lineStarts[line] : text.count }

    // MARK: Values

    private func elements(_ name: String, _ tape: YAMLTape) -> [YAMLTape.Value] {
        member(name, of: tape.root, tape).map(tape.elements) ?? []
    }

    private func member(_ name: String, of value: YAMLTape.Value?, _ tape: YAMLTape) -> YAMLTape.Value? {
        guard let value else { return nil }
        return tape.members(of: value).first { word($0.name, tape) == name }?.value
    }

    /// What a scalar says; nil for what is none.
    private func word(_ value: YAMLTape.Value, _ tape: YAMLTape) -> String? {
        tape.text(of: value).flatMap { scalar in
            text.withBytes { bytes in String(validating: scalar.copy(in: bytes), as: UTF8.self) }
        }
    }

    /// Where what stands in a value ends.
    private func ends(of value: YAMLTape.Value, _ tape: YAMLTape) -> Set<Int> {
        let inside = tape.elements(of: value) + tape.members(of: value).flatMap { [$0.name, $0.value] }
        return inside.reduce(into: [tape.lead(of: value) + 1, tape.range(of: value).upperBound]) {
            $0.formUnion(ends(of: $1, tape))
        }
    }

    /// A user as setup writes one, with nothing else in its lines.
    private func own(_ item: YAMLTape.Value, _ lines: Range<Int>, _ tape: YAMLTape) -> OwnUser? {
        let user = member("user", of: item, tape)
        guard tape.members(of: item).count == 2, let user, let exec = member("exec", of: user, tape) else { return nil }
        // kubectl of before 1.22 adds one that says nothing.
        let others = tape.members(of: user).filter { word($0.name, tape) != "exec" }
        let nothing = others.filter { word($0.name, tape) == "as-user-extra" && word($0.value, tape) == "null" }
        guard nothing.count == others.count else { return nil }
        func text(_ name: String, _ style: YAMLText.Style? = nil) -> String? {
            let value = member(name, of: exec, tape)
            guard let value, style == nil || tape.text(of: value)?.style == style else { return nil }
            return word(value, tape)
        }
        let names = Set(tape.members(of: exec).compactMap { word($0.name, tape) })
        let optional = names.intersection(["args", "interactiveMode"])
        guard names.subtracting(optional) == ["apiVersion", "command", "env", "provideClusterInfo"],
            text("apiVersion") == KubectlSetup.version, text("env", .plain) == "null",
            text("provideClusterInfo", .plain) == "true",
            !names.contains("interactiveMode") || text("interactiveMode") == KubectlSetup.mode,
            let command = text("command")
        else { return nil }
        let args = member("args", of: exec, tape).map(tape.elements) ?? []
        let arguments = args.compactMap { word($0, tape) }
        // Where there are none, kubectl writes `args: null`.
        guard arguments.count == args.count,
            optional.contains("args") == !args.isEmpty || text("args", .plain) == "null"
        else { return nil }
        // Name, user and exec, and one line for each field and each argument; no remark is among or behind them.
        let ends = ends(of: item, tape)
        guard lines.count == 3 + others.count + names.count + args.count,
            lines.allSatisfy({ ends.contains(end(ofLine: $0)) })
        else {
            return nil
        }
        return OwnUser(command: command, arguments: arguments)
    }
}
