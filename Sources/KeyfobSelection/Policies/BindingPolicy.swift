internal import KeyfobModel

/// Which bindings a request meets, the most specific first.
///
/// The keyring's own bindings go before those of project files. Among them a directory goes before where its repository lies, that
/// before an address, an address before its host, a host before a tool; among directories and addresses the longer one goes first.
struct BindingPolicy {
    /// The bindings on the subjects that the request meets: each step is one subject.
    let steps: [[Binding]]

    init(_ bindings: [Binding], for context: RequestContext, groups: [AccessGroup]) {
        let places = groups.places
        var met: [Rank: [Binding]] = [:]
        for binding in bindings {
            guard let rank = Rank(binding, context) else { continue }
            met[rank, default: []].append(binding)
        }
        steps = met.sorted { $0.key < $1.key }.map { _, bindings in
            bindings.sorted { Self.precedes($0, $1, places) }
        }
    }

    private static func precedes(_ left: Binding, _ right: Binding, _ places: [AccessGroup: Int]) -> Bool {
        let mine = places[left.origin.group] ?? places.count
        let theirs = places[right.origin.group] ?? places.count
        if mine != theirs { return mine < theirs }
        return left.target.sortKey < right.target.sortKey
    }

    /// How specific a binding is that the request meets; smaller goes first.
    private struct Rank: Hashable, Comparable {
        let kind: Int
        /// Longer subjects are more specific.
        let length: Int
        /// Files after the keyring.
        let origin: Int

        init?(_ binding: Binding, _ context: RequestContext) {
            switch binding.subject {
            case .directory(let path):
                if let directory = context.directory, Self.is(directory, within: path) {
                    kind = 0
                } else if let repository = context.repository, Self.is(repository, within: path) {
                    kind = 1
                } else {
                    return nil
                }
                length = -path.utf8.count
            case .url(let url):
                guard let address = context.address, address.isWithin(url) else { return nil }
                kind = 2
                length = -url.path.count
            case .host(let host):
                guard let address = context.address, address.host == Identifier.folded(host) else { return nil }
                kind = 3
                length = 0
            case .tool(let tool):
                guard context.tool == tool else { return nil }
                kind = 4
                length = 0
            }
            switch binding.origin {
            case .keyring: origin = 0
            case .file: origin = 1
            }
        }

        static func < (left: Rank, right: Rank) -> Bool {
            (left.origin, left.kind, left.length) < (right.origin, right.kind, right.length)
        }

        private static func `is`(_ directory: String, within path: String) -> Bool {
            directory == path || path == "/" || directory.hasPrefix(path + "/")
        }
    }
}

extension Binding.Target {
    fileprivate var sortKey: String {
        switch self {
        case .account(let id): id.canonical
        case .nobody: ""
        }
    }
}

extension [AccessGroup] {
    /// Where each group first stands.
    var places: [AccessGroup: Int] {
        indices.reversed().reduce(into: [:]) { $0[self[$1]] = $1 }
    }
}
