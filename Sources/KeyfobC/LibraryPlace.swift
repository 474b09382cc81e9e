internal import KeyfobFiles

/// Where this library lies, and with it Keyfob's full program.
enum LibraryPlace {
    /// The full program of the same installation; nil where there is none, as beside a wheel's library.
    static let fullProgram: String? = unsafe Installation.fullProgram(beside: #dsohandle)
}
