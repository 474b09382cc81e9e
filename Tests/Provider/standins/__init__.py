"""Stand-ins for providers: each is as strict as the provider's documentation says that the real one is.

A module begins with a table, a line for each behaviour: `behaviour · where it is documented`. `Tests/Provider/test_*.py` asks for each
of them by plain HTTP, and fails for a line that nobody asks for. Nothing but Python and the openssl program is needed, and for
`strict` jwcrypto.

    serving        requests, answers, names behind a proxy with certificates, or one port on loopback
    script         the log of requests, and the file by which a test sets options and has requests answered otherwise
    oauth          codes with PKCE, device codes, grants and their tokens
    github gitlab google microsoft microsoft_others okta openid plain strict wordless      providers
    repositories   git over https, as github and gitlab serve it
    kubernetes     an API server of a cluster

`Tests/Provider/serve.py` starts them for a test; guides, benchmarks and other programs of Python's import them."""
