public import KeyfobLookup

extension RequestContext {
    /// The context of a request that comes from the directory at `workingDirectory`.
    ///
    /// - Parameter person: Whose own git configuration counts besides that of the repository there; nil for nobody's.
    public init(
        workingDirectory: String, url: ResourceURL? = nil, tool: String? = nil, person: PersonalGit? = nil
    ) {
        self.init(at: workingDirectory, url: url, tool: tool, person: person)
    }
}
