internal import Keyfob
internal import KeyfobFiles
internal import KeyfobModel

extension VarlinkParameters {
    /// The groups to look through; nil for all.
    func groups() throws(Invalid) -> [AccessGroup]? {
        guard let names = try strings("groups"), !names.isEmpty else { return nil }
        var groups: [AccessGroup] = []
        for name in names {
            guard let group = try? AccessGroup(name) else { throw Invalid(name: "groups") }
            if !groups.contains(group) { groups.append(group) }
        }
        return groups
    }

    /// What a token is asked for.
    ///
    /// - Parameter kind: Of a program in a container, which has other directories, none is looked at.
    func request(by kind: Program.Kind) throws(Invalid) -> TokenRequest {
        for name in ["account", "login", "client", "tenant", "provider", "policy", "tool", "allowedHost"] {
            if let text = try string(name), !Identifier.isAcceptable(text) { throw Invalid(name: name) }
        }
        let scopes = try strings("scopes") ?? []
        guard scopes.allSatisfy(Identifier.isAcceptable) else { throw Invalid(name: "scopes") }
        var context = RequestContext(url: try address("url"), tool: try string("tool"), remote: try address("remote"))
        let directory = try string("directory")
        let callers = try strings("callers") ?? []
        guard directory.map(Self.isDirectory) ?? true else { throw Invalid(name: "directory") }
        guard callers.count <= CallingTool.greatestFolderCount, callers.allSatisfy(Self.isDirectory) else {
            throw Invalid(name: "callers")
        }
        if ![.flatpak, .snap, .socket].contains(kind) {
            context.directory = directory
            context.callers = .known(callers)
        }
        if let text = try string("committer") {
            guard let address = MailAddress(text) else { throw Invalid(name: "committer") }
            context.committer = address
        }
        let validity = try integer("minimumValidity")
        guard validity.map((0...Int64(UInt32.max)).contains) ?? true else { throw Invalid(name: "minimumValidity") }
        var request = TokenRequest(
            account: try string("account"), login: try string("login"), environment: try string("provider"),
            realm: try string("tenant"), clientID: try string("client"), scopes: ScopeSet(scopes),
            minimumValidity: validity, context: context, allowedHost: try string("allowedHost"))
        request.policy = try string("policy")
        request.purpose = ToolCall.purpose(ofTool: request.context.tool)
        request.namedTool = request.context.tool
        return request
    }

    private static func isDirectory(_ text: String) -> Bool {
        text.hasPrefix("/") && text.utf8.count < 4_096 && !text.utf8.contains(0)
    }

    /// The same with how far one may go to get it, but for the network.
    func acquisition(by kind: Program.Kind) throws(Invalid) -> TokenAcquisition {
        var acquisition = TokenAcquisition(try request(by: kind), in: try groups())
        acquisition.options.forcesRefresh = try bool("forceRefresh")
        acquisition.options.claims = try string("claims")
        acquisition.options.allowsExtendedLifetime = try bool("extendedLifetime")
        acquisition.takesChosenAlone = try bool("chosenAlone")
        acquisition.mayAskPerson = try !bool("silent")
        return acquisition
    }

    private func address(_ name: String) throws(Invalid) -> ResourceURL? {
        guard let text = try string(name) else { return nil }
        guard let url = try? ResourceURL(parsing: text) else { throw Invalid(name: name) }
        return url
    }
}

extension JSONWriter {
    /// Writes a step of a sign-in.
    mutating func member(_ step: SignInStep) {
        name("step")
        beginObject()
        switch step {
        case .browser(let url):
            member("kind", "browser")
            member("url", url)
        case .device(let url, let code, let completeURL, let seconds):
            member("kind", "device")
            member("url", url)
            member("code", code)
            member("completeUrl", completeURL)
            member("seconds", Int(seconds))
        }
        endObject()
    }
}
