package petrichor.apps.builds;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real builds of Python apps, with packages of the configured index. */
class PythonBuildTest {
    @TempDir Path temporary;
    private Workshop workshop;

    @BeforeEach
    void open() throws Exception {
        workshop = new Workshop(temporary);
    }

    @AfterEach
    void close() throws Exception {
        workshop.close();
    }

    private static Map<String, String> guestbook(int version) {
        return Map.of(
                "main.py",
                """
                from flask import Flask
                app = Flask(__name__)

                @app.route("/")
                def home():
                    return "guestbook %d"
                """
                        .formatted(version),
                "requirements.txt",
                "flask\n");
    }

    @Test
    void aFlaskAppIsServedByGunicornAndACodeChangeReusesItsDependencies() throws Exception {
        var first = workshop.built(workshop.request(RuntimeFamily.PYTHON, guestbook(1)));
        assertThat(workshop.reusedDependencies()).isFalse();
        assertThat(workshop.serve(first)).isEqualTo("guestbook 1");
        var second = workshop.built(workshop.request(RuntimeFamily.PYTHON, guestbook(2)));
        assertThat(workshop.reusedDependencies()).isTrue();
        assertThat(workshop.serve(second)).isEqualTo("guestbook 2");
        assertThat(second.contentHash()).isNotEqualTo(first.contentHash());
        assertThat(second.environment().get("VIRTUAL_ENV"))
                .isEqualTo(first.environment().get("VIRTUAL_ENV"));
        assertThat(workshop.layers()).hasSize(1);
        assertThat(workshop.leftovers()).isEmpty();
        var again = workshop.built(workshop.request(RuntimeFamily.PYTHON, guestbook(1)));
        assertThat(again.cached()).isTrue();
        assertThat(again.folder()).isEqualTo(first.folder());
        assertThat(again.startCommand()).isEqualTo(first.startCommand());
        assertThat(again.environment()).isEqualTo(first.environment());
        assertThat(again.contentHash()).isEqualTo(first.contentHash());
    }

    @Test
    void anEntrypointNeedsNoServer() throws Exception {
        var built = workshop.built(script("print('hello from', __file__)", "# none\n"));
        assertThat(workshop.run(built)).isEqualTo("hello from " + built.folder() + "/run.py\n");
        assertThat(Path.of(built.environment().get("VIRTUAL_ENV"), "bin/gunicorn")).doesNotExist();
        assertThat(built.folder().resolve("__pycache__")).isNotEmptyDirectory();
    }

    private BuildRequest script(String code, String requirements) throws Exception {
        return workshop.request(
                RuntimeFamily.PYTHON,
                "exec python run.py",
                Map.of(),
                Map.of("run.py", code + "\n", "requirements.txt", requirements));
    }

    @Test
    void scriptsOfPackagesNameTheInterpreterOfTheLayer() throws Exception {
        var built = workshop.built(script("import flask", "flask\n"));
        Path script = Path.of(built.environment().get("VIRTUAL_ENV"), "bin/flask");
        assertThat(Files.readString(script))
                .contains(built.environment().get("VIRTUAL_ENV"))
                .doesNotContain("/work/");
    }

    @Tag("slow")
    @Test
    void aRequirementInAnIncludedFileMakesANewLayer() throws Exception {
        Map<String, String> files = new LinkedHashMap<>();
        files.put("run.py", "import itsdangerous");
        files.put("requirements.txt", "-r more/base.txt  # shared\n");
        files.put("more/base.txt", "itsdangerous==2.1.2\n");
        var _ =
                workshop.built(
                        workshop.request(RuntimeFamily.PYTHON, "python run.py", Map.of(), files));
        assertThat(workshop.reusedDependencies()).isFalse();
        files.put("other.txt", "1");
        var _ =
                workshop.built(
                        workshop.request(RuntimeFamily.PYTHON, "python run.py", Map.of(), files));
        assertThat(workshop.reusedDependencies()).isTrue();
        files.put("more/base.txt", "itsdangerous==2.2.0\n");
        var _ =
                workshop.built(
                        workshop.request(RuntimeFamily.PYTHON, "python run.py", Map.of(), files));
        assertThat(workshop.reusedDependencies()).isFalse();
    }

