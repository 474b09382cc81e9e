public import KeyfobModel

extension UsageContext {
    /// How many components of a path tell places apart: an owner and a repository.
    private static let placeDepth = 2

    /// The contexts of an address, under the tags that `tag` makes of texts.
    ///
    /// The place is the host with the first two components of the path: deeper ones name what is done there, and not
    /// where.
    /// Both are as the host compares them.
    public init(_ address: ResourceURL, tag: ([String]) -> UsageTag) {
        self.init()
        let address = address.compared
        host = tag(["host", address.host])
        if let name = address.owner { owner = tag(["owner", address.host, name]) }
        place = tag(["place", address.host] + address.path.prefix(Self.placeDepth))
    }

    /// The contexts of a request: its address or else its directory, and its tool.
    public init(_ context: RequestContext, tag: ([String]) -> UsageTag) {
        self.init()
        if let address = context.address {
            self.init(address, tag: tag)
        } else if let directory = context.directory {
            place = tag(["directory", directory])
        }
        tool = context.tool.map { tag(["tool", $0]) }
    }
}
