// What etcd's JSON gateway is asked and answers, as far as a sync needs it: bytes are base64, numbers of 64 bits are text.

internal import FoundationEssentials

/// Some keys, in their order.
struct EtcdRange: Encodable {
    let key: Data
    var range_end: Data?
    var limit: String?
    /// As of when; as of now where it is nil.
    var revision: String?
    var keys_only: Bool?

    /// What `EtcdRange` finds.
    struct Answer: Decodable {
        let header: EtcdHeader
        let kvs: [EtcdEntry]?
        let more: Bool?
    }
}

/// What every answer has.
struct EtcdHeader: Decodable {
    let cluster_id: String
    let revision: String
}

/// A key, and what it holds where that was asked for.
struct EtcdEntry: Decodable {
    let key: Data
    let value: Data?
    let mod_revision: String?
}

/// Sets a key.
struct EtcdPut: Encodable {
    let key: Data
    let value: Data
    /// What it goes with; nil where it stays.
    var lease: String?

    /// When it was set.
    struct Answer: Decodable { let header: EtcdHeader }
}

/// Changes keys in one step, if a key was not changed since.
struct EtcdTransaction: Encodable {
    /// That a key was changed the last time then; 0 for one that is not there.
    struct Condition: Encodable {
        let key: Data
        let mod_revision: String
        var target = "MOD"
        var result = "EQUAL"
    }

    /// One change: exactly one of them.
    struct Change: Encodable {
        var request_put: EtcdPut?
        var request_delete_range: Deletion?
    }

    /// Removes a key, or those up to another one.
    struct Deletion: Encodable {
        let key: Data
        var range_end: Data?
    }

    var compare: [Condition] = []
    let success: [Change]

    /// Whether it was done.
    struct Answer: Decodable {
        let header: EtcdHeader
        let succeeded: Bool?
    }
}

/// Asks for a lease: keys that are set with it go when it ends.
struct EtcdLeaseRequest: Encodable {
    // As etcd spells it: seconds.
    let TTL: String

    struct Answer: Decodable { let ID: String }
}

/// Ends a lease.
struct EtcdLeaseEnd: Encodable {
    let ID: String

    struct Answer: Decodable { let header: EtcdHeader }
}

/// Asks to be told of changes of a key.
struct EtcdWatchRequest: Encodable {
    struct Creation: Encodable {
        let key: Data
        var start_revision: String?
    }

    let create_request: Creation
}

/// A line of what a watch answers.
struct EtcdWatchLine: Decodable {
    struct Result: Decodable {
        let header: EtcdHeader
        let created: Bool?
        let canceled: Bool?
        let compact_revision: String?
        let events: [Event]?
    }

    struct Event: Decodable { let kv: EtcdEntry? }

    let result: Result?
}
