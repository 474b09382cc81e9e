import Foundation
import Keyfob

/// One person's history of account choices.
struct Trace {
    let name: String
    let accounts: [Candidate]
    let choices: [Choice]

    /// One choice: when, for what, and which account it was.
    struct Choice {
        let time: Timestamp
        let address: ResourceURL
        /// The account's place in the list.
        let account: Int
    }

    /// The histories in a folder, by name.
    static func all(in folder: String) throws -> [Trace] {
        try FileManager.default.contentsOfDirectory(atPath: folder).filter { $0.hasSuffix(".jsonl") }.sorted()
            .map { try Trace(path: folder + "/" + $0) }
    }

    private init(path: String) throws {
        name = String(URL(filePath: path).lastPathComponent.dropLast(".jsonl".count))
        let lines = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n")
        guard let first = lines.first else { throw TraceError(path: path, line: 1) }
        let head = try Self.decode(Head.self, first, path, 1)
        var places: [String: Int] = [:]
        accounts = try head.accounts.enumerated().map { place, account in
            guard let id = AccountID(homeAccountID: account.id, environment: "idp.example") else {
                throw TraceError(path: path, line: 1)
            }
            places[account.id] = place
            return Candidate(
                account: Account(id: id, username: account.username), group: .default, state: .signedIn, clientIDs: [],
                isDefault: false)
        }
        choices = try lines.dropFirst().enumerated().map { number, text in
            let line = try Self.decode(Line.self, text, path, number + 2)
            guard let account = places[line.account] else { throw TraceError(path: path, line: number + 2) }
            return Choice(
                time: Timestamp(seconds: line.time),
                address: ResourceURL(host: line.host, path: line.path.split(separator: "/").map(String.init)),
                account: account)
        }
    }

    private static func decode<Value: Decodable>(
        _ type: Value.Type, _ text: Substring, _ path: String, _ line: Int
    ) throws -> Value {
        do {
            return try JSONDecoder().decode(type, from: Data(text.utf8))
        } catch {
            throw TraceError(path: path, line: line)
        }
    }

    private struct Head: Decodable {
        let accounts: [Account]

        struct Account: Decodable {
            let id: String
            let username: String
        }
    }

    private struct Line: Decodable {
        let time: Int64
        let host: String
        let path: String
        let account: String
    }
}

/// A line that is no line of a history.
struct TraceError: Error, CustomStringConvertible {
    let path: String
    let line: Int

    var description: String { "\(path), line \(line): not a line of a history of account choices" }
}
