import Foundation
import Keyfob
import KeyfobSignIn
import KeyfobTestSupport
import Testing

@testable import KeyfobCLI

/// A vault with accounts of all kinds, and every door to it.
struct House {
    let home: SignInPlace
    let microsoft: RefusingServer
    private var place: Workplace { home.place }
    private static let script = PythonScript.path("doors")

    /// A tenant of Microsoft's in which nobody of ``SampleCache`` is at home.
    static let guestTenant = "33333333-3333-4333-8333-333333333333"

    /// What Microsoft refuses: a request for the scope is refused so.
    private static let refusals: [(scope: String, body: String)] = [
        ("mfa.read", #"{"error":"invalid_grant","suberror":"basic_action","error_codes":[50076]}"#),
        ("consent.read", #"{"error":"invalid_grant","suberror":"consent_required","error_codes":[65001]}"#),
        ("password.read", #"{"error":"invalid_grant","suberror":"user_password_expired"}"#),
        ("guest.read", #"{"error":"invalid_grant","error_codes":[50020]}"#),
        ("unknown.read", #"{"error":"unauthorized_client","error_codes":[700016]}"#),
        ("device.read", #"{"error":"invalid_grant","suberror":"message_only","error_codes":[53000]}"#),
        ("place.read", #"{"error":"invalid_grant","suberror":"message_only","error_codes":[53003]}"#),
        ("wrong.read", #"{"error":"invalid_scope","error_codes":[70011]}"#),
        ("odd.read", #"{"error":"invalid_request","error_codes":[9002313]}"#),
        ("grant.read", #"{"error":"invalid_grant","suberror":"bad_token","error_codes":[70008]}"#),
        ("client.read", #"{"error":"invalid_client","error_codes":[7000215]}"#),
    ]

    init() throws {
        microsoft = try RefusingServer()
        home = try SignInPlace(
            try ProviderServer(), variables: LibraryFile.variables.merging(microsoft.variables) { $1 })
        try microsoft.refuse(Self.refusals.map { .init(scope: $0.scope, body: $0.body) })
        try home.signIn("alice", "--scope openid --scope profile --scope email --scope offline_access")
        try home.signIn("bob")
        try place.run("keyfob import -q -", input: SampleCache(people: 12).json()).expectSuccess()
        for name in ["ci", "other", "second"] { try place.makeKey(name) }
        try home.run(
            """
            set -e
            add() { name=$1; shift; echo "TOKEN-$name" | keyfob add -q --account "$name" "$@"; }
            add ada --host git.example --scope repo --label "work ada"
            add bea --host git.example --scope repo --scope gist
            add twin --host git.example --scope one --username twin
            add twin --host other.example --scope one --username twin
            add old --host late.example --expires-in 1
            add brief --host late.example --expires-in 1800
            add many --host many.example --client first --scope sing
            add many --host many.example --client second --scope sing
            add mixed --host many.example --scope sing
            add mixed --host many.example --scope dance
            add undone --host git.example --scope undo && keyfob logout -q --yes undone && keyfob undo -q --yes
            add gone --host git.example && keyfob logout -q --yes gone
            add spent --host git.example && keyfob logout -q --yes spent --forever
            add moved --host git.example && keyfob bind -q --host moved.example moved
            keyfob account remove -q --force moved
            keyfob logout -q --yes bob
            keyfob bind -q --host api.bound.example bea
            keyfob bind -q --host signed.out.example gone
            keyfob group create -q play && add eve --host play.example --scope fun --group play
            add both --host both.example --scope share && add both --host both.example --scope share --group play
            keyfob slot add -q key-file second
            keyfob group create -q ci && keyfob group grant -q ci key-file ci
            add robot --host ci.example --scope build --group ci
            for group in default play ci; do keyfob program allow -q \(Self.script) --all-accounts --group $group; done
            # What ends the sign-in is told by what is stored, whoever asks.
            ! keyfob token -a person4 --scope grant.read > /dev/null 2>&1
            ln -s \(LibraryFile.path) libkeyfob.so && ln -s libkeyfob.so libkeyfob.so.1
            cc -std=gnu11 -Wall -Werror -I \(LibraryFile.folder) \
                \(ProjectFolder.tests.appending(path: "Support/C/ask.c").path) -o ask -L . -lkeyfob -Wl,-rpath,"$PWD"
            for group in default play ci; do keyfob program allow -q "$PWD/ask" --all-accounts --group $group; done
            # Nobody has let these.
            cp ask stranger && { echo '#!\(PythonScript.interpreter)'; cat \(Self.script); } > stranger.py
            mkdir broken && head -c 2000 data/keyfob/keyring.db > broken/keyring.db && chmod -R go= broken
            # A home for each door, where the keys are replaced while it is open.
            for door in \(Door.allCases.map(\.rawValue).joined(separator: " ")); do
                mkdir -p homes/$door && cp -r data state homes/$door && mkdir -m 700 homes/$door/run
            done
            """
        ).expectSuccess()
    }

    /// What each of some doors says to each question, in surroundings where it has these variables besides.
    func answers(
        _ questions: [Question], by doors: [Door], _ variables: (Door) -> [String: String] = { _ in [:] }
    ) async throws -> [Door: [DoorAnswer]] {
        var answers: [Door: [DoorAnswer]] = [:]
        for door in doors {
            let own = variables(door)
            answers[door] =
                switch door {
                case .swift: try await inSwift(questions, own)
                case .command: try inCommands(questions, own)
                case .c: try inC(questions, own)
                case .python: try inPython(questions, own)
                case .agent: try byAgent(questions, own)
                }
        }
        return answers
    }

    /// What doors say for which the vault is locked, beside an agent that has it open and has let them.
    func answersThroughAgent(_ questions: [Question], by doors: [Door]) async throws -> [Door: [DoorAnswer]] {
        try await answers(questions, by: doors) { _ in ["KEYFOB_KEY_FILE": "", Self.beside: place.path + "/key"] }
    }

    /// The variable that says with which key an agent runs beside a door.
    static let beside = "AGENT_KEY_FILE"

    /// The lines that set variables, and start the agent that they name.
    private func preparing(_ variables: [String: String]) -> String {
        let lines = variables.map { "export \($0)='\($1)'" }.joined(separator: "\n")
        let agent = variables[Self.beside].map { Workplace.agent(variables: "KEYFOB_KEY_FILE='\($0)'") }
        return lines + "\n" + (agent ?? "") + "\n"
    }

    // MARK: The doors

    /// One shell types all lines.
    private func inCommands(_ questions: [Question], _ variables: [String: String]) throws -> [DoorAnswer] {
        let folder = "said-\(UUID().uuidString)"
        let lines = questions.enumerated().map { index, question in
            "\(question.line) > \(folder)/\(index) 2> \(folder)/\(index).errors < /dev/null; echo $? >> \(folder)/statuses"
        }
        try place.run("mkdir \(folder)\n\(preparing(variables))\(lines.joined(separator: "\n"))\nexit 0")
            .expectSuccess()
        let statuses = String(decoding: try place.read(folder + "/statuses"), as: UTF8.self).split(separator: "\n")
        return try questions.indices.map { index in
            guard questions[index].kind != .shell else { return DoorAnswer(["rows": []]) }
            let isDone = statuses[index] == "0"
            let document = try JSONSerialization.jsonObject(
                with: place.read("\(folder)/\(index)" + (isDone ? "" : ".errors")).fromBrace())
            var said = document as? [String: Any] ?? [:]
            if let accounts = said["accounts"] {
                said = ["rows": accounts]
            } else if isDone {
                said["formatVersion"] = nil
                said = ["rows": [said]]
            }
            let answer = DoorAnswer(said)
            #expect(isDone || answer.status.map { "\($0)" } == String(statuses[index]), "\(questions[index])")
            return answer
        }
    }

    private func inC(_ questions: [Question], _ variables: [String: String]) throws -> [DoorAnswer] {
        let names = ["token"] + TokenRecord.fields.map(\.name)
        let lines = questions.map { $0.tabbed + "\n" }.joined()
        let outcome = try place.run(
            "\(preparing(variables))FIELDS='\(names.joined(separator: " "))' ${ASK:-./ask}", text: lines)
        return outcome.expectSuccess().text.split(separator: "\n").map { line in
            DoorAnswer(try? JSONSerialization.jsonObject(with: Data(line.utf8)))
        }
    }

    private func inPython(_ questions: [Question], _ variables: [String: String]) throws -> [DoorAnswer] {
        try inScript("python", questions, preparing(variables))
    }

    private func byAgent(_ questions: [Question], _ variables: [String: String]) throws -> [DoorAnswer] {
        try inScript(
            "agent", questions,
            preparing(variables) + (variables[Self.beside] == nil ? Workplace.agent() : ""))
    }

    private func inScript(_ door: String, _ questions: [Question], _ before: String) throws -> [DoorAnswer] {
        let document = try JSONSerialization.data(withJSONObject: questions.map(\.object))
        let outcome = try place.run(
            "\(before)\n\(PythonScript.ofNoFolder) \"${SCRIPT:-\(Self.script)}\" \(door)", input: document)
        let found = try JSONSerialization.jsonObject(with: outcome.expectSuccess().output) as? [Any] ?? []
        return found.map { DoorAnswer($0) }
    }

    private func inSwift(_ questions: [Question], _ variables: [String: String]) async throws -> [DoorAnswer] {
        let environment = place.environment.merging(variables) { $1 }
        var keyring: Keyring?
        var answers: [DoorAnswer] = []
        for question in questions {
            if question.kind == .shell {
                try place.run("\(preparing(variables))\(question.line)").expectSuccess()
                answers.append(DoorAnswer(["rows": []]))
                continue
            }
            do throws(KeyringError) {
                if keyring == nil { keyring = try Keyring.open(environment: environment) }
                if let keyring { answers.append(try await Self.answer(question, keyring, environment)) }
            } catch {
                answers.append(Self.answer(error))
            }
        }
        return answers
    }

    private static func answer(
        _ question: Question, _ keyring: Keyring, _ environment: [String: String]
    ) async throws(KeyringError) -> DoorAnswer {
        func last(_ name: String) -> String? { question.options.last { $0.name == name }?.value }
        func all(_ name: String) -> [String] { question.options.filter { $0.name == name }.map(\.value) }
        let groups = try [AccessGroup].named(all("group"), usual: nil)
        guard question.kind == .token else {
            let candidates = try keyring.accounts.list(in: groups)
            return answer(["rows": candidates.map { Record($0) }])
        }
        let words = RequestWords(
            account: last("account"), scopes: all("scope"), resource: last("resource"),
            authority: last("authority"), tenant: last("tenant"), client: last("client"), url: last("url"),
            allowedHost: last("allow-host"), tool: last("tool"))
        if let flaw = words.flaw { throw KeyringError(.usage, flaw) }
        let request = try words.request(
            usualAccount: nil, usualTool: nil, person: PersonalGit { _ in nil },
            minimumValidity: last("min-validity").flatMap { Int64($0) })
        let options = SilentOptions(
            forcesRefresh: last("force-refresh") != nil, claims: last("claims"),
            allowsExtendedLifetime: last("extended-lifetime") != nil)
        let network = try Network.ofThisMachine(environment: environment)
        var acquisition = TokenAcquisition(request, in: groups, options: options)
        if last("offline") == nil { acquisition.network = { network } }
        let found = try await keyring.tokens.acquire(acquisition)
        var said = answer(["rows": [Record(found.found)]])
        if !said.rows.isEmpty { said.rows[0]["token"] = text(of: found.secret) }
        return said
    }

    private static func answer(_ records: [String: [Record]]) -> DoorAnswer {
        let document = (try? JSONEncoder().encode(records)) ?? Data()
        return DoorAnswer(try? JSONSerialization.jsonObject(with: document))
    }

    private static func answer(_ error: KeyringError) -> DoorAnswer {
        let document = (try? JSONEncoder().encode(ErrorDocument(error, status: ExitStatus(error.code)))) ?? Data()
        return DoorAnswer(try? JSONSerialization.jsonObject(with: document))
    }
}

extension Data {
    /// What comes after lines that are no document, such as warnings.
    fileprivate func fromBrace() -> Data {
        Data(self[(firstIndex(of: UInt8(ascii: "{")) ?? startIndex)...])
    }
}
