internal import Keyfob
internal import KeyfobModel

extension AgentReply {
    /// What a process says that has refreshed a token for this one: the answer, or why there is none.
    ///
    /// It says besides what the owner is to be told.
    func answer(to missing: MissingToken, of keyring: Keyring) throws(KeyringError) -> Keyring.TokenAnswer {
        keyring.take(
            objects("warnings").compactMap { fields in
                guard let code = fields.string("code").flatMap(Warning.Code.init) else { return nil }
                return Warning(code, fields.string("message") ?? "", advice: Self.advice(fields.string))
            })
        guard let code = string("code").flatMap(KeyringError.Code.init) else {
            guard let token else { throw KeyringError(.fault, "the process that refreshed makes no sense") }
            return try missing.answer(with: token)
        }
        throw error(code, string("message") ?? "")
    }
}