    @Tag("slow")
    @Test
    void aPackageOfTheAppItselfIsInstalledAnewForEachChange() throws Exception {
        Map<String, String> files = new LinkedHashMap<>();
        files.put("run.py", "import own; print(own.WORD)");
        files.put("requirements.txt", "./lib\n");
        files.put(
                "lib/setup.py",
                """
                from setuptools import setup
                setup(name='own', version='1', py_modules=['own'])
                """);
        files.put("lib/own.py", "WORD = 'first'\n");
        var first =
                workshop.built(
                        workshop.request(RuntimeFamily.PYTHON, "python run.py", Map.of(), files));
        assertThat(workshop.run(first)).isEqualTo("first\n");
        files.put("lib/own.py", "WORD = 'second'\n");
        var second =
                workshop.built(
                        workshop.request(RuntimeFamily.PYTHON, "python run.py", Map.of(), files));
        assertThat(workshop.run(second)).isEqualTo("second\n");
    }

    @Test
    void theBuildEnvironmentIsPartOfTheHash() throws Exception {
        Map<String, String> files = Map.of("run.py", "pass");
        var one =
                workshop.built(
                        workshop.request(
                                RuntimeFamily.PYTHON, "python run.py", Map.of("A", "1"), files));
        var two =
                workshop.built(
                        workshop.request(
                                RuntimeFamily.PYTHON, "python run.py", Map.of("A", "2"), files));
        assertThat(one.contentHash()).isNotEqualTo(two.contentHash());
        assertThat(two.cached()).isFalse();
        assertThat(workshop.layers()).hasSize(2);
    }

    @Tag("slow")
    @Test
    void appsDoNotShareLayers() throws Exception {
        BuildRequest mine = script("pass", "");
        BuildRequest theirs =
                new BuildRequest(
                        mine.sources(),
                        mine.runtime(),
                        mine.entrypoint(),
                        mine.environment(),
                        "other",
                        mine.progress());
        var first = workshop.built(mine);
        var second = workshop.built(theirs);
        assertThat(second.cached()).isFalse();
        assertThat(second.contentHash()).isEqualTo(first.contentHash());
        assertThat(second.environment().get("VIRTUAL_ENV"))
                .isNotEqualTo(first.environment().get("VIRTUAL_ENV"));
    }

    @Test
    void pipsErrorIsTheReason() throws Exception {
        var failed =
                workshop.failed(
                        workshop.request(
                                RuntimeFamily.PYTHON,
                                "exec python run.py",
                                Map.of("GOOGLE_PYTHON_PACKAGE_MANAGER", "pip"),
                                Map.of("run.py", "pass", "requirements.txt", "flask==99999.0\n")));
        assertThat(failed.stage()).isEqualTo(BuildStage.DEPENDENCIES);
        assertThat(failed.reason())
                .isEqualTo("pip failed: No matching distribution found for flask==99999.0");
        assertThat(failed.log()).content().contains("Could not find a version");
        assertThat(workshop.layers()).isEmpty();
        assertThat(workshop.leftovers()).isEmpty();
    }

    @Tag("slow")
    @Test
    void aFailingSetupScriptIsTheReason() throws Exception {
        var failed =
                workshop.failed(
                        workshop.request(
                                RuntimeFamily.PYTHON,
                                "python run.py",
                                Map.of(),
                                Map.of(
                                        "requirements.txt", "./lib\n",
                                        "lib/setup.py", "raise ValueError('no moon')\n")));
        assertThat(failed.reason()).endsWith("pip failed: ValueError: no moon");
    }

    @Test
    void aSyntaxErrorInTheMainModuleIsTheReason() throws Exception {
        var failed =
                workshop.failed(
                        workshop.request(
                                RuntimeFamily.PYTHON,
                                Map.of("main.py", "def f(:\n", "requirements.txt", "")));
        assertThat(failed.stage()).isEqualTo(BuildStage.COMPILE);
        assertThat(failed.reason()).contains("failed: main.py:1: SyntaxError: ");
    }

    @Test
    void anAppWithoutStartIsRefused() throws Exception {
        var failed = workshop.failed(workshop.request(RuntimeFamily.PYTHON, Map.of("app.py", "")));
        assertThat(failed.reason())
                .isEqualTo(
                        "the app has no entrypoint and no main.py: add an entrypoint to app.yaml");
    }

    @Test
    void anEditableRequirementIsRefused() throws Exception {
        assertThat(workshop.failed(script("pass", "-e ./lib\n")).reason()).contains("remove -e");
    }

