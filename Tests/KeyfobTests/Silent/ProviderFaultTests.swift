import Foundation
import Keyfob
import KeyfobOAuth
import KeyfobTestSupport
import Testing

/// Holds the table of what a provider can answer to what is done.
@Suite("What a provider can answer")
struct ProviderFaultTests: SilentSuite {
    let home: SilentHome

    init() throws {
        home = try .atPlainProvider()
    }

    /// A line of the table.
    struct Fault: Sendable, CustomTestStringConvertible {
        let answer: String
        let code: String
        let kept: String
        let message: String

        var testDescription: String { answer }

        /// All lines of the page.
        static let all: [Fault] = {
            let root = URL(filePath: #filePath).appending(path: "../../../..").standardizedFileURL
            let page = root.appending(path: "Sources/Keyfob/Keyfob.docc/ProviderFaults.md")
            let text = (try? String(contentsOf: page, encoding: .utf8)) ?? ""
            return text.split(separator: "\n").filter { $0.hasPrefix("| ") }.dropFirst(2).compactMap { line in
                let cells = line.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
                guard cells.count == 4 else { return nil }
                return Fault(
                    answer: cells[0].trimmingCharacters(in: ["`"]), code: cells[1], kept: cells[2], message: cells[3])
            }
        }()

        /// What the network gives for it; nil for a line that makes no sense.
        var exchange: ScriptedNetwork.Answer? {
            let words = answer.split(separator: " ", maxSplits: 1).map(String.init)
            if let status = words.first.flatMap({ Int($0) }) {
                let rest = words.count > 1 ? words[1] : ""
                guard !rest.hasPrefix("Retry-After: ") else {
                    return .status(status, retryAfter: String(rest.dropFirst(13)))
                }
                return .json(rest, status: status)
            }
            switch words {
            case ["no", "answer"]: return .failed(.outcomeUnknown)
            case ["no", "libcurl"]: return .failed(.noHTTPLibrary)
            case let words where words.first == "unreachable:":
                return UnreachableReason(rawValue: words[1]).map { .failed(.unreachable($0)) }
            case let words where words.first == "certificate:":
                return CertificateFlaw(rawValue: words[1]).map { .failed(.untrustedCertificate($0)) }
            default: return nil
            }
        }
    }

    @Test("there is a table") func table() {
        #expect(Fault.all.count >= 40)
    }

    @Test("the answer, the error, and what is kept", arguments: Fault.all)
    func fault(_ fault: Fault) async throws {
        try home.grant("rt1", ada)
        provider.answer(try #require(fault.exchange, "\(fault.answer) is no answer"))
        let error = try #require(await home.refusal(ada))
        #expect(error.code.rawValue == fault.code)
        #expect(error.message.contains(fault.message))
        let grant = try home.theGrant(of: ada)
        let isInDoubt = fault.kept == "all, in doubt"
        #expect((grant.intent != nil) == isInDoubt)
        #expect((grant.state == .active) == (fault.kept != "a grant that ended"))
        let pause = fault.kept.split(separator: " ").compactMap { Int64($0) }.first ?? 0
        if pause > 0 {
            home.clock.advance(by: pause - 1)
            #expect(await home.refusal(ada)?.code == error.code)
            #expect(provider.tokenRequests.count == 1)
        }
        home.clock.advance(by: 1)
        guard grant.state == .active else {
            #expect(await home.refusal(ada)?.message.contains(fault.message) == true)
            #expect(provider.tokenRequests.count == 1)
            return
        }
        // Doubt ends with a refusal of any kind; where there was none, the sign-in goes on.
        provider.answer(isInDoubt ? .status(400) : .tokens("at", refresh: "rt3", scope: "mail.read"))
        let isNew = fault.kept == "the new refresh token"
        if isInDoubt {
            #expect(await home.refusal(ada)?.message.contains("a refresh was cut off") == true)
        } else {
            #expect(try await home.token(ada).text == "at")
        }
        #expect(provider.tokenRequests.last?.refreshToken == (isNew ? "rt2" : "rt1"))
        #expect(provider.tokenRequests.count == 2)
    }
}
