import KeyfobModel
import Testing

@Suite("When a sign-in ends")
struct SignInEndTests {
    private let start = Timestamp(seconds: 1_700_000_000)
    private let day: Int64 = 86_400

    private func token(lasting life: Int64?, cached: Bool = true, state: Grant.State = .active) throws -> Credential {
        let account = try #require(AccountID(homeAccountID: "ada", environment: "id.example"))
        return Credential(
            kind: .refreshToken, account: account, clientID: "app", cachedAt: cached ? start : nil,
            expiresOn: life.map(start.advanced(by:)), grant: Grant(state: state))
    }

    @Test(
        "is told in the last fifth of the lifetime, and in the last week at most",
        arguments: [(90, 7_171_200), (35, 2_419_200), (10, 691_200), (1, 69_120)])
    func notice(days: Int64, after: Int64) throws {
        let end = try #require(SignInEnd(token(lasting: days * day)))
        #expect(end.endsOn == start.advanced(by: days * day) && end.noticeOn == start.advanced(by: after))
        #expect(!end.isNear(start.advanced(by: after - 1)) && end.isNear(start.advanced(by: after)))
    }

    @Test("where nobody knows since when it lasts, in the last week")
    func unknownStart() throws {
        #expect(try SignInEnd(token(lasting: 30 * day, cached: false))?.noticeOn == start.advanced(by: 23 * day))
    }

    @Test("is not known of a token without a lifetime, of one that cannot be used, and of an access token")
    func unknown() throws {
        #expect(try SignInEnd(token(lasting: nil)) == nil)
        #expect(try SignInEnd(token(lasting: day, state: .signedOut)) == nil)
        var access = try token(lasting: day)
        access.kind = .accessToken
        #expect(SignInEnd(access) == nil)
    }

    @Test("a time that makes no sense overflows nothing", arguments: [Int64.min, .max, 0])
    func extremes(seconds: Int64) throws {
        var token = try token(lasting: day)
        token.expiresOn = Timestamp(seconds: seconds)
        token.cachedAt = Timestamp(seconds: seconds == .min ? .max : .min)
        #expect(SignInEnd(token)?.endsOn == Timestamp(seconds: seconds))
    }
}
