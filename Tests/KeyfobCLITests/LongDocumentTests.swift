import Foundation
import Keyfob
import KeyfobTerminal
import Testing

@testable import KeyfobCLI

@Suite("Documents that write themselves")
struct LongDocumentTests {
    /// Foundation's text of a document, which every other document has.
    private func encoded(_ document: some JSONDocument) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes]
        return TerminalText.json(String(decoding: try encoder.encode(document), as: UTF8.self))
    }

    private func candidate(_ name: String, _ state: Candidate.SignInState, isFull: Bool) throws -> Candidate {
        let id = try #require(AccountID(homeAccountID: name, environment: "login.microsoftonline.com"))
        var account = Account(id: id, username: isFull ? "\(name)@contoso.example" : "")
        if isFull {
            account.displayName = "\"Ada\" \\ / \u{1}\n\t\u{7F}\u{9B}é \u{202E}山 🦊"
            account.label = "work/\(name)"
            account.tenantProfiles = ["t1", "t2"].map {
                TenantProfile(
                    realm: $0, localAccountID: "ada", environment: id.environment, username: "\(name)@\($0)",
                    displayName: nil, authorityType: nil, additionalFields: AdditionalFields())
            }
        }
        var candidate = Candidate(
            account: account, group: .default, state: state, clientIDs: isFull ? ["b", "a"] : [],
            isDefault: isFull)
        candidate.hasTokenMadeByHand = isFull
        return candidate
    }

    private func candidates() throws -> [Candidate] {
        [
            try candidate("ada.t1", .signedIn, isFull: true), try candidate("bob", .noCredentials, isFull: false),
            try candidate("eve", .needsSignIn(reason: "it \"expired\""), isFull: true),
        ]
    }

    @Test("lists of accounts are as an encoder writes them")
    func accounts() throws {
        for count in 0...3 {
            let list = AccountListDocument(accounts: try candidates().prefix(count).map { Record($0) })
            #expect(JSONOutput.text(list) == (try encoded(list)))
        }
    }

    @Test("selections are as an encoder writes them", arguments: [nil, 1, 2, 12])
    func selections(uses: Int?) throws {
        let candidates = try candidates()
        let now = Timestamp(seconds: 1_700_000_000)
        let events = (0..<(uses ?? 0)).map {
            UsageEvent(
                time: now.advanced(by: Int64($0 - 100) * 3_600), account: candidates[$0 % 2].tag,
                context: UsageContext())
        }
        for request in [TokenRequest(), TokenRequest(account: "nobody"), TokenRequest(account: "ada.t1")] {
            let selection = AccountSelector().select(
                request, among: candidates, groups: [.default],
                evidence: Evidence(history: UsageHistory(events), now: now))
            let document = SelectionDocument(selection)
            #expect(JSONOutput.text(document) == (try encoded(document)))
        }
    }
}
