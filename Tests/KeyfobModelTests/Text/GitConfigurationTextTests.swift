import KeyfobModel
import Testing

@Suite("git's configuration")
struct GitConfigurationTextTests {
    /// `section.subsection.name=value` of each variable, with `!` behind them where git does not take the whole file.
    private func reading(_ text: String) -> [String] {
        let configuration = GitConfigurationText(Array(text.utf8), sections: ["a", "a-b", "user"])
        let entries = configuration.entries.map { entry in
            [entry.section, entry.subsection, entry.name].compactMap { $0 }.joined(separator: ".")
                + (entry.value.map { "=" + $0 } ?? "")
        }
        return entries + (configuration.isSound ? [] : ["!"])
    }

    @Test(
        "a file is read as git 2.39 and 2.51 both read it",
        arguments: [
            ("[a]\nk = v\n", ["a.k=v"]), ("[A]K=V", ["a.k=V"]), ("[a \"B.c\"]\n\tk\n", ["a.B.c.k"]),
            ("[a.B]k=", ["a.b.k="]),
            ("[a]\nk = \" x\" y  # c\n", ["a.k= x y"]), ("[a]\nk = x \\\n y\n", ["a.k=x  y"]),
            ("[a]\nk = x \\\n", ["a.k=x "]),
            ("[a]\nk = x\\n\\t\\b\\\"\\\\\n", ["a.k=x\n\t\u{8}\"\\"]), ("[a]\nk = \"x\ty\"\n", ["a.k=x\ty"]),
            ("[a]\r\nk = v\r\n", ["a.k=v"]),
            ("\u{FEFF}[a]k=v\n", ["a.k=v"]), ("[a \"x\\\"y\"]k=v\n", ["a.x\"y.k=v"]),
            ("[other]\nk=v\n[a]\nk=v\n", ["a.k=v"]), ("[a]\nk = v ; c\n", ["a.k=v"]),
            ("[a]\nk = x \"\" \n", ["a.k=x "]), ("[.a]\nk\n[a]\nk\n", ["a.k"]),
            // Versions differ in what a tab or a carriage return between words becomes, and git ends a text at a zero byte.
            ("[a]\nk = x\ty\nl = x\ry\nm = x\t\n", ["a.k", "a.l", "a.m=x"]),
            ("[a]\nk = x\u{0}y\n[a \"x\u{0}y\"]\nl\n", ["a.k"]),
            // git takes none of these to the end.
            ("[a]\nk\n[]\nl\n", ["a.k", "!"]), ("[a]\nk\r=v\n", ["!"]), ("[a]\nk = \"v\n", ["!"]),
            ("[a]\nk = \\x\n", ["!"]), ("[a\nk\n", ["!"]),
            ("[a \"b\" ]\nk\n", ["!"]), ("[a_b]\nk\n", ["!"]), ("[a]\nk_l = x\n", ["!"]), ("[a]\n1k\n", ["!"]),
            ("k = v\n", ["!"]), ("[a \"b\nc\"]k\n", ["!"]),
        ])
    func files(text: String, expected: [String]) { #expect(reading(text) == expected, "\(text)") }
}
