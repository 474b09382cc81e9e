import KeyfobTestSupport
import Testing

/// After `lock` has ended with 0 nobody gets a token any more, wherever it was typed and whoever had the keys.
@Suite("Locking depends on nothing but the keys", .waitsForPrograms)
struct LockTests {
    /// Who has the vault's key.
    enum Holder: String, CaseIterable, CustomTestStringConvertible {
        case session, user, agent

        var testDescription: String { rawValue }

        /// What hands it the key.
        var unlock: String {
            switch self {
            case .session: "keyfob unlock -q --for 1m --key-file key"
            case .user: "keyfob unlock -q --user --for 1m --key-file key"
            case .agent: "\(Workplace.agent())\nkeyfob unlock -q --agent --for 1m --key-file key"
            }
        }

        /// What has a token as long as it has the key.
        var ask: String {
            self == .agent
                ? "'\(PythonScript.interpreter)' '\(PythonScript.path("agent"))' token ada ADA"
                : "test \"$(keyfob token --no-input)\" = ADA"
        }
    }

    /// Where `lock` is typed, and in which state the vault is.
    enum Circumstance: String, CaseIterable, CustomTestStringConvertible {
        case here, anotherSession, namespaceOfUsers, noRuntimeFolder, otherRuntimeFolder, openToOthers, movedAway,
            noKeyctl
        case noHeader, anotherPath, throughLink, anotherMount, otherNetwork, hiddenKeys, anotherVault

        var testDescription: String { rawValue }

        var lines: String {
            switch self {
            case .here: "keyfob lock"
            case .anotherSession: "keyctl session - keyfob lock"
            case .namespaceOfUsers: "unshare --user --map-root-user keyfob lock"
            case .noRuntimeFolder: "env -u XDG_RUNTIME_DIR keyfob lock"
            case .otherRuntimeFolder: "mkdir -m 700 other; XDG_RUNTIME_DIR=$PWD/other keyfob lock"
            case .openToOthers: "chmod 755 \"$vault\"; doubtful; chmod 700 \"$vault\""
            case .movedAway: "mv \"$vault\" away; doubtful; mv away \"$vault\""
            case .noKeyctl:
                "'\(PythonScript.interpreter)' '\(PythonScript.path("forbidding"))' EPERM 248,249,250 keyfob lock"
            case .noHeader:
                "cp \"$vault/keyring.db\" saved; printf x > \"$vault/keyring.db\"; doubtful; cp saved \"$vault/keyring.db\""
            case .anotherPath: "(cd data; keyfob lock --vault keyfob)"
            case .throughLink: "ln -s data link; keyfob lock --vault link/keyfob"
            case .anotherMount:
                "mkdir other; apart --mount sh -c 'mount --bind data/keyfob other; keyfob lock --vault other'"
            case .otherNetwork: "mkdir -m 700 other; XDG_RUNTIME_DIR=$PWD/other apart --net keyfob lock"
            case .hiddenKeys: "apart --mount sh -c 'mount --bind /dev/null /proc/keys; keyfob lock'"
            case .anotherVault:
                """
                mv "$vault" away; keyfob init -q --key-file key --recovery-file recovery2
                keyfob lock
                mv "$vault" second; mv away "$vault"; keyfob doctor --accept-vault --key-file key > /dev/null || :
                """
            }
        }

        /// Whether nobody can tell whether the vault is open for somebody: then it is no success, although keys are forgotten.
        var isDoubtful: Bool { [.openToOthers, .movedAway, .noHeader].contains(self) }
    }

