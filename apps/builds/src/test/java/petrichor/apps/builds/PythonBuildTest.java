package petrichor.apps.builds;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
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
        var failed = workshop.failed(script("pass", "flask==99999.0\n"));
        assertThat(failed.stage()).isEqualTo(BuildStage.DEPENDENCIES);
        assertThat(failed.reason())
                .isEqualTo("pip failed: No matching distribution found for flask==99999.0");
        assertThat(failed.log()).content().contains("Could not find a version");
        assertThat(workshop.layers()).isEmpty();
        assertThat(workshop.leftovers()).isEmpty();
    }

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
        assertThat(failed.reason()).isEqualTo("pip failed: ValueError: no moon");
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
    @Tag("slow")
    void uvFillsTheLayerIfItIsInstalled() throws Exception {
        Path uv = temporary.resolve("uv");
        Process pip =
                new ProcessBuilder(
                                "python3",
                                "-m",
                                "pip",
                                "install",
                                "-q",
                                "--target",
                                uv.toString(),
                                "uv")
                        .inheritIO()
                        .start();
        assertThat(pip.waitFor()).isZero();
        workshop =
                new Workshop(
                        temporary,
                        settings -> {
                            List<Path> tools = new ArrayList<>(List.of(uv.resolve("bin")));
                            tools.addAll(settings.toolFolders());
                            return settings.withToolFolders(tools);
                        });
        // uv does not read what is configured for pip: with it, pip would be used.
        Map<String, String> environment = new LinkedHashMap<>(System.getenv());
        environment.keySet().removeIf(name -> name.startsWith("PIP_"));
        BuildSettings settings = workshop.settings();
        workshop.builds =
                Builds.open(
                        settings,
                        SourceLimits.DEFAULT,
                        CommandRunner.of(settings.users(), settings.folder()),
                        environment);
        var built = workshop.built(workshop.request(RuntimeFamily.PYTHON, guestbook(1)));
        assertThat(workshop.serve(built)).isEqualTo("guestbook 1");
        assertThat(Path.of(built.environment().get("VIRTUAL_ENV"), "pyvenv.cfg"))
                .content()
                .contains("uv = ");
        assertThat(workshop.failed(script("pass", "flask==99999.0\n")).reason())
                .startsWith("uv pip failed: ")
                .contains("flask");
    }
}
