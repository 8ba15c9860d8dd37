"""Every test has its own folder, and jobs run through ./petrichor."""

import csv
import pathlib

import pytest


@pytest.fixture
def folder(tmp_path):
    return Folder(tmp_path)


class Folder:
    def __init__(self, path):
        self.path = path

    def __truediv__(self, name):
        return self.path / name

    def lines(self, name, lines):
        file = self.path / name
        file.write_text("".join(f"{line}\n" for line in lines))
        return file

    def table(self, name, header, rows):
        file = self.path / name
        with file.open("w", newline="") as out:
            writer = csv.writer(out, lineterminator="\n")
            writer.writerow(header)
            writer.writerows(rows)
        return file

    def rows(self, name):
        with (self.path / name).open(newline="") as lines:
            return list(csv.reader(lines))[1:]

    def names(self):
        return sorted(entry.name for entry in pathlib.Path(self.path).iterdir())
