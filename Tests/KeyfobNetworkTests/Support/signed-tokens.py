"""Prints signed ID tokens as JSON: a list of {title, token, keys, flaw}, where flaw is null for a good one.

Tokens and keys are jwcrypto's and cryptography's. What they refuse to make is made here by hand.
"""

import base64
import json
import random

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, padding, rsa, utils
from jwcrypto import jwk, jwt

CLAIMS = {"iss": "https://id.example", "sub": "1", "aud": "app", "exp": 2000000000, "iat": 1900000000}
RSA_NAMES = ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"]
EC_NAMES = {"ES256": ("P-256", ec.SECP256R1(), 32), "ES384": ("P-384", ec.SECP384R1(), 48), "ES512": ("P-521", ec.SECP521R1(), 66)}
# The orders of the curves (SEC 2, version 2.0).
ORDERS = {
    "ES256": 2**256 - 2**224 + 2**192 - 0x4319055258E8617B0C46353D039CDAAF,
    "ES384": 2**384 - 0x389CB27E0BC8D220A7E5F24DB74F58851313E695333AD68D,
    "ES512": 2**521 - 0x5AE79787C40D069948033FEB708F65A2FC44A36477663B851449048E16EC79BF7,
}
# The highest prime of 2048 bits.
HIGHEST_PRIME = 2**2048 - 1557
cases = []


