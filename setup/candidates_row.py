"""A row of the table of `./x candidates real`: PROGRAM RESULTS, where RESULTS.json is a result of `symx races --candidates` and
RESULTS.reported.json, if there is one, that of the races which ThreadSanitizer reports."""

import json
import pathlib
import sys


def candidates(path):
    return json.loads(path.read_text())["candidates"]


def places(candidate):
    return frozenset((one["location"]["file"], one["location"]["line"]) for one in candidate["accesses"])


name, results = sys.argv[1], sys.argv[2]
found = candidates(pathlib.Path(results + ".json"))
count = {end: sum(one["end"] == end for one in found["list"]) for end in ("confirmed", "refuted", "open")}
count[found["left_out_end"]] += found["left_out"]
ordered = sum(one["end"] == "open" and one["is_ordered"] for one in found["list"])
whole = "" if found.get("analysis_ended") is None else f" (ended: {found['analysis_ended']})"
reported = pathlib.Path(results + ".reported.json")
share = "none reported"
if reported.exists():
    listed = candidates(reported)["list"]
    races = {places(one) for one in listed}
    known = {places(one) for one in listed if one.get("is_static")}
    confirmed = {places(one) for one in listed if one["end"] == "confirmed"}
    share = f"{len(known)} of {len(races)} reported, {len(confirmed)} confirmed"
total = len(found["list"]) + found["left_out"]
print(
    f"{name:12} {total} in {found['analysis_ms'] / 1000:.1f} s{whole}: {count['confirmed']} confirmed, {count['refuted']} refuted, "
    f"{count['open']} open, of them {ordered} in an order; ThreadSanitizer: {share}"
)
