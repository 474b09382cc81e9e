internal import KeyfobFiles
package import KeyfobModel
package import KeyfobVault

extension TokenUse {
    /// What a request tells of the use of the token that it has got: of an address the host, as a path may be a secret.
    ///
    /// - Parameters:
    ///   - tool: The name of the program, where somebody said it or a tool's own helper is asked.
    ///   - program: The name of whoever called, asked for where nobody said one.
    package init(
        of account: AccountID, for request: TokenRequest, by tool: String?, orElse program: () -> String?, door: Door,
        origin: Origin, at time: Int64
    ) {
        let context = request.context
        self.init(
            time: time, door: door, origin: origin, account: account,
            tool: tool ?? context.tool ?? program() ?? "", destination: context.url?.host ?? "",
            place: Self.place(context, isGits: (tool ?? context.tool) == RequestContext.git))
    }

    /// Where the program works: what git fetches or pushes, or what the lookup knew of the working directory, at which nobody
    /// looks for this: it may be on a disk that does not answer.
    private static func place(_ context: RequestContext, isGits: Bool) -> Place {
        if isGits, let url = context.url {
            if !url.path.isEmpty { return .repository(url.description) }
            // Unless it is told to, git asks for a host alone; and it clones into a folder where nothing is yet.
            let named = CallingTool.word { word in
                word.hasPrefix("http") ? ResourceURL(gitRemote: word).flatMap { $0.host == url.host ? $0 : nil } : nil
            }
            if let named, !named.path.isEmpty { return .repository(named.description) }
        }
        if let remote = context.remote { return .repository(remote.description) }
        return context.directory.map(Place.directory) ?? .unknown
    }
}

extension TokenHits.Hit {
    /// Notes that the token was handed out, unless something is in the way; nothing waits for it.
    ///
    /// - Parameters:
    ///   - tool: The tool that asked, where that is known.
    ///   - vault: The vault's folder.
    package func noteUse(for request: TokenRequest, by tool: String?, in vault: String, at time: Timestamp) {
        let use = TokenUse(
            of: account.id, for: request, by: tool, orElse: { CallingTool.program }, door: .front, origin: .stored,
            at: time.seconds)
        UseFolder(VaultDirectory(path: vault)).append(keys.seal(use), to: keys.tokenUses, at: time.seconds)
    }
}
