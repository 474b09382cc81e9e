/// An account as the picker shows it.
///
/// The texts may come from anywhere: what a terminal would obey is replaced before it is drawn.
package struct PickerItem: Hashable, Sendable {
    /// The label, or the user name where there is no label.
    package let title: String
    /// The user name where the title is a label.
    package let details: String?
    /// The provider's host, which is searched and not shown.
    package let host: String
    /// The tenant, where the account has one.
    package let tenant: String?
    /// The access group.
    package let group: String
    /// Such as "signed in" or "signed out".
    package let state: String
    /// Why it ranks where it does: one short line.
    package let reason: String

    /// An account with these texts.
    package init(
        title: String, details: String?, host: String = "", tenant: String?, group: String, state: String,
        reason: String
    ) {
        self.title = title
        self.details = details
        self.host = host
        self.tenant = tenant
        self.group = group
        self.state = state
        self.reason = reason
    }
}
