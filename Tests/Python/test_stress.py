"""That nothing crashes, and nothing is left behind: threads, close and open, forks, the end of the interpreter."""

import gc
import os
import random
import threading
import time
import unittest

import keyfob
import place

EXIT = """
import os, sys, threading, time, keyfob
ring = keyfob.Keyring()
ring.token(account="ada")
def ask():
    while True:
        try:
            ring.token(account="ada")
        except keyfob.Error as error:
            assert error.code == "cancelled", error
            return
for _ in range(8):
    threading.Thread(target=ask, daemon=True).start()
time.sleep(float(sys.argv[1]))
"""


def descriptors():
    return len(os.listdir("/proc/self/fd"))


def memory(name):
    """Of this process, in KiB: VmRSS, or what is locked."""
    with open("/proc/self/status", encoding="ascii") as status:
        return next(int(line.split()[1]) for line in status if line.startswith(name + ":"))


class Stress(unittest.TestCase):
    """Calls of many threads."""

    @classmethod
    def setUpClass(cls):
        cls.before = dict(os.environ)
        cls.home = place.Home()
        os.environ |= cls.home.environment
        cls.home.add("ada", "ADA")

    @classmethod
    def tearDownClass(cls):
        os.environ.clear()
        os.environ |= cls.before
        cls.home.remove()

    def test_closing(self):
        """Threads share keyrings that are closed, let go and opened again meanwhile, and the process forks."""
        calls, threads = (1_000_000, 32) if place.IS_FULL else (3_000, 32)
        rings, failures, done = [self.home.keyring() for _ in range(4)], [], [0] * threads
        children, lock = [0, 0], threading.Lock()

        def fork():
            process = os.fork()
            if process == 0:
                try:
                    is_right = rings[0].token(account="ada").token == "ADA"
                except BaseException:
                    is_right = False
                os._exit(0 if is_right else 1)
            status = os.waitpid(process, 0)[1]
            with lock:
                children[0] += 1
                children[1] += status != 0

        def work(number):
            pick = random.Random(number)
            try:
                while done[number] < calls // threads:
                    choice = pick.random()
                    ring = rings[pick.randrange(len(rings))]
                    if choice < 0.003:
                        rings[pick.randrange(len(rings))] = self.home.keyring()
                    elif choice < 0.01:
                        ring.close()
                    elif choice < 0.0102 if place.IS_FULL else choice < 0.0115:
                        fork()
                    elif choice < 0.05:
                        assert [account["username"] for account in ring.accounts()] == ["ada"]
                    elif choice < 0.06:
                        with ring:
                            assert ring.token(account="ada").token == "ADA"
                    else:
                        assert ring.token(account="ada").token == "ADA"
                    done[number] += 1
            except BaseException as error:
                failures.append(repr(error))

        def run():
            workers = [threading.Thread(target=work, args=(number,)) for number in range(threads)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()

        rings[0].token(account="ada")
        began = time.monotonic()
        run()
        for ring in rings:
            ring.close()
        gc.collect()
        first = (descriptors(), memory("VmRSS"), memory("VmLck"))
        if place.IS_FULL:
            print(f"\n{sum(done)} calls, {children[0]} forks, {time.monotonic() - began:.0f} s, "
                  f"{first[0]} descriptors, {first[1]} KiB, {first[2]} KiB locked")
        self.assertEqual((failures[:3], children[1]), ([], 0))
        # Again as many keyrings, and no more is held than before.
        done[:] = [calls // threads - 20] * threads
        run()
        for ring in rings:
            ring.close()
        gc.collect()
        self.assertEqual(failures[:3], [])
        self.assertLessEqual(descriptors(), first[0])
        self.assertLess(memory("VmRSS"), first[1] + 20_000)
        self.assertLessEqual(memory("VmLck"), first[2] + 64)

    def test_unclosed(self):
        """What nobody refers to is closed."""
        def use(count):
            for _ in range(count):
                self.assertEqual(self.home.keyring().token(account="ada").token, "ADA")
            gc.collect()
            return descriptors(), memory("VmLck"), memory("VmRSS")

        before = use(20)
        after = use(2_000 if place.IS_FULL else 60)
        self.assertEqual(after[:2], before[:2])
        self.assertLess(after[2], before[2] + 8_000)

    def test_exit(self):
        """The interpreter ends while threads ask."""
        for count in range(100 if place.IS_FULL else 4):
            process = self.home.python(EXIT, str(count % 10 / 100))
            output = process.communicate(timeout=60)
            self.assertEqual((process.returncode, *output), (0, "", ""))

    def test_fork_without_threads(self):
        """Children of children, while the parent goes on."""
        ring = self.home.keyring()
        ring.token(account="ada")
        code = "import os, keyfob\nring = keyfob.Keyring()\nring.token(account='ada')\n" \
            "for _ in range(3):\n    if os.fork():\n        assert os.wait()[1] == 0\n        break\n" \
            "    assert ring.token(account='ada').token == 'ADA'\n"
        process = self.home.python(code)
        self.assertEqual((process.wait(timeout=60), process.stderr.read()), (0, ""))
        process.stdout.close()
        process.stderr.close()
        ring.close()

    def test_pool(self):
        """Processes that multiprocessing forks while threads ask."""
        code = (
            "import multiprocessing, threading, keyfob\n"
            "ring, is_over = keyfob.Keyring(), threading.Event()\n"
            "def ask(_=None):\n    return ring.token(account='ada').token\n"
            "def go():\n    while not is_over.is_set(): ask()\n"
            "threads = [threading.Thread(target=go) for _ in range(8)]\n"
            "[thread.start() for thread in threads]\n"
            "with multiprocessing.get_context('fork').Pool(4) as pool:\n"
            "    assert set(pool.map_async(ask, range(200)).get(60)) == {'ADA'}\n"
            "is_over.set()\n")
        process = self.home.python(code)
        output = process.communicate(timeout=120)
        self.assertEqual((process.returncode, *output), (0, "", ""))


if __name__ == "__main__":
    unittest.main()
