import Foundation
import KeyfobTestSupport
import Testing

/// `keyfob program` as it is typed: which program a word means, and what is said where it means none.
@Suite("Programs as they are named to the command", .waitsForPrograms)
struct ProgramCommandTests {
    private let place: Workplace

    init() throws {
        place = try Workplace.withVault()
        try place.run("keyfob add -q --account ada --host git.example", text: "ADA").expectSuccess()
        try place.run(
            """
            mkdir tools; cp /bin/true tools/tool; ln -s tool tools/link; ln -s gone tools/dangling; cp /bin/true tools/data
            printf '#!/usr/bin/cat -n\\n' > tools/cat.txt; printf '#!/nowhere/tool\\n' > tools/broken; echo : > tools/plain
            printf '#!/usr/bin/env python3\\n' > tools/report.py; chmod 755 tools/*; chmod 644 tools/data; mkfifo tools/pipe
            cp /bin/true 'tools/a b'; printf '#!/usr/bin/env -S A=$x python3\\n' > tools/unclear
            """
        ).expectSuccess()
    }

    /// The programs of which something is decided.
    private func decided() throws -> [String] {
        try place.run("keyfob program list | tail -n +2 | sed 's/  .*//'").text.split(separator: "\n").map(String.init)
    }

    @Test("what lies beside the front is itself, and only the front is Keyfob", arguments: ["allow", "deny"])
    func besideFront(command: String) throws {
        try FrontProgram.install(in: place)
        try place.run(
            "cp tools/tool one/bin/report; cp tools/tool one/bin/git; ln -s keyfob one/bin/git-credential-keyfob"
        ).expectSuccess()
        let options = command == "allow" ? "--account ada" : ""
        for word in ["one/bin/report", "$PWD/one/bin/git"] {
            try place.run("one/bin/keyfob program \(command) -q \(word) \(options)").expectSuccess()
        }
        #expect(try decided() == ["executable:\(place.path)/one/bin/git", "executable:\(place.path)/one/bin/report"])
        try place.run("one/bin/keyfob program forget -q one/bin/git && one/bin/keyfob program forget -q one/bin/report")
            .expectSuccess()
        let full = try place.run("readlink -f \"$(command -v keyfob)\"").text.dropLast()
        for word in ["one/bin/keyfob", "one/bin/git-credential-keyfob", "keyfob"] {
            let outcome = try place.run("PATH=$PWD/one/bin:$PATH keyfob program \(command) \(word) \(options)")
                .expectSuccess()
            #expect(outcome.errors.contains("\(word) is Keyfob itself, /"), "\(outcome)")
            #expect(outcome.errors.contains("every program of yours can start keyfob") == (command == "allow"))
            let programs = try decided()
            #expect(programs.count == 1 && !programs[0].contains("one/bin"), "\(programs) \(full)")
            try place.run("PATH=$PWD/one/bin:$PATH keyfob program forget -q keyfob").expectSuccess()
        }
        #expect(try decided().isEmpty)
    }

    @Test("beside an agent, what is let a program beside the front is not let keyfob, nor forbidden it")
    func agent() throws {
        try FrontProgram.install(in: place)
        try place.run("cp tools/tool one/bin/git; keyfob program allow -q one/bin/git --account ada").expectSuccess()
        let lines = """
            \(Workplace.agent(variables: "KEYFOB_KEY_FILE=$PWD/key"))
            unset KEYFOB_KEY_FILE; PATH=$PWD/one/bin:$PATH
            keyfob token --account ada
            echo $?
            keyfob program allow -q --key-file key keyfob --account ada; keyfob program deny -q --key-file key one/bin/git
            keyfob token --account ada
            keyfob program deny -q --key-file key keyfob
            keyfob token --account ada
            echo $?
            """
        let outcome = try place.run(lines)
        #expect(outcome.text == "77\nADA\n77\n", "\(outcome)")
    }

