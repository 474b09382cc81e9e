internal import KeyfobModel
package import KeyfobSodium

extension MSALCache {
    /// The bytes of a cache without the entities that hold its refresh tokens; all else stays as it is written, but for
    /// blanks between.
    package static func withoutRefreshTokens(_ bytes: RawSpan) throws(MSALCacheError) -> SecretBytes {
        let cache = try MSALCache(reading: bytes)
        let tape: JSONTape
        do {
            tape = try JSONTape(reading: bytes, limits: MSALLimits().json)
        } catch {
            throw MSALCacheError(error)
        }
        let secrets = cache.credentials.filter { $0.credential.kind == .refreshToken }.map(\.secret.range.lowerBound)
        // Nothing is added but commas, each for one that went.
        var copy = SecretBuffer(capacity: bytes.byteCount)
        CacheCopy(tape: tape, secrets: Set(secrets)).write(tape.root, bytes, to: &copy)
        return copy.withBytes { SecretBytes(copying: $0) }
    }
}

/// Copies a cache but for the objects that hold certain secrets.
private struct CacheCopy {
    let tape: JSONTape
    /// Where their texts begin, after the quotation mark.
    let secrets: Set<Int>

    func write(_ value: JSONTape.Value, _ bytes: RawSpan, to copy: inout SecretBuffer) {
        let range = tape.range(of: value)
        guard tape.kind(of: value) == .object, secrets.contains(where: range.contains) else {
            return copy.append(bytes.extracting(range))
        }
        // From the end of what was written to the next value: spaces, a name, a colon; before another member, a comma.
        var (end, isFirst) = (range.lowerBound + 1, true)
        copy.append(bytes.extracting(range.lowerBound..<end))
        for member in tape.members(of: value, includingSuperseded: true) {
            let (name, content) = (tape.range(of: member.name), tape.range(of: member.value))
            if holdsSecret(member.value) {
                end = content.upperBound
                continue
            }
            if !isFirst { Self.comma.withBytes { copy.append($0) } }
            copy.append(bytes.extracting(name.lowerBound..<content.lowerBound))
            write(member.value, bytes, to: &copy)
            (end, isFirst) = (content.upperBound, false)
        }
        copy.append(bytes.extracting(end..<range.upperBound))
    }

    /// Whether an object has one of the secrets among its own members.
    private func holdsSecret(_ value: JSONTape.Value) -> Bool {
        tape.members(of: value, includingSuperseded: true).contains {
            secrets.contains(tape.range(of: $0.value).lowerBound + 1)
        }
    }

    private static let comma: [UInt8] = [UInt8(ascii: ",")]
}
