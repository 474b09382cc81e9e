internal import ArgumentParser
internal import Keyfob

/// A page of the manual, in the macros of man(7).
struct ManualPage {
    private let command: CommandDescription

    init(_ command: CommandDescription) {
        self.command = command
    }

    /// The page's name: the words of the command joined by dashes.
    var name: String { command.words.joined(separator: "-") }

    /// The page.
    var text: String {
        var lines = [
            ".TH \"\(name.uppercased())\" 1 \"\" \"Keyfob \(Release.version)\" \"Keyfob\"",
            ".SH NAME",
            "\(Self.escaped(name)) \\- \(Self.escaped(command.abstract ?? ""))", ".SH SYNOPSIS",
            ".B " + command.words.joined(separator: " "),
        ]
        lines += arguments.map(Self.synopsis)
        if let discussion = command.discussion { lines += [".SH DESCRIPTION"] + Self.prose(discussion) }
        if !subcommands.isEmpty {
            lines.append(".SH COMMANDS")
            for sub in subcommands {
                lines += [
                    ".TP", ".BR \(Self.escaped(sub.words.joined(separator: "-"))) (1)",
                    Self.escaped(sub.abstract ?? ""),
                ]
            }
        }
        if !arguments.isEmpty {
            lines.append(".SH OPTIONS")
            for argument in arguments { lines += [".TP", Self.heading(argument), Self.escaped(Self.help(argument))] }
        }
        if command.superCommands == nil { lines += Self.closing }
        return lines.joined(separator: "\n") + "\n"
    }

    /// What help leaves to 'keyfob help options' is here in full.
    private var arguments: [CommandDescription.Argument] {
        (command.arguments ?? []).filter { $0.shouldDisplay || !$0.isOfParser }
    }
    private var subcommands: [CommandDescription] { (command.subcommands ?? []).filter { $0.commandName != "help" } }

    private static func synopsis(_ argument: CommandDescription.Argument) -> String {
        let text = label(argument) + (argument.isRepeating ? " ..." : "")
        return argument.isOptional ? "[" + text + "]" : text
    }

    private static func label(_ argument: CommandDescription.Argument) -> String {
        let value = "\\fI" + escaped(argument.valueName ?? "value") + "\\fR"
        guard let name = argument.names?.last?.text else { return value }
        let bold = "\\fB" + escaped(name) + "\\fR"
        return argument.kind == "flag" ? bold : bold + " " + value
    }

    private static func heading(_ argument: CommandDescription.Argument) -> String {
        guard let names = argument.names, argument.kind != "positional" else { return label(argument) }
        let bold = names.map { "\\fB" + escaped($0.text) + "\\fR" }.joined(separator: ", ")
        return argument.kind == "flag" ? bold : bold + " \\fI" + escaped(argument.valueName ?? "value") + "\\fR"
    }

    private static func help(_ argument: CommandDescription.Argument) -> String {
        let text = argument.abstract ?? ""
        return argument.defaultValue.map { "\(text) (default: \($0))" } ?? text
    }

    /// Text whose paragraphs are filled and whose indented lines stay as they are.
    private static func prose(_ text: String) -> [String] {
        var lines: [String] = []
        var isVerbatim = false
        for line in text.split(separator: "\n", omittingEmptySubsequences: false) {
            let isIndented = line.hasPrefix(" ")
            if isIndented != isVerbatim {
                lines.append(isIndented ? ".nf" : ".fi")
            } else if !isIndented, !line.isEmpty, lines.last.map({ $0 != ".PP" }) == true {
                lines.append(".br")
            }
            isVerbatim = isIndented
            lines.append(line.isEmpty ? ".PP" : escaped(String(line)))
        }
        return isVerbatim ? lines + [".fi"] : lines
    }

    private static func verbatim(_ text: String) -> [String] {
        [".nf"] + text.split(separator: "\n", omittingEmptySubsequences: false).map { escaped(String($0)) } + [".fi"]
    }

    /// Text that troff takes for nothing but text.
    private static func escaped(_ text: String) -> String {
        let text = text.replacing("\\", with: "\\e").replacing("-", with: "\\-")
        let shown = text.unicodeScalars.map { $0.isASCII ? String($0) : "\\[u\(fourDigits($0.value))]" }.joined()
        return shown.hasPrefix(".") || shown.hasPrefix("'") ? "\\&" + shown : shown
    }

    /// At least four hexadecimal digits, as troff wants them for a character.
    private static func fourDigits(_ value: UInt32) -> String {
        let digits = String(value, radix: 16, uppercase: true)
        return String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }

    /// What holds for all commands, at the end of the first page.
    private static var closing: [String] {
        [".SH FILES"]
            + verbatim(
                """
                $XDG_DATA_HOME/keyfob/keyring.db    the vault
                $XDG_DATA_HOME/keyfob/header.copy   a second copy of its header
                $XDG_DATA_HOME/keyfob/storage       there where the desktop's keyring keeps the records
                $XDG_DATA_HOME/keyfob/changes       a change of those that was stopped; the next command completes it
                $XDG_DATA_HOME/keyfob/backups/      the newest backups, age files
                $XDG_DATA_HOME/keyfob/usage.db      what the choice of the account learns from, sealed
                $XDG_DATA_HOME/keyfob/uses/         which program was given which token in the last 30 days, sealed
                $XDG_DATA_HOME/keyfob/quarantine/   records that did not open
                $XDG_DATA_HOME/keyfob/refresh.lock  empty; locked while a refresh token is redeemed
                $XDG_STATE_HOME/keyfob/             the highest sequence numbers seen
                """)
            + [".SH READING A BACKUP WITHOUT KEYFOB"]
            + prose(
                """
                A backup is an age file for the recovery key, and so is an export for its recipients. Inside is a JSON \
                object a line: first what the bundle is, then the records, and at the end a digest. The age program (1.3 \
                or later, since recovery keys are post-quantum) and jq show what it is, who the accounts are, and their \
                refresh tokens:

                  age -d -i recovery.txt keyfob-20261121T101500Z.age | head -n 1 | jq
                  age -d -i recovery.txt keyfob-20261121T101500Z.age | jq -r '.account.username | values'
                  age -d -i recovery.txt keyfob-20261121T101500Z.age | jq -r \\
                    'select(.credential.kind == "refresh_token") | [.group, .credential.account, .secret] | @tsv'
                """)
            + [".SH ENVIRONMENT"]
            + verbatim(
                """
                KEYFOB_VAULT      the vault's folder
                KEYFOB_GROUP      the access group to work with
                KEYFOB_KEY_FILE   the key file to unlock with
                KEYFOB_ACCOUNT    the account to use, where nothing names one
                KEYFOB_PAGER      what shows long lists; else PAGER, less; empty for none
                KEYFOB_CA_FILE    certificates to trust too, a PEM file
                KEYFOB_ETCD_PASSWORD_FILE  the file with the password for etcd
                BROWSER           what opens the browser; xdg-open unless set
                DBUS_SESSION_BUS_ADDRESS  the session bus, for a vault that the desktop's keyring opens
                HTTPS_PROXY       the proxy for providers and services; else ALL_PROXY; in small letters too
                NO_PROXY          the hosts that need no proxy, with commas between
                NO_COLOR          set to anything: no colour, unless --color says so
                LC_ALL            the locale; else LC_CTYPE, LANG: a terminal gets ASCII unless it names UTF-8
                """)
            + [".SH EXIT STATUS"] + verbatim(ExitStatus.table)
    }
}
