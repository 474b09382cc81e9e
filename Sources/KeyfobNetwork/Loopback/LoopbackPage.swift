/// What the browser shows at the end of a sign-in: one page without script, font or image.
package struct LoopbackPage: Hashable, Sendable {
    /// The status of the answer.
    package let status: Int
    /// The page.
    let html: String

    /// A page for the sign-in that went well.
    package static let signedIn = LoopbackPage(
        status: 200, title: "Signed in", text: "You can close this tab.", mark: "\u{2713}")

    /// A page for what did not go well; `reason` is one line of text, not HTML.
    package static func failed(_ reason: String) -> LoopbackPage {
        LoopbackPage(status: 400, title: "Not signed in", text: reason, mark: "!")
    }

    /// A page for a request that is no callback.
    static func refused(_ status: Int, _ reason: String) -> LoopbackPage {
        LoopbackPage(status: status, title: "\(status)", text: reason, mark: "!")
    }

    private init(status: Int, title: String, text: String, mark: String) {
        self.status = status
        self.html = """
            <!doctype html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <meta name="color-scheme" content="light dark">
            <title>\(Self.escaped(title))</title>
            <style>
            :root { color-scheme: light dark; --ground: #f6f6f4; --text: #1d1d1b; --quiet: #62625e; --mark: #2f6f4f; }
            .failed { --mark: #a33a2c; }
            @media (prefers-color-scheme: dark) {
              :root { --ground: #191918; --text: #ececea; --quiet: #a2a29c; --mark: #7cc3a0; }
              .failed { --mark: #ee8f80; }
            }
            body { margin: 0; min-height: 100vh; display: grid; place-items: center; background: var(--ground);
              color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
            main { max-width: 32rem; padding: 2rem; text-align: center; overflow-wrap: anywhere; }
            .mark { font-size: 2.5rem; line-height: 1; color: var(--mark); }
            h1 { font-size: 1.5rem; margin: 1rem 0 0.25rem; }
            p { margin: 0; color: var(--quiet); }
            </style>
            </head>
            <body\(status == 200 ? "" : " class=\"failed\"")>
            <main>
            <div class="mark" aria-hidden="true">\(mark)</div>
            <h1>\(Self.escaped(title))</h1>
            <p>\(Self.escaped(text))</p>
            </main>
            </body>
            </html>

            """
    }

    private static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

    /// The whole answer; without the page itself where only its head was asked for.
    func bytes(isHead: Bool) -> [UInt8] {
        let head = """
            HTTP/1.1 \(status) \(status == 200 ? "OK" : "Refused")
            Content-Type: text/html; charset=utf-8
            Content-Length: \(html.utf8.count)
            Content-Security-Policy: \(Self.policy)
            Referrer-Policy: no-referrer
            Cache-Control: no-store
            X-Content-Type-Options: nosniff
            Connection: close
            \(status == 405 ? "Allow: GET, POST\n" : "")

            """
        return Array(head.replacing("\n", with: "\r\n").utf8) + (isHead ? [] : Array(html.utf8))
    }

    /// Text as HTML; control characters become spaces, and what is longer than a line is cut.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars.prefix(500) {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default:
                let isControl = scalar.properties.generalCategory == .control || scalar.properties.isBidiControl
                escaped.unicodeScalars.append(isControl ? " " : scalar)
            }
        }
        return escaped
    }
}
