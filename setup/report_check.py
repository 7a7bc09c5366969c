"""Opens pages that symx wrote in a headless browser, steps through them with keys, and takes pictures.

usage: report_check.py BROWSER PICTURES PAGES

PAGES is a file with the path of a page on each line. A few of them, named below, are looked at in every size and colour and
stepped through; the others are opened and gone through from one change to the next. Fails on any message of the browser's console, any error of a script, anything the page asks the network for, and where
a key does not do what it says.
"""

import pathlib
import sys
import time

from playwright.sync_api import sync_playwright

# Name, width, height, colours.
LOOKS = [
    ("wide-light", 1440, 1000, "light"),
    ("wide-dark", 1440, 1000, "dark"),
    ("narrow-light", 390, 844, "light"),
    ("narrow-dark", 390, 844, "dark"),
]
# Programs that show different things.
LOOKED_AT = {
    "fail-lost_update",
    "fail-check_then_act",
    "fail-deadlock_three_mutexes",
    "fail-deadlock_lost_wakeup_explained",
    "fail-livelock_each_waits_for_the_other",
    "fail-use_after_free_read",
    "fail-free_while_in_use",
    "fail-unordered_publication",
    "explained-store_buffering",
    "explained-message_passing",
    "explained-bank",
    "explained-stringbuffer",
    "explained-opposite_locks",
    "programs-hundred_thousand_steps",
}
# A page may take this long to open, in seconds, and be as large as this.
SLOWEST_OPENING = 10.0
LARGEST_PAGE = 16 << 20
# No step may take longer, in seconds, however long the execution: the browser runs beside other work here.
SLOWEST_STEP = 1.0


def listen(page, complaints):
    """Notes whatever the page says to the console or asks for."""
    page.on("console", lambda message: complaints.append(f"console: {message.text}"))
    page.on("pageerror", lambda error: complaints.append(f"error: {error}"))
    page.on("request", lambda request: request.url.startswith(("file:", "data:")) or complaints.append(f"asks for {request.url}"))
    page.on("dialog", lambda dialog: (complaints.append(f"dialog: {dialog.message}"), dialog.dismiss()))


def glance(page, page_file, complaints):
    """Opens a page and goes where something differs, to its end and back; `complaints` are the page's own, too."""
    complaints.clear()
    page.goto(page_file.resolve().as_uri())
    for key in ["n", "j", "End", "Home", "f", "z"]:
        page.keyboard.press(key)
    state = page.evaluate(
        "[document.querySelectorAll('.current').length, document.getElementById('details').textContent.trim().length,"
        " document.documentElement.scrollWidth > innerWidth]"
    )
    if state[0] != 1 or not state[1]:
        complaints.append(f"{state[0]} rows are current, with {state[1]} letters about them")
    if state[2]:
        complaints.append("the page is wider than the window")
    return [f"{page_file}: {complaint}" for complaint in complaints]


def check(browser, page_file, pictures, look):
    name, width, height, colours = look
    context = browser.new_context(viewport={"width": width, "height": height}, color_scheme=colours)
    page = context.new_page()
    complaints = []
    listen(page, complaints)
    started = time.monotonic()
    page.goto(page_file.resolve().as_uri())
    page.wait_for_selector(".current")
    if (took := time.monotonic() - started) > SLOWEST_OPENING:
        complaints.append(f"it took {took:.1f} s to open")
    if (size := page_file.stat().st_size) > LARGEST_PAGE:
        complaints.append(f"it is {size:,} bytes long")

    background = "getComputedStyle(document.body).backgroundColor"
    own = page.evaluate(background)
    page.emulate_media(color_scheme="light" if colours == "dark" else "dark")
    if page.evaluate(background) == own:
        complaints.append("the colours of the system are not the page's")
    page.emulate_media(color_scheme=colours)

    def position():
        return page.text_content("#position")

    def press(key, expect_change=False):
        before, started = position(), time.monotonic()
        page.keyboard.press(key)
        after, took = position(), time.monotonic() - started
        if took > SLOWEST_STEP:
            complaints.append(f"{key} took {took:.1f} s")
        if expect_change and after == before:
            complaints.append(f"{key} leads nowhere from {before}")
        if page.locator(".current").count() != 1:
            complaints.append(f"after {key} {page.locator('.current').count()} rows are current")
        if not page.text_content("#details").strip():
            complaints.append(f"after {key} nothing is said about {after}")
        return after

    press("Home")
    first = position()
    rows = int(first.split(" of ")[1].replace(",", ""))
    if rows > 1:
        second = press("j", expect_change=True)
        if press("k", expect_change=True) != first or press("ArrowDown", expect_change=True) != second:
            complaints.append("stepping forth and back does not come back")
        if press("ArrowUp", expect_change=True) != first or press("k") != first:
            complaints.append("there is something before the first row")
        last = press("End", expect_change=True)
        if press("j") != last or not last.startswith(last.split(" of ")[1]):
            complaints.append(f"End leads to {last}")
        press("N", expect_change=rows > 2)
        press("Home")
        press("n", expect_change=True)
    for key in ["PageDown", "PageUp", "f", "f", "z", "z", "?", "?", "Enter", "Enter", "t", "t"]:
        press(key)
    # Through all of it, as far as anybody would.
    press("Home")
    for _ in range(min(rows, 60)):
        press("j")
    press("Home")
    press("n")
    if page.evaluate("document.querySelectorAll('.row, .fold').length") > 400:
        complaints.append("rows that are out of view are in the document")
    if page.evaluate("document.documentElement.scrollWidth > innerWidth"):
        complaints.append("the page is wider than the window")
    if unnamed := page.evaluate(
        "[...document.querySelectorAll('button')].filter((it) => it.offsetParent && !it.ariaLabel && !it.innerText.trim()).length"
    ):
        complaints.append(f"{unnamed} buttons have no name")
    if not page.evaluate("document.getElementById(document.getElementById('lanes').getAttribute('aria-activedescendant'))?.ariaPosInSet"):
        complaints.append("screen readers do not learn which step is current")
    picture = f"{page_file.parent.name}-{page_file.stem}-{name}"
    page.screenshot(path=pictures / f"{picture}.png")
    page.evaluate("document.getElementById('work').scrollIntoView()")
    page.mouse.move(width / 4, height / 2)
    page.screenshot(path=pictures / f"{picture}-lanes.png")
    context.close()
    return [f"{page_file} ({name}): {complaint}" for complaint in complaints]


def main(browser_path, pictures, pages):
    pictures = pathlib.Path(pictures)
    pictures.mkdir(parents=True, exist_ok=True)
    pages = [pathlib.Path(line) for line in pathlib.Path(pages).read_text().splitlines()]
    missing = LOOKED_AT - {page.parent.name for page in pages}
    complaints = [f"no page of {name}" for name in sorted(missing)]
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=["--no-sandbox"])
        glanced, heard = browser.new_page(), []
        listen(glanced, heard)
        for page in pages:
            if page.parent.name in LOOKED_AT:
                found = [complaint for look in LOOKS for complaint in check(browser, page, pictures, look)]
            else:
                found = glance(glanced, page, heard)
            print(f"{'bad' if found else 'ok '} {page}")
            complaints += found
        browser.close()
    print("\n".join(complaints), end="\n" if complaints else "")
    print(f"{len(pages)} pages, {len(complaints)} complaints; pictures in {pictures}")
    return 1 if complaints else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
