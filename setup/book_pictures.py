"""Takes the pictures of the book's chapter on ten failures: each page as the chapter's commands leave it.

    book_pictures.py SYMX CHROMIUM
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile

from PIL import Image

ROOT = pathlib.Path(__file__).resolve().parent.parent
CHAPTER = ROOT / "docs/book/src/ten-failures.md"
# Pixels, as in the book.
SIZE = "1280,800"


def take(section, symx, browser):
    """Runs the commands of a section in a folder of their own, and takes the picture that it shows."""
    picture = re.search(r"!\[[^\]]*\]\(([^)]+)\)", section).group(1)
    with tempfile.TemporaryDirectory() as folder:
        for part in ("examples", "bitcode-corpus/explained"):
            shutil.copytree(ROOT / part, pathlib.Path(folder, part))
        for name, text in re.findall(r"```[^\n]*file=(\S+)\n(.*?)```", section, re.S):
            pathlib.Path(folder, name).write_text(text)
        path = f"{symx.parent}:{os.environ['PATH']}"
        for command in re.findall(r"^\$ (.*)$", section, re.M):
            # A command that finds a failure exits with 1.
            subprocess.run(command, shell=True, cwd=folder, env=os.environ | {"PATH": path}, capture_output=True, check=False)
        page = pathlib.Path(folder, "symx-out/failure-1.html")
        if not page.exists():
            sys.exit(f"{picture}: the commands of its section leave no page")
        target = CHAPTER.parent / picture
        shot = [browser, "--headless", "--no-sandbox", "--hide-scrollbars", f"--window-size={SIZE}", f"--screenshot={target}"]
        subprocess.run([*shot, str(page)], capture_output=True, check=True)
    # A page has few colours: a third of the bytes.
    Image.open(target).quantize(256).save(target, optimize=True)
    print(picture)


def main(symx, browser):
    for section in CHAPTER.read_text().split("\n## ")[1:]:
        take(section, pathlib.Path(symx).absolute(), browser)


if __name__ == "__main__":
    main(*sys.argv[1:])
