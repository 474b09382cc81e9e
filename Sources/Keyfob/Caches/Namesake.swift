extension Keyring {
    /// An account that was imported beside another one of the same user name and provider: they may be one person's or two people's.
    ///
    /// A sign-in with ``imported`` as its account makes them one, where that person proves the name.
    public struct Namesake: Hashable, Sendable {
        /// The account that the import is about.
        public let imported: AccountID
        /// The other one.
        public let known: AccountID
    }
}
