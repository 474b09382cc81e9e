"""Widths on a terminal, dates and base64, compared with wcwidth and what Python has."""

import base64
import binascii
import calendar
import datetime
import email.utils
import http.cookiejar
import re
import unicodedata

import wcwidth

PIECES = [
    "a", " ", "é", "e\u0301", "日", "ｶ", "Ａ", "😀", "❤", "❤️", "☎︎", "👨‍👩‍👧", "🇩🇪", "🇩", "1️⃣", "#", "👍🏽", "\u200b", "\u200d", "\u00ad", "한", "\u1112\u1161\u11ab", "\u1161", "क्षि", "नि", "ก็",
    "…", "—", "\ufe0f", "\ufe0e", "★", "⚡", "🏴\U000e0067\U000e0062\U000e007f", "\u0600", "\u3164", "ﷺ", "𝕏", "한글", "\u20dd", "¡", "←", "\ue000", "\U000f0000", "நி", "ကို", "⌚", "⌚︎", "ā̀",
]
# Letters, marks and signs of the planes that have any.
SCALARS = [code for code in range(0x20, 0x30000) if unicodedata.category(chr(code)) not in ("Cc", "Cs", "Cn", "Zl", "Zp")]


class Width:
    name = "width"
    small, large = 5_000, 250_000

    def documents(self, chance, count):
        # In a full run every letter by itself.
        alone = SCALARS if count >= self.large else chance.sample(SCALARS, count // 2)
        texts = [chr(code) for code in alone]
        while len(texts) < count:
            texts.append("".join(chance.choice(PIECES) if chance.random() < 0.8 else chr(chance.choice(SCALARS)) for _ in range(chance.randint(1, 5))))
        return [text.encode() for text in texts]

    @staticmethod
    def request(document):
        return document

    def expected(self, documents):
        return [wcwidth.wcswidth(document.decode()) for document in documents]

    def difference(self, document, ours, theirs):
        if int(ours) == theirs:
            return None
        text = document.decode()
        categories = {unicodedata.category(character) for character in text}
        # A joiner that joins no emoji to another one.
        emoji = "[\u2600-\u27bf\U0001f000-\U0001faff][\ufe0f\U0001f3fb-\U0001f3ff]*"
        apart = re.sub(f"(?<!{emoji[:emoji.index(']') + 1]})(?<!\ufe0f)\u200d|\u200d(?!{emoji})", "", text)
        if "\u200d" in text and int(ours) in (wcwidth.wcswidth(apart), wcwidth.wcswidth(text.replace("\u200d", ""))):
            return "joiner"
        if re.search(f"{emoji}\u200d|\u200d{emoji}", text) and theirs <= int(ours) <= sum(max(0, wcwidth.wcwidth(letter)) for letter in text):
            return "joiner"
        # Marks that Unicode puts into the cluster of a letter, and wcwidth counts by themselves or with the next one.
        if re.search(f"(?<!{emoji[:emoji.index(']') + 1]})[\U0001f3fb-\U0001f3ff]|[\uff9e\uff9f\U000111c2\U000111c3]", text):
            return "single marks"
        if any(unicodedata.combining(letter) == 9 for letter in text):
            return "virama"
        if re.search("[\u1100-\u115f\ua960-\ua97c][\uac00-\ud7a3\u1160-\u11ff\u3164]", text):
            return "Hangul"
        if any(self._is_behind_nothing(text, place) for place, letter in enumerate(text) if letter in "\ufe0e\ufe0f"):
            return "selector"
        if "Mc" in categories:
            return "spacing marks"
        return f"width {ours}, not {theirs}: {' '.join('%04X' % ord(character) for character in text)}"

    @staticmethod
    def _is_behind_nothing(text, place):
        """Whether a selector stands behind what is no letter, or before a joiner."""
        before = text[place - 1:place]
        return not before or wcwidth.wcwidth(before) == 0 or "\U0001f3fb" <= before <= "\U0001f3ff" or text[place + 1:place + 2] == "\u200d"


DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"]
LONG = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]


