import KeyfobModel
import KeyfobOAuth
import KeyfobSodium

/// A secret that holds `text`.
func secret(_ text: String) -> SecretBytes {
    Array(text.utf8).withBytes { SecretBytes(copying: $0) }
}

/// What a secret holds.
func text(_ secret: borrowing SecretBytes) -> String {
    String(decoding: secret.withBytes { [UInt8]($0) }, as: UTF8.self)
}

/// What a secret holds, if there is one.
func bytes(_ secret: consuming SecretBytes?) -> [UInt8]? {
    guard let secret else { return nil }
    return secret.withBytes { [UInt8]($0) }
}

/// The body of a request, or nothing.
func body(_ request: borrowing HTTPRequest) -> String {
    switch request.body {
    case .some(let body): text(body)
    case .none: ""
    }
}

/// An answer of a token endpoint.
func response(_ status: Int, _ body: String, _ headers: [(String, String)] = []) throws -> HTTPResponse {
    try HTTPResponse(status: status, headers: headers.map { HTTPHeader(name: $0.0, value: $0.1) }, body: secret(body))
}

/// Why an answer is no success.
func failure(_ status: Int, _ body: String, _ headers: [(String, String)] = []) throws -> ProviderFailure? {
    let answer = try response(status, body, headers)
    switch TokenOutcome(answer, now: now) {
    case .tokens: return nil
    case .failed(let failure): return failure
    }
}

/// Randomness that counts: the same bytes at each run, other bytes at each call.
final class CountingRandomness {
    private var calls: UInt8 = 0

    func bytes(_ count: Int) -> SecretBytes {
        calls += 1
        return [UInt8](repeating: calls, count: count).withBytes { SecretBytes(copying: $0) }
    }
}

/// The time of all tests: 2026-11-21 06:40:00 UTC.
let now = Timestamp(seconds: 1_795_243_200)
