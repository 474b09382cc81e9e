/// Why a YAML text is not read, and in which line; holds none of the text.
package struct YAMLProblem: Error, Hashable, Sendable {
    /// From 1.
    package let line: Int
    package let flaw: Flaw

    /// What is wrong, and what to do where that is not plain.
    package enum Flaw: String, Hashable, Sendable {
        case tab = "a tab stands where blanks should; indent with blanks"
        case character =
            "there is a control character, or one that some programs take for the end of a line (U+0085, U+2028, U+2029)"
        case tooLarge = "there is more in it than in any such file"
        case tooDeep = "it nests more levels than any such file does"
        case indentation = "the line begins further in or out than those around it"
        case noColon = "a name with a colon was expected"
        case colon = "a colon stands where none can; put the text in quotation marks"
        case item = "a dash stands where no item of a list can begin; put the text in quotation marks"
        case repeatedName = "the name comes a second time"
        case badName = "a list or a mapping stands in place of a name"
        case quotes = "a text in quotation marks does not end, or has something behind it"
        case escape = "there is a backslash in quotation marks with nothing behind it that YAML knows"
        case block = "the sign | or > has something behind it that YAML does not know there"
        case brackets = "a list or a mapping in brackets does not end, or lacks a comma or a value"
        case comment = "a comment begins right behind something else; put a blank before the #"
        case unclear = "programs read this differently; put the text in quotation marks"
        case reserved = "a text begins with a character that means something else; put it in quotation marks"
        case anchor = "there is an anchor or an alias (& or *), which is not read; write out what it stands for"
        case tag = "there is a tag (!), which is not read; remove it"
        case directive = "there is a directive (%), which is not read; remove it"
        case merge = "there is a merge key (<<), which is not read; write out what it stands for"
        case severalDocuments = "a second document begins; keep one in a file"
        case unended = "it does not end with its line; if a program was writing the file, try again"
    }
}