    @Test
    void aMissingInterpreterIsNamed() throws Exception {
        BuildRequest any = script("pass", "");
        BuildRequest wrong =
                new BuildRequest(
                        any.sources(),
                        new AppRuntime(RuntimeFamily.PYTHON, "3.99"),
                        any.entrypoint(),
                        Map.of(),
                        "demo",
                        BuildProgress.NONE);
        var failed = workshop.failed(wrong);
        assertThat(failed.stage()).isEqualTo(BuildStage.PREPARE);
        assertThat(failed.reason())
                .startsWith("Python 3.99 is not installed for the user of builds (found: 3.");
        Workshop bare = new Workshop(temporary, settings -> settings.withToolFolders(List.of()));
        assertThat(bare.failed(any).reason())
                .startsWith("Python is not installed for the user of builds (found: none)");
    }

    @Test
    void uvIsDownloadedOnceForAllApps() throws Exception {
        withoutUv(Map.of());
        BuildRequest request = workshop.request(RuntimeFamily.PYTHON, guestbook(1));
        var built = workshop.built(request);
        Path uv = only(workshop.folder.resolve("builds/uv")).resolve("uv");
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(uv)))
                .isEqualTo("rwxr-xr-x");
        assertThat(Files.getOwner(uv)).isEqualTo(Files.getOwner(temporary));
        assertThat(workshop.serve(built)).isEqualTo("guestbook 1");
        assertThat(Path.of(built.environment().get("VIRTUAL_ENV"), "pyvenv.cfg"))
                .content()
                .contains("uv = ");
        FileTime downloaded = Files.getLastModifiedTime(uv);
        workshop.reopen();
        withoutUv(Map.of());
        assertThat(workshop.failed(script("pass", "flask==99999.0\n")).reason())
                .startsWith("uv pip failed: ")
                .contains("no version of flask==99999.0");
        assertThat(Files.getLastModifiedTime(uv)).isEqualTo(downloaded);
    }

    @Test
    void aUvOfAnotherContentIsNotExecuted() throws Exception {
        Path index = Files.createDirectory(temporary.resolve("index"));
        FileTrees.setMode(index, 0755);
        wheel(index.resolve("uv-0.13.8-py3-none-any.whl"));
        withoutUv(Map.of("PIP_FIND_LINKS", index.toString(), "PIP_NO_INDEX", "1"));
        var built = workshop.built(script("print('started')", "# none\n"));
        assertThat(workshop.run(built)).isEqualTo("started\n");
        assertThat(workshop.folder.resolve("builds/uv")).isEmptyDirectory();
        assertThat(only(workshop.folder.resolve("builds/apps/demo/logs")))
                .content()
                .contains("pip download")
                .contains("no release of uv with a known hash");
    }

    private static void wheel(Path file) throws Exception {
        Map<String, String> files =
                Map.of(
                        "uv-0.13.8.dist-info/METADATA",
                        """
                        Metadata-Version: 2.1
                        Name: uv
                        Version: 0.13.8
                        """,
                        "uv-0.13.8.dist-info/WHEEL",
                        """
                        Wheel-Version: 1.0
                        Root-Is-Purelib: true
                        Tag: py3-none-any
                        """,
                        "uv-0.13.8.data/scripts/uv",
                        "#!/bin/sh");
        try (ZipOutputStream zip = new ZipOutputStream(Files.newOutputStream(file))) {
            for (Map.Entry<String, String> entry : files.entrySet()) {
                zip.putNextEntry(new ZipEntry(entry.getKey()));
                zip.write(entry.getValue().getBytes(UTF_8));
            }
        }
        FileTrees.setMode(file, 0644);
    }

    private static Path only(Path folder) throws Exception {
        assertThat(Workshop.list(folder)).hasSize(1);
        return Workshop.list(folder).getFirst();
    }

    /** Builds as on a machine without uv. */
    private void withoutUv(Map<String, String> variables) throws Exception {
        BuildSettings settings = workshop.settings();
        Map<String, String> environment = new LinkedHashMap<>(System.getenv());
        environment.putAll(variables);
        workshop.builds =
                Builds.open(
                        settings.withToolFolders(
                                settings.toolFolders().stream()
                                        .filter(each -> Files.notExists(each.resolve("uv")))
                                        .toList()),
                        SourceLimits.DEFAULT,
                        CommandRunner.of(settings.users(), settings.folder()),
                        environment);
    }
}
