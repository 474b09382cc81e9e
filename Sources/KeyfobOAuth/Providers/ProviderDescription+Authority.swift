package import KeyfobModel

extension ProviderDescription {
    /// The authority that the issuer is, where a quirk says that it is one.
    package var authority: Authority? {
        guard let issuer, let authority = try? Authority(issuer) else { return nil }
        let quirk: Quirk? =
            switch authority.kind {
            case .b2c: .b2c
            case .adfs: .adfs
            case .ciam: .ciam
            case .entra, .other: nil
            }
        return quirk.map(quirks.contains) == true ? authority : nil
    }

    /// Which issuers its discovery document may name.
    package var issuerRule: IssuerRule {
        if let authority { return .authority(authority) }
        return quirks.contains(.tenantIssuer) ? .tenants : .exact
    }

    /// A provider for an authority that is not built in; nil for one of Microsoft's clouds, and one of no known kind.
    package init?(_ authority: Authority, name: String, title: String) {
        self.init(
            name: name, title: title, issuer: authority.address, environment: authority.host,
            defaultScopes: ["openid", "profile", "offline_access"], flows: [.authorizationCode, .deviceAuthorization],
            quirks: [.multipleResources])
        switch authority.kind {
        case .b2c:
            flows = [.authorizationCode]
            rotation = .yes
            quirks.formUnion([.b2c, .clientInfo])
        case .adfs:
            defaultScopes = ["openid", "profile"]
            quirks.insert(.adfs)
        case .ciam:
            rotation = .yes
            quirks.formUnion([.ciam, .clientInfo, .toleratesReuse])
        case .entra, .other: return nil
        }
    }
}
