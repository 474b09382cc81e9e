internal import KeyfobBus
package import KeyfobSodium

extension SecretService {
    /// Where an item is, as long as its service runs.
    package struct ItemPath: Hashable, Sendable {
        package let path: String

        package init(path: String) {
            self.path = path
        }

        /// The collection that the item is in.
        package var collection: String { String(path.prefix(upTo: path.lastIndex(of: "/") ?? path.endIndex)) }
    }

    /// The items of one collection (nil: of all) that have all these attributes.
    ///
    /// Unlock the collection first. Of a locked one GNOME's keyring finds nothing by `xdg:schema` when it was never
    /// unlocked since it started, and KeePassXC finds nothing at all, but may ask the person before it answers.
    ///
    /// - Returns: The items, and how many of them are locked, so that their secrets cannot be read now.
    /// - Throws: `locked` when a locked collection made the service keep its answer; `refused` without attributes, or with an empty name or value: to GNOME's keyring those are wildcards.
    package func search(
        _ attributes: [String: String], in collection: String?
    ) throws(SecretServiceError) -> (items: [ItemPath], lockedCount: Int) {
        let (unlocked, locked) = try searchByLock(attributes, in: collection)
        return (unlocked + locked, locked.count)
    }

    /// The items of a collection that have all these attributes, found by the collection itself.
    ///
    /// Nobody is asked: a locked collection finds nothing, or items that cannot be read now.
    ///
    /// - Throws: `noCollection`; `refused` as ``search(_:in:)``.
    package func items(
        _ attributes: [String: String], in collection: String
    ) throws(SecretServiceError) -> [ItemPath] {
        guard Self.canBeSearched(attributes) else { throw .invalidArguments }
        return try attempt(whenGone: .noCollection) { (deadline) throws(ServiceFailure) in
            let answer = try call(
                collection, Method(Interfaces.collection, "SearchItems"), [.texts(attributes)], returning: "(ao)",
                deadline)
            guard let paths = answer.elements.first?.texts else { throw .oddAnswer }
            return paths.map { ItemPath(path: $0) }
        }
    }

    private static func canBeSearched(_ attributes: [String: String]) -> Bool {
        !attributes.isEmpty && attributes.allSatisfy { !$0.key.isEmpty && !$0.value.isEmpty }
    }

    /// As ``search(_:in:)``, but the locked ones apart.
    func searchByLock(
        _ attributes: [String: String], in collection: String?
    ) throws(SecretServiceError) -> (unlocked: [ItemPath], locked: [ItemPath]) {
        guard Self.canBeSearched(attributes) else { throw .invalidArguments }
        return try attempt(whenGone: .noService) { (deadline) throws(ServiceFailure) in
            do throws(ServiceFailure) {
                return try askForItems(attributes, in: collection, deadline.early)
            } catch {
                guard error.isTimeout else { throw error }
                let places =
                    if let collection { [try self.collection(collection, deadline)] } else { try collections(deadline) }
                throw places.contains(where: \.isLocked) ? .decided(.locked) : .timedOut
            }
        }
    }

    private func askForItems(
        _ attributes: [String: String], in collection: String?, _ deadline: Deadline
    ) throws(ServiceFailure) -> (unlocked: [ItemPath], locked: [ItemPath]) {
        let answer = try call(
            Self.servicePath, Method(Interfaces.service, "SearchItems"), [.texts(attributes)], returning: "(aoao)",
            deadline)
        let lists = answer.elements.map { list in
            (list.texts ?? []).filter { path in collection.map { path.hasPrefix($0 + "/") } ?? true }
        }
        guard lists.count == 2 else { throw .oddAnswer }
        return (lists[0].map { ItemPath(path: $0) }, lists[1].map { ItemPath(path: $0) })
    }

    /// All attributes of an item, the service's own among them.
    ///
    /// - Throws: `noItem`.
    package func attributes(of item: ItemPath) throws(SecretServiceError) -> [String: String] {
        try attempt(whenGone: .noItem) { (deadline) throws(ServiceFailure) in
            let value = try property(item.path, Interfaces.item, "Attributes", type: "a{ss}", deadline)
            return (value.entries ?? [:]).compactMapValues(\.text)
        }
    }

    /// What an item says of itself to whoever asks, its secret aside.
    package struct Details: Equatable, Sendable {
        /// As ``attributes(of:)`` has them.
        package let attributes: [String: String]
        /// What the person sees it called.
        package let label: String
        /// When it was made, in seconds since 1970; nil where the service does not say.
        package let created: UInt64?
        /// When it was written last, as above.
        package let modified: UInt64?
        /// Whether its secret cannot be read now; nil where the service does not say.
        package let isLocked: Bool?
    }

    /// What an item says of itself, in one call.
    ///
    /// - Throws: `noItem`.
    package func details(of item: ItemPath) throws(SecretServiceError) -> Details {
        try attempt(whenGone: .noItem) { (deadline) throws(ServiceFailure) in
            let answer = try call(
                item.path, Method(Interfaces.properties, "GetAll"), [.string(Interfaces.item)], returning: "(a{sv})",
                deadline)
            guard let properties = answer.elements.first?.entries, !properties.isEmpty else {
                throw .decided(.noItem)
            }
            guard let attributes = properties["Attributes"]?.entries else { throw .oddAnswer }
            return Details(
                attributes: attributes.compactMapValues(\.text),
                label: properties["Label"]?.text ?? "",
                created: properties["Created"]?.number.flatMap { $0 == 0 ? nil : $0 },
                modified: properties["Modified"]?.number.flatMap { $0 == 0 ? nil : $0 },
                isLocked: properties["Locked"]?.boolean)
        }
    }

