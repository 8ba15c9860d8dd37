package petrichor.apps.builds;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Real builds of Node apps, with packages of the configured registry. */
class NodeBuildTest {
    private static final String SERVER =
            """
            const ms = require("ms");
            require("http")
                .createServer((request, response) => response.end("VERSION " + ms("2 days")))
                .listen(process.env.PORT, "127.0.0.1");
            """;
    private static final String PACKAGE =
            """
            {"name": "demo", "version": "1.0.0", "dependencies": {"ms": "2.1.3"},
             "scripts": {"start": "node server.js"}}
            """;

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

    private static Map<String, String> app(String version) {
        return Map.of("server.js", SERVER.replace("VERSION", version), "package.json", PACKAGE);
    }

    @Test
    void anAppWithADependencyIsServedAndACodeChangeReusesTheDependency() throws Exception {
        var first = workshop.built(workshop.request(RuntimeFamily.NODE, app("first")));
        assertThat(workshop.reusedDependencies()).isFalse();
        assertThat(first.startCommand()).containsExactly("/bin/sh", "-c", "exec node server.js");
        assertThat(workshop.serve(first)).isEqualTo("first 172800000");
        var second = workshop.built(workshop.request(RuntimeFamily.NODE, app("second")));
        assertThat(workshop.reusedDependencies()).isTrue();
        assertThat(workshop.serve(second)).isEqualTo("second 172800000");
        // Shared by hard links, not copied.
        Path file = Path.of("node_modules/ms/index.js");
        assertThat(Files.getAttribute(first.folder().resolve(file), "unix:ino"))
                .isEqualTo(Files.getAttribute(second.folder().resolve(file), "unix:ino"));
        assertThat(workshop.leftovers()).isEmpty();
    }

    @Test
    void aLockedAppIsInstalledByItsLock() throws Exception {
        var _ = workshop.built(workshop.request(RuntimeFamily.NODE, app("unlocked")));
        String lock =
                Files.readString(workshop.layers().getFirst().resolve("content/package-lock.json"));
        Map<String, String> files = new LinkedHashMap<>(app("locked"));
        files.put("package-lock.json", lock);
        var built = workshop.built(workshop.request(RuntimeFamily.NODE, files));
        assertThat(workshop.serve(built)).isEqualTo("locked 172800000");
        // npm ci refuses a lock that does not fit.
        files.put("package.json", PACKAGE.replace("2.1.3", "2.1.2"));
        var failed = workshop.failed(workshop.request(RuntimeFamily.NODE, files));
        assertThat(failed.reason()).startsWith("npm ci failed: ");
        assertThat(failed.log()).content().contains("in sync");
    }

    @Test
    void aBuildScriptSeesDevelopmentDependenciesAndTheAppDoesNot() throws Exception {
        var built =
                workshop.built(
                        workshop.request(
                                RuntimeFamily.NODE,
                                Map.of(
                                        "package.json",
                                        """
                                        {"name": "demo", "version": "1.0.0",
                                         "devDependencies": {"ms": "2.1.3"},
                                         "scripts": {"build": "node build.js", "start": "node out/server.js"}}
                                        """,
                                        "build.js",
                                        """
                                        const fs = require("fs");
                                        fs.mkdirSync("out");
                                        fs.writeFileSync("out/server.js",
                                            `require("http").createServer((q, r) => r.end("built ${require("ms")("1s")}"))
                                                 .listen(process.env.PORT, "127.0.0.1")`);
                                        """)));
        assertThat(workshop.serve(built)).isEqualTo("built 1000");
        assertThat(built.folder().resolve("node_modules/ms")).doesNotExist();
    }

    @Test
    void aFailingBuildScriptIsTheReason() throws Exception {
        var failed =
                workshop.failed(
                        workshop.request(
                                RuntimeFamily.NODE,
                                Map.of(
                                        "package.json",
                                        "{\"scripts\": {\"build\": \"node build.js\", \"start\":"
                                                + " \"node x\"}}",
                                        "build.js",
                                        "throw new Error('no moon')")));
        assertThat(failed.stage()).isEqualTo(BuildStage.COMPILE);
        assertThat(failed.reason()).isEqualTo("npm run failed: Error: no moon");
    }

    @Test
    void npmsErrorIsTheReason() throws Exception {
        var failed =
                workshop.failed(
                        workshop.request(
                                RuntimeFamily.NODE,
                                Map.of(
                                        "server.js",
                                        "",
                                        "package.json",
                                        "{\"dependencies\": {\"ms\": \"99999.0.0\"}}")));
        assertThat(failed.reason())
                .isEqualTo("npm install failed: No matching version found for ms@99999.0.0.");
        assertThat(workshop.layers()).isEmpty();
    }

    @Test
    void anInstallScriptOfTheAppSeesItsSources() throws Exception {
        var built =
                workshop.built(
                        workshop.request(
                                RuntimeFamily.NODE,
                                Map.of(
                                        "server.js",
                                        "",
                                        "word.txt",
                                        "moon",
                                        "package.json",
                                        "{\"scripts\": {\"postinstall\": \"cp word.txt"
                                                + " copy.txt\"}}")));
        assertThat(built.folder().resolve("copy.txt")).hasContent("moon");
    }

    @Test
    void anAppWithoutPackagesStartsItsServer() throws Exception {
        var built =
                workshop.built(
                        workshop.request(
                                RuntimeFamily.NODE, Map.of("server.js", "console.log('up')")));
        assertThat(workshop.run(built)).isEqualTo("up\n");
    }

    @Test
    void whatIsMissingIsNamed() throws Exception {
        assertThat(
                        workshop.failed(workshop.request(RuntimeFamily.NODE, Map.of("app.js", "")))
                                .reason())
                .contains("no server.js: add an entrypoint");
        assertThat(
                        workshop.failed(
                                        workshop.request(
                                                RuntimeFamily.NODE, Map.of("package.json", "[1")))
                                .reason())
                .isEqualTo("package.json is not a JSON object: correct it");
        BuildRequest request = workshop.request(RuntimeFamily.NODE, app("any"));
        BuildRequest wrong =
                new BuildRequest(
                        request.sources(),
                        new AppRuntime(RuntimeFamily.NODE, "99"),
                        null,
                        Map.of(),
                        "demo",
                        BuildProgress.NONE);
        assertThat(workshop.failed(wrong).reason()).startsWith("Node.js 99 is not installed");
        Path tools = Files.createDirectory(temporary.resolve("tools"));
        Workshop bare =
                new Workshop(temporary, settings -> settings.withToolFolders(List.of(tools)));
        assertThat(bare.failed(request).reason())
                .startsWith("Node.js is not installed for the user of builds (found: none)");
        Path node =
                workshop.settings().toolFolders().stream()
                        .map(folder -> folder.resolve("node"))
                        .filter(Files::isExecutable)
                        .findFirst()
                        .orElseThrow();
        Files.createSymbolicLink(tools.resolve("node"), node);
        assertThat(bare.failed(request).reason()).startsWith("npm is not installed");
    }
}
