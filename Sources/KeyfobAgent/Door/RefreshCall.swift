package import Keyfob
package import KeyfobSodium

/// What the full program is asked that refreshes a token for a program of others', with the vault's key.
package final class RefreshCall: Sendable {
    /// Where the vault is.
    package let location: KeyringLocation
    /// The vault's unlocking key.
    package let key: SecretBytes
    /// A file with certificates to be trusted too.
    package let certificateFile: String?
    /// What is asked for, without a network.
    package let acquisition: TokenAcquisition
    /// Since when it is waited for.
    package let askedAt: Timestamp

    /// The call in a message, without the zero that ends it; nil where it is none.
    package convenience init?(_ message: RawSpan) {
        guard let call = try? VarlinkCall(reading: message), call.method == "io.keyfob.Refresh" else { return nil }
        do { try self.init(call.parameters) } catch { return nil }
    }

    private init(_ parameters: VarlinkParameters) throws(VarlinkParameters.Invalid) {
        guard let vault = try parameters.string("vault"), let state = try parameters.string("state"),
            let time = try parameters.integer("askedAt")
        else { throw VarlinkParameters.Invalid(name: "vault") }
        let (runtime, file) = (try parameters.string("runtime"), try parameters.string("certificateFile"))
        let acquisition = try parameters.acquisition(by: .executable)
        let key = try parameters.secret("key")
        location = KeyringLocation(vault: vault, state: state, runtime: runtime)
        self.key = key
        certificateFile = file
        self.acquisition = acquisition
        askedAt = Timestamp(seconds: time)
    }
}
