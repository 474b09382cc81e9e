"""The keys of entities in a cache, compared with MSAL for Python."""

import msal

WORDS = ["uid.utid", "UID.utid", "ada", "Ä.ß", "ΑΣ", "İ", "ǅ", "a-b", "a b", "login.microsoftonline.com", "Login.Windows.net", "contoso", "8c5f0a4e", "日本", "K", "É", "Σ", "ΟΔΟΣ x", "ﬀ"]
SCOPES = ["", "user.read", "User.Read openid", "a b c", "https://x/.default", "Ä"]


class Keys:
    name = "msal-key"
    small, large = 1_500, 50_000

    def documents(self, chance, count):
        return ["\n".join([chance.choice(["AccessToken", "RefreshToken", "IdToken", "Account", "AppMetadata"])] + [chance.choice(WORDS) for _ in range(4)]
                          + [chance.choice(SCOPES)]).encode() for _ in range(count)]

    @staticmethod
    def request(document):
        return document

    def expected(self, documents):
        makers = msal.TokenCache().key_makers
        keys = []
        for document in documents:
            kind, home, environment, client, realm, scopes = document.decode().split("\n")
            # What Keyfob writes has its scopes in this order.
            target = " ".join(sorted(scopes.split()))
            if kind == "AppMetadata":
                # A host is ASCII.
                environment = "".join(letter.lower() if letter.isascii() else letter for letter in environment)
            keys.append(makers[kind](home_account_id=home, environment=environment, client_id=client, realm=realm, target=target))
        return keys

    def difference(self, document, ours, theirs):
        if ours == "refused":
            return "REFUSES"
        return None if bytes.fromhex(ours).decode() == theirs else "MISREADS"
