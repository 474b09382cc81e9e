// Who signs people in works with a keyring and a network.
@_exported public import Keyfob
@_exported public import KeyfobNetwork
