internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobRecords
internal import KeyfobSecretService
internal import KeyfobSodium
internal import KeyfobVault

/// What an item of the Secret Service turned out to hold.
enum ItemState: Sendable {
    case record(OpenedItem)
    /// A record, and another secret than was written with it.
    case changed(OpenedItem)
    /// A record in the form of earlier versions, which a repair writes anew.
    case earlier(OpenedItem)
    /// A token that was made by hand, or its account.
    case handMade(HandMadeToken, OpenedItem)
    /// What Keyfob did not write.
    case foreign
    /// Nothing: the service ended while it made the item, or could not remove it.
    case nothing

    /// Whether it may be that somebody is writing the item just now.
    fileprivate var isOdd: Bool {
        switch self {
        case .changed, .foreign: true
        case .record, .earlier, .handMade, .nothing: false
        }
    }
}

/// A record from an item, sealed as it was read.
struct OpenedItem: Sendable {
    let header: RecordHeader
    let attributes: CommittingAEAD.Box
    /// What tells its token from another one; nil where it has none.
    let commitment: [UInt8]?
    /// The token, where it was read.
    let secret: CommittingAEAD.Box?

    func record(row: Int64) -> StoredRecord {
        StoredRecord(
            rowID: row, header: header, attributes: attributes, secretCommitment: commitment, secret: secret)
    }
}

/// Reads items: what is beside the secrets first, and secrets only where they are wanted.
struct ItemReading {
    let storage: SecretServiceStorage
    let keys: GroupKeys

    struct Found {
        let item: SecretService.ItemPath
        let state: ItemState
        /// What it says of itself.
        let attributes: [String: String]
    }

    /// What items hold, as far as they are still there, in their order.
    ///
    /// An item takes more than one call to change. One that seems to hold another token than its own is looked at again
    /// when nobody can be changing it. Items of others may be among them, which are left out unless they were made by hand.
    ///
    /// - Parameter known: What some of them said of themselves just now.
    func states(
        of items: [SecretService.ItemPath], withSecrets: Bool, known: [SecretService.ItemPath: [String: String]] = [:]
    ) throws -> [Found] {
        let found = try statesNow(of: items, withSecrets, known)
        let odd = found.filter(\.state.isOdd).map(\.item)
        guard !odd.isEmpty, !storage.hasTurn else { return found }
        let turn: StorageTurn
        do {
            turn = try StorageTurn(at: storage)
        } catch StoreError.notWritable {
            // Who cannot change anything has nobody beside it who can.
            return found
        }
        try? storage.completeChange()
        let settled = Dictionary(try statesNow(of: odd, withSecrets, [:]).map { ($0.item, $0) }) { $1 }
        _ = consume turn
        return found.compactMap { $0.state.isOdd ? settled[$0.item] : $0 }
    }

    private func statesNow(
        of items: [SecretService.ItemPath], _ withSecrets: Bool, _ known: [SecretService.ItemPath: [String: String]]
    ) throws -> [Found] {
        var states: [SecretService.ItemPath: ItemState] = [:]
        var waiting: [SecretService.ItemPath: OpenRecord?] = [:]
        let all = try storage.attributes(of: items.map { $0.tokenOfAccount ?? $0 }, known: known)
        for item in items {
            let token = item.tokenOfAccount
            guard let attributes = all[token ?? item] else { continue }
            if HandMadeToken.isCandidate(attributes) {
                states[item] = try handMade(token ?? item, asAccount: token != nil)
            } else if storage.group(of: attributes) == keys.group {
                let open = OpenRecord(attributes, keys)
                if token != nil {
                    let account = try open.flatMap { try accountTold(by: $0) }
                    states[item] = account.map { .record($0) }
                } else if let open, open.content != .body, !(withSecrets && open.content == .token),
                    let opened = try? OpenedItem(open, keys)
                {
                    states[item] = .record(opened)
                } else {
                    waiting[item] = .some(open)
                }
            }
        }
        try storage.withService { service, _ in
            try service.secrets(of: items.filter { waiting[$0] != nil }, areForeign: true) { item, content in
                switch consume content {
                case .success(let text): states[item] = state(waiting[item] ?? nil, text)
                case .failure(.noItem): break
                case .failure(.damaged): states[item] = .foreign
                case .failure(let error): throw error
                }
            }
        }
        return items.compactMap { item in
            states[item].map { Found(item: item, state: $0, attributes: all[item.tokenOfAccount ?? item] ?? [:]) }
        }
    }

