internal import KeyfobModel
internal import KeyfobSodium

// gcloud's own sign-ins: `credentials.db` has a table `credentials` of names and JSON texts, `access_tokens.db` a table
// `access_tokens` of names, tokens and when they end. Both are read into one JSON text, in which their tokens have places.

/// What is read of gcloud's databases.
enum GoogleDatabase {
    /// The member under which the text has all.
    static let name = "gcloud-databases"
    /// gcloud's own client, to which its access tokens belong.
    static let client = "32555940559.apps.googleusercontent.com"

    /// The largest database that is read, in bytes.
    private static let limit = 4 << 20

    /// The JSON text of a database.
    ///
    /// - Throws: for a database of others, and a damaged one.
    static func text(_ database: RawSpan) throws(ToolFileError) -> SecretBytes {
        guard database.byteCount <= limit else { throw .database }
        var text = JSONWriting(capacity: 2 * database.byteCount)
        do throws(SQLiteTable.Damage) {
            let credentials = try SQLiteTable("credentials", in: database)
            let tokens = try SQLiteTable("access_tokens", in: database)
            guard credentials != nil || tokens != nil else { throw SQLiteTable.Damage() }
            text.begin(name)
            if let credentials {
                text.begin("credentials")
                try credentials.forEachRow(in: database) { row in
                    guard let name = row.text(0), let value = row.content(1) else { return }
                    row.bytes.withBytes { text.add(object: $0.extracting(value), named: name) }
                }
                text.end()
            }
            if let tokens {
                text.begin("access_tokens")
                try tokens.forEachRow(in: database) { row in
                    guard let name = row.text(0), text.begin(checking: name) else { return }
                    for (index, column) in [(1, "access_token"), (2, "token_expiry")] {
                        guard let value = row.content(index) else { continue }
                        row.bytes.withBytes { text.add(word: $0.extracting(value), named: column) }
                    }
                    text.end()
                }
                text.end()
            }
            text.end()
        } catch {
            throw .database
        }
        return text.finished()
    }
}

/// A JSON text of secrets, in guarded memory.
private struct JSONWriting: ~Copyable {
    private var buffer: SecretBuffer
    private var needsComma = false

    init(capacity: Int) {
        buffer = SecretBuffer(capacity: capacity + 1_024)
        append("{")
    }

    /// Begins an object under a name of ours.
    mutating func begin(_ name: String) {
        append((needsComma ? "," : "") + "\"\(name)\":{")
        needsComma = false
    }

    /// Begins an object under a name that comes from elsewhere.
    ///
    /// - Returns: False where the name would need to be written otherwise than it is, or there is no room.
    mutating func begin(checking name: String) -> Bool {
        guard name.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C }), hasRoom(for: name.utf8.count) else {
            return false
        }
        begin(name)
        return true
    }

    mutating func end() {
        append("}")
        needsComma = true
    }

    /// Adds what is a JSON object.
    mutating func add(object: RawSpan, named name: String) {
        let limits = JSONLimits(size: 1 << 20, depth: 16)
        guard object.begins(with: "{"), (try? JSONTape(reading: object, limits: limits)) != nil,
            hasRoom(for: name.utf8.count + object.byteCount), begin(checking: name)
        else { return }
        // It begins and ends as it is itself.
        buffer.append(object.extracting(1..<object.byteCount))
        needsComma = true
    }

    /// Adds a text of characters that JSON has as they are.
    mutating func add(word: RawSpan, named name: String) {
        let isPlain = (0..<word.byteCount).allSatisfy {
            (0x20..<0x7F).contains(word.byte(at: $0)) && word.byte(at: $0) != 0x22 && word.byte(at: $0) != 0x5C
        }
        guard isPlain, hasRoom(for: name.utf8.count + word.byteCount) else { return }
        append((needsComma ? "," : "") + "\"\(name)\":\"")
        buffer.append(word)
        append("\"")
        needsComma = true
    }

    consuming func finished() -> SecretBytes {
        append("}")
        return buffer.withBytes { SecretBytes(copying: $0, placement: .recycled) }
    }

    private func hasRoom(for count: Int) -> Bool { buffer.capacity - buffer.count > count + 512 }

    private mutating func append(_ text: String) {
        Array(text.utf8).withBytes { buffer.append($0) }
    }
}

extension ToolFile {
    mutating func readGoogleDatabase(_ value: ToolValue, _ bytes: RawSpan) {
        let tables = value[GoogleDatabase.name]
        for (name, entry) in tables?["credentials"]?.members ?? [] {
            do throws(ToolFinding.Reason) {
                let account = try googleAccount(name)
                guard entry["type"].map({ $0.name(bytes) == "authorized_user" }) ?? true,
                    let token = entry["refresh_token"]?.secret
                else { throw .noPerson }
                if let cloud = entry["universe_domain"]?.name(bytes), cloud != "googleapis.com" { throw .otherCloud }
                if let endpoint = entry["token_uri"], !Self.googleTokenEndpoints.contains(endpoint.name(bytes) ?? "") {
                    throw .otherEndpoint
                }
                guard let client = entry["client_id"]?.name(bytes) else { throw .noClient }
                let scopes = (entry["scopes"]?.elements ?? []).compactMap { $0.name(bytes) }
                add(.refreshToken, token, of: account, client: client, scopes: ScopeSet(scopes))
                add(client: client, secret: entry["client_secret"]?.secret, at: Self.google)
            } catch {
                skip(.user(name), error)
            }
        }
        for (name, entry) in tables?["access_tokens"]?.members ?? [] {
            do throws(ToolFinding.Reason) {
                let account = try googleAccount(name)
                let end = entry["token_expiry"]?.name(bytes).flatMap { ADALTime.timestamp($0, offset: { _ in 0 }) }
                // Without its end nobody knows whether it is of use.
                guard let token = entry["access_token"]?.secret, let end else { throw .noToken }
                add(.accessToken, token, of: account, client: GoogleDatabase.client, until: end)
            } catch {
                skip(.user(name), error)
            }
        }
    }

    /// The account of a person; gcloud writes `name#cloud` for those of other clouds.
    private mutating func googleAccount(_ name: String) throws(ToolFinding.Reason) -> AccountID {
        guard !name.contains("#") else { throw .otherCloud }
        guard name.contains("@"), !name.hasSuffix(".gserviceaccount.com"),
            let account = account(name, at: Self.google)
        else { throw .noPerson }
        return account
    }
}
