"""Tests of the launcher, in a separate folder with a fake JDK and Maven that only print their arguments."""

import pathlib
import re
import shutil
import subprocess
import tempfile
import unittest

from parts import ROOT

FAKE_JAVA = '#!/bin/sh\necho "java $*"\n'
FAILING_MAVEN = "#!/bin/sh\npwd >mvn-was-here\n{}\nexit 1\n"


class Launcher(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name).resolve()
        self.home = self.folder / "checkout"
        (self.home / "cli/target").mkdir(parents=True)
        (self.home / "pom.xml").touch()
        self.launcher = self.home / "petrichor"
        shutil.copy(ROOT / "petrichor", self.launcher)
        for name in ("java", "javac"):
            self.program(self.folder / "jdk/bin" / name, FAKE_JAVA)
        (self.folder / "jdk/release").write_text('JAVA_VERSION="25.0.1"\n')

    def program(self, file, text):
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
        file.chmod(0o755)

    def built(self):
        (self.home / "cli/target/petrichor.jar").touch()

    def maven(self, lines):
        self.program(self.folder / "bin/mvn", FAILING_MAVEN.format(lines))

    def edit(self, old, new):
        text = self.launcher.read_text()
        self.assertIn(old, text)
        self.launcher.write_text(text.replace(old, new))

    def run_it(self, *words, command=None):
        environment = {
            "PATH": f"{self.folder}/bin:/usr/bin:/bin", "HOME": str(self.folder), "JAVA_HOME": str(self.folder / "jdk"),
        }
        return subprocess.run(
            [str(command or self.launcher), *words], cwd=self.folder, env=environment, capture_output=True, text=True,
        )

    def test_a_symbolic_link_to_a_link_finds_the_checkout(self):
        self.built()
        (self.folder / "tools").mkdir()
        (self.folder / "tools/second").symlink_to("../checkout/petrichor")
        (self.folder / "first").symlink_to(self.folder / "tools/second")
        ran = self.run_it("version", command=self.folder / "first")
        self.assertEqual(ran.returncode, 0, ran.stderr)
        self.assertIn(f"-jar {self.home}/cli/target/petrichor.jar version", ran.stdout)

    def test_the_tools_are_a_program_of_their_own(self):
        self.built()
        (self.home / "tools/target").mkdir(parents=True)
        (self.home / "tools/target/petrichor-tools.jar").touch()
        for words in (["bench", "jobs"], ["lab"]):
            ran = self.run_it(*words)
            self.assertIn(f"-Dpetrichor.jar={self.home}/cli/target/petrichor.jar", ran.stdout)
            self.assertIn(f"-jar {self.home}/tools/target/petrichor-tools.jar {' '.join(words)}", ran.stdout)

    def test_a_change_of_the_tools_does_not_build_the_product(self):
        self.built()
        self.maven("echo '[ERROR] no'")
        source = self.home / "bench/src/main/java/Bench.java"
        source.parent.mkdir(parents=True)
        source.touch()
        self.assertEqual(self.run_it("version").returncode, 0)
        ran = self.run_it("lab")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("First use of the tools", ran.stderr)

    def test_a_change_of_any_module_is_built(self):
        lists = re.findall(r'^(?:product|tool)_sources="(.*)"$', self.launcher.read_text(), re.MULTILINE)
        modules = re.findall(r"<module>([^</]+)", (ROOT / "pom.xml").read_text())
        self.assertEqual(set(modules) - set(" ".join(lists).split()), {"examples"})

    def test_maven_runs_in_the_checkout(self):
        self.maven("echo '[ERROR] no'")
        (self.folder / "link").symlink_to(self.launcher)
        self.run_it("version", command=self.folder / "link")
        self.assertEqual((self.home / "mvn-was-here").read_text().strip(), str(self.home))

    def test_a_build_that_fails_shows_mavens_errors(self):
        self.maven("echo '[INFO] Building base 0.1.0 [2/55]'; echo '[ERROR] Bytes.java:[3] missing ;'")
        ran = self.run_it("version")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("[ERROR] Bytes.java:[3] missing ;", ran.stderr)
        self.assertNotIn("[INFO]", ran.stderr)
        self.assertFalse((self.home / ".build.lock").exists())

    def test_a_build_that_fails_before_maven_begins_shows_its_last_lines(self):
        self.maven("echo 'Maven is not installed. Install it.' >&2")
        ran = self.run_it("version")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("Maven is not installed. Install it.", ran.stderr)
        self.assertIn(str(self.home / ".build.log"), ran.stderr)

    def advice(self, release):
        self.edit("JDK_MIN=25", "JDK_MIN=99")
        os_release = self.folder / "os-release"
        os_release.write_text(release)
        self.edit("OS_RELEASE=/etc/os-release", f"OS_RELEASE={os_release}")
        ran = self.run_it("version")
        self.assertEqual(ran.returncode, 1)
        self.assertIn("needs a JDK, version 99 or newer", ran.stderr)
        return ran.stderr

    def test_debian_12_gets_the_repository_that_has_a_jdk(self):
        advice = self.advice('ID=debian\nVERSION_ID="12"\nVERSION_CODENAME=bookworm\n')
        self.assertIn("artifactory/deb bookworm main", advice)
        self.assertIn("install -y temurin-99-jdk", advice)
        self.assertNotIn("openjdk", advice)

    def test_ubuntu_gets_its_own_package(self):
        self.assertIn("openjdk-99-jdk-headless", self.advice('ID=ubuntu\nVERSION_ID="24.04"\n'))

    def test_fedora_gets_its_own_package(self):
        self.assertIn("dnf install -y java-99-openjdk-devel", self.advice("ID=fedora\nVERSION_ID=43\n"))

    def test_an_unknown_system_gets_all_of_them(self):
        advice = self.advice("")
        for words in ("Debian 13", "Fedora", "macOS", "SDKMAN!"):
            self.assertIn(words, advice)

    def test_options_of_the_runner_reach_it_and_others_reach_maven(self):
        suite = self.home / "testing/suite/suite.py"
        suite.parent.mkdir(parents=True)
        suite.write_text("import sys; print('suite', *sys.argv[1:])")
        for words in ([], ["--all", "--resume"], ["--only", "kv"], ["--only=kv"], ["--help"]):
            self.assertEqual(self.run_it("test", *words).stdout.split(), ["suite", *words])
        self.maven('echo "mvn $*"')
        self.assertIn("mvn -B verify -pl kv/redis -am", self.run_it("test", "-pl", "kv/redis", "-am").stdout)


if __name__ == "__main__":
    unittest.main()
