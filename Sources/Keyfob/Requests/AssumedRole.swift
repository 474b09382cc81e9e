package import KeyfobInterop
package import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobSodium

/// A role of AWS that an account takes by its token (AssumeRoleWithWebIdentity of the Security Token Service).
package struct RoleRequest: Hashable, Sendable {
    /// Where the service is: `https://sts.amazonaws.com/`, or that of a region.
    package var endpoint: String
    /// The role: `arn:aws:iam::123456789012:role/reader`.
    package var roleARN: String
    /// The name of the session, as logs show it: 2 to 64 letters, digits and `_ + = , . @ -`.
    package var sessionName: String
    /// For how many seconds, 900 to 43,200; nil for the role's own time, an hour.
    package var seconds: Int?

    /// A role.
    package init(_ roleARN: String, sessionName: String, seconds: Int? = nil, endpoint: String) {
        self.roleARN = roleARN
        self.sessionName = sessionName
        self.seconds = seconds
        self.endpoint = endpoint
    }

    /// A session's name made of an account's user name.
    package static func sessionName(for username: String) -> String {
        let allowed = username.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "_+=,.@-".contains($0)) }
        return allowed.count < 2 ? "keyfob" : String(allowed.prefix(64))
    }
}

extension RoleRequest {
    /// What credentials of the role are for, in the place of a token's scope.
    fileprivate var scope: String {
        let words = ["aws", endpoint, roleARN, sessionName, seconds.map(String.init) ?? ""]
        return words.map { PercentEncoding.encode($0) }.joined(separator: "|")
    }

    /// For how many more seconds kept credentials must be valid: AWS's tools ask again from a quarter of an hour before
    /// their end on.
    fileprivate var minimumValidity: Int64 { min(900, Int64(seconds ?? 3_600) / 4) }
}

extension Keyring.Tokens {
    /// The answer with credentials of a role that is kept for the account which a request means.
    ///
    /// - Parameters:
    ///   - request: As for the token by which they would be got.
    ///   - role: The role that an account takes.
    /// - Returns: Nil where nobody is meant, or nothing is kept that lasts.
    package func keptAnswer(
        for request: TokenRequest, in groups: [AccessGroup]?, taking role: (Account) -> RoleRequest
    ) throws(KeyringError) -> SecretBytes? {
        let selection = try keyring.accounts.select(request, in: groups)
        guard case .chosen(let chosen) = selection.outcome else { return nil }
        let role = role(chosen.account)
        let kept = TokenRequest(
            account: chosen.account.id.description, realm: request.realm ?? selection.boundTenant,
            clientID: request.clientID, scopes: [role.scope],
            minimumValidity: role.minimumValidity, tokenType: Credential.roleTokenType)
        let answer: Keyring.TokenAnswer
        // Whatever is wrong is told where the token is asked for.
        do throws(KeyringError) { answer = try stored(for: kept, in: [chosen.group]) } catch { return nil }
        return answer.secret.withBytes { SecretBytes(copying: $0) }
    }

    /// Keeps the answer with credentials of a role, while the token is still there by which they were got: a sign-out takes
    /// both.
    package func keep(
        _ answer: borrowing SecretBytes, of role: RoleRequest, until end: Timestamp, gotBy token: Keyring.FoundToken
    ) throws(KeyringError) {
        let now = clock.now
        let credential = Credential(
            kind: .accessToken, account: token.account.id, clientID: token.credential.clientID,
            realm: token.credential.realm, scopes: [role.scope], tokenType: Credential.roleTokenType, cachedAt: now,
            expiresOn: end)
        let answer = answer.withBytes { SecretBytes(copying: $0) }
        try withState { state in
            try change(&state, try state.group(token.group)) { writer in
                guard try writer.holds(token.credential) else { return }
                _ = try writer.save(credential, secret: answer, from: .owner)
                try writer.removeTokens(of: token.account.id) { $0.isRole && $0.expiresOn.map { $0 < now } ?? false }
            }
        }
    }

    /// Takes a role by an account's token.
    ///
    /// - Parameter answer: The token, asked for with the endpoint as the URL of its context: it goes to that host alone.
    /// - Throws: `hostNotAllowed` where it was asked for another host; `signInNeeded` where the service does not take
    ///   this token, so that another one may do; `requestRefused`, `offline`, `providerFailed`.
    package static func assume(
        _ role: RoleRequest, with answer: borrowing Keyring.TokenAnswer, seconds: Int64 = 30, network: Network
    ) async throws(KeyringError) -> WebIdentityCredentials {
        let url = try destination(role.endpoint, of: answer)
        var form = FormBody()
        form.append("Action", "AssumeRoleWithWebIdentity")
        form.append("Version", "2011-06-15")
        form.append("RoleArn", role.roleARN)
        form.append("RoleSessionName", role.sessionName)
        if let seconds = role.seconds { form.append("DurationSeconds", String(seconds)) }
        form.append("WebIdentityToken", answer.secret)
        let response = try await Self.answer(
            to: HTTPRequest(posting: form, to: url), url, seconds: seconds, network: network)
        let status = response.status
        let document = response.takeBody()
        guard status == 200 else { throw refusal(document, status, of: url) }
        do throws(WebIdentityCredentials.Lack) {
            return try WebIdentityCredentials(reading: document)
        } catch {
            throw KeyringError(
                .providerFailed, "\(url.authority) answered without \(error.field)",
                advice: .checkTokenService)
        }
    }

    private static func refusal(
        _ document: borrowing SecretBytes, _ status: Int, of url: EndpointURL
    ) -> KeyringError {
        guard let refusal = WebIdentityRefusal(reading: document) else {
            return KeyringError(
                status >= 500 ? .offline : .providerFailed, "\(url.authority) answered \(status)",
                advice: status >= 500 ? .tryAgain(.nothingChanged) : .checkTokenService)
        }
        let sentence = refusal.message.flatMap(ProviderText.init).map { ": \($0)" } ?? ""
        let message = "\(url.authority) refused (\(refusal.code))\(sentence)"
        if refusal.isAboutToken {
            return KeyringError(
                .signInNeeded, message, advice: .checkRole)
        }
        if refusal.isPassing { return KeyringError(.offline, message, advice: .tryAgain(.nothingChanged)) }
        return KeyringError(
            .requestRefused, message,
            advice: refusal.code == "AccessDenied" ? .checkRole : nil)
    }
}