    private func handMade(_ item: SecretService.ItemPath, asAccount: Bool) throws -> ItemState? {
        guard let details = try storage.withService({ service, _ in try service.detailsIfThere(of: item) }),
            let made = HandMadeToken(item, details)
        else { return nil }
        let token = try made.opened(keys)
        guard asAccount else { return .handMade(made, token) }
        return try OpenedItem(accountOf: token.header, token.attributes, keys).map { .handMade(made, $0) }
    }

    private func accountTold(by open: OpenRecord) throws -> OpenedItem? {
        let token = try OpenedItem(open, keys)
        return try OpenedItem(accountOf: token.header, token.attributes, keys)
    }

    private func state(_ open: OpenRecord?, _ text: borrowing SecretBytes) -> ItemState {
        if ItemSecret.isEmptied(text) { return .nothing }
        guard let open else { return earlier(text).map { .earlier($0) } ?? .foreign }
        let secret = ItemSecret.secret(in: text) { open.accepts($0) }
        switch secret {
        case .some(let secret):
            return (try? OpenedItem(open, keys, secret)).map { .record($0) } ?? .foreign
        case .none:
            // Of one that a repair was writing anew, the attributes are there first.
            if let earlier = earlier(text), earlier.header.record == open.header.record { return .earlier(earlier) }
            return (try? OpenedItem(unread: open, keys)).map { .changed($0) } ?? .foreign
        }
    }

    /// The record that a secret holds as a whole; nil where it is none of the group.
    private func earlier(_ text: borrowing SecretBytes) -> OpenedItem? {
        let bytes = ItemSecret.secret(in: text, as: .base64url)
        switch bytes {
        case .some(let bytes): return try? OpenedItem(earlier: EarlierOpenRecord(bytes, keys), keys)
        case .none: return nil
        }
    }

    /// The token in the item of a record, sealed as the record.
    ///
    /// - Throws: `staleKeys` where the record has changed since it was read, `damaged`.
    func secret(of record: StoredRecord, commitment: [UInt8]) throws -> CommittingAEAD.Box {
        let item = try storage.item(row: record.rowID)
        if commitment == StoredRecord.madeByHand {
            guard let box = try secretNow(in: item, record, where: { !ItemSecret.isEmptied($0) }) else {
                throw OpenedItem.damaged(item)
            }
            return box
        }
        var box = try secretNow(in: item, record) { OpenRecord.accepts($0, commitment) }
        // Another item may hold the same record.
        for double in storage.doubles(of: record.header.record, besides: record.rowID) where box == nil {
            box = try secretNow(in: double, record) { OpenRecord.accepts($0, commitment) }
        }
        if let box { return box }
        let state = try states(of: [item], withSecrets: true).first?.state
        switch state {
        case .record(let opened):
            guard opened.commitment == commitment, let box = opened.secret else { throw StoreError.staleKeys }
            return box
        case .changed(let opened) where opened.commitment == commitment: throw OpenedItem.changed(item)
        case .changed: throw StoreError.staleKeys
        case .handMade: throw StoreError.staleKeys
        case .earlier: throw OpenedItem.earlier(item)
        case .foreign, .nothing, nil: throw OpenedItem.damaged(item)
        }
    }

    private func secretNow(
        in item: SecretService.ItemPath, _ record: StoredRecord, where isMeant: (borrowing SecretBytes) -> Bool
    ) throws -> CommittingAEAD.Box? {
        try storage.withService { service, _ in
            var box: CommittingAEAD.Box?
            try service.secrets(of: [item], areForeign: true) { _, content in
                switch consume content {
                case .success(let text):
                    let secret = ItemSecret.secret(in: text, where: isMeant)
                    guard let secret else { return }
                    box = try keys.seal(record.header, attributes: record.open(keys), secret: secret).secret
                case .failure(let error):
                    // Of one that is gone, or is nobody's, it is told below.
                    guard error == .noItem || error == .damaged else { throw error }
                }
            }
            return box
        }
    }
}

extension OpenedItem {
    /// A record that is read without its token.
    init(_ open: OpenRecord, _ keys: GroupKeys) throws {
        guard let body = try open.attributes() else { throw VaultError.corrupted(.record) }
        let header = try Self.header(open, body, keys)
        let sealed = try keys.seal(header, attributes: body)
        self.init(
            header: header, attributes: sealed.attributes, commitment: open.secretCommitment, secret: nil)
    }

