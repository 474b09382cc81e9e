internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobSodium

/// Reading the description of a provider, with errors that say what is wrong and where.
enum ProviderDocument {
    /// Reads a description, which may come from anywhere.
    ///
    /// - Throws: `damaged` for what is no description, `limitExceeded` for more than 64 KiB, `newerVersion`.
    static func read(_ bytes: [UInt8]) throws(KeyringError) -> ProviderDescription {
        guard bytes.count <= ProviderRules.documentLimit else {
            throw KeyringError(
                .limitExceeded, "the description is longer than \(ProviderRules.documentLimit) bytes")
        }
        if let name = unknownMember(bytes) { throw damaged("has the unknown member \(name)") }
        let description: ProviderDescription
        do {
            description = try ProviderDescription(reading: bytes.withBytes { SecretBytes(copying: $0) })
        } catch {
            throw Self.error(error)
        }
        if let problem = ProviderRules.problem(of: description) { throw damaged("cannot be used: \(problem)") }
        return description
    }

    private static func damaged(_ what: String) -> KeyringError {
        KeyringError(
            .damaged, "the description \(what)", advice: .showDescription)
    }

    private static func error(_ violation: ProtocolViolation) -> KeyringError {
        switch violation {
        case .empty: damaged("is empty")
        case .notJSON(let error): damaged("is not JSON: \(error)")
        case .notAnObject: damaged("is JSON, but not an object")
        case .repeatedName: damaged("has a member twice")
        case .missing(let name): damaged("lacks '\(name)'")
        case .badValue("formatVersion"):
            KeyringError(
                .newerVersion, "the description has no formatVersion that this Keyfob knows",
                advice: .useDescriptionFormat(ProviderDescription.formatVersion))
        case .badValue(let name): damaged("has no usable '\(name)'")
        default: damaged("makes no sense")
        }
    }

    /// The first member, in quotation marks, that no description has; nil where all are known, or it is no object.
    private static func unknownMember(_ bytes: [UInt8]) -> String? {
        bytes.withBytes { (span) -> String? in
            let limits = JSONLimits(size: ProviderRules.documentLimit, depth: 16)
            guard let tape = try? JSONTape(reading: span, limits: limits) else { return nil }
            func unknown(in object: JSONTape.Value, _ known: [String]) -> String? {
                for member in tape.members(of: object) {
                    guard let name = tape.string(of: member.name, in: span), !known.contains(name) else { continue }
                    return Identifier.isAcceptable(name) && name.utf8.count <= 64 ? "'\(name)'" : "of a name nobody has"
                }
                return nil
            }
            if let name = unknown(in: tape.root, ProviderDescription.members) { return name }
            return tape.member("endpoints", of: tape.root, in: span).flatMap {
                unknown(in: $0, ProviderMetadata.Endpoint.allCases.map(\.rawValue))
            }
        }
    }
}
