internal import KeyfobSodium

extension ClientKey {
    /// Makes sure that it can be shown where TLS is agreed on.
    ///
    /// - Throws: `noCertificate`; `malformed`; `otherCertificate` where its first certificate is another key's, as far as that can be seen:
    ///   of Ed25519, and of a curve without its point, TLS says so.
    package borrowing func requireCertificate() throws(ClientKeyFlaw) {
        guard let certificate = certificates.first else { throw .noCertificate }
        let isWhole = certificate.withBytes { bytes in
            var elements = DERElements(0..<bytes.byteCount)
            return elements.next(in: bytes)?.tag == DERTag.sequence && elements.isAtEnd
        }
        guard isWhole else { throw .malformed }
        let isOther = der.withBytes { der in
            guard let part = Self.publicPart(of: der) else { return false }
            return certificate.withBytes { !Self.contains($0, der.extracting(part)) }
        }
        guard !isOther else { throw .otherCertificate }
    }

    /// Where a private key in DER has a number that its certificate has too: the modulus of RSA, or the first coordinate of its point.
    private static func publicPart(of der: RawSpan) -> Range<Int>? {
        guard var members = Self.members(of: der, at: 0..<der.byteCount), var second = members.next(in: der) else {
            return nil
        }
        if second.tag == DERTag.sequence {
            guard let key = members.next(in: der), let inner = Self.members(of: der, at: key.content) else {
                return nil
            }
            members = inner
            guard let number = members.next(in: der) else { return nil }
            second = number
        }
        if second.tag == DERTag.integer { return second.content.drop { der.byte(at: $0) == 0 } }
        while let member = members.next(in: der) {
            guard member.tag == DERTag.second else { continue }
            var inner = DERElements(member.content)
            // Behind the number of bits that do not count, and the form of the point.
            guard let bits = inner.next(in: der), bits.tag == DERTag.bitString, bits.content.count > 4 else {
                return nil
            }
            let coordinates = bits.content.dropFirst(2)
            return coordinates.prefix(coordinates.count / 2)
        }
        return nil
    }

    /// What stands in a sequence behind its version.
    private static func members(of der: RawSpan, at range: Range<Int>) -> DERElements? {
        var outer = DERElements(range)
        guard let whole = outer.next(in: der), whole.tag == DERTag.sequence else { return nil }
        var members = DERElements(whole.content)
        guard members.next(in: der) != nil else { return nil }
        return members
    }

    private static func contains(_ bytes: RawSpan, _ part: RawSpan) -> Bool {
        guard part.byteCount > 0, bytes.byteCount >= part.byteCount else { return false }
        return (0...bytes.byteCount - part.byteCount).contains { start in
            (0..<part.byteCount).allSatisfy { bytes.byte(at: start + $0) == part.byte(at: $0) }
        }
    }
}
