internal import KeyfobInterop
internal import KeyfobModel
internal import KeyfobOAuth

/// Readers of addresses.
enum Addresses {
    private static func text(_ document: [UInt8]) -> String? { String(validating: document, as: UTF8.self) }

    /// What a token is for: host with port, and path.
    static func resource(_ document: [UInt8]) -> String {
        guard let text = text(document) else { return "refused it is no UTF-8" }
        do throws(ResourceURL.Flaw) {
            return words(of: try ResourceURL(parsing: text))
        } catch {
            return "refused \(error)"
        }
    }

    static func endpoint(_ document: [UInt8]) -> String {
        guard let text = text(document) else { return "refused it is no UTF-8" }
        do throws(EndpointURL.Flaw) {
            let url = try EndpointURL(text)
            let query = url.query.map { Hex.text($0) } ?? "-"
            return "\(Hex.text(url.host)) \(url.port.map { "\($0)" } ?? "-") /\(Hex.text(url.path)) \(query)"
        } catch {
            return "refused \(error)"
        }
    }

    static func credential(_ document: [UInt8]) -> String {
        guard let url = text(document).flatMap({ CredentialURL($0) }) else { return "refused" }
        return words(of: url.address)
    }

    static func remote(_ document: [UInt8]) -> String {
        guard let url = text(document).flatMap({ ResourceURL(gitRemote: $0) }) else { return "refused" }
        return words(of: url)
    }

    private static func words(of url: ResourceURL) -> String {
        ([url.host] + url.path).map { Hex.text($0) }.joined(separator: "/")
    }

    static func percent(_ document: [UInt8]) -> String {
        PercentEncoding.decode(document).map { Hex.text($0) } ?? "refused"
    }
}
