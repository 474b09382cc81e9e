internal import KeyfobLookup

extension RequestContext {
    /// The context of a request that comes from the directory at `workingDirectory`.
    public init(workingDirectory: String, url: ResourceURL? = nil, tool: String? = nil) {
        self.init(at: workingDirectory, url: url, tool: tool)
    }
}
