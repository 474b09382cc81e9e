package import KeyfobModel

/// The attributes of an app metadata record.
///
/// 1 client id, 2 environment, 3 family (absent: unknown; empty: none; else the family's id),
/// 4 additional field (repeats: 1 name, 2 JSON).
package enum AppMetadataBody {
    private static let lastKnown: UInt16 = 4

    /// The body of `metadata`; fields of `previous` that this build does not know stay.
    package static func encode(_ metadata: AppMetadata, replacing previous: FieldList? = nil) -> FieldList {
        var body = FieldList()
        body.append(1, metadata.clientID)
        body.append(2, metadata.environment)
        switch metadata.family {
        case .unknown: break
        case .none: body.append(3, "")
        case .member(let id): body.append(3, id)
        }
        metadata.additionalFields.append(to: &body, as: 4)
        body.keepUnknown(of: previous, above: lastKnown)
        return body
    }

    /// The metadata in `body`.
    package static func decode(_ body: FieldList) throws(FieldList.Malformed) -> AppMetadata {
        let family = try body.text(3)
        return AppMetadata(
            clientID: try body.requiredText(1), environment: try body.requiredText(2),
            family: family.map { $0.isEmpty ? .none : .member($0) } ?? .unknown,
            additionalFields: try AdditionalFields(body, 4))
    }
}
