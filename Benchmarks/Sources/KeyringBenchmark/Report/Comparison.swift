import Foundation

/// What was measured, for each number of accounts.
struct Comparison {
    /// One number of accounts.
    struct Row {
        let accounts: Int
        let credentials: Int
        let fill: Measurements
        let list: Measurements
        let lookUp: Measurements
        let first: Measurements
        let process: Measurements?
        let peerMemory: Measurements
        let peerFirst: Measurements

        /// What is compared, in the order of the table.
        var figures: [Figure] {
            [
                Figure("import of all, s", fill[.importSeconds], "load from memory", peerMemory[.importSeconds]),
                Figure("list all accounts, ms", list[.listMilliseconds], "get_accounts", peerMemory[.listMilliseconds]),
                Figure(
                    "lookup, account not asked before, µs", lookUp[.newLookupMicroseconds], "acquire_token_silent",
                    peerMemory[.lookupMicroseconds]),
                Figure(
                    "lookup, random account, µs", lookUp[.lookupMicroseconds], "acquire_token_silent",
                    peerMemory[.lookupMicroseconds]),
                Figure(
                    "lookup, same account again, µs", lookUp[.repeatedLookupMicroseconds], "acquire_token_silent",
                    peerMemory[.repeatedLookupMicroseconds]),
                Figure(
                    "first access, ms", first[.firstAccessMilliseconds], "msal-extensions",
                    peerFirst[.firstAccessMilliseconds]),
                Figure(
                    "first access, running process, ms", first[.reopeningMilliseconds], "msal-extensions",
                    peerFirst[.reopeningMilliseconds]),
                Figure(
                    "first access, ms", first[.firstAccessMilliseconds], "its shortest way",
                    peerFirst[.shortestAccessMilliseconds]),
                Figure(
                    "whole process (keyfob token), ms", process?[.processMilliseconds] ?? .nan,
                    "python3 + msal-extensions",
                    peerFirst[.processMilliseconds]),
                Figure(
                    "peak memory of a first access, MiB", first[.peakMemory], "msal-extensions", peerFirst[.peakMemory]),
                Figure("peak memory of lookups, MiB", lookUp[.peakMemory], "msal in memory", peerMemory[.peakMemory]),
                Figure("peak memory of listing, MiB", list[.peakMemory], "msal in memory", peerMemory[.peakMemory]),
                Figure("peak memory of the import, MiB", fill[.peakMemory], "msal in memory", peerMemory[.peakMemory]),
            ]
        }
    }

    let rows: [Row]

    /// The table, and the requirements below it.
    func text() -> String {
        var lines: [String] = []
        for row in rows {
            lines.append("\(row.accounts) accounts, \(row.credentials) credentials")
            lines += row.figures.map { "  " + $0.text }
            lines.append("")
        }
        lines += requirements.map(\.text)
        return lines.joined(separator: "\n") + "\n"
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let document = Document(
            formatVersion: 1,
            sizes: rows.map { .init(accounts: $0.accounts, credentials: $0.credentials, figures: $0.figures) },
            requirements: requirements)
        return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }

    private struct Document: Encodable {
        struct Size: Encodable {
            let accounts: Int
            let credentials: Int
            let figures: [Figure]
        }

        let formatVersion: Int
        let sizes: [Size]
        let requirements: [Requirement]
    }
}
