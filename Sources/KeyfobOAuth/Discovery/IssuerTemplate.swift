internal import KeyfobModel

/// Microsoft's issuer for any tenant: `https://login.microsoftonline.com/{tenantid}/v2.0`.
package enum IssuerTemplate {
    static let placeholder = "{tenantid}"

    /// The issuer of one tenant.
    package static func issuer(_ template: String, tenant: String) -> String {
        guard let parts = parts(template) else { return template }
        return parts.before + tenant + parts.after
    }

    /// Whether `issuer` is the template with some tenant's id in it.
    package static func matches(_ template: String, _ issuer: String) -> Bool {
        guard let parts = parts(template), issuer.hasPrefix(parts.before), issuer.hasSuffix(parts.after),
            issuer.utf8.count > parts.before.utf8.count + parts.after.utf8.count
        else { return false }
        return Authority.isGUID(issuer.dropFirst(parts.before.count).dropLast(parts.after.count))
    }

    /// Whether a document's issuer belongs to the one asked.
    ///
    /// Both differ only in the first component of the path, which in the document's is the placeholder or a tenant's
    /// id. Asking for `common` or a domain gives such.
    static func isSibling(_ issuer: String, of expected: String) -> Bool {
        guard let mine = split(expected), let theirs = split(issuer), mine.host == theirs.host, mine.rest == theirs.rest
        else { return false }
        return theirs.tenant == placeholder || Authority.isGUID(theirs.tenant)
    }

    private static func parts(_ template: String) -> (before: String, after: String)? {
        let pieces = template.split(separator: placeholder, maxSplits: 1, omittingEmptySubsequences: false)
        return pieces.count == 2 ? (String(pieces[0]), String(pieces[1])) : nil
    }

    private static func split(_ issuer: String) -> (host: String, tenant: String, rest: String)? {
        guard issuer.hasPrefix("https://") else { return nil }
        let pieces = issuer.dropFirst(8).split(separator: "/", maxSplits: 2, omittingEmptySubsequences: false)
        guard pieces.count == 3, !pieces[0].isEmpty else { return nil }
        return (String(pieces[0]), String(pieces[1]), String(pieces[2]))
    }
}
