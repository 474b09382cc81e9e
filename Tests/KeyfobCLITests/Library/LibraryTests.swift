import Foundation
import KeyfobTestSupport
import Testing

/// The library for other languages, and what is in its place for those who link it.
enum LibraryFile {
    static let path = KeyfobBinary.beside("libKeyfobC.so", variable: "KEYFOB_LIBRARY")
    static let folder = ProjectFolder.root.appending(path: "Sources/KeyfobC/include").path
    static let pythonFolder = ProjectFolder.root.appending(path: "Packaging/python").path
    /// What a program in Python needs to find it.
    static let variables = ["KEYFOB_LIBRARY": path, "PYTHONPATH": pythonFolder, "PYTHONDONTWRITEBYTECODE": "1"]
}

@Suite("The library for C", .waitsForPrograms)
struct LibraryTests {
    @Test("shows what its header declares, under a version, and nothing else")
    func symbols() throws {
        let place = try Workplace()
        let outcome = try place.run(
            """
            cc -E -P \(LibraryFile.folder)/keyfob.h | grep -oE '\\bkeyfob_[a-z_]+ *\\(' | tr -d ' (' | sort -u | sed 's/$/@@KEYFOB_1/' > declared
            nm -D --defined-only --with-symbol-versions \(LibraryFile.path) | awk '$2 != "A" { print $3 }' | sort -u > shown
            diff declared shown && wc -l < shown && readelf -d \(LibraryFile.path) | grep -o 'libkeyfob.so.1'
            """
        ).expectSuccess()
        #expect(outcome.text == "23\nlibkeyfob.so.1\n", "\(outcome)")
    }

    @Test("a program in C and one in C++ use it as its header says, rightly and wrongly, and stay as they were")
    func program() throws {
        let place = try Workplace.withVault()
        try place.add("ada", token: "ADA")
        let source = ProjectFolder.tests.appending(path: "Support/C/library.c").path
        try place.run(
            """
            ln -s \(LibraryFile.path) libkeyfob.so && ln -s libkeyfob.so libkeyfob.so.1
            flags='-Wall -Wextra -Werror -pedantic -I \(LibraryFile.folder)'
            cc -std=c11 -D_GNU_SOURCE $flags \(source) -o program -L . -lkeyfob -lpthread -Wl,-rpath,"$PWD" || exit
            echo '#include <keyfob.h>' > header.cc && c++ -std=c++17 $flags -c header.cc && timeout 60 ./program ada ADA
            """
        ).expectSuccess()
        try place.run("keyfob verify").expectSuccess()
    }

    @Test("the example of its header is the guide's, and prints the length of a token")
    func example() throws {
        let guide = try String(contentsOf: ProjectFolder.root.appending(path: "docs/library.md"), encoding: .utf8)
        let header = try String(contentsOf: URL(filePath: LibraryFile.folder + "/keyfob.h"), encoding: .utf8)
        let example = try #require(guide.split(separator: "```c\n").last?.split(separator: "```").first)
        let commented = example.split(separator: "\n", omittingEmptySubsequences: false).dropLast()
            .map { $0.isEmpty ? " *" : " *     \($0)" }
        #expect(header.contains(commented.joined(separator: "\n")))
        let place = try Workplace.withVault()
        try place.write("example.c", String(example))
        try place.run(
            """
            ln -s \(LibraryFile.path) libkeyfob.so && ln -s libkeyfob.so libkeyfob.so.1
            cc -std=c11 -Wall -Wextra -Werror -I \(LibraryFile.folder) example.c -o example -L . -lkeyfob -Wl,-rpath,"$PWD"
            """
        ).expectSuccess()
        let refused = try place.run("./example")
        #expect(refused.status == 13 && refused.errors.contains("there is no account"), "\(refused)")
        try place.add(
            "ada@contoso.example", token: "ADA", "--scope https://graph.microsoft.com/.default")
        #expect(try place.run("./example").expectSuccess().text == "a token of 3 bytes\n")
    }

    @Test("what pkg-config reads says how to compile and to link")
    func packaging() throws {
        let place = try Workplace()
        let packaging = ProjectFolder.root.appending(path: "Packaging").path
        let outcome = try place.run(
            """
            mkdir -p lib/pkgconfig; sed 's|@VERSION@|1.2|' \(packaging)/keyfob.pc > lib/pkgconfig/keyfob.pc
            export PKG_CONFIG_PATH=lib/pkgconfig; pkg-config --modversion keyfob; pkg-config --cflags --libs keyfob | xargs
            """
        ).expectSuccess()
        #expect(outcome.text == "1.2\n-Ilib/pkgconfig/../../include -Llib/pkgconfig/../../lib -lkeyfob\n", "\(outcome)")
    }
}
