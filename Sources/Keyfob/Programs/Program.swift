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
    }

    /// What it is known by.
    public let kind: Kind
    /// Its name, or an absolute path.
    public let name: String

    /// The most bytes that a name has: PATH_MAX.
    private static let limit = 4_096

    /// A program; nil where the name is empty, too long, holds a control character, or is no absolute path, or no service, where it
    /// should be one.
    public init?(_ kind: Kind, _ name: String) {
        guard !name.isEmpty, name.utf8.count <= Self.limit, !name.unicodeScalars.contains(where: \.isControl),
            name.hasPrefix("/") == kind.isPath, kind != .service || name.hasSuffix(".service")
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

    /// The kind and the name, with a colon between.
    public var description: String { "\(kind.rawValue):\(name)" }
}

extension Program.Kind {
    /// Whether its name is the path of a file, which can be compared with a digest.
    public var isPath: Bool { self == .script || self == .executable }
}

extension Unicode.Scalar {
    fileprivate var isControl: Bool { properties.generalCategory == .control }
}