    @Test(
        "a word is said to be what an agent sees",
        arguments: [
            ("tools/link", "tools/link is @/tools/tool\nexecutable:@/tools/tool may"),
            ("./tools/report.py", "./tools/report.py is @/tools/report.py, run by /"),
            ("$PWD/tools/report.py", "@/tools/report.py is run by /"),
            ("$PWD/tools/tool", "executable:@/tools/tool may"),
            ("executable:$PWD/tools/link", "executable:@/tools/link is @/tools/tool\nexecutable:@/tools/tool may"),
            ("'tools/a b'", "tools/a b is @/tools/a b\n"), ("tool", "tool is @/tools/tool\n"),
            ("script:$PWD/tools/cat.txt", "script:@/tools/cat.txt may"),
        ])
    func words(word: String, expected: String) throws {
        let outcome = try place.run("PATH=$PWD/tools:$PATH; keyfob program allow \(word) --account ada").expectSuccess()
        #expect(outcome.errors.hasPrefix(expected.replacing("@", with: place.path)), "\(outcome)")
        let document = try place.run("PATH=$PWD/tools:$PATH; keyfob program allow \(word) --account ada --json")
        #expect(document.text.contains("program-allowed") && !document.errors.contains(" is "), "\(document)")
        try place.run("PATH=$PWD/tools:$PATH; keyfob program forget -q \(word)").expectSuccess()
        #expect(try decided().isEmpty)
    }

    @Test(
        "what means no program is told in one line, with what to do",
        arguments: [
            ("tools/nothing", 66, "there is no file tools/nothing; check the path"),
            ("nothing", 66, "there is no program nothing in PATH; a file is named by its path"),
            ("tools/dangling", 66, "tools/dangling is a link to gone, where no file is; put the file there"),
            (
                "'tools/tool (deleted)'", 66,
                "was removed or replaced while a program ran from it; start the program again"
            ),
            ("tools/broken", 66, "is run by /nowhere/tool, which is not there; install that"),
            ("./tools", 64, "is a folder, and no program; give the path of its file"),
            ("tools/pipe", 64, "is no file, and so no program; give the path"),
            ("tools/data", 64, "is not executable, so that nobody can start it; 'chmod +x "),
            ("tools/cat.txt", 64, "by /usr/bin/cat, and an agent cannot see that it runs this file; executable:"),
            ("tools/unclear", 64, "what runs @/tools/unclear cannot be told from its first line; script:@/tools/"),
            ("service:x", 64, "'service:x' names no program; a service is named with its suffix"),
            ("''", 64, "'' names no program; give a path"),
        ])
    func mistakes(word: String, status: Int32, text: String) throws {
        for command in ["allow --account ada", "deny"] {
            try place.run("keyfob program \(command) \(word)")
                .expectError(status, text.replacing("@", with: place.path))
        }
        #expect(try decided().isEmpty)
    }

    @Test("a program in a folder of PATH that is another one elsewhere has to be named by its path")
    func relativeFolder() throws {
        try place.run("PATH=tools:$PATH; keyfob program allow tool --account ada")
            .expectError(64, "PATH has tool in 'tools' first", "give its path, as tools/tool")
    }

    @Test("the list tells how each file is now")
    func list() throws {
        try place.run("cp tools/tool tools/was; ln tools/tool tools/old").expectSuccess()
        for word in ["tool", "was", "report.py", "old"] {
            try place.run("keyfob program allow -q tools/\(word) --account ada").expectSuccess()
        }
        try place.run("keyfob program allow -q tools/plain --any-version --account ada").expectSuccess()
        try place.run("rm tools/was; echo >> tools/report.py; ln -sf tool tools/old").expectSuccess()
        let rows = try place.run("keyfob program list | tail -n +2 | tr -s ' '").text.split(separator: "\n")
        let files = rows.map { $0.replacing(#/.* default - /#, with: "").replacing(place.path, with: "@") }
        #expect(files == ["a link to @/tools/tool", "as allowed", "gone", "any", "changed"], "\(rows)")
        let changed = try place.run("keyfob program list --json | grep -c '\"hasChanged\" : true'").text
        #expect(changed == "3\n")
        // Each is taken back by the name in the list.
        for row in rows { try place.run("keyfob program forget -q \(row.prefix { $0 != " " })").expectSuccess() }
    }

    @Test("a script without a first line is warned about")
    func plain() throws {
        let outcome = try place.run("keyfob program allow tools/plain --account ada").expectSuccess()
        #expect(outcome.errors.contains("names no interpreter, such as #!/bin/sh"), "\(outcome)")
    }
}
