internal import KeyfobFiles
internal import KeyfobModel
internal import KeyfobSodium

/// A page on the disk, for its owner alone, that leads a browser on to an address.
///
/// What a program is started with is there for every user of the machine to read. An address with the `state` of a
/// sign-in is not for them: whoever has it, and the port that waits, can end the sign-in or bring an answer of their own.
/// Nor is one that ends a session, which names whose it is.
package struct BrowserPage: ~Copyable {
    private let path: String

    /// What the browser opens: `file:///…`.
    package var url: String {
        "file://" + path.split(separator: "/").map { "/" + PercentEncoding.encode(String($0)) }.joined()
    }

    /// Makes the page in the folder of the login, or else of the state.
    ///
    /// - Parameter home: Where to make it instead; for browsers that see no hidden folder and nothing outside of home.
    /// - Throws: `inputOutput`, `diskFull`, `configuration`.
    package init(leadingTo address: String, at location: KeyringLocation, home: String? = nil) throws(KeyringError) {
        let html = Self.html(leadingTo: address)
        path = try KeyringError.translating {
            let path = try Self.folder(location, home) + "/" + Self.newName()
            var file = try NewFile.begin(path)
            try Array(html.utf8).withBytes { try file.write($0) }
            try file.putInPlace()
            return path
        }
    }

    deinit {
        try? POSIXFile.remove(path)
    }

    /// Waits until the page has been read, for a few seconds at most; to be called with what starts the browser.
    ///
    /// - Returns: Whether it was.
    package func isRead(by start: () -> Bool, within seconds: Int32) -> Bool {
        let watch = POSIXFile.ReadWatch(path)
        guard start() else { return false }
        switch consume watch {
        case .some(let watch): return watch.wait(seconds: seconds)
        case nil: return false
        }
    }

    private static func folder(_ location: KeyringLocation, _ home: String?) throws -> String {
        if let home { return home }
        if let runtime = location.runtime, (try? RuntimeFolder(path: runtime).prepare()) != nil { return runtime }
        try POSIXFile.createDirectories(location.state)
        let folder = RuntimeFolder(path: location.state + "/pages")
        try folder.prepare()
        // No login ends here: what a sign-in that was killed has left is removed by the next.
        for name in try POSIXFile.names(in: folder.path) where name.hasPrefix(prefix) {
            if let status = try POSIXFile.status(folder.path + "/" + name), status.secondsSinceChange > 3_600 {
                try POSIXFile.remove(folder.path + "/" + name)
            }
        }
        return folder.path
    }

    private static let prefix = "keyfob-sign-in-"

    private static func newName() -> String {
        let digits = Randomness.bytes(16).flatMap { [PercentEncoding.digit($0 >> 4), PercentEncoding.digit($0 & 15)] }
        return prefix + String(decoding: digits, as: UTF8.self) + ".html"
    }

    /// The page: it asks nobody for anything, runs nothing, and says where it leads only to whoever goes there.
    package static func html(leadingTo address: String) -> String {
        let address = escaped(address)
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta http-equiv="Content-Security-Policy" content="default-src 'none'; base-uri 'none'; form-action 'none'">
            <meta name="referrer" content="no-referrer">
            <meta http-equiv="refresh" content="0; url=\(address)">
            <title>Keyfob</title>
            </head>
            <body>
            <p><a href="\(address)">Go on</a></p>
            </body>
            </html>

            """
    }

    private static func escaped(_ text: String) -> String {
        var escaped = ""
        for character in text.unicodeScalars {
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(character)
            }
        }
        return escaped
    }
}