    /// A record that is not read as a whole, since its secret is another: of a setting, which it is, and nothing more.
    init(unread open: OpenRecord, _ keys: GroupKeys) throws {
        if open.content == .body {
            let sealed = try keys.seal(open.header, attributes: FieldList())
            self.init(header: open.header, attributes: sealed.attributes, commitment: nil, secret: nil)
        } else {
            try self.init(open, keys)
        }
    }

    /// A record with its token, or with the body that is its secret.
    init(_ open: OpenRecord, _ keys: GroupKeys, _ secret: borrowing SecretBytes) throws {
        if let body = try open.attributes() {
            let header = try Self.header(open, body, keys)
            let sealed = try keys.seal(header, attributes: body, secret: secret)
            self.init(
                header: header, attributes: sealed.attributes, commitment: open.secretCommitment,
                secret: sealed.secret)
        } else {
            let body = try OpenRecord.attributes(in: secret)
            let header = try Self.header(open, body, keys)
            let sealed = try keys.seal(header, attributes: body)
            self.init(header: header, attributes: sealed.attributes, commitment: nil, secret: nil)
        }
    }

    /// A record with its token, from an item that holds all of it as its secret.
    init(earlier: consuming EarlierOpenRecord, _ keys: GroupKeys) throws {
        var header = earlier.header
        header.index = try earlier.body.index(kind: header.kind, keys: keys)
        let sealed: SealedRecord
        switch earlier.secret {
        case .some(let secret): sealed = try keys.seal(header, attributes: earlier.body, secret: secret)
        case .none: sealed = try keys.seal(header, attributes: earlier.body)
        }
        self.init(header: header, attributes: sealed.attributes, commitment: nil, secret: sealed.secret)
    }

    private static func header(_ open: OpenRecord, _ body: FieldList, _ keys: GroupKeys) throws -> RecordHeader {
        var header = open.header
        header.index = try body.index(kind: header.kind, keys: keys)
        return header
    }

    static func earlier(_ item: SecretService.ItemPath) -> StoreError {
        .damaged(what: "the item \(item.path) of the Secret Service (an earlier version of Keyfob has written it)")
    }

    static func damaged(_ item: SecretService.ItemPath) -> StoreError {
        .damaged(what: "the item \(item.path) of the Secret Service")
    }

    static func changed(_ item: SecretService.ItemPath) -> StoreError {
        .damaged(what: "the item \(item.path) of the Secret Service (another program has changed its secret)")
    }
}

extension OpenRecord {
    /// The record that the attributes of an item tell of; nil where that is none of the group.
    init?(_ attributes: [String: String], _ keys: GroupKeys) {
        guard let bytes = Self.bytes(attributes), let record = try? OpenRecord(bytes, keys) else { return nil }
        self = record
    }

    /// The bytes that an item has of its record beside the secret.
    static func bytes(_ attributes: [String: String]) -> [UInt8]? {
        attributes["record"].flatMap { Base64.url.decode($0.utf8) }
    }
}

extension SecretService {
    /// What an item says of itself; nil when it is gone.
    func detailsIfThere(of item: ItemPath) throws(SecretServiceError) -> Details? {
        do {
            return try details(of: item)
        } catch .noItem {
            return nil
        }
    }

    /// The attributes of an item that tell something; nil when it is gone.
    func attributesIfThere(of item: ItemPath) throws(SecretServiceError) -> [String: String]? {
        do {
            return ItemAttributes.told(try attributes(of: item))
        } catch .noItem {
            return nil
        }
    }

    /// Gives an item of Keyfob's these attributes and no others, then its label; a label that is nil stays.
    ///
    /// KeePassXC keeps an attribute that a change leaves out: it loses its value there, and so tells nothing.
    func file(_ item: ItemPath, under attributes: [String: String], label: String?) throws(SecretServiceError) {
        try setAttributes(of: item, to: attributes, label: label)
        let left = ItemAttributes.own(ItemAttributes.told(try self.attributes(of: item)))
            .filter { attributes[$0.key] == nil }
        guard !left.isEmpty else { return }
        try setAttributes(of: item, to: attributes.merging(left.mapValues { _ in "" }) { $1 }, label: nil)
    }
}
