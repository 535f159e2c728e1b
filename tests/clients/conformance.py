"""Runs the official conformance suite against a server over HTTP, and compares what fails with what is known to: checks
that need tools, prompts or resources made for the suite, which this product does not have. A check that fails and is
not known, or is known and passes, fails the run. Usage: conformance.py TODORI NODE FOLDER_WITH_NODE_MODULES [--update]"""

import glob
import json
import os
import subprocess
import sys
import tempfile

import server

REVISIONS = ["2025-11-25", "2026-07-28"]


def failures(node, folder, url, revision):
    """The checks that failed, as `scenario: check`, and how many were made."""
    suite = os.path.join(folder, "node_modules/@modelcontextprotocol/conformance/dist/index.js")
    with tempfile.TemporaryDirectory() as results:
        url = url.replace("127.0.0.1", "localhost")
        command = [node, suite, "server", "--url", url, "--requirements", revision, "-o", results]
        subprocess.run(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600, check=False)
        failed, made = set(), 0
        for path in glob.glob(os.path.join(results, "*", "checks.json")):
            # The folder is named `server-SCENARIO-TIME`.
            scenario = os.path.basename(os.path.dirname(path))[len("server-"):-len("-2026-01-01T00-00-00-000Z")]
            for check in json.load(open(path)):
                made += 1
                if check["status"] == "FAILURE":
                    failed.add(f"{scenario}: {check['id']}")
        return failed, made


def main():
    todori, node, folder = sys.argv[1:4]
    fine = True
    for revision in REVISIONS:
        path = os.path.join(os.path.dirname(__file__), f"conformance-{revision}.txt")
        with server.over_http(os.path.abspath(todori)) as url:
            failed, made = failures(node, folder, url, revision)
        if "--update" in sys.argv:
            with open(path, "w") as file:
                file.write("".join(line + "\n" for line in sorted(failed)))
        known = set(open(path).read().splitlines())
        for check in sorted(failed - known):
            print(f"fails: {check}")
        for check in sorted(known - failed):
            print(f"known to fail, but passes or was not made: {check}")
        fine = fine and failed == known and made > 50
        print(f"{revision}: {made} checks, {len(failed)} failed, {len(known)} known to need fixtures")
    sys.exit(0 if fine else 1)


main()