def text(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=").decode()


def data(words):
    return base64.urlsafe_b64decode(words + "=" * (-len(words) % 4))


def number(value):
    return text(value.to_bytes(max(1, (value.bit_length() + 7) // 8), "big"))


def add(title, token, keys, flaw=None):
    keys = keys if isinstance(keys, list) else [keys]
    cases.append({"title": title, "token": token, "keys": keys, "flaw": flaw})


def signed_part(algorithm):
    return ".".join(text(json.dumps(part).encode()) for part in ({"alg": algorithm, "kid": "one"}, CLAIMS))


def by_hand(algorithm, sign):
    """A token whose signature is what `sign` makes of its first parts."""
    signed = signed_part(algorithm)
    return signed + "." + text(sign(signed.encode()))


def with_signature(token, signature):
    return token.rsplit(".", 1)[0] + "." + text(signature)


def signature_of(token):
    return data(token.rsplit(".", 1)[1])


def by_jwcrypto(algorithm, key):
    token = jwt.JWT(header={"alg": algorithm, "kid": "one"}, claims=CLAIMS)
    token.make_signed_token(key)
    return token.serialize()


def public(key):
    return json.loads(key.export_public()) | {"kid": "one"}


def hash_of(algorithm):
    return {"256": hashes.SHA256(), "384": hashes.SHA384(), "512": hashes.SHA512()}[algorithm[2:]]


def rsa_jwk(numbers, **others):
    return {"kty": "RSA", "kid": "one", "n": number(numbers.n), "e": number(numbers.e)} | others


def for_all(algorithm, token, key, other):
    """What holds for every algorithm; `other` is a key of the same kind."""
    good = signature_of(token)
    add(f"{algorithm}", token, public(key))
    add(f"{algorithm}, and the key says so", token, public(key) | {"alg": algorithm, "use": "sig", "key_ops": ["verify"]})
    add(f"{algorithm}, another key", token, public(other), "badSignature")
    add(f"{algorithm}, the right key is the second of that name", token, [public(other), public(key)])
    for name in ("RS256", "PS512", "ES256", "ES384", "ES512", "EdDSA", "HS256"):
        if name != algorithm:
            add(f"{algorithm}, the key is for {name}", token, public(key) | {"alg": name}, "unknownKey")
    add(f"{algorithm}, empty signature", with_signature(token, b""), public(key), "algorithmRefused")
    for count in {1, len(good) // 2, len(good) - 1}:
        add(f"{algorithm}, cut off after {count}", with_signature(token, good[:count]), public(key), "badSignature")
    for extra in (b"\0", b"\1", good):
        add(f"{algorithm}, longer by {len(extra)}", with_signature(token, good + extra), public(key), "badSignature")
        add(f"{algorithm}, {len(extra)} before it", with_signature(token, extra + good), public(key), "badSignature")
    for fill in (0, 0xFF):
        add(f"{algorithm}, all {fill}", with_signature(token, bytes([fill]) * len(good)), public(key), "badSignature")
    for index in range(len(good)):
        changed = bytearray(good)
        changed[index] ^= 1 << random.randrange(8)
        add(f"{algorithm}, byte {index} changed", with_signature(token, bytes(changed)), public(key), "badSignature")
    add(f"{algorithm}, other claims", ".".join([token.split(".")[0], text(json.dumps(CLAIMS | {"sub": "2"}).encode()), text(good)]),
        public(key), "badSignature")


def rsa_cases():
    keys = [rsa.generate_private_key(65537, 2048) for _ in range(2)]
    names = [jwk.JWK.from_pyca(key) for key in keys]
    for algorithm in RSA_NAMES:
        token = by_jwcrypto(algorithm, names[0])
        for_all(algorithm, token, *names)
        # The same key, another way to sign.
        for other in RSA_NAMES:
            if other != algorithm:
                changed = by_hand(other, lambda signed: signature_of(token))
                add(f"{algorithm} that says {other}", changed, public(names[0]), "badSignature")
        as_number = int.from_bytes(signature_of(token), "big") + keys[0].public_key().public_numbers().n
        if as_number.bit_length() <= 2048:
            add(f"{algorithm}, the modulus added", with_signature(token, as_number.to_bytes(256, "big")), public(names[0]), "badSignature")
    key, public_key = keys[0], public(names[0])
    for digest in (hashes.SHA1(), hashes.SHA384(), hashes.SHA512()):
        token = by_hand("RS256", lambda signed: key.sign(signed, padding.PKCS1v15(), digest))
        add(f"RS256 by {digest.name}", token, public_key, "badSignature")
    for salt in (0, 20, 31, 33, 222):
        token = by_hand("PS256", lambda signed: key.sign(signed, padding.PSS(padding.MGF1(hashes.SHA256()), salt), hashes.SHA256()))
        add(f"PS256, a salt of {salt}", token, public_key, "badSignature")
    for digest in (hashes.SHA1(), hashes.SHA512()):
        token = by_hand("PS256", lambda signed: key.sign(signed, padding.PSS(padding.MGF1(digest), 32), hashes.SHA256()))
        add(f"PS256, MGF1 with {digest.name}", token, public_key, "badSignature")
    # A signature that begins with a zero, and the same without it (RFC 8017: it is as long as the modulus).
    for algorithm in ("RS256", "PS256"):
        while True:
            CLAIMS["n"] = random.getrandbits(60)
            token = by_jwcrypto(algorithm, names[0])
            if signature_of(token)[0] == 0:
                break
        add(f"{algorithm}, a zero first", token, public_key)
        add(f"{algorithm}, its first zero missing", with_signature(token, signature_of(token)[1:]), public_key, "badSignature")
    del CLAIMS["n"]
    for exponent, size in ((3, 2048), (65537, 2049), (65537, 4096)):
        key = rsa.generate_private_key(exponent, size)
        for algorithm in ("RS256", "PS384"):
            add(f"{algorithm}, {size} bits, e = {exponent}", by_jwcrypto(algorithm, jwk.JWK.from_pyca(key)), rsa_jwk(key.public_key().public_numbers()))


def rsa_key_cases():
    """Keys that no signature is checked with, each with what would be a good signature by it."""
    for size in (1024, 2047):
        key = rsa.generate_private_key(65537, size)
        token = by_hand("RS256", lambda signed: key.sign(signed, padding.PKCS1v15(), hashes.SHA256()))
        add(f"RSA of {size} bits", token, rsa_jwk(key.public_key().public_numbers()), "unknownKey")
    key = rsa.generate_private_key(65537, 2048)
    numbers = key.public_key().public_numbers()
    good = by_hand("RS256", lambda signed: key.sign(signed, padding.PKCS1v15(), hashes.SHA256()))
    for title, e in (("0", 0), ("1", 1), ("2", 2), ("65536", 65536), ("of 33 bits", (1 << 32) + 1), ("of 65 bits", (1 << 64) + 1)):
        add(f"RSA, e = {title}", good, rsa_jwk(numbers) | {"e": number(e)}, "unknownKey")
    add("RSA, n is even", good, rsa_jwk(numbers) | {"n": number(numbers.n - 1)}, "unknownKey")
    add("RSA, n and e exchanged", good, rsa_jwk(numbers) | {"n": number(numbers.e), "e": number(numbers.n)}, "unknownKey")
    for name in ("n", "e"):
        for title, value in (("empty", ""), ("no base64", "!"), ("padded", rsa_jwk(numbers)[name] + "="), ("a number", 7), ("null", None)):
            add(f"RSA, {name} is {title}", good, rsa_jwk(numbers) | {name: value}, "unknownKey")
        missing = rsa_jwk(numbers)
        del missing[name]
        add(f"RSA without {name}", good, missing, "unknownKey")
    # With e = 1 everybody signs: the padded digest is the signature.
    add("RSA, e = 1, signed by nobody", by_hand("RS256", padded_digest), rsa_jwk(numbers) | {"e": number(1)}, "unknownKey")
    # So does everybody where the modulus is prime, or has a factor that is found at once: the order is known.
    p, q = primes(2048)
    for title, factors in (
        ("a prime", [HIGHEST_PRIME]), ("the square of a prime", [p, p]), ("751 times two primes", [751, p, q]),
        ("3 times two primes", [3, p, q]),
    ):
        add(f"RSA, n is {title}", signed_by_factors(factors), rsa_jwk(rsa.RSAPublicNumbers(65537, product(factors))), "unknownKey")
    # The same way, with factors as they should be.
    add("RSA by its factors", signed_by_factors([p, q]), rsa_jwk(rsa.RSAPublicNumbers(65537, p * q)))
    # As chips by Infineon made them: k·M + (65537^a mod M), M the product of the first 126 primes.
    for bits in (1024, 1536):
        factors = [weak_prime(bits), weak_prime(bits)]
        numbers = rsa.RSAPublicNumbers(65537, product(factors))
        add(f"RSA of {2 * bits} bits with ROCA", signed_by_factors(factors), rsa_jwk(numbers), "unknownKey")
    # One such factor alone is not that.
    factors = [weak_prime(1024), p]
    add("RSA with one prime of ROCA", signed_by_factors(factors), rsa_jwk(rsa.RSAPublicNumbers(65537, product(factors))))


def padded_digest(signed, size=256):
    """EMSA-PKCS1-v1_5 with SHA-256 (RFC 8017, section 9.2)."""
    digest = hashes.Hash(hashes.SHA256())
    digest.update(signed)
    information = bytes.fromhex("3031300d060960864801650304020105000420") + digest.finalize()
    return b"\0\1" + b"\xff" * (size - len(information) - 3) + b"\0" + information


def product(factors):
    result = 1
    for factor in factors:
        result *= factor
    return result


def signed_by_factors(factors):
    """A token by RS256, with a modulus of these prime factors."""
    n, order = product(factors), 1
    for factor in set(factors):
        order *= (factor - 1) * factor ** (factors.count(factor) - 1)
    size = (n.bit_length() + 7) // 8
    exponent = pow(65537, -1, order)
    return by_hand("RS256", lambda signed: pow(int.from_bytes(padded_digest(signed, size), "big"), exponent, n).to_bytes(size, "big"))


def is_prime(n):
    """Miller and Rabin."""
    odd, twos = n - 1, 0
    while odd % 2 == 0:
        odd, twos = odd // 2, twos + 1
    for _ in range(8):
        x = pow(random.randrange(2, n - 1), odd, n)
        if x not in (1, n - 1) and not any((x := x * x % n) == n - 1 for _ in range(twos - 1)):
            return False
    return True


SMALL = [p for p in range(3, 702) if all(p % q for q in range(2, p))]


def primes(bits):
    """Both primes of a key of so many bits."""
    numbers = rsa.generate_private_key(65537, bits).private_numbers()
    return numbers.p, numbers.q


def weak_prime(bits):
    m = 2 * product(SMALL)
    low, high = (3 << bits - 2) // m + 1, (1 << bits) // m - 1
    while True:
        n = random.randrange(low, high) * m + pow(65537, random.getrandbits(64), m)
        if n % 65537 != 1 and is_prime(n):
            return n


def ec_cases():
    for algorithm, (name, curve, count) in EC_NAMES.items():
        keys = [ec.generate_private_key(curve) for _ in range(2)]
        names = [jwk.JWK.from_pyca(key) for key in keys]
        token = by_jwcrypto(algorithm, names[0])
        for_all(algorithm, token, *names)
        key, good, order = public(names[0]), signature_of(token), ORDERS[algorithm]
        r, s = (int.from_bytes(part, "big") for part in (good[:count], good[count:]))
        add(f"{algorithm} in DER", with_signature(token, utils.encode_dss_signature(r, s)), key, "badSignature")
        # Neither JWS nor ECDSA itself wants the lower of both values.
        add(f"{algorithm}, n - s", with_signature(token, r.to_bytes(count, "big") + (order - s).to_bytes(count, "big")), key)
        top = 1 << 8 * count
        for title, one, two in (
            ("r = 0", 0, s), ("s = 0", r, 0), ("r = s = 0", 0, 0), ("r = n", order, s), ("s = n", r, order), ("r + n", r + order, s),
            ("s + n", r, s + order), ("exchanged", s, r), ("-r", order - r, s), ("r = 1", 1, s), ("s = 1", r, 1),
            ("highest", top - 1, top - 1),
        ):
            if max(one, two) < top:
                changed = one.to_bytes(count, "big") + two.to_bytes(count, "big")
                add(f"{algorithm}, {title}", with_signature(token, changed), key, "badSignature")
        # A number that begins with a zero, and one without.
        for want in (True, False):
            while True:
                CLAIMS["n"] = random.getrandbits(60)
                short = by_jwcrypto(algorithm, names[0])
                # Of P-521 the first byte has one bit only.
                if (signature_of(short)[1 if count == 66 else 0] == 0) == want:
                    break
            add(f"{algorithm}, r with {'a zero' if want else 'no zero'} first", short, key)
        del CLAIMS["n"]
        point = keys[0].public_key().public_numbers()
        field = {"ES256": 2**256 - 2**224 + 2**192 + 2**96 - 1, "ES384": 2**384 - 2**128 - 2**96 + 2**32 - 1, "ES512": 2**521 - 1}[algorithm]
        for title, x, y in (
            ("y + 1", point.x, point.y + 1), ("x + 1", point.x + 1, point.y), ("exchanged", point.y, point.x),
            ("(0, 0)", 0, 0), ("x = p", field, point.y), ("y = p", point.x, field), ("x + p", point.x + field, point.y),
        ):
            if max(x, y) < top:
                changed = key | {"x": text(x.to_bytes(count, "big")), "y": text(y.to_bytes(count, "big"))}
                add(f"{algorithm}, point {title}", token, changed, "unknownKey")
        negative = key | {"y": text((field - point.y).to_bytes(count, "big"))}
        add(f"{algorithm}, point with -y", token, negative, "badSignature")
        for member in ("x", "y"):
            digits = data(key[member])
            for title, value in (
                ("shorter", text(digits[:-1])), ("longer", text(digits + b"\0")), ("with a zero before", text(b"\0" + digits)),
                ("empty", ""), ("a number", 7),
            ):
                add(f"{algorithm}, {member} {title}", token, key | {member: value}, "unknownKey")
        for curve_name in ("P-256", "P-384", "P-521", "secp256k1", "Ed25519", ""):
            if curve_name != name:
                add(f"{algorithm}, the curve is {curve_name or 'missing'}", token, key | {"crv": curve_name}, "unknownKey")
        for other, (_, _, other_count) in EC_NAMES.items():
            if other != algorithm:
                digest = hash_of(other)
                changed = by_hand(other, lambda signed: b"".join(
                    part.to_bytes(other_count, "big") if part.bit_length() <= 8 * other_count else b"\0" * other_count
                    for part in utils.decode_dss_signature(keys[0].sign(signed, ec.ECDSA(digest)))))
                add(f"{other} by a key of {algorithm}", changed, key, "unknownKey")
        wrong = by_hand(algorithm, lambda signed: b"".join(
            part.to_bytes(count, "big") for part in utils.decode_dss_signature(keys[0].sign(signed, ec.ECDSA(hashes.SHA224())))))
        add(f"{algorithm} by SHA-224", wrong, key, "badSignature")


def ed25519_cases():
    names = [jwk.JWK.from_pyca(ed25519.Ed25519PrivateKey.generate()) for _ in range(2)]
    token = by_jwcrypto("EdDSA", names[0])
    for_all("EdDSA", token, *names)
    key, good = public(names[0]), signature_of(token)
    # The other name of the same (RFC 9864), whichever of both the key says.
    private = ed25519.Ed25519PrivateKey.from_private_bytes(data(json.loads(names[0].export())["d"]))
    renamed = by_hand("Ed25519", private.sign)
    for name in ("Ed25519", "EdDSA"):
        add("Ed25519" if name == "Ed25519" else "Ed25519, the key says EdDSA", renamed, key | {"alg": name})
        add(f"EdDSA, the key says {name}", token, key | {"alg": name})
    add("Ed25519, another key", renamed, public(names[1]), "badSignature")
    add("Ed25519, the signature of EdDSA", by_hand("Ed25519", lambda signed: good), key, "badSignature")
    order = 2**252 + 27742317777372353535851937790883648493
    s = int.from_bytes(good[32:], "little") + order
    add("EdDSA, s + L", with_signature(token, good[:32] + s.to_bytes(32, "little")), key, "badSignature")
    # By a key of small order everybody signs.
    for title, small in (("1", b"\1" + bytes(31)), ("0", bytes(32)), ("-1", bytes.fromhex("ec" + "ff" * 30 + "7f"))):
        forged = with_signature(token, b"\1" + bytes(63))
        add(f"EdDSA, a key of small order, y = {title}", forged, key | {"x": text(small)}, "badSignature")
    for title, value in (("shorter", text(data(key["x"])[:-1])), ("empty", ""), ("no base64", "!" * 43), ("longer", text(data(key["x"]) + b"\0"))):
        add(f"EdDSA, x {title}", token, key | {"x": value}, "unknownKey")
    for curve in ("Ed448", "X25519", "P-256"):
        add(f"EdDSA, the curve is {curve}", token, key | {"crv": curve}, "unknownKey")


rsa_cases()
rsa_key_cases()
ec_cases()
ed25519_cases()
print(json.dumps(cases))
