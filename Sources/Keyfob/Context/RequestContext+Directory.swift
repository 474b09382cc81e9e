public import KeyfobLookup

extension RequestContext {
    /// The context of a request that comes from the directory at `workingDirectory`.
    ///
    /// - Parameters:
    ///   - gitFolder: That of the repository with which git works, where git asks; nil for the one around the directory.
    ///   - person: Whose own git configuration counts besides the repository's; nil for nobody's.
    public init(
        workingDirectory: String, gitFolder: String? = nil, url: ResourceURL? = nil, tool: String? = nil,
        person: PersonalGit? = nil
    ) {
        self.init(at: workingDirectory, gitFolder: gitFolder, url: url, tool: tool, person: person)
    }
}
