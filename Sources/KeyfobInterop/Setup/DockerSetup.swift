internal import KeyfobModel
internal import KeyfobSodium

/// The entries of `credHelpers` in docker's `config.json`, by which docker and its relatives ask Keyfob.
///
/// They are put into the text and taken out of it; nothing is written anew.
package enum DockerSetup {
    private static let name = "credHelpers"
    private static let helper = "keyfob"
    private static let limits = JSONLimits(size: 16 << 20, depth: 64, stringCount: 1 << 20, nodes: 1 << 20)

    /// The names by which docker, and podman and skopeo, ask for a registry that a person names: to docker, Docker Hub is an
    /// address.
    package static func names(of host: String) -> [String] {
        DockerCredentials.isHub(host) ? [DockerCredentials.hubOfDocker, DockerCredentials.hub] : [host]
    }

    /// What a file of podman's and skopeo's says of some hosts that comes before docker's file.
    package static func taken(_ hosts: [String], by text: [UInt8]) -> [String] {
        guard let document = try? Document(text) else { return [] }
        return hosts.filter { host in
            document.logins.contains(host) || document.helpers[host].map { $0 != helper } ?? false
        }
    }

    /// How the entries for some hosts come into a file; another helper that a host has stays.
    ///
    /// - Throws: `unknownForm`, for what is no object, or names something twice.
    package static func adding(_ hosts: [String], to text: [UInt8]) throws(SetupFlaw) -> SetupPlan {
        guard !text.isEmpty else {
            let whole = "{\n\t\(quoted(name)): {\(members(hosts, "\n\t\t"))\n\t}\n}"
            return SetupPlan(TextEdit(adding: whole, at: 0), former: .nothing)
        }
        let document = try Document(text)
        let there = document.helpers
        var remarks = hosts.filter { there[$0] ?? helper != helper }.map {
            "\($0) has another credential helper (\(there[$0] ?? "")), which stays"
        }
        let missing = hosts.filter { there[$0] == nil }
        remarks += missing.filter(document.logins.contains).map {
            "what 'docker login' has kept for \($0) is not used meanwhile"
        }
        guard !missing.isEmpty else { return SetupPlan(.none, remarks: remarks) }
        if let list = document.list {
            let new =
                list.members.isEmpty ? members(missing, "", parted: ", ") : members(missing, list.blank) + ","
            return SetupPlan(TextEdit(adding: new, at: list.range.lowerBound + 1), remarks: remarks)
        }
        let isEmpty = document.root.members.isEmpty
        let blank = isEmpty ? "" : document.root.blank
        let indent = blank.utf8.lastIndex(of: 0x0A).map { blank[blank.utf8.index(after: $0)...] }
        let new =
            indent.map { members(missing, blank + $0) + blank } ?? members(missing, "", parted: ", ")
        return SetupPlan(
            TextEdit(
                adding: "\(blank)\(quoted(name)): {\(new)}\(isEmpty ? "" : ",")", at: document.root.range.lowerBound + 1
            ),
            former: .nothing, remarks: remarks)
    }

    /// How the entries for some hosts go again, as far as they name Keyfob; where no other is left, so does the list, unless
    /// it was there before.
    package static func removing(
        _ hosts: [String], from text: [UInt8], former: FormerEntries
    ) throws(SetupFlaw) -> SetupPlan {
        guard !text.isEmpty, case let document = try Document(text), let list = document.list else {
            return SetupPlan(.none)
        }
        let going = list.members.indices.filter { index in
            hosts.contains(list.members[index].name) && list.members[index].text == helper
        }
        guard !going.isEmpty else { return SetupPlan(.none) }
        guard former == .nothing, going.count == list.members.count else {
            return SetupPlan(list.removing(going))
        }
        let own = document.root.members.indices.filter { document.root.members[$0].name == name }
        return SetupPlan(document.root.removing(own))
    }

    /// The hosts for which a file names Keyfob.
    package static func hosts(in text: [UInt8]) throws(SetupFlaw) -> [String] {
        guard !text.isEmpty else { return [] }
        return try Document(text).helpers.filter { $0.value == helper }.keys.sorted()
    }

    /// Whether a file says nothing.
    package static func isBlank(_ text: [UInt8]) -> Bool {
        text.isEmpty || (try? Document(text))?.root.members.isEmpty == true
    }

    private static func members(_ hosts: [String], _ blank: String, parted: String = ",") -> String {
        hosts.map { "\(blank)\(quoted($0)): \(quoted(helper))" }.joined(separator: parted)
    }

    private static func quoted(_ text: String) -> String {
        var writer = JSONWriter()
        writer.string(text)
        return String(decoding: writer.bytes, as: UTF8.self)
    }
}

extension DockerSetup {
    /// A file, and where its parts are.
    private struct Document {
        typealias Object = JSONObjectPlaces

        let root: Object
        /// The credential helpers of hosts.
        let list: Object?
        /// The hosts for which a login is kept here.
        let logins: Set<String>

        init(_ text: [UInt8]) throws(SetupFlaw) {
            self = try text.withBytes { bytes throws(SetupFlaw) in try Document(bytes) }
        }

        private init(_ bytes: RawSpan) throws(SetupFlaw) {
            let tape: JSONTape
            do {
                tape = try JSONTape(reading: bytes, limits: limits)
            } catch {
                throw .unknownForm("it is not JSON: \(error)")
            }
            guard tape.kind(of: tape.root) == .object else { throw .unknownForm("it is not a JSON object") }
            guard tape.duplicates.isEmpty else { throw .unknownForm("it has a name twice") }
            root = Object(tape, tape.root, bytes)
            // docker takes these for the same.
            if let other = root.members.first(where: { $0.name != name && $0.name.lowercased() == name.lowercased() }) {
                throw .unknownForm("it writes \(name) as \(other.name)")
            }
            let list = tape.member(name, of: tape.root, in: bytes)
            if let list, tape.kind(of: list) != .object { throw .unknownForm("\(name) is not an object") }
            self.list = list.map { Object(tape, $0, bytes) }
            let logins = tape.member("auths", of: tape.root, in: bytes).map { Object(tape, $0, bytes).members } ?? []
            self.logins = Set(logins.map(\.name))
        }

        /// The helper of each host; empty where it is no text.
        var helpers: [String: String] {
            Dictionary((list?.members ?? []).map { ($0.name, $0.text ?? "") }) { $1 }
        }
    }
}
