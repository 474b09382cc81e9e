import Foundation
import Keyfob
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

/// Programs that run, and what they are taken for: as themselves where nobody else can be in their place, and never as another.
@Suite("Which program runs, whatever is tried", .waitsForPrograms)
struct ProgramTrickTests {
    private let folder: ScratchFolder
    private let root: String

    /// Scripts that say that they are there, and wait.
    private static let files = """
        mkdir -p bin evil tools other/venv/bin proj/.venv/bin proj/src home app/usr/bin app/usr/lib
        printf 'import sys\\nprint("here", flush=True)\\nsys.stdin.read()\\n' > bin/allowed.py
        cp bin/allowed.py proj/src/app.py
        printf 'echo here\\nread line\\n' > bin/allowed.sh
        printf '$| = 1; print "here\\\\n"; <STDIN>;' > bin/allowed.pl
        printf 'process.stdout.write("here\\\\n"); process.stdin.resume()' > bin/allowed.js
        { echo '#!/usr/bin/python3'; cat bin/allowed.py; } > bin/report; chmod +x bin/report
        printf 'import os\\nif os.path.isdir("../bin"): os.chdir("../bin")\\n' | cat - bin/allowed.py > evil/allowed.py
        cp /bin/dash evil/python3; cp /bin/dash tools/tool; cp /bin/dash app/usr/bin/tool; printf 'echo here; read line' > evil/plain.sh
        for place in other/venv proj/.venv; do
            ln -s /usr/bin/python3 $place/bin/python3; printf 'home = /usr/bin\\n' > $place/pyvenv.cfg
        done
        ln -s bin/allowed.py linked.py
        # Where root runs this, what a user has made.
        if [ "$(id -u)" = 0 ]; then chown -R 4242 .; chmod 755 .; fi
        sleep 0.05
        """

    init() throws {
        folder = try ScratchFolder()
        root = try #require(FileManager.default.realPath(folder.path))
        try run(Self.files)
    }

    private func shell(_ line: String) -> Process {
        let process = Process()
        process.executableURL = URL(filePath: "/bin/bash")
        process.arguments = ["-c", "set -e; umask 022; " + line.replacing("@", with: root)]
        process.currentDirectoryURL = URL(filePath: root)
        process.environment = ["PATH": "/usr/bin:/bin", "HOME": ProcessInfo.processInfo.environment["HOME"] ?? "/"]
        return process
    }

    private func run(_ line: String) throws {
        let process = shell(line)
        try process.run()
        process.waitUntilExit()
        try #require(process.terminationStatus == 0, "\(line)")
    }

