internal import KeyfobModel
internal import KeyfobOAuth
internal import KeyfobRecords
internal import KeyfobVault

// How a client with a secret says who it is where its provider's metadata is silent or wrong: what the provider took counts, on this
// machine.

extension Keyring.Clients {
    /// How a provider has let a client say who it is; nil where that is as it was added, or the provider's metadata says.
    func knownMethod(of id: String, at place: String, in keys: GroupKeys) throws -> String? {
        try database.setting(RegistrySetting.clientMethod(id, at: place), in: keys)?.value
    }

    /// Remembers how a provider has let a client say who it is; that it cannot be kept is no reason to fail.
    func keepMethod(of client: borrowing OAuthClient, at environment: String, in group: AccessGroup) {
        let place = EnvironmentAliases.canonicalName(of: environment)
        let (name, value) = (RegistrySetting.clientMethod(client.id, at: place), client.method)
        try? withState { state in
            let group = try state.group(group)
            try change(&state, group) { try $0.setSetting(name, to: value, isThisDeviceOnly: true) }
        }
    }
}
