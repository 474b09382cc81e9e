internal import KeyfobModel
internal import KeyfobOAuth

// What a provider wants of its own in authorization requests: by its description for all, and for one account by what was said when
// it signed in, which is kept with the sign-in.

extension Credential {
    /// Under which name they stand among the fields of a refresh token.
    private static let parametersField = "keyfob_parameters"

    /// The fields that authorization requests for this account and client carry besides.
    var signInParameters: [String: String] {
        get {
            let field = additionalFields.fields.first { $0.name == Self.parametersField }
            return field.flatMap { AuthorizationParameters.read($0.json) } ?? [:]
        }
        set {
            additionalFields.fields.removeAll { $0.name == Self.parametersField }
            guard !newValue.isEmpty else { return }
            additionalFields.fields.append(
                AdditionalFields.Field(name: Self.parametersField, json: AuthorizationParameters.json(newValue)))
        }
    }
}

extension ItemRecord {
    /// The same, where a refresh token has these parameters for sign-ins and no others.
    func sending(_ parameters: [String: String]) -> ItemRecord {
        guard var credential = content.credential, credential.kind == .refreshToken,
            credential.signInParameters != parameters
        else { return self }
        credential.signInParameters = parameters
        var record = self
        record.content = .credential(credential)
        return record
    }
}

extension Keyring.SignIns {
    /// The fields that this account's authorization requests carry: those that were named now, or else with its last sign-in.
    ///
    /// - Throws: `usage` for fields that nobody may send.
    func parameters(
        _ request: SignInRequest, _ clientID: String, in group: AccessGroup
    ) throws(KeyringError) -> [String: String] {
        if let named = request.parameters {
            if let problem = AuthorizationParameters.problem(of: named) { throw KeyringError(.usage, problem) }
            return named
        }
        guard let account = request.account else { return [:] }
        return try keyring.accounts.credentials(of: account, in: group).first {
            $0.kind == .refreshToken && $0.clientID == clientID && !$0.signInParameters.isEmpty
        }?.signInParameters ?? [:]
    }
}

extension SignInContext {
    /// What goes along with an authorization request besides `fields`: the account's own in front of the provider's.
    func parameters(besides fields: TokenRequests.Extra) -> TokenRequests.Extra {
        let all = provider.parameters.merging(parameters) { $1 }
        return all.sorted { $0.key < $1.key }.filter { own in !fields.contains { $0.name == own.key } }
            .map { ($0.key, $0.value) }
    }
}
