internal import KeyfobSodium

/// The identities of one file, in its order: the first that matches opens.
///
/// The file is text, as `age-keygen` writes it: one identity a line, empty lines, and comments that
/// start with `#`. Lines end with LF or CRLF. What `age` takes besides and this does not is passed over and named;
/// nothing else is accepted.
package struct AgeIdentityFile: ~Copyable, Sendable {
    /// The most identities in a file.
    package static let identityLimit = 1_024

    /// The public keys, in the order of the file.
    package let recipients: [AgeRecipient]

    /// What stands in the file and cannot be used here.
    package let unusable: [UnusableIdentity]

    /// The secret keys, 32 bytes each, in the order of ``recipients``.
    private let secrets: SecretBytes

    /// Reads the identities in `text`.
    ///
    /// - Throws: `malformedIdentity` with the number of the line that is not one, or 0 where there is
    ///   none at all; `noUsableIdentity` where there are only others; `tooManyIdentities` past ``identityLimit``.
    package init(parsing text: RawSpan, hybrid: AgeHybrid) throws(AgeError) {
        var recipients: [AgeRecipient] = []
        var unusable: [UnusableIdentity] = []
        var found = SecretBuffer(capacity: Self.identityLimit * X25519.count)
        var lines = TextLines()
        while let line = lines.next(in: text) {
            let content = text.extracting(line)
            guard !line.isEmpty, content.byte(at: 0) != UInt8(ascii: "#") else { continue }
            if let kind = UnusableIdentity.Kind(startingWith: content) {
                unusable.append(UnusableIdentity(line: lines.number, kind: kind))
                lines.skip(kind, startingWith: content, in: text)
            } else {
                guard let identity = try? AgeIdentity(parsing: content, hybrid: hybrid) else {
                    throw .malformedIdentity(line: lines.number)
                }
                guard recipients.count < Self.identityLimit else { throw .tooManyIdentities(limit: Self.identityLimit) }
                recipients.append(identity.recipient)
                identity.withSecret { found.append($0) }
            }
            guard unusable.count <= Self.identityLimit else { throw .tooManyIdentities(limit: Self.identityLimit) }
        }
        guard !recipients.isEmpty else {
            throw unusable.isEmpty ? .malformedIdentity(line: 0) : .noUsableIdentity(unusable)
        }
        self.recipients = recipients
        self.unusable = unusable
        self.secrets = found.withBytes { SecretBytes(copying: $0) }
    }

    /// The identity, where it is the only one; nil where there are several.
    package func only(hybrid: AgeHybrid) -> AgeIdentity? {
        guard recipients.count == 1 else { return nil }
        let secret = secrets.withBytes { SecretBytes(copying: $0) }
        return recipients[0].isHybrid ? AgeIdentity(seed: secret, hybrid: hybrid) : AgeIdentity(secret: secret)
    }

    /// Creates a list of one, with a copy of the secret.
    init(_ identity: borrowing AgeIdentity) {
        recipients = [identity.recipient]
        unusable = []
        secrets = identity.withSecret { SecretBytes(copying: $0) }
    }

    /// Creates a copy.
    init(copying other: borrowing AgeIdentityFile) {
        recipients = other.recipients
        unusable = other.unusable
        secrets = other.secrets.withBytes { SecretBytes(copying: $0) }
    }

    /// The file key in the first of `stanzas` that one of the identities opens, or `nil`.
    ///
    /// - Throws: `malformedHeader(lowOrderShare)`.
    func unwrap(_ stanzas: [AgeHeader.RecipientStanza]) throws(AgeError) -> SecretBytes? {
        for (index, recipient) in recipients.enumerated() {
            for stanza in stanzas {
                let fileKey = try secrets.withBytes { (all: RawSpan) throws(AgeError) in
                    let secret = all.extracting(index * X25519.count..<(index + 1) * X25519.count)
                    return try recipient.unwrap(stanza, secret: secret)
                }
                if let fileKey { return fileKey }
            }
        }
        return nil
    }

    /// Calls `body` with the 32 bytes of the secret key that goes with a public key, which must not outlive the call; nil
    /// where the file has no such identity.
    package borrowing func withSecret<Result>(of publicKey: [UInt8], _ body: (RawSpan) -> Result) -> Result? {
        guard let index = recipients.firstIndex(where: { $0.publicKey == publicKey }) else { return nil }
        return secrets.withBytes { body($0.extracting(index * X25519.count..<(index + 1) * X25519.count)) }
    }
}

/// An identity that `age` can use and Keyfob cannot, by where it stands; nothing of it is kept.
package struct UnusableIdentity: Hashable, Sendable {
    /// Its line in the file, counted from 1.
    package let line: Int
    package let kind: Kind

    /// What it is.
    package enum Kind: Hashable, Sendable, CaseIterable {
        /// `AGE-PLUGIN-…`: another program has the key.
        case plugin
        /// A private key in PEM, as SSH has them.
        case ssh
        /// An age file among other identities; a file that is one as a whole is opened first.
        case encrypted

        /// How such identities begin.
        private var beginnings: [String] {
            switch self {
            case .plugin: ["AGE-PLUGIN-"]
            case .ssh:
                ["OPENSSH ", "RSA ", "DSA ", "EC ", "ENCRYPTED ", ""].map { "-----BEGIN \($0)PRIVATE KEY-----" }
            case .encrypted: ["-----BEGIN AGE ENCRYPTED FILE-----", "age-encryption.org/v1"]
            }
        }

        fileprivate init?(startingWith line: RawSpan) {
            let kind = Self.allCases.first { $0.beginnings.contains { line.starts(with: $0) } }
            guard let kind else { return nil }
            self = kind
        }
    }
}

/// The lines of a text, one after the other.
private struct TextLines {
    /// The number of the line that was last returned, counted from 1.
    private(set) var number = 0
    private var start = 0

    /// The next line without its end; nil past the last.
    mutating func next(in text: RawSpan) -> Range<Int>? {
        guard start < text.byteCount else { return nil }
        var end = start
        while end < text.byteCount && text.byte(at: end) != UInt8(ascii: "\n") { end += 1 }
        number += 1
        defer { start = end + 1 }
        let isCRLF = end > start && text.byte(at: end - 1) == UInt8(ascii: "\r")
        return start..<(isCRLF ? end - 1 : end)
    }

    /// Goes past an identity that began with `first`: a block in PEM to its end, a binary file to its own.
    mutating func skip(_ kind: UnusableIdentity.Kind, startingWith first: RawSpan, in text: RawSpan) {
        guard kind != .plugin else { return }
        let isBlock = first.starts(with: "-----")
        while let line = next(in: text) {
            if isBlock, text.extracting(line).starts(with: "-----END ") { return }
        }
    }
}

extension RawSpan {
    fileprivate func starts(with beginning: String) -> Bool {
        let beginning = beginning.utf8
        return byteCount >= beginning.count && beginning.enumerated().allSatisfy { byte(at: $0.offset) == $0.element }
    }
}
