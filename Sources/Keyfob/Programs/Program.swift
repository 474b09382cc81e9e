internal import KeyfobModel

/// A program, as permissions name it: `service:backup.service`, `executable:/usr/bin/git`.
///
/// Between programs of one user it is policy and no wall: each can start the other, or have it do its bidding.
public struct Program: Hashable, Sendable, CustomStringConvertible {
    /// What a program is known by, the most specific first.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// The id of a Flatpak application, as its `/.flatpak-info` has it.
        case flatpak
        /// The name of a snap, as its security label has it.
        case snap
        /// The name of a systemd service with its suffix, of the user's or the system's manager.
        case service
        /// The path of the file that an interpreter runs.
        case script
        /// The path of the executable.
        case executable
        /// The name that the owner gave a socket, for whoever connects to it: `keyfob agent --socket PATH --for NAME`.
        case socket
    }

    /// What it is known by.
    public let kind: Kind
    /// Its name, or an absolute path.
    public let name: String

    /// The most bytes that a name has: PATH_MAX.
    private static let limit = 4_096

    /// A program; nil where the name is empty, too long, holds a control character, or is not what the kind has: an absolute
    /// path, a service with its suffix, the id of a Flatpak application, the name of a snap or of a socket.
    public init?(_ kind: Kind, _ name: String) {
        guard !name.isEmpty, name.utf8.count <= Self.limit, !name.unicodeScalars.contains(where: \.isControl),
            kind.takes(name)
        else { return nil }
        self.kind = kind
        self.name = name
    }

    /// The program that `text` names as ``description`` does; an absolute path is an executable's.
    public init?(_ text: String) {
        if text.hasPrefix("/") {
            self.init(.executable, text)
        } else {
            guard let colon = text.firstIndex(of: ":"), let kind = Kind(rawValue: String(text[..<colon])) else {
                return nil
            }
            self.init(kind, String(text[text.index(after: colon)...]))
        }
    }

    /// By the bytes of their names, as the system tells files apart: two texts that look alike may be two files.
    public static func == (left: Program, right: Program) -> Bool {
        left.kind == right.kind && left.name.utf8.elementsEqual(right.name.utf8)
    }

    /// Hashes what is compared.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(Array(name.utf8))
    }

    /// The kind and the name, with a colon between.
    public var description: String { "\(kind.rawValue):\(name)" }
}

extension Program.Kind {
    /// Whether its name is the path of a file, which can be compared with a digest.
    public var isPath: Bool { self == .script || self == .executable }

    /// Whether a program of this kind may have this name.
    fileprivate func takes(_ name: String) -> Bool {
        switch self {
        case .script, .executable: name.hasPrefix("/")
        case .service: !name.hasPrefix("/") && name.hasSuffix(".service") && name.utf8.count > ".service".utf8.count
        // D-Bus specification, "Valid Names"; a runtime's may have an architecture and a branch.
        case .flatpak:
            !name.hasPrefix("/") && name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-._/".utf8.contains($0) }
        // snapd, "Snap name format"; an instance has a key behind an underscore.
        case .snap: name.utf8.allSatisfy { $0.isASCIIDigit || $0.isASCIISmallLetter || "-_".utf8.contains($0) }
        case .socket:
            name.utf8.count <= 64 && name.utf8.allSatisfy { $0.isASCIIAlphanumeric || "-._".utf8.contains($0) }
        }
    }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control }
}