    /// What the person sees the item called.
    ///
    /// - Throws: `noItem`.
    package func label(of item: ItemPath) throws(SecretServiceError) -> String {
        try attempt(whenGone: .noItem) { (deadline) throws(ServiceFailure) in
            try property(item.path, Interfaces.item, "Label", type: "s", deadline).text ?? ""
        }
    }

    /// How a secret stands in its item.
    package enum SecretForm: Sendable {
        /// As base64url without padding.
        case encoded
        /// As it is, which the caller has seen to be text that every service keeps.
        case plain

        /// The text of a secret: a password manager shows it as a password, and KeePassXC changes what looks like a
        /// placeholder in it.
        func text(of secret: borrowing SecretBytes) -> SecretBytes {
            secret.withBytes { bytes in
                switch self {
                case .encoded: Base64.url.encodeSecret(bytes)
                case .plain: SecretBytes(copying: bytes, placement: .recycled)
                }
            }
        }

        /// The secret of a text in the form ``encoded``; nil for another.
        ///
        /// It is empty where the item is: GNOME's keyring, ended by force, leaves an item that it had only begun to make.
        static func decoded(_ text: borrowing SecretBytes) -> SecretBytes? {
            text.withBytes { bytes in
                var bytes = bytes
                // Who copies a secret from one item into another by hand often brings the end of a line.
                while bytes.byteCount > 0, [0x0A, 0x0D, 0x20].contains(bytes.byte(at: bytes.byteCount - 1)) {
                    bytes = bytes.extracting(0..<bytes.byteCount - 1)
                }
                return Base64.url.decodeSecret(bytes)
            }
        }
    }

    /// Makes a new item, even where there is one with the same attributes.
    ///
    /// - Precondition: The secret is not empty.
    /// - Throws: `tooLarge`; `noCollection`; `locked`; `needsPrompt`, `promptDismissed` where the service asks first, and
    ///   not in passing;
    ///   `refused` for an attribute or a label with a zero in it.
    package func create(
        label: String, attributes: [String: String], secret: borrowing SecretBytes, as form: SecretForm = .encoded,
        in collection: String
    ) throws(SecretServiceError) -> ItemPath {
        try checkSize(of: secret)
        return try attempt(whenGone: .noCollection, isWriting: true) { (deadline) throws(ServiceFailure) in
            let sealed = BusArgument.secret(session: try openSession(deadline), BusText(form.text(of: secret)))
            let properties: [String: BusArgument] = [
                "\(Interfaces.item).Label": .string(label),
                "\(Interfaces.item).Attributes": .texts(attributes),
            ]
            let answer = try call(
                collection, Method(Interfaces.collection, "CreateItem"),
                [.properties(properties), sealed, .boolean(false)], returning: "(oo)", deadline)
            guard let item = answer.elements.first?.text, let prompt = answer.elements.last?.text else {
                throw .oddAnswer
            }
            if prompt == "/" { return ItemPath(path: item) }
            // KeePassXC prompts for each, and shows nothing as long as its database is open.
            let isQuiet = access.mayPrompt ? false : !(try self.collection(collection, deadline).isLocked)
            let made = try answerPrompt(prompt, refusal: .needsPrompt, deadline, isQuiet: isQuiet)
            guard let item = made.text else { throw .oddAnswer }
            return ItemPath(path: item)
        }
    }

    /// Replaces an item's secret, and nothing else of it.
    ///
    /// - Precondition: The secret is not empty.
    /// - Throws: `tooLarge`, `noItem`, `locked`.
    package func setSecret(
        of item: ItemPath, to secret: borrowing SecretBytes, as form: SecretForm = .encoded
    ) throws(SecretServiceError) {
        try checkSize(of: secret)
        try attempt(whenGone: .noItem, isWriting: true) { (deadline) throws(ServiceFailure) in
            let sealed = BusArgument.secret(session: try openSession(deadline), BusText(form.text(of: secret)))
            _ = try call(item.path, Method(Interfaces.item, "SetSecret"), [sealed], returning: "()", deadline)
        }
    }

    /// Replaces an item's attributes, then its label; a label that is nil stays.
    ///
    /// KeePassXC keeps attributes that are not among the new ones.
    ///
    /// - Throws: `noItem`, `locked`; `refused` for an attribute or a label with a zero in it.
    package func setAttributes(
        of item: ItemPath, to attributes: [String: String], label: String?
    ) throws(SecretServiceError) {
        try attempt(whenGone: .noItem, isWriting: true) { (deadline) throws(ServiceFailure) in
            // Nothing changes where either cannot be written.
            guard label?.utf8.contains(0) != true else { throw .decided(.invalidArguments) }
            try setProperty(item.path, Interfaces.item, "Attributes", to: .texts(attributes), deadline)
            if let label { try setProperty(item.path, Interfaces.item, "Label", to: .string(label), deadline) }
        }
    }

    /// Deletes an item; asks the person when the service wants that and it is allowed.
    ///
    /// - Throws: `noItem`, `locked`, `needsPrompt`, `promptDismissed`.
    package func delete(_ item: ItemPath) throws(SecretServiceError) {
        try attempt(whenGone: .noItem, isWriting: true) { (deadline) throws(ServiceFailure) in
            let answer = try call(item.path, Method(Interfaces.item, "Delete"), returning: "(o)", deadline)
            guard let prompt = answer.elements.first?.text else { throw .oddAnswer }
            if prompt != "/" { _ = try answerPrompt(prompt, refusal: .needsPrompt, deadline) }
        }
    }

    private func checkSize(of secret: borrowing SecretBytes) throws(SecretServiceError) {
        precondition(secret.count > 0, "an empty secret is not stored")
        guard secret.count <= Self.secretLimit else { throw .tooLarge(limit: Self.secretLimit) }
    }
}
