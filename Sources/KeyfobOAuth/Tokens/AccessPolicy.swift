internal import KeyfobModel

/// A rule of an organisation about devices and apps that a token request does not meet (Microsoft's Conditional Access
/// and Intune): to sign in once more does not change it.
package enum AccessPolicy: String, Hashable, Sendable, CaseIterable {
    /// Only apps that Intune protects (`protection_policy_required`, AADSTS53009).
    case protectedApp
    /// Only apps from a list (AADSTS53002, AADSTS530021).
    case approvedApp
    /// Only devices that meet the organisation's rules (AADSTS53000, AADSTS530002).
    case compliantDevice
    /// Only devices that the organisation manages, or that have joined its domain (AADSTS53001, AADSTS530003).
    case managedDevice
    /// Any other rule (AADSTS53003).
    case other

    /// The rule that a number of Microsoft's names.
    init?(code: Int64) {
        switch code {
        case 53_009: self = .protectedApp
        case 53_002, 530_021: self = .approvedApp
        case 53_000, 530_002: self = .compliantDevice
        case 53_001, 530_003: self = .managedDevice
        case 53_003: self = .other
        default: return nil
        }
    }

    /// What the organisation wants, after "the organisation".
    package var words: String {
        switch self {
        case .protectedApp: "lets only apps in that Intune protects (app protection policy)"
        case .approvedApp: "lets only apps in that it has approved"
        case .compliantDevice: "lets only devices in that meet its rules (device compliance)"
        case .managedDevice: "lets only devices in that it manages"
        case .other: "does not let this sign-in in (Conditional Access)"
        }
    }
}

extension Refusal {
    /// The organisation's rule that was not met, where the refusal names one.
    package var policy: AccessPolicy? {
        if suberror == "protection_policy_required" || error == "protection_policy_required" { return .protectedApp }
        return allCodes.lazy.compactMap(AccessPolicy.init(code:)).first
    }
}
