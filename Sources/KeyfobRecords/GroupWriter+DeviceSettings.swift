internal import KeyfobVault

extension GroupWriter {
    /// Remembers `value` under `name` for this device alone: no bundle for others carries it.
    package func setDeviceSetting(_ name: String, to value: String) throws {
        let index = keys.index(setting: name)
        let body = NamedValueBody.encode(name, value)
        if let record = try record(at: keys.blind(setting: name)) {
            return try replace(record, index, body)
        }
        var new = try beginning(.setting, index, body)
        new.header.flags |= RecordItem.thisDeviceOnly
        try insert(try keys.seal(new.header, attributes: new.body))
    }
}
