internal import KeyfobBus

/// Where the replies to one call go, from any thread.
package struct VarlinkReplies: Sendable {
    let connection: Int
    let call: Int
    let mailbox: VarlinkMailbox

    /// Sends a reply; nobody gets it where the connection is gone, or the call has had its last one.
    package func send(_ message: VarlinkMessage) {
        mailbox.put(.reply(message, connection: connection, call: call))
    }
}

/// What tasks have for the thread that has the connections.
typealias VarlinkMailbox = Mailbox<VarlinkItem>

/// Something that tasks have for the thread that has the connections.
enum VarlinkItem: Sendable {
    case reply(VarlinkMessage, connection: Int, call: Int)
    /// The call is answered.
    case end(connection: Int, call: Int)
}
