"""Counts the calls that NetworkX has really passed on to the backend dbfs; as a plugin of pytest also the tests that made any.

    pip install ./scripts/python pytest scipy pandas
    NETWORKX_TEST_BACKEND=dbfs NETWORKX_FALLBACK_TO_NX=1 PYTHONPATH=tests pytest -p networkx_calls --pyargs networkx
"""
import collections
import functools

from dbfs import networkx_backend

calls = collections.Counter()  # by function
tests = set()
running = None


def counted(name, function):
    @functools.wraps(function)
    def call(*args, **kwargs):
        calls[name] += 1
        tests.add(running)
        return function(*args, **kwargs)
    return staticmethod(call)


for name, function in networkx_backend.FUNCTIONS.items():
    setattr(type(networkx_backend.backend), name, counted(name, function))


def pytest_runtest_logstart(nodeid, location):
    global running
    running = nodeid


def pytest_terminal_summary(terminalreporter):
    terminalreporter.write_line(f"dbfs: {sum(calls.values())} calls, of {len(tests)} tests")
    for name, count in calls.most_common():
        terminalreporter.write_line(f"dbfs: {count} {name}")
