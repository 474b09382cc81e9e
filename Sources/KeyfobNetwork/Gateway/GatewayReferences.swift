internal import KeyfobModel
internal import KeyfobOAuth

/// The addresses in the headers of an answer, which lead back to the gateway where it grants them.
struct GatewayReferences {
    let gateway: GatewayAddress
    /// Whether a program may ask for this here.
    let isGranted: (GatewayQuestion) -> Bool

    /// What a header is to say; nil for what it says.
    func rewritten(_ header: HTTPHeader, from host: String) -> String? {
        switch Identifier.folded(header.name) {
        case "location", "content-location": reference(header.value[...], from: host)
        case "link": link(header.value, from: host)
        default: nil
        }
    }

    /// Each address in angle brackets (RFC 8288, section 3).
    private func link(_ value: String, from host: String) -> String {
        var (text, rest) = ("", value[...])
        while let open = rest.firstIndex(of: "<"), let close = rest[open...].firstIndex(of: ">") {
            let inside = rest.index(after: open)
            text += rest[..<inside] + (reference(rest[inside..<close], from: host) ?? String(rest[inside..<close]))
            rest = rest[close...]
        }
        return text + rest
    }

    /// An address of https, or one without a host, which is of the service that names it; nil for any other.
    private func reference(_ reference: Substring, from host: String) -> String? {
        let text: Substring
        if Identifier.folded(String(reference.prefix(8))) == "https://" {
            text = reference.dropFirst(8)
        } else if reference.hasPrefix("//") {
            text = reference.dropFirst(2)
        } else if reference.hasPrefix("/") {
            text = host + reference
        } else {
            return nil
        }
        let authority = text.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        let rest = text[authority.endIndex...]
        guard let url = try? EndpointURL("https://" + authority),
            let path = RequestPath(rest.prefix { $0 != "?" && $0 != "#" }),
            isGranted(GatewayQuestion(method: "GET", host: url.environment, path: path, specialHeaders: []))
        else { return "https://" + text }
        return gateway.text(for: url.environment + rest)
    }
}
