"""Which calls of the Secret Service a file says are to be refused."""


class Refusals:
    """What the file says, and how many calls there were since it says so.

    "refuse once N" refuses the Nth call, "refuse from N" that one and all after it, until the file is gone or says something
    else; where methods are named behind N, they are the only ones that count. Each refusal makes FILE.refused. A bus takes
    "cut" and "finish" for "refuse" too: then the connection ends, before the call has come to the service or afterwards.
    """

    def __init__(self, file):
        self.file = file
        self.text = ""
        self.count = 0

    def refuses(self, method):
        try:
            with open(self.file) as opened:
                text = opened.read()
        except FileNotFoundError:
            text = ""
        if text != self.text:
            self.text, self.count = text, 0
        words = text.split()
        if len(words) < 3 or words[3:] and method not in words[3:]:
            return False
        self.count += 1
        is_refused = self.count == int(words[2]) or words[1] == "from" and self.count > int(words[2])
        if is_refused:
            open(self.file + ".refused", "w").close()
        return is_refused

    @property
    def kind(self):
        """What the file says first."""
        return self.text.split()[0]
