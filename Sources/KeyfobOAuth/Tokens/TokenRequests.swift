package import KeyfobModel
package import KeyfobSodium

/// The requests that a token endpoint and its neighbours understand.
package enum TokenRequests {
    /// Fields that a provider or a caller wants besides, such as `client_info` and `claims`.
    package typealias Extra = [(name: String, value: String)]

    /// Redeems an authorization code (RFC 6749, section 4.1.3; RFC 7636, section 4.5).
    package static func redeem(
        code: borrowing SecretBytes, verifier: borrowing SecretBytes, redirectURI: String, scopes: ScopeSet,
        client: borrowing OAuthClient, at endpoint: EndpointURL, extra: Extra = []
    ) -> HTTPRequest {
        client.request(to: endpoint) { form in
            form.append("grant_type", "authorization_code")
            form.append("code", code)
            form.append("redirect_uri", redirectURI)
            form.append("code_verifier", verifier)
            append(scopes, extra, to: &form)
        }
    }

    /// Redeems a refresh token (RFC 6749, section 6); no scopes means those of the grant.
    package static func refresh(
        _ token: borrowing SecretBytes, scopes: ScopeSet, client: borrowing OAuthClient, at endpoint: EndpointURL,
        extra: Extra = []
    ) -> HTTPRequest {
        client.request(to: endpoint) { form in
            form.append("grant_type", "refresh_token")
            form.append("refresh_token", token)
            append(scopes, extra, to: &form)
        }
    }

    /// Asks for a code to show (RFC 8628, section 3.1).
    package static func startDevice(
        scopes: ScopeSet, client: borrowing OAuthClient, at endpoint: EndpointURL, extra: Extra = []
    ) -> HTTPRequest {
        client.request(to: endpoint) { append(scopes, extra, to: &$0) }
    }

    /// Asks whether the person has answered (RFC 8628, section 3.4).
    package static func pollDevice(
        code: borrowing SecretBytes, client: borrowing OAuthClient, at endpoint: EndpointURL, extra: Extra = []
    ) -> HTTPRequest {
        client.request(to: endpoint) { form in
            form.append("grant_type", "urn:ietf:params:oauth:grant-type:device_code")
            form.append("device_code", code)
            append([], extra, to: &form)
        }
    }

    /// Asks what is known of an access token (RFC 7662, section 2.1).
    package static func introspect(
        _ token: borrowing SecretBytes, client: borrowing OAuthClient, at endpoint: EndpointURL
    ) -> HTTPRequest {
        client.request(to: endpoint) { form in
            form.append("token", token)
            form.append("token_type_hint", Credential.Kind.accessToken.rawValue)
        }
    }

    /// Revokes a token (RFC 7009, section 2.1).
    package static func revoke(
        _ token: borrowing SecretBytes, kind: Credential.Kind, client: borrowing OAuthClient, at endpoint: EndpointURL
    ) -> HTTPRequest {
        client.request(to: endpoint) { form in
            form.append("token", token)
            form.append("token_type_hint", kind.rawValue)
        }
    }

    /// The same for a provider that takes no client's word, but an access token of the same sign-in.
    package static func revoke(
        _ token: borrowing SecretBytes, kind: Credential.Kind, bearer: borrowing SecretBytes, at endpoint: EndpointURL
    ) -> HTTPRequest {
        var form = FormBody()
        form.append("token", token)
        form.append("token_type_hint", kind.rawValue)
        return HTTPRequest(posting: form, to: endpoint, authorization: HTTPRequest.bearer(bearer))
    }

    private static func append(_ scopes: ScopeSet, _ extra: Extra, to form: inout FormBody) {
        if !scopes.isEmpty { form.append("scope", scopes.spaceSeparated) }
        for field in extra { form.append(field.name, field.value) }
    }
}