    /// What a program is taken for once it says that it is there, `@` for the folder; or why it is not known.
    ///
    /// - Parameters:
    ///   - line: How it is started, behind what is done before, with `;;` between.
    ///   - after: What is done before the look.
    private func seen(_ line: String, _ after: String = ":") throws -> String {
        let steps = line.components(separatedBy: ";; ")
        if steps.count > 1 { try run(steps[0] + "; sleep 0.05") }
        let line = steps[steps.count - 1]
        let (process, input, output) = (shell(line), Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        defer {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        _ = output.fileHandleForReading.availableData
        try run(after)
        let (table, number) = (ProcessTable(), process.processIdentifier)
        let near = KnownProgramSearch(table: table, process: number).program()
        let far: String
        do throws(KeyringError) {
            far = try ProgramSearch(table: table, process: number).program().description
        } catch {
            // What cannot be told is not known without asking either.
            #expect(near == nil, "\(line)")
            return error.message.replacing(root, with: "@")
        }
        #expect(near == nil || near?.description == far, "\(line)")
        return far.replacing(root, with: "@")
    }

    private static let python = FileManager.default.realPath("/usr/bin/python3") ?? ""

    @Test(
        "Tricks are told, and what they make of a program is another one",
        arguments: [
            ("cd evil; exec python3 allowed.py", ":", "was named from a folder"),
            ("exec evil/python3 @/bin/allowed.sh", ":", "executable:@/evil/python3"),
            ("exec python3 -i @/bin/allowed.py", ":", "executable:\(python)"),
            (
                "cp -p bin/allowed.py kept; cp evil/allowed.py bin;; exec python3 @/bin/allowed.py",
                "cat kept > bin/allowed.py; touch -r kept bin/allowed.py", "was changed or moved after"
            ),
            (
                "mv bin/allowed.py kept; cp evil/allowed.py bin;; exec python3 @/bin/allowed.py",
                "mv kept bin/allowed.py", "was changed or moved after"
            ),
            (
                "mv bin kept; cp -r evil bin;; exec python3 @/bin/allowed.py", "mv bin away; mv kept bin",
                "@/bin may have been moved after"
            ),
            (
                "mv bin kept; cp -r evil bin;; exec python3 @/bin/allowed.py",
                "mv bin away; mv kept bin; touch bin/new; rm bin/new; touch -d 2020-01-01 bin .",
                "@/bin may have been moved after"
            ),
            (
                "ln -s evil/allowed.py l.py;; exec python3 @/l.py", "ln -sf bin/allowed.py l.py",
                "@/l.py was changed or moved after"
            ),
            ("cd evil; exec python3 /proc/self/cwd/allowed.py", ":", "name it by its own path"),
            ("exec python3 -X pycache_prefix=@/evil @/bin/allowed.py", ":", "executable:\(python)"),
            ("exec python3 -W ignore::evil.Class @/bin/allowed.py", ":", "executable:\(python)"),
            ("PYTHONPATH=@/evil exec python3 @/bin/allowed.py", ":", "PYTHONPATH in its environment"),
            ("PYTHONPATH=/usr/lib: exec python3 @/bin/allowed.py", ":", "PYTHONPATH in its environment"),
            ("PYTHONWARNINGS=ignore::evil.C exec python3 @/bin/allowed.py", ":", "PYTHONWARNINGS in its"),
            ("HOME=@/home exec python3 @/bin/allowed.py", ":", "HOME in its environment"),
            ("exec other/venv/bin/python3 @/bin/allowed.py", ":", "its interpreter was named from a folder"),
            ("exec @/other/venv/bin/python3 @/bin/allowed.py", ":", "the modules of @/other/venv"),
            ("PATH=@/other/venv/bin:/usr/bin exec python3 @/bin/allowed.py", ":", "the modules of @/other/venv"),
            ("exec -a @/other/venv/bin/python3 python3 @/bin/allowed.py", ":", "the modules of @/other/venv"),
            ("LD_PRELOAD=@/evil/x.so exec tools/tool evil/plain.sh", ":", "LD_PRELOAD in its environment"),
            ("LD_LIBRARY_PATH=@/evil exec tools/tool evil/plain.sh", ":", "LD_LIBRARY_PATH in its"),
            ("OPENSSL_CONF=@/evil/x exec tools/tool evil/plain.sh", ":", "OPENSSL_CONF in its"),
            ("PYTHONPATH=/usr/nowhere/../..@/evil exec python3 @/bin/allowed.py", ":", "PYTHONPATH in its"),
            ("PYTHONPYCACHEPREFIX=@/evil exec python3 @/bin/allowed.py", ":", "PYTHONPYCACHEPREFIX in its"),
            ("PYTHONUSERBASE=@/evil exec python3 @/bin/allowed.py", ":", "PYTHONUSERBASE in its"),
            ("PYTHONINSPECT=1 exec python3 @/bin/allowed.py", ":", "PYTHONINSPECT in its"),
            ("LD_LIBRARY_PATH=@/app/usr/lib exec tools/tool evil/plain.sh", ":", "LD_LIBRARY_PATH in its"),
            ("BASH_ENV=@/evil/none exec bash @/bin/allowed.sh", ":", "BASH_ENV in its environment"),
            ("BASH_ENV='/usr/$(true)' exec bash @/bin/allowed.sh", ":", "BASH_ENV in its environment"),
            ("PS4='${x[$(true)]}' exec bash @/bin/allowed.sh", ":", "PS4 in its environment"),
            (
                "echo() { builtin echo here; }; export -f echo; exec bash @/bin/allowed.sh", ":",
                "the shell function echo in its environment may run in the place of a command"
            ),
            (
                "command_not_found_handle() { :; }; export -f command_not_found_handle; exec bash @/bin/allowed.sh",
                ":",
                "the shell function command_not_found_handle"
            ),
            ("exec bash -l @/bin/allowed.sh", ":", "executable:/usr/bin/bash"),
            ("HOME=@/home exec -a -sh dash @/bin/allowed.sh", ":", "executable:/usr/bin/dash"),
            ("HOME=@/home exec -a @/-bash bash @/bin/allowed.sh", ":", "executable:/usr/bin/bash"),
            (
                "BASH_ENV=@/evil/none exec bash +p @/bin/allowed.sh", ":",
                "BASH_ENV in its environment names @/evil/none"
            ),
            ("BASH_ENV=@/evil/none exec bash -p +p @/bin/allowed.sh", ":", "BASH_ENV in its environment"),
            ("BASH_ENV='/usr/share/$X' exec bash @/bin/allowed.sh", ":", "BASH_ENV in its environment"),
            (
                "PATH=@/other/venv/bin:/usr/bin exec -a '' /usr/bin/python3 @/bin/allowed.py", ":",
                "the modules of @/other/venv"
            ),
            (
                "PATH=@/other/venv/bin:/usr/bin exec python3 @/bin/allowed.py", "rm @/other/venv/bin/python3",
                "PATH names @/other/venv/bin"
            ),
            (
                "PATH=@/other/venv/bin:/usr/bin exec python3 @/bin/allowed.py", "rm -r @/other/venv",
                "PATH names @/other/venv/bin"
            ),
            // What was there is gone, and a link leads elsewhere.
            (
                "touch evil/away;; PYTHONPATH=@/evil/away exec python3 @/bin/allowed.py", "rm evil/away",
                "PYTHONPATH in its environment names @/evil/away"
            ),
            (
                "LD_LIBRARY_PATH=/tmp/none-of-keyfob exec tools/tool evil/plain.sh", ":",
                "LD_LIBRARY_PATH in its environment names /tmp/none-of-keyfob"
            ),
            (
                "ln -s evil l;; LD_LIBRARY_PATH=@/l exec tools/tool evil/plain.sh", "ln -sfn /usr/lib l",
                "LD_LIBRARY_PATH in its environment names @/l"
            ),
            (
                "ln -s evil l;; LD_LIBRARY_PATH=@/l exec @/app/usr/bin/tool evil/plain.sh", "ln -sfn app/usr/lib l",
                "LD_LIBRARY_PATH in its environment names @/l"
            ),
            ("LD_LIBRARY_PATH=/proc/self/cwd/usr/lib exec tools/tool evil/plain.sh", ":", "LD_LIBRARY_PATH in its"),
            (
                "LD_LIBRARY_PATH=/usr/lib: exec tools/tool evil/plain.sh", ":",
                "LD_LIBRARY_PATH in its environment names the folder it was started in (an empty part)"
            ),
            // Bytes, not characters.
            (
                "PYTHONPATH=/usr/lib:$'\\xcc\\x81'@/evil exec python3 @/bin/allowed.py", ":",
                "PYTHONPATH in its environment"
            ),
            ("PYTHONPATH=/usr/$'\\xff' exec python3 @/bin/allowed.py", ":", "PYTHONPATH in its environment"),
            (
                "LD_PRELOAD=x/$'\\xcc\\x81'y exec tools/tool evil/plain.sh 2> /dev/null", ":",
                "LD_PRELOAD in its environment"
            ),
            (
                "mkdir evil/$'\\xcc\\x81'; cp bin/allowed.py evil/$'\\xcc\\x81'; ln -s evil l;; exec python3 @/l/$'\\xcc\\x81'/allowed.py",
                "rm l; ln -s evil l", "@/l was changed or moved after"
            ),
            ("DOTNET_STARTUP_HOOKS=@/evil/x.dll exec tools/tool evil/plain.sh", ":", "DOTNET_STARTUP_HOOKS in its"),
            ("VK_LAYER_PATH=@/evil exec tools/tool evil/plain.sh", ":", "VK_LAYER_PATH in its"),
            ("JAVA_TOOL_OPTIONS=-javaagent:@/e.jar exec tools/tool evil/plain.sh", ":", "JAVA_TOOL_OPTIONS in its"),
            (
                "touch app/usr/bin/icudtl.dat;; ELECTRON_RUN_AS_NODE=1 exec @/app/usr/bin/tool evil/plain.sh", ":",
                "ELECTRON_RUN_AS_NODE in its environment may have it run other code"
            ),
            ("PERL5LIB=@/evil exec perl @/bin/allowed.pl", ":", "PERL5LIB in its environment"),
            ("PERL5OPT=-Mstrict exec perl @/bin/allowed.pl", ":", "PERL5OPT in its environment"),
            ("exec perl -I@/evil @/bin/allowed.pl", ":", "executable:/usr/bin/perl"),
            // What everybody may put something in is nobody's.
            ("PYTHONPATH=/dev/shm exec python3 @/bin/allowed.py", ":", "PYTHONPATH in its"),
            ("LD_PRELOAD=none.so LD_LIBRARY_PATH=/tmp exec tools/tool evil/plain.sh", ":", "LD_LIBRARY_PATH in its"),
            ("HOME=/var/tmp exec python3 @/bin/allowed.py", ":", "HOME in its"),
            // A colon is a part of a path alone.
            ("BASH_ENV='/dev/shm/:/usr/lib' exec bash @/bin/allowed.sh", ":", "BASH_ENV in its"),
            ("OPENSSL_CONF='/dev/shm/:/usr/lib' exec tools/tool evil/plain.sh", ":", "OPENSSL_CONF in its"),
            ("PYTHONUSERBASE=@/evil exec python3 -E @/bin/allowed.py", ":", "PYTHONUSERBASE in its"),
            ("HOME=@/home PYTHONNOUSERSITE=1 exec python3 -E @/bin/allowed.py", ":", "HOME in its"),
            ("exec -a /lib/..@/other/venv/bin/python3 python3 @/bin/allowed.py", ":", "without '..'"),
            ("PATH=/lib/..@/other/venv/bin:/usr/bin exec python3 @/bin/allowed.py", ":", "without '..'"),
            ("PS4='\\044(true)' exec bash @/bin/allowed.sh", ":", "PS4 in its"),
            ("exec env SHELLOPTS=history:histexpand bash @/bin/allowed.sh", ":", "SHELLOPTS in its"),
            ("exec bash -H @/bin/allowed.sh", ":", "executable:/usr/bin/bash"),
            ("TEXTDOMAINDIR=@/evil exec bash @/bin/allowed.sh", ":", "TEXTDOMAINDIR in its"),
            ("GSS_MECH_CONFIG=@/evil/x exec tools/tool evil/plain.sh", ":", "GSS_MECH_CONFIG in its"),
            ("exec setarch -R tools/tool evil/plain.sh", ":", "without random addresses"),
            ("exec tools/tool evil/plain.sh", "cp evil/python3 new; mv new tools/tool", "was removed or replaced"),
            ("exec -a @/bin/report tools/tool evil/plain.sh", ":", "executable:@/tools/tool"),
        ])
    func tricks(start: String, after: String, expected: String) throws {
        let seen = try seen(start, after)
        #expect(seen.contains(expected), "\(start): \(seen)")
        #expect(!seen.contains("script:"))
    }

    @Test(
        "Programs as people start them are themselves",
        arguments: [
            ("exec python3 @/bin/allowed.py --now", "script:@/bin/allowed.py"),
            ("exec @/bin/report", "script:@/bin/report"),
            ("PATH=$PATH:@/bin; exec report", "script:@/bin/report"),
            ("exec python3 -uB -W ignore @/linked.py", "script:@/bin/allowed.py"),
            ("exec @/proj/.venv/bin/python3 @/proj/src/app.py", "script:@/proj/src/app.py"),
            ("PATH=@/proj/.venv/bin:$PATH exec python3 @/proj/src/app.py", "script:@/proj/src/app.py"),
            (
                "sed -i '1i#!@/other/venv/bin/python3' bin/report;; exec @/bin/report",
                "script:@/bin/report"
            ),
            (
                "PYTHON=x PYTHONPATH=/usr/lib/python3 PYTHONUNBUFFERED=1 PYTHONSTARTUP=@/x exec python3 @/bin/allowed.py",
                "script:@/bin/allowed.py"
            ),
            (
                "PYTHON_COLORS=0 PYTHON_HISTORY=@/x PYTHONBREAKPOINT=0 OPENSSL_CONF=/dev/null exec python3 @/bin/allowed.py",
                "script:@/bin/allowed.py"
            ),
            ("PYTHONPATH=@/evil exec python3 -E @/bin/allowed.py", "script:@/bin/allowed.py"),
            ("cat() { :; }; export -f cat; ENV=live exec bash @/bin/allowed.sh", "script:@/bin/allowed.sh"),
            ("echo() { :; }; export -f echo; BASH_ENV=@/x exec bash -p @/bin/allowed.sh", "script:@/bin/allowed.sh"),
            ("echo() { :; }; export -f echo; exec sh @/bin/allowed.sh", "script:@/bin/allowed.sh"),
            (
                "BASH_ENV=/dev/null PS4='+ ${BASH_SOURCE##*/}:$LINENO ' exec bash @/bin/allowed.sh",
                "script:@/bin/allowed.sh"
            ),
            ("PERL5OPT=-w exec perl @/bin/allowed.pl", "script:@/bin/allowed.pl"),
            // As an AppImage that is unpacked does.
            ("LD_LIBRARY_PATH=@/app/usr/lib exec @/app/usr/bin/tool evil/plain.sh", "executable:@/app/usr/bin/tool"),
            ("exec bash -euo pipefail @/bin/allowed.sh", "script:@/bin/allowed.sh"),
            ("exec env SHELLOPTS=braceexpand:xtrace bash @/bin/allowed.sh 2> /dev/null", "script:@/bin/allowed.sh"),
            (
                "HOME=$HOME/ PYTHONWARNINGS=ignore:unclosed:ResourceWarning:a.b exec python3 @/bin/allowed.py",
                "script:@/bin/allowed.py"
            ),
            ("exec sh @/bin/allowed.sh", "script:@/bin/allowed.sh"),
            ("exec perl -w @/bin/allowed.pl", "script:@/bin/allowed.pl"),
            ("BASH_ENV=@/x exec bash +p -p @/bin/allowed.sh", "script:@/bin/allowed.sh"),
            ("PATH=@/none:@/tools:/usr/bin exec python3 @/bin/allowed.py", "script:@/bin/allowed.py"),
            ("exec -a '' /usr/bin/python3 @/bin/allowed.py", "script:@/bin/allowed.py"),
            ("LD_LIBRARY_PATH=/lib:/usr/lib/none exec tools/tool evil/plain.sh", "executable:@/tools/tool"),
            (
                "ELECTRON_RUN_AS_NODE=1 _JAVA_OPTIONS='-Xmx1g -Dawt.useSystemAAFontSettings=on' exec tools/tool evil/plain.sh",
                "executable:@/tools/tool"
            ),
            // As cron(8) does.
            ("exec env -i HOME=$HOME LOGNAME=ada SHELL=/bin/sh PATH=/usr/bin:/bin @/bin/report", "script:@/bin/report"),
            ("LD_PRELOAD=libnone.so exec tools/tool evil/plain.sh 2> /dev/null", "executable:@/tools/tool"),
            // After an upgrade, and under another name.
            ("cp evil/python3 new; mv new tools/tool; exec tools/tool evil/plain.sh", "executable:@/tools/tool"),
            ("mv tools/tool tools/tool-2; exec tools/tool-2 evil/plain.sh", "executable:@/tools/tool-2"),
        ])
    func genuine(start: String, expected: String) throws {
        #expect(
            try seen(start) == expected,
            "\(start)")
    }

    @Test(
        "What is done in a script's folder, or to its times, says nothing of the script",
        arguments: [
            "mkdir bin/__pycache__; touch bin/__pycache__/allowed.pyc", "mkdir bin/.lock; rmdir bin/.lock",
            "touch bin", "touch -d 2020-01-01 bin", "chmod 700 bin",
        ])
    func folder(after: String) throws {
        #expect(try seen("exec python3 @/bin/allowed.py", after) == "script:@/bin/allowed.py")
    }

    /// A script that runs until the end of what is done with it.
    private func running<Result>(_ line: String, _ work: (Int32) throws -> Result) throws -> Result {
        let (process, input, output) = (shell(line), Pipe(), Pipe())
        (process.standardInput, process.standardOutput) = (input, output)
        try process.run()
        defer {
            try? input.fileHandleForWriting.close()
            process.waitUntilExit()
        }
        _ = output.fileHandleForReading.availableData
        return try work(process.processIdentifier)
    }

    @Test("A process that was known to run a script stays known while folders change, and not with another file")
    func known() throws {
        try running("exec python3 @/bin/allowed.py") { number in
            func seen(_ known: String?) -> String {
                let search = ProgramSearch(table: ProcessTable(), process: number, known: known)
                do throws(KeyringError) { return try search.program().description } catch { return error.message }
            }
            let file = try ProgramSearch(table: ProcessTable(), process: number).found().file
            #expect(KnownProgramSearch(table: ProcessTable(), process: number).found()?.file == file)
            try run("touch new bin/new")
            #expect(seen(nil).contains("may have been moved"))
            #expect(seen(file) == "script:\(root)/bin/allowed.py")
            try run("mv bin kept; cp -rp kept bin; touch -d 2020-01-01 bin/*; mv kept away")
            #expect(seen(file).contains("after it was started"))
        }
    }

    @Test("A digest is that of the script that was started, and there is none of one that has changed")
    func digest() throws {
        try running("exec python3 @/bin/allowed.py") { number in
            let search = ProgramSearch(table: ProcessTable(), process: number)
            let (program, digests) = (try search.program(), FileDigests())
            let digest = InspectionHere.digest(of: program, search, digests)
            #expect(digest != nil && digest == digests.digest(of: program.name))
            #expect(digests.digest(of: program.name, if: { _ in false }) == nil)
            for change in ["cat bin/allowed.py > kept; cat kept > bin/allowed.py", "mv kept bin/allowed.py"] {
                try run(change)
                #expect(digests.digest(of: program.name) == digest)
                #expect(InspectionHere.digest(of: program, search, digests) == nil)
                for isFar in [false, true] {
                    let question = InspectionQuestion(process: number, program: program)
                    let answer = InspectionAnswer(question.answer(isFar: isFar, digests))
                    #expect(answer == (isFar ? .nothing : .askFar))
                }
            }
        }
    }

    private static let canMakeNamespaces: Bool = {
        let process = Process()
        process.executableURL = URL(filePath: "/usr/bin/unshare")
        process.arguments = ["-U", "true"]
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
    }()

    @Test(
        "In another user namespace, where a program may have any files, it is not known",
        .enabled(if: canMakeNamespaces),
        arguments: [
            "exec unshare -U tools/tool evil/plain.sh", "exec unshare -Ur python3 @/bin/allowed.py",
            "exec unshare -Urm sh -c 'mount --bind @/evil/python3 @/tools/tool; exec @/tools/tool @/evil/plain.sh'",
            "exec unshare -Ur sh -c 'exec @/bin/report'",
        ])
    func userNamespace(start: String) throws {
        let seen = try seen(start)
        #expect(seen.contains("it runs in another user namespace"), "\(seen)")
    }

    @Test(
        "Node's scripts are themselves, unless other code comes by its options",
        .enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/node")))
    func node() throws {
        #expect(try seen("HOME=@/evil exec node @/bin/allowed.js").contains("HOME in its"))
        let link = "mkdir bin/sub; ln -s bin/sub d; cp bin/allowed.js .;; exec node @/d/../allowed.js"
        #expect(try seen(link).contains("without '..'"))
        #expect(try seen("NODE_OPTIONS=--no-warnings exec node @/bin/allowed.js") == "script:@/bin/allowed.js")
        #expect(
            try seen("NODE_OPTIONS='--require @/bin/allowed.js' exec node @/bin/allowed.js").contains("NODE_OPTIONS in")
        )
        #expect(try seen("exec node --require @/bin/allowed.js @/bin/allowed.js").hasPrefix("executable:"))
    }

    @Test("A container is Flatpak's only where Flatpak has noted it")
    func flatpak() throws {
        let processes = try FakeProcesses(executable: "/bin/ls")
        try FileManager.default.removeItem(atPath: "\(processes.folder)/root")
        let info = "[Application]\nname=org.gnome.Evolution\n\n[Instance]\ninstance-id=42\n"
        try processes.write("root/.flatpak-info", info)
        try processes.link("ns/mnt", to: "mnt:[7]")
        try FileManager.default.createDirectory(
            atPath: "\(processes.scratch.path)/proc/99/ns", withIntermediateDirectories: true)
        func seen() -> String {
            var search = ProgramSearch(table: processes.table, process: processes.number)
            search.instances = "\(root)/flatpak"
            do throws(KeyringError) { return try search.program().description } catch { return error.message }
        }
        let child = "\(processes.scratch.path)/proc/99/ns/mnt"
        #expect(
            seen().hasSuffix("its .flatpak-info names org.gnome.Evolution, and Flatpak has noted no such container"))
        try run("mkdir -p flatpak/42; printf '{\"child-pid\": 99, \"mnt-namespace\": 7}' > flatpak/42/bwrapinfo.json")
        #expect(seen().contains("has noted no such container"))
        try Data(info.utf8).write(to: URL(filePath: "\(root)/flatpak/42/info"))
        #expect(seen().contains("has noted no such container"))
        try FileManager.default.createSymbolicLink(atPath: child, withDestinationPath: "mnt:[8]")
        #expect(seen().contains("has noted no such container"))
        try FileManager.default.removeItem(atPath: child)
        try FileManager.default.createSymbolicLink(atPath: child, withDestinationPath: "mnt:[7]")
        #expect(seen() == "flatpak:org.gnome.Evolution")
        // The number of the process is another's now.
        try run("sed -i s/7/8/ flatpak/42/bwrapinfo.json")
        #expect(seen().contains("has noted no such container"))
        try run("sed -i s/8/7/ flatpak/42/bwrapinfo.json")
        try Data(info.replacing("Evolution", with: "Maps").utf8).write(to: URL(filePath: "\(root)/flatpak/42/info"))
        #expect(seen().contains("has noted no such container"))
    }

