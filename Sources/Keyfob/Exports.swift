// What of the targets below is part of the public library.
@_exported public import struct KeyfobLookup.DirectoryContext
@_exported public import struct KeyfobLookup.PersonalGit
@_exported public import KeyfobModel
@_exported public import struct KeyfobOAuth.Network
@_exported public import KeyfobSelection
@_exported public import struct KeyfobSodium.SecretBytes
