import Foundation

/// What was measured of silent refreshes.
struct RefreshReport {
    /// One number of accounts.
    struct Row {
        let accounts: Int
        let own: Measurements
        let peer: Measurements
        /// 30 threads of the peer at once, with one cache.
        let shared: Measurements
        /// The same with five caches on one file.
        let apart: Measurements

        var figures: [Figure] {
            let endpoint = peer[.endpointMilliseconds]
            return [
                Figure(
                    "refresh, median, ms", own[.refreshMilliseconds], "msal-extensions", peer[.refreshMilliseconds]),
                Figure(
                    "refresh, 95 of 100, ms", own[.refreshTailMilliseconds], "msal-extensions",
                    peer[.refreshTailMilliseconds]),
                Figure(
                    "besides a bare request, median, ms", own[.refreshMilliseconds] - endpoint, "msal-extensions",
                    peer[.refreshMilliseconds] - endpoint),
                Figure("a bare request, ms", endpoint, "–", .nan),
                Figure("a block made durable, ms", own[.syncMilliseconds], "–", .nan),
                Figure("peak memory, MiB", own[.peakMemory], "msal-extensions", peer[.peakMemory]),
            ] + atOnce("one shared cache", shared) + atOnce("five caches, one file", apart)
        }

        private func atOnce(_ name: String, _ theirs: Measurements) -> [Figure] {
            [
                Figure("30 at once, until the last, ms", own[.atOnceMilliseconds], name, theirs[.atOnceMilliseconds]),
                Figure("requests for them", own[.atOnceRequests], name, theirs[.atOnceRequests]),
                Figure("with a replaced refresh token", own[.atOnceReuses], name, theirs[.atOnceReuses]),
                Figure("without a token at the end", own[.atOnceFailures], name, theirs[.atOnceFailures]),
            ]
        }
    }

    let rows: [Row]

    /// What must hold, however busy the machine is.
    var requirements: [Requirement] {
        let requests = rows.map { $0.own[.atOnceRequests] }.max() ?? .nan
        let failures = rows.map { $0.own[.atOnceFailures] }.max() ?? .nan
        var requirements = [
            Requirement(name: "requests for 30 at once: 1", value: requests, isMet: requests == 1),
            Requirement(name: "of 30 at once, those without a token: 0", value: failures, isMet: failures == 0),
        ]
        // A refresh waits for the disk: where that was not as fast for both, they cannot be compared.
        if let first = rows.first, let last = rows.last,
            (0.67...1.5).contains(last.own[.syncMilliseconds] / first.own[.syncMilliseconds])
        {
            let growth = last.own[.refreshMilliseconds] / first.own[.refreshMilliseconds]
            requirements.append(
                Requirement(
                    name: "a refresh at \(last.accounts) accounts to one at \(first.accounts): at most 1.5",
                    value: growth, isMet: growth <= 1.5))
        }
        return requirements
    }

    var text: String {
        var lines: [String] = []
        for row in rows {
            lines.append("\(row.accounts) account\(row.accounts == 1 ? "" : "s")")
            lines += row.figures.map { "  " + $0.text }
            lines.append("")
        }
        return (lines + requirements.map(\.text)).joined(separator: "\n") + "\n"
    }

    func json() throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        let document = Document(
            sizes: rows.map { .init(accounts: $0.accounts, figures: $0.figures) }, requirements: requirements)
        return String(decoding: try encoder.encode(document), as: UTF8.self) + "\n"
    }

    private struct Document: Encodable {
        let formatVersion = 1
        let sizes: [Size]
        let requirements: [Requirement]

        struct Size: Encodable {
            let accounts: Int
            let figures: [Figure]
        }
    }
}