    @Test("What a program of the user has mounted for another one, or traces, is not known")
    func sandboxed() throws {
        let processes = try FakeProcesses(executable: "/bin/ls")
        func seen() -> String {
            let search = ProgramSearch(table: processes.table, process: processes.number)
            do throws(KeyringError) { return try search.program().description } catch { return error.message }
        }
        let own = "\(processes.scratch.path)/proc/self/ns"
        try FileManager.default.createDirectory(atPath: own, withIntermediateDirectories: true)
        for (name, number) in [("mnt", 1), ("user", 4_026_531_837)] {
            try FileManager.default.createSymbolicLink(
                atPath: "\(own)/\(name)", withDestinationPath: "\(name):[\(number)]")
        }
        try processes.link("ns/mnt", to: "mnt:[9]")
        try processes.link("ns/user", to: "user:[4026531837]")
        // By root alone.
        #expect(seen() == "executable:/bin/ls")
        try processes.link("ns/user", to: "user:[3]")
        #expect(seen().contains("it runs in another user namespace"))
        // It can change its root there.
        try processes.link("ns/mnt", to: "mnt:[1]")
        #expect(seen().contains("it runs in another user namespace"))
        try processes.link("ns/user", to: "user:[4026531837]")
        #expect(seen() == "executable:/bin/ls")
        // As bwrap does where root lets it make mounts for users.
        try processes.write("status", "Name:\tls\nNoNewPrivs:\t1\n")
        #expect(seen() == "executable:/bin/ls")
        try processes.link("ns/mnt", to: "mnt:[9]")
        #expect(seen().contains("it sees files that a sandbox has put there for it"))
        try processes.write("status", "Name:\tls\nNoNewPrivs:\t0\n")
        #expect(seen() == "executable:/bin/ls")
        try processes.write("status", "Name:\tls\nTracerPid:\t0\n")
        #expect(seen() == "executable:/bin/ls")
        try processes.write("status", "Name:\tls\nTracerPid:\t7\n")
        #expect(seen().hasSuffix("another program traces it"))
    }
}
