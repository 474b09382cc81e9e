internal import Glibc
package import Keyfob
internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobSodium

/// The door for programs that speak varlink: finds out who asks, and brings them to the desk.
package struct SocketDoor: Sendable {
    let desk: AgentDesk
    let signIns: any AgentSignIns
    let keys: AgentKeys
    let changes: VaultChanges
    private let inspection: any PeerInspection
    /// What this socket was made for; nil for one at which each program has what it was allowed.
    private let delegation: Delegation?
    private let rooms = ProgramRooms()
    private let hint: @Sendable (KeyringError) -> String?

    /// A door.
    ///
    /// - Parameters:
    ///   - inspection: Finds out which program asks.
    ///   - delegation: What this socket was made for; nil for one at which each program has what it was allowed.
    ///   - hint: What to do about an error, in one line.
    package init(
        to desk: AgentDesk, signIns: any AgentSignIns, keys: AgentKeys, changes: VaultChanges,
        inspection: any PeerInspection = InspectionHere(), delegation: Delegation? = nil,
        hint: @escaping @Sendable (KeyringError) -> String?
    ) {
        (self.desk, self.signIns, self.keys, self.changes, self.hint) = (desk, signIns, keys, changes, hint)
        (self.inspection, self.delegation) = (inspection, delegation)
    }

    /// What is sent where too many ask.
    package static func busy() -> VarlinkMessage {
        .error(KeyringError(.busy, "too many programs ask at once"), hint: nil)
    }

    /// What is sent where a call has ended without an answer.
    package static func unanswered() -> VarlinkMessage {
        .error(KeyringError(.fault, "a call ended without an answer, which should not be"), hint: nil)
    }

    /// What is sent where another process writes than the one that connected.
    package static func otherWriter() -> VarlinkMessage {
        .error(
            KeyringError(
                .notPermitted, "another process has connected than the one that asks; connect in the one that asks"),
            hint: nil)
    }

    /// Answers a call.
    package func answer(_ call: VarlinkCall, _ peer: PeerProcess, _ replies: VarlinkReplies) async {
        do {
            replies.send(try await reply(to: call, peer, replies))
        } catch let error as VarlinkParameters.Invalid {
            replies.send(.error("org.varlink.service.InvalidParameter") { $0.member("parameter", error.name) })
        } catch is ExpectedMore {
            replies.send(.error("org.varlink.service.ExpectedMore"))
        } catch let error as KeyringError {
            let told = error.toldByAgent
            replies.send(.error(told, hint: hint(told)))
        } catch {
            replies.send(.error(KeyringError(.fault, "a call failed that should not"), hint: nil))
        }
    }

    /// A call whose answer has several parts was made without `more`.
    private struct ExpectedMore: Error {}

    private func reply(
        to call: VarlinkCall, _ peer: PeerProcess, _ replies: VarlinkReplies
    ) async throws -> VarlinkMessage {
        let parameters = call.parameters
        // Whoever becomes another program while it waits for answers is told by what it was at the first call.
        if delegation == nil, !AgentInterface.owners.contains(call.method), call.method != AgentInterface.lock {
            peer.noteFirst(by: inspection)
        }
        var room: ProgramRooms.Place?
        defer { room.map(rooms.leave) }
        /// The program that asks, as it is now, with a place for its call.
        func caller(_ peer: PeerProcess) throws(KeyringError) -> AgentCaller {
            let caller = try self.caller(peer)
            room = try rooms.enter(caller.program) { desk.isStranger(caller) }
            return caller
        }
        let prefix = AgentInterface.name + "."
        guard call.method.hasPrefix(prefix) else { return try describe(call) }
        let method = call.method.dropFirst(prefix.count)
        if let delegation {
            guard Self.delegated.contains(method) else {
                throw KeyringError(.notPermitted, "this socket gives tokens alone", advice: nil)
            }
            // Where the vault was away, all that was allowed is forgotten.
            desk.delegate(delegation)
        }
        switch method {
        case "Accounts":
            let accounts = try await desk.accounts(in: parameters.groups(), for: caller(peer))
            return .reply { writer in
                writer.member("accounts", each: accounts) { $1.members(of: Record($0), isDocument: false) }
            }
        case "Select":
            let caller = try caller(peer)
            try requireSecureDestination(parameters)
            let candidate = try await desk.select(
                request(parameters, caller), in: parameters.groups(), for: caller)
            return .reply { writer in
                writer.name("account")
                writer.beginObject()
                writer.members(of: Record(candidate), isDocument: false)
                writer.endObject()
            }
        case "Token":
            let reply = try await token(parameters, caller(peer))
            // Who became another program meanwhile did so with the connection of the one that may.
            if delegation == nil { try peer.requireSame(by: inspection) }
            return reply
        case "SignIn":
            guard call.wantsMore else { throw ExpectedMore() }
            return try await signIn(parameters, caller(peer), replies)
        case "Monitor":
            guard call.wantsMore else { throw ExpectedMore() }
            return try await monitor(peer, caller(peer), replies)
        case "Lock":
            let wasOpen = keys.lock()
            return .reply { $0.member("wasOpen", wasOpen) }
        case "Forget":
            let names = try parameters.strings("programs") ?? []
            let programs = names.compactMap(Program.init)
            guard programs.count == names.count, !names.isEmpty else {
                throw VarlinkParameters.Invalid(name: "programs")
            }
            let count = desk.forget(programs, in: try parameters.groups())
            return .reply { $0.member("count", count) }
        case "Unlock":
            guard let seconds = try parameters.integer("seconds"), seconds > 0 else {
                throw VarlinkParameters.Invalid(name: "seconds")
            }
            guard let vault = try parameters.string("vault") else { throw VarlinkParameters.Invalid(name: "vault") }
            try keys.unlock(vault, parameters.secret("key"), seconds)
            return .reply()
        case "Status":
            let status = keys.status()
            return .reply { writer in
                writer.member("version", Release.version)
                guard delegation == nil else { return writer.member("isOpen", status.isOpen) }
                writer.member("process", Int(getpid()))
                writer.member("vault", status.place.path)
                writer.member("folder", status.place.folder)
                writer.member("isOpen", status.isOpen)
                writer.member("id", status.id)
                if let until = status.until { writer.member("until", Int(until.seconds)) }
            }
        default: return .error("org.varlink.service.MethodNotFound") { $0.member("method", call.method) }
        }
    }

    /// The program that asks, as it is now.
    private func caller(_ peer: PeerProcess) throws(KeyringError) -> AgentCaller {
        if let delegation { return delegation.caller(peer) }
        return try AgentCaller(peer, door: .socket, by: inspection)
    }

    /// What can be asked over a socket that was made for something.
    private static let delegated: Set<Substring> = ["Accounts", "Token", "Status"]

    /// What is asked for; the directory counts if nobody is kept waiting by looking at it, or the owner has let the program have
    /// something.
    private func request(_ parameters: VarlinkParameters, _ caller: AgentCaller) throws -> TokenRequest {
        var request = try parameters.request(by: caller.program.kind)
        if let directory = request.context.directory, !KnownFile.isLocal(directory), desk.isStranger(caller) {
            request.context.directory = nil
        }
        return request
    }

    /// What every service answers (varlink.org, "Service").
    private func describe(_ call: VarlinkCall) throws(VarlinkParameters.Invalid) -> VarlinkMessage {
        let service = AgentInterface.service
        switch call.method {
        case service.name + ".GetInfo":
            return .reply { writer in
                writer.member("vendor", "Keyfob")
                writer.member("product", "keyfob agent")
                writer.member("version", Release.version)
                writer.member("url", "https://keyfob.io")
                writer.member("interfaces", [service.name, AgentInterface.name])
            }
        case service.name + ".GetInterfaceDescription":
            let name = try call.parameters.string("interface")
            switch name {
            case service.name: return .reply { $0.member("description", service.description) }
            case AgentInterface.name: return .reply { $0.member("description", AgentInterface.description) }
            case let name?: return .error(service.name + ".InterfaceNotFound") { $0.member("interface", name) }
            case nil: throw VarlinkParameters.Invalid(name: "interface")
            }
        case let method where method.hasPrefix(service.name + "."):
            return .error(service.name + ".MethodNotFound") { $0.member("method", method) }
        default:
            let interface = call.method.lastIndex(of: ".").map { String(call.method[..<$0]) } ?? call.method
            return .error(service.name + ".InterfaceNotFound") { $0.member("interface", interface) }
        }
    }

    /// No token goes over plain http to another machine.
    private func requireSecureDestination(_ parameters: VarlinkParameters) throws {
        if let url = try parameters.string("url"), let error = KeyringError(insecureDestination: url) { throw error }
    }

    private func token(_ parameters: VarlinkParameters, _ caller: AgentCaller) async throws -> VarlinkMessage {
        try requireSecureDestination(parameters)
        var acquisition = try parameters.acquisition(by: caller.program.kind)
        acquisition.request = try request(parameters, caller)
        do throws(KeyringError) {
            if let delegation { acquisition = try delegation.narrowed(acquisition) }
        } catch {
            throw await desk.refused(acquisition.request, for: caller, with: error)
        }
        let box = try await desk.token(acquisition, for: caller)
        let record = Record(box.found)
        let reply = VarlinkMessage.reply("token", box.secret) { $0.members(of: record, isDocument: false) }
        guard let reply else { throw KeyringError(.damaged, "the token is not text") }
        return reply
    }

    private func signIn(
        _ parameters: VarlinkParameters, _ caller: AgentCaller, _ replies: VarlinkReplies
    ) async throws -> VarlinkMessage {
        guard let provider = try parameters.string("provider") else {
            throw VarlinkParameters.Invalid(name: "provider")
        }
        var request = SignInRequest(provider: provider)
        request.clientID = try parameters.string("client")
        request.tenant = try parameters.string("tenant")
        request.claims = try parameters.string("claims")
        request.scopes = ScopeSet(try parameters.strings("scopes") ?? [])
        if let account = try parameters.string("account") {
            guard let id = AccountID(account) else { throw VarlinkParameters.Invalid(name: "account") }
            request.account = id
        }
        let report = try await desk.signIn(
            request, in: parameters.groups(), for: caller, by: signIns,
            show: { step in replies.send(.reply(continues: true) { $0.member(step) }) })
        return .reply { writer in
            writer.member("account", report.account.id.description)
            writer.member("group", report.group.name)
            writer.member("client", report.clientID)
            writer.member("scopes", report.scopes.scopes)
        }
    }

    /// Tells what happens to the program's accounts until it goes.
    private func monitor(
        _ peer: PeerProcess, _ first: AgentCaller, _ replies: VarlinkReplies
    ) async throws -> VarlinkMessage {
        let stream = changes.stream()
        _ = try await desk.accounts(for: first)
        var watch = AccountWatch(try desk.looks(for: first))
        replies.send(.reply(continues: true))
        // At once what is about to end, and then whenever something happens, and once an hour.
        changes.ring()
        for await _ in stream {
            // While it is locked nothing is known; what happened meanwhile is told later.
            guard let looks = try? desk.looks(for: caller(peer)) else {
                if !peer.isThere { break }
                continue
            }
            for event in watch.events(looks) {
                replies.send(
                    .reply(continues: true) { writer in
                        writer.name("event")
                        writer.beginObject()
                        writer.member("kind", event.kind.rawValue)
                        writer.member("account", event.account.description)
                        writer.member("group", event.group.name)
                        if let end = event.endsOn { writer.member("endsOn", Int(end.seconds)) }
                        writer.endObject()
                    })
            }
        }
        return .reply()
    }
}