class HTTPDate:
    """The three forms of RFC 9110, and what is none of them."""

    name = "http-date"
    small, large = 3_000, 50_000

    def documents(self, chance, count):
        return [self._document(chance).encode() for _ in range(count)]

    def _document(self, chance):
        time = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=chance.choice([0, 1, 784111777, chance.randrange(4 << 30), chance.randrange(4 << 34)]))
        day, month = DAYS[time.weekday()], MONTHS[time.month - 1]
        text = chance.choice([
            f"{day}, {time.day:02} {month} {time.year:04} {time:%H:%M:%S} GMT", f"{day}, {time.day:02} {month} {time.year:04} {time:%H:%M:%S} GMT",
            f"{LONG[time.weekday()]}, {time.day:02}-{month}-{time.year % 100:02} {time:%H:%M:%S} GMT", f"{day} {month} {time.day:2} {time:%H:%M:%S} {time.year:04}"])
        if chance.random() < 0.6:
            place = chance.randint(0, len(text))
            piece = chance.choice(["", " ", "  ", "-", ",", "0", "9", "31", "Feb", "GMT", "UTC", "+0100", "24", "60", ":", "a", "\t", "Mon", "30 Feb", "00"])
            text = text[:place] + piece + text[place + chance.randint(0, 4):]
        return text

    @staticmethod
    def request(document):
        return document

    def expected(self, documents):
        return [self._seconds(document.decode()) for document in documents]

    @staticmethod
    def _seconds(text):
        """What both of Python's readers say."""
        try:
            mail = email.utils.parsedate_tz(text)
            mail = mail and calendar.timegm(datetime.datetime(*mail[:5], min(mail[5], 59)).timetuple()) + (mail[5] == 60) - (mail[9] or 0)
        except (ValueError, OverflowError, TypeError):
            mail = None
        try:
            cookie = http.cookiejar.http2time(text)
        except ValueError:
            cookie = None
        return mail, cookie

    def difference(self, document, ours, theirs):
        mail, cookie = theirs
        text = document.decode()
        form = re.fullmatch(
            rf"(?:(?:{'|'.join(DAYS)}), (?P<d1>\d\d) (?P<m1>{'|'.join(MONTHS)}) (?P<y1>\d{{4}}) (?P<t1>\d\d:\d\d:\d\d) GMT"
            rf"|(?:{'|'.join(LONG)}), (?P<d2>\d\d)-(?P<m2>{'|'.join(MONTHS)})-(?P<y2>\d\d) (?P<t2>\d\d:\d\d:\d\d) GMT"
            rf"|(?:{'|'.join(DAYS)}) (?P<m3>{'|'.join(MONTHS)}) (?P<d3>[ \d]\d) (?P<t3>\d\d:\d\d:\d\d) (?P<y3>\d{{4}}))", text)
        if ours == "refused":
            if not form or (mail is None and cookie is None):
                return None
            year = int(form["y1"] or form["y3"] or 2000)
            return None if year < 1900 or self._is_impossible(form) else "REFUSES"
        if not form:
            return "TAKES"
        if int(ours) in (mail, cookie):
            return None
        return "century" if form["y2"] else "MISREADS"

    @staticmethod
    def _is_impossible(form):
        groups = [next(form[name + digit] for digit in "123" if form[name + digit]) for name in "dmyt"]
        year = int(groups[2]) + (0 if len(groups[2]) == 4 else 2000)
        hour, minute, second = map(int, groups[3].split(":"))
        try:
            datetime.datetime(year, MONTHS.index(groups[1]) + 1, int(groups[0]), hour, minute, min(second, 59))
        except ValueError:
            return True
        return second > 60


class RFC3339:
    """The one form that Keyfob writes itself."""

    name = "rfc3339"
    small, large = 1_000, 50_000

    def documents(self, chance, count):
        texts = []
        for _ in range(count):
            time = datetime.datetime(1970, 1, 1) + datetime.timedelta(seconds=chance.randrange(4 << 34))
            text = time.strftime("%Y-%m-%dT%H:%M:%SZ").rjust(20, "0")
            if chance.random() < 0.6:
                place = chance.randint(0, len(text))
                text = text[:place] + chance.choice(["", "0", "9", "31", "-", "T", "Z", "+00:00", ".5", " ", "60"]) + text[place + chance.randint(0, 3):]
            texts.append(text.encode())
        return texts

    @staticmethod
    def request(document):
        return document

    def expected(self, documents):
        return [self._seconds(document.decode()) for document in documents]

    @staticmethod
    def _seconds(text):
        if not re.fullmatch(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ", text):
            return None
        try:
            return calendar.timegm(datetime.datetime.fromisoformat(text.removesuffix("Z")).timetuple())
        except ValueError:
            return None

    def difference(self, document, ours, theirs):
        return None if ours == ("refused" if theirs is None else str(theirs)) else "refuses: the year" if document.startswith(b"0000") else "MISREADS"


class Base64:
    name = "base64"
    small, large = 2_000, 50_000
    LETTERS = "ABab01+/-_=" + "=" * 2 + "\n é"

    def documents(self, chance, count):
        return [self._document(chance) for _ in range(count)]

    def _document(self, chance):
        text = base64.b64encode(chance.randbytes(chance.randint(0, 9))).decode()
        for _ in range(chance.choice([0, 0, 1, 2])):
            place = chance.randint(0, len(text))
            text = text[:place] + chance.choice(self.LETTERS) + text[place + chance.randint(0, 1):]
        return text.encode()

    @staticmethod
    def request(document):
        return document

    def expected(self, documents):
        return [self._decoded(document) for document in documents]

    @staticmethod
    def _decoded(document):
        try:
            decoded = base64.b64decode(document, validate=True)
        except (binascii.Error, ValueError):
            return None
        # One spelling of each value alone.
        return decoded if base64.b64encode(decoded) == document else None

    def difference(self, document, ours, theirs):
        strict, lenient = ours.split(" ")
        if strict != ("refused" if theirs is None else theirs.hex()):
            return "MISREADS"
        letters = document.rstrip(b"=").translate(bytes.maketrans(b"-_", b"+/"))
        wanted = self._decoded(letters + b"=" * (-len(letters) % 4))
        return None if lenient == ("refused" if wanted is None else wanted.hex()) else "MISREADS: any"
