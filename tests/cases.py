"""cases.py - what scripts of checks share: how many held, and what is said of one that did not."""


class Cases:
    def __init__(self):
        self.passed = self.failed = 0

    def check(self, good, text):
        self.passed += bool(good)
        self.failed += not good
        if not good:
            print('FAILED', text)

    def same(self, given, expected, text):
        self.check(given == expected, '%s: %r, not %r' % (text, given, expected))

    def end(self):
        """The last line, which run.sh counts; the exit status."""
        print('%d passed, %d failed' % (self.passed, self.failed))
        return self.failed != 0
