package import KeyfobModel
internal import KeyfobSodium

/// What was found in a token cache of ADAL, which came before MSAL, in the form in which MSAL's is imported.
///
/// Two forms are read: the JSON list of ADAL for Python, which is Azure CLI's `accessTokens.json`, and what ADAL
/// for Objective-C archived: one keyed archive, or a binary property list of keychain items, an array of
/// dictionaries with `acct`, `svce` and `v_Data`. Secrets are not in here: see ``MSALCache``.
package struct ADALCache: Sendable {
    /// Accounts and tokens.
    ///
    /// A person whose object id and home tenant are not both known has the user name in small letters for a home
    /// account id.
    package let contents: MSALCache
    /// What was left out, with the reason.
    package let findings: [ADALFinding]

    /// Whether the bytes begin as an ADAL cache does: as a list, or as a binary property list.
    package static func isRecognized(_ bytes: RawSpan) -> Bool {
        if BinaryPropertyList.isBinary(bytes) { return true }
        let octets = Span<UInt8>(_bytes: bytes)
        var start = 0
        if octets.count >= 3, octets[0] == 0xEF, octets[1] == 0xBB, octets[2] == 0xBF { start = 3 }
        while start < octets.count, [0x20, 0x09, 0x0A, 0x0D].contains(octets[start]) { start += 1 }
        return start < octets.count && octets[start] == UInt8(ascii: "[")
    }

    /// Whether the bytes begin as a property list in XML, which is not read.
    package static func isTextPropertyList(_ bytes: RawSpan) -> Bool {
        ["<?xml", "<!DOCTYPE plist", "<plist"].contains { bytes.begins(with: $0) }
    }

    /// Reads a cache.
    ///
    /// What makes no sense is left out and told in ``findings``; the rest is read. `bytes` is needed again to get at
    /// the secrets.
    ///
    /// - Parameter offset: How many seconds the clock on the wall was ahead of UTC at a moment: ADAL for Python
    ///   writes times without a zone.
    package init(
        reading bytes: RawSpan, limits: ADALLimits = ADALLimits(), offset: (Timestamp) -> Int64
    ) throws(ADALCacheError) {
        var collector = ADALCollector(limits: limits)
        if BinaryPropertyList.isBinary(bytes) {
            try collector.readPropertyList(bytes)
        } else {
            try collector.readList(bytes, offset: offset)
        }
        let people = ADALPeople(collector.entries)
        contents = people.cache(&collector.findings)
        findings = collector.findings.sorted { $0.ordinal < $1.ordinal }
    }
}

/// Collects the entries of a cache, whatever its form.
struct ADALCollector {
    let limits: ADALLimits
    var entries: [ADALEntry] = []
    var findings: [ADALFinding] = []
    private(set) var ordinal = 0

    init(limits: ADALLimits) {
        self.limits = limits
    }

    /// Counts an entry and takes it, or the reason why not.
    mutating func take(
        _ fields: () throws(ADALFinding.Reason) -> ADALFields
    ) throws(ADALCacheError) {
        ordinal += 1
        guard ordinal <= limits.entries else { throw .tooManyEntries(limit: limits.entries) }
        do throws(ADALFinding.Reason) {
            entries.append(try ADALEntry(try fields(), ordinal: ordinal))
        } catch {
            findings.append(ADALFinding(ordinal: ordinal, reason: error))
        }
    }
}