    @Test("status 0 is the end of every key", arguments: Holder.allCases, Circumstance.allCases)
    func table(holder: Holder, circumstance: Circumstance) throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "ADA")
        try place.run("keyfob program allow -q '\(PythonScript.path("agent"))' --account ada").expectSuccess()
        try place.write(
            "session",
            """
            set -e
            unset KEYFOB_KEY_FILE
            vault='\(place.vault)'
            apart() { unshare --user --map-root-user "$@"; }
            # No success, and no other reason than that nobody can tell.
            doubtful() { status=0; keyfob lock || status=$?; test $status = 69; }
            \(holder.unlock)
            \(holder.ask)
            \(circumstance.lines)
            if { \(holder.ask); } 2> refused; then exit 9; fi
            keyfob lock
            """)
        let outcome = try place.run("keyctl session - sh session")
        #expect(outcome.status == 0, "\(outcome)")
        let said = outcome.errors.split(separator: "\n").filter { !$0.hasPrefix("Joined session") }
        // An agent sees by itself that its vault is gone.
        var first = ["locked"] + (circumstance == .movedAway ? ["the agent holds no keys"] : [])
        if circumstance == .anotherVault, holder == .agent { first.append("it was locked already") }
        if circumstance.isDoubtful {
            let who = "the desktop's keyring (Secret Service)"
            first = first.map { "keyfob: \($0), but whether \(who) opens the vault cannot be told" }
        }
        #expect(said.count == 2 && first.contains(where: said[0].hasPrefix), "\(outcome)")
        // What the kernel keeps and nobody can open any more is still there.
        let isLeft = [.noKeyctl, .hiddenKeys].contains(circumstance)
        #expect(said.last == "it was locked already" || isLeft, "\(outcome)")
    }

    @Test(
        "nor does a program that asks an agent all the time, which opens the vault with what is kept",
        arguments: [Holder.session, .user])
    func asked(holder: Holder) throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "ADA")
        try place.run("keyfob program allow -q '\(PythonScript.path("agent"))' --account ada").expectSuccess()
        let ask = "'\(PythonScript.interpreter)' '\(PythonScript.path("agent"))'"
        try place.write(
            "session",
            """
            set -e
            unset KEYFOB_KEY_FILE
            \(Workplace.agent())
            for round in 1 2 3 4 5 6 7 8; do
                \(holder.unlock)
                rm -f given; timeout 60 \(ask) until_locked ada given & asker=$!
                until test -e given; do sleep 0.05; done
                keyfob lock -q
                wait $asker
                if \(ask) token ada ADA 2> refused; then exit 9; fi
            done
            """)
        let outcome = try place.run("keyctl session - sh session")
        #expect(outcome.status == 0, "\(outcome)")
    }

    /// What has, or may have, the key where `lock` does not see it; what is run before, `lock`, and what it says.
    private static let hidden: [(before: String, lock: String, told: String)] = [
        (
            "keyfob unlock -q --user --for 1m --key-file key",
            """
            apart --mount sh -c 'mount --bind /dev/null /proc/keys; mount -t tmpfs -o mode=700 none "$XDG_RUNTIME_DIR"
            exec "$0" "$1" EPERM 248,249,250 keyfob lock' '\(PythonScript.interpreter)' '\(PythonScript.path("forbidding"))'
            """, "run/keyfob, which is not seen here"
        ),
        (
            """
            unshare --user --map-root-user --mount \\
                sh -c 'mount -t tmpfs -o mode=700 none "$XDG_RUNTIME_DIR"; exec keyfob agent' > said 2> second &
            trap "kill $!" EXIT
            until grep -qs listening second; do sleep 0.01; done
            """, "keyfob lock", "; it may hold keys"
        ),
        (
            """
            \(Workplace.agent())
            keyfob unlock -q --agent --for 1m --key-file key
            for note in state/keyfob/agents/*; do : > "$note"; done
            mkdir -m 700 other
            """, "XDG_RUNTIME_DIR=$PWD/other apart --net keyfob lock", "and may tell of an agent that holds keys"
        ),
        (
            "mkdir else; mkdir -p state/keyfob; rm -rf state/keyfob/agents; ln -s $PWD/else state/keyfob/agents",
            "keyfob lock", "state/keyfob/agents cannot be read"
        ),
    ]

    @Test("what it cannot see is no success", arguments: hidden.indices)
    func unseen(index: Int) throws {
        let (before, lock, told) = Self.hidden[index]
        let place = try Workplace.withVault()
        try place.write(
            "session",
            """
            set -e
            unset KEYFOB_KEY_FILE
            apart() { unshare --user --map-root-user "$@"; }
            \(before)
            status=0; \(lock) || status=$?
            test $status = 69
            """)
        let outcome = try place.run("keyctl session - sh session")
        #expect(outcome.status == 0 && outcome.errors.contains(told), "\(outcome)")
    }

    @Test("an agent whose note was taken away writes another at once")
    func note() throws {
        let place = try Workplace.withVault()
        let outcome = try place.run(
            """
            set -e
            \(Workplace.agent())
            keyfob unlock -q --agent --for 1m --key-file key
            noted() { timeout 20 sh -c 'until test -n "$(ls state/keyfob/agents)"; do sleep 0.05; done'; }
            noted
            for round in 1 2; do
                rm state/keyfob/agents/*
                noted
            done
            mkdir -m 700 other
            XDG_RUNTIME_DIR=$PWD/other unshare --user --map-root-user --net keyfob lock
            """)
        #expect(outcome.status == 0 && outcome.errors.hasPrefix("locked"), "\(outcome)")
    }

    @Test(
        "a folder that lets nobody in is named, with what opens it",
        .enabled(if: !Privileges.isRoot, "the superuser may enter every folder"))
    func closedFolder() throws {
        let place = try Workplace.withVault()
        try place.run("chmod 0 '\(place.vault)'").expectSuccess()
        defer { _ = try? place.run("chmod 700 '\(place.vault)'") }
        for command in ["token", "doctor", "status", "backup --list"] {
            try place.run("keyfob \(command)").expectError(74, "lets nobody in: its mode is 0000", "'chmod u+rwX ")
        }
        try place.run("chmod u+rwX '\(place.vault)' && keyfob verify -q").expectSuccess()
    }
}
