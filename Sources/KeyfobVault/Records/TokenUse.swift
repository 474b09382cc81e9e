package import KeyfobModel
internal import KeyfobSodium

/// That a token was handed out: whose, to which program, for what, and when; never the token.
///
/// Texts that are too long are cut when one is made, so that what is made is what is read again.
package struct TokenUse: Hashable, Sendable {
    /// By which way the program came.
    package enum Door: UInt8, Sendable {
        /// The command's first program, which answered from what is stored.
        case front = 1
        /// The command.
        case command
        /// The library.
        case library
    }

    /// Where the token came from.
    package enum Origin: UInt8, Sendable {
        case stored = 1
        case extended
        case provider
    }

    /// Where the program worked.
    package enum Place: Hashable, Sendable {
        case unknown
        /// A git repository, by its remote: `git.example/contoso/app`.
        case repository(String)
        /// A folder outside any repository that has a remote.
        case directory(String)
    }

    /// When, in seconds since 1970.
    package let time: Int64
    /// By which way.
    package let door: Door
    /// From where.
    package let origin: Origin
    /// Whose: the account's id, as ``id(_:)`` cuts it.
    package let account: String
    /// The name of the program; empty where it is not known.
    package let tool: String
    /// The host that the token was for; empty where nobody said.
    package let destination: String
    /// Where the program worked.
    package let place: Place

    /// The longest that each text is kept, in bytes of UTF-8.
    private static let (accountCount, toolCount, destinationCount, placeCount) = (128, 32, 112, 152)
    /// The length of a use before it is sealed, in bytes.
    private static let count = 440
    /// The length of one that is sealed, in bytes.
    package static let sealedCount =
        count + CommittingAEAD.nonceCount + CommittingAEAD.commitmentCount + CommittingAEAD.tagCount

    /// A use.
    package init(
        time: Int64, door: Door, origin: Origin, account: AccountID, tool: String, destination: String, place: Place
    ) {
        self.time = time
        self.door = door
        self.origin = origin
        self.account = Self.id(account)
        self.tool = Self.beginning(tool, Self.toolCount)
        self.destination = Self.beginning(destination, Self.destinationCount)
        switch place {
        case .unknown: self.place = .unknown
        case .repository(let text): self.place = .repository(Self.beginning(text, Self.placeCount))
        case .directory(let text): self.place = .directory(Self.end(text, Self.placeCount))
        }
    }

    /// What stands for an account: its id, of which 128 bytes are kept.
    package static func id(_ account: AccountID) -> String { beginning(account.description, accountCount) }

    private static func beginning(_ text: String, _ count: Int) -> String {
        guard text.utf8.count > count else { return text }
        var end = count
        let bytes = Array(text.utf8)
        while end > 0, bytes[end] & 0xC0 == 0x80 { end -= 1 }
        return String(decoding: bytes[..<end], as: UTF8.self)
    }

    /// The end of a path is what tells it from others.
    private static func end(_ text: String, _ count: Int) -> String {
        guard text.utf8.count > count else { return text }
        let (mark, bytes) = ("…", Array(text.utf8))
        var start = bytes.count - count + mark.utf8.count
        while start < bytes.count, bytes[start] & 0xC0 == 0x80 { start += 1 }
        return mark + String(decoding: bytes[start...], as: UTF8.self)
    }

    fileprivate var encoded: [UInt8] {
        var writer = ByteWriter(capacity: Self.count)
        writer.write(time)
        writer.write(door.rawValue)
        writer.write(origin.rawValue)
        let (kind, text): (UInt8, String) =
            switch place {
            case .unknown: (0, "")
            case .repository(let text): (1, text)
            case .directory(let text): (2, text)
            }
        writer.write(kind)
        for text in [account, tool, destination, text] {
            writer.write(UInt8(text.utf8.count))
            writer.write(text.utf8)
        }
        return writer.bytes + [UInt8](repeating: 0, count: Self.count - writer.bytes.count)
    }

    /// The use in some bytes; nil where they are none.
    fileprivate init?(_ bytes: [UInt8]) {
        guard bytes.count == Self.count else { return nil }
        var reader = ByteReader(bytes)
        do {
            time = try reader.read()
            guard let door = Door(rawValue: try reader.read()), let origin = Origin(rawValue: try reader.read()) else {
                return nil
            }
            (self.door, self.origin) = (door, origin)
            let kind = try reader.read(UInt8.self)
            var texts: [String] = []
            for limit in [Self.accountCount, Self.toolCount, Self.destinationCount, Self.placeCount] {
                let count = Int(try reader.read(UInt8.self))
                guard count <= limit, let text = String(validating: try reader.slice(count), as: UTF8.self) else {
                    return nil
                }
                texts.append(text)
            }
            (account, tool, destination) = (texts[0], texts[1], texts[2])
            switch kind {
            case 0 where texts[3].isEmpty: place = .unknown
            case 1: place = .repository(texts[3])
            case 2: place = .directory(texts[3])
            default: return nil
            }
        } catch {
            return nil
        }
        while let byte = reader.next {
            guard byte == 0, (try? reader.slice(1)) != nil else { return nil }
        }
    }
}

extension GroupKeys {
    /// Seals a use for the group's history of them: always ``TokenUse/sealedCount`` bytes.
    package func seal(_ use: TokenUse) -> [UInt8] {
        let context = SealingContext.tokenUse(vault, group, epoch: epoch)
        return withTokenUseKey { CommittingAEAD.seal(use.encoded, key: $0, context: context) }.stored
    }

    /// The use that was sealed; nil for what another group, another epoch or nobody sealed.
    package func openTokenUse(_ sealed: [UInt8]) -> TokenUse? {
        guard sealed.count == TokenUse.sealedCount, let box = CommittingAEAD.Box(stored: sealed) else { return nil }
        let context = SealingContext.tokenUse(vault, group, epoch: epoch)
        let bytes = withTokenUseKey { try? CommittingAEAD.openAttributes(box, key: $0, context: context) }
        return bytes.flatMap { TokenUse($0) }
    }

    /// The name of the group's history of uses, which begins anew with another key: the group's id and the epoch.
    package var tokenUses: String { "\(group).\(epoch)" }
}
