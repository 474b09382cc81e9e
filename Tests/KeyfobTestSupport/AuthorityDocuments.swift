/// Discovery documents as the authorities of each kind publish them: their fields and how values are made, with names of ours.
package enum AuthorityDocuments {
    /// The tenant of all of them.
    package static let tenant = "7b1c0a94-3d0e-4a57-9c1f-2f1d5f6a0e11"

    /// Azure AD B2C: the issuer names the tenant by its id, and no policy.
    ///
    /// - Parameter path: `contoso.onmicrosoft.com/b2c_1_signin`, perhaps with `tfp/` in front.
    package static func b2c(_ path: String, host: String = "contoso.b2clogin.com", issuer: String? = nil) -> String {
        let base = "https://\(host)/\(path)"
        return """
            {"issuer": "\(issuer ?? "https://\(host)/\(tenant)/v2.0/")",
            "authorization_endpoint": "\(base)/oauth2/v2.0/authorize", "token_endpoint": "\(base)/oauth2/v2.0/token",
            "end_session_endpoint": "\(base)/oauth2/v2.0/logout", "jwks_uri": "\(base)/discovery/v2.0/keys",
            "response_modes_supported": ["query", "fragment", "form_post"], "scopes_supported": ["openid"],
            "response_types_supported": ["code", "code id_token", "id_token"], "subject_types_supported": ["pairwise"],
            "id_token_signing_alg_values_supported": ["RS256"], "claims_supported": ["oid", "emails", "tfp", "iss", "aud"],
            "token_endpoint_auth_methods_supported": ["client_secret_post", "client_secret_basic"]}
            """
    }

    /// AD FS: access tokens have another issuer than ID tokens, or both have that one; endpoints end in a slash.
    package static func adfs(host: String = "fs.contoso.example", issuer: String? = nil, token: String? = nil) -> String
    {
        let base = "https://\(host)/adfs"
        return """
            {"issuer": "\(issuer ?? base)", "access_token_issuer": "http://\(host)/adfs/services/trust",
            "authorization_endpoint": "\(base)/oauth2/authorize/", "token_endpoint": "\(token ?? base + "/oauth2/token/")",
            "device_authorization_endpoint": "\(base)/oauth2/devicecode", "jwks_uri": "\(base)/discovery/keys",
            "end_session_endpoint": "\(base)/oauth2/logout", "userinfo_endpoint": "\(base)/userinfo",
            "microsoft_multi_refresh_token": true, "capabilities": [], "subject_types_supported": ["pairwise"],
            "grant_types_supported": ["authorization_code", "refresh_token",
            "urn:ietf:params:oauth:grant-type:device_code", "device_code"],
            "scopes_supported": ["allatclaims", "aza", "openid", "profile", "email", "user_impersonation", "logon_cert"],
            "id_token_signing_alg_values_supported": ["RS256"], "frontchannel_logout_supported": true}
            """
    }

    /// Microsoft Entra External ID: the issuer's host is the tenant's id, whatever host was asked.
    package static func ciam(
        _ path: String = "contoso.onmicrosoft.com", host: String = "contoso.ciamlogin.com", issuer: String? = nil,
        tokenHost: String? = nil
    ) -> String {
        let base = "https://\(host)/\(path)"
        return """
            {"issuer": "\(issuer ?? "https://\(tenant).ciamlogin.com/\(tenant)/v2.0")",
            "authorization_endpoint": "\(base)/oauth2/v2.0/authorize",
            "token_endpoint": "https://\(tokenHost ?? host)/\(path)/oauth2/v2.0/token",
            "device_authorization_endpoint": "\(base)/oauth2/v2.0/devicecode",
            "end_session_endpoint": "\(base)/oauth2/v2.0/logout", "jwks_uri": "\(base)/discovery/v2.0/keys",
            "userinfo_endpoint": "https://graph.microsoft.com/oidc/userinfo", "tenant_region_scope": "EU",
            "cloud_instance_name": "microsoftonline.com", "msgraph_host": "graph.microsoft.com",
            "scopes_supported": ["openid", "profile", "email", "offline_access"],
            "id_token_signing_alg_values_supported": ["RS256"], "request_uri_parameter_supported": false}
            """
    }
}
