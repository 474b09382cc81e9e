import Foundation
import KeyfobTestSupport
import Testing

@testable import KeyfobAgent

/// Programs, scripts and links between them at random in three prefixes, with an installation of Keyfob in each.
struct ProgramTree {
    let folder: ScratchFolder
    /// The folder of the prefixes, without links.
    let root: String
    /// All that was made, without the folders.
    private(set) var paths: [String] = []
    private var random: SeededGenerator

    static let prefixes = ["usr", "usr/local", "home/ada/.local"]
    private static let folders = ["bin", "sbin", "lib/tool", "share/app"]

    /// First lines of scripts: what runs them, known interpreters and others, and none.
    private static let lines = [
        "#!/bin/sh", "#! /bin/sh -e", "#!/bin/bash -", "#!/bin/bash", "#!/usr/bin/env python3", "#!/usr/bin/perl -w",
        "#!/usr/bin/env -S python3 -u", "#!/usr/bin/python3 -Es", "#!/usr/bin/python3", "#!\t/usr/bin/perl\t",
        "#!/usr/bin/python3 -m runpy", "#!/usr/bin/awk -f", "#!/usr/bin/env -S awk -f", "#!/usr/bin/env -i bash",
        "#!/usr/bin/env -S A=1 perl -w", "#!/nowhere/python3", "#!/nowhere/tool", "#!", "echo", "",
    ]

    /// The front of the installation whose full program is taken for the one that runs.
    var ownFullProgram: String { "\(root)/home/ada/.local/libexec/keyfob/keyfob" }
    /// The `PATH`, the person's own first.
    var searchPath: String {
        (Self.prefixes.reversed().map { "\(root)/\($0)/bin" } + ["/usr/bin", "/bin"]).joined(separator: ":")
    }

    init(seed: UInt64, files: Int, links: Int) throws {
        folder = try ScratchFolder()
        root = try #require(FileManager.default.realPath(folder.path))
        random = SeededGenerator(seed: seed)
        try AgentTestFile.compileCaller(to: root + "/caller")
        try AgentTestFile.compileCaller("-DFRONT", to: root + "/front")
        for prefix in Self.prefixes {
            for name in Self.folders + ["libexec/keyfob"] { try make(folder: "\(root)/\(prefix)/\(name)") }
            for (source, name) in [("front", "bin/keyfob"), ("caller", "libexec/keyfob/keyfob")] {
                paths.append("\(root)/\(prefix)/\(name)")
                try FileManager.default.copyItem(atPath: "\(root)/\(source)", toPath: paths[paths.count - 1])
            }
        }
        // A folder that is a link, as /bin is.
        try link("\(root)/bin", to: "usr/bin")
        try link("\(root)/usr/local/opt", to: "../lib")
        for number in 0..<files { try addFile(number) }
        for number in 0..<links { try addLink(number) }
    }

    /// A word for one of the paths: as it is, from the current folder, through a folder that is a link, or its name alone.
    mutating func word() -> String {
        let path = paths.randomElement(using: &random) ?? root
        switch Int.random(in: 0..<6, using: &random) {
        case 0, 1:
            let inPath = paths.filter { $0.contains("/bin/") }.randomElement(using: &random) ?? path
            return String(inPath.split(separator: "/").last ?? "")
        case 2: return path.replacing("\(root)/usr/bin/", with: "\(root)/bin/")
        case 3:
            let here = FileManager.default.currentDirectoryPath
            return here.split(separator: "/").map { _ in "../" }.joined() + path.dropFirst()
        default: return path
        }
    }

    private func make(folder: String) throws {
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    }

    private func link(_ path: String, to target: String) throws {
        try FileManager.default.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    /// A place for a new file; names are few, so that folders of `PATH` have the same ones.
    private mutating func place(_ number: Int) -> String {
        let names = ["tool", "report.py", "git", "python3.\(number)", "a b", "o\u{308}", "sync (deleted)", "sh"]
        let prefix = Self.prefixes.randomElement(using: &random) ?? ""
        let name = names.randomElement(using: &random) ?? ""
        let path = "\(root)/\(prefix)/\(Self.folders.randomElement(using: &random) ?? "")/\(name)"
        return paths.contains(path) ? path + "-\(paths.count)" : path
    }

    private mutating func addFile(_ number: Int) throws {
        let path = place(number)
        let files = FileManager.default
        switch Int.random(in: 0..<10, using: &random) {
        case 0..<3: try files.copyItem(atPath: "\(root)/caller", toPath: path)
        case 3: try files.linkItem(atPath: "\(root)/caller", toPath: path)
        case 4:
            // Run by another file of the tree, which may be a script too.
            try write("#!\(paths.randomElement(using: &random) ?? "") -x\n", to: path)
        default:
            try write((Self.lines.randomElement(using: &random) ?? "") + "\n", to: path)
        }
        let mode = Int.random(in: 0..<12, using: &random) == 0 ? 0o644 : 0o755
        // A link of the same file would change its mode too.
        if try files.attributesOfItem(atPath: path)[.referenceCount] as? Int == 1 {
            try files.setAttributes([.posixPermissions: mode], ofItemAtPath: path)
        }
        paths.append(path)
    }

    private func write(_ text: String, to path: String) throws { try Data(text.utf8).write(to: URL(filePath: path)) }

    private mutating func addLink(_ number: Int) throws {
        let path = place(number)
        var target = paths.randomElement(using: &random) ?? root
        switch Int.random(in: 0..<20, using: &random) {
        case 0: target += "-gone"
        case 1: target = path
        case 2: target = (target as NSString).deletingLastPathComponent
        case 3..<10:
            // From the folder of the link.
            let up = path.dropFirst(root.count + 1).split(separator: "/").dropLast().map { _ in "../" }.joined()
            target = up + target.dropFirst(root.count + 1)
        default: break
        }
        try link(path, to: target)
        paths.append(path)
    }
}
