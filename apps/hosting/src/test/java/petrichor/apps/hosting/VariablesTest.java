package petrichor.apps.hosting;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.kv.memory.MemoryStore;

/** Variables and secrets of an app in Python: real processes and requests. */
class VariablesTest {
    /** Answers with two variables; does not start with a MODE that it does not know. */
    private static final String SERVER =
            """
            import http.server, os

            if os.environ.get("MODE") == "broken":
                raise SystemExit("unknown mode")

            class Handler(http.server.BaseHTTPRequestHandler):
                def do_GET(self):
                    text = (os.environ.get("MODE", "-") + " " + os.environ.get("KEY", "-")).encode()
                    self.send_response(200)
                    self.send_header("Content-Length", str(len(text)))
                    self.end_headers()
                    self.wfile.write(text)

                def log_message(self, *_):
                    pass

            http.server.ThreadingHTTPServer(("", int(os.environ["PORT"])), Handler).serve_forever()
            """;

    private static final Map<String, String> APP =
            Map.of(
                    "app.yaml",
                    "runtime: python\nentrypoint: python main.py\nenv_variables:\n  MODE: file\n",
                    "main.py",
                    SERVER);

    @TempDir private Path folder;
    private final MemoryStore store = MemoryStore.open();
    private Platform platform;

    @BeforeEach
    void open() throws Exception {
        platform = new Platform(folder.resolve("platform"), store);
    }

    @AfterEach
    void close() {
        platform.close();
        store.close();
    }

    private DeployResult change(
            VariableChange.Kind kind, Map<String, String> set, String... unset) {
        return platform.hosting.change(
                "demo", new VariableChange(kind, set, Set.of(unset)), platform.events::add);
    }

    private static void assertDone(DeployResult result) {
        assertThat(result).isInstanceOf(DeployResult.Configured.class);
    }

    private String answer() throws Exception {
        return platform.get("demo.localhost", "/").body();
    }

    @Test
    void instancesAreReplacedByOnesWithTheVariables() throws Exception {
        assertDone(change(VariableChange.Kind.SECRET, Map.of("KEY", "before")));
        var _ = platform.deploy("demo", "v1", APP);
        assertThat(answer()).isEqualTo("file before");
        assertDone(change(VariableChange.Kind.PLAIN, Map.of("MODE", "set=x")));
        assertDone(change(VariableChange.Kind.SECRET, Map.of("KEY", "line 1\nline 2 'ü'")));
        assertThat(answer()).isEqualTo("set=x line 1\nline 2 'ü'");
        assertThat(platform.hosting.status("demo")).hasSize(1);
        assertDone(change(VariableChange.Kind.PLAIN, Map.of(), "MODE"));
        assertDone(change(VariableChange.Kind.SECRET, Map.of(), "KEY"));
        assertThat(answer()).isEqualTo("file -");
    }

    @Test
    void variablesWithWhichTheAppDoesNotStartChangeNothing() throws Exception {
        var _ = platform.deploy("demo", "v1", APP);
        assertDone(change(VariableChange.Kind.PLAIN, Map.of("KEY", "kept")));
        assertThat(change(VariableChange.Kind.PLAIN, Map.of("MODE", "broken")))
                .isInstanceOfSatisfying(
                        DeployResult.Failed.class,
                        failed ->
                                assertThat(failed.reason() + failed.details().orElse(""))
                                        .contains("unknown mode"));
        assertThat(answer()).isEqualTo("file kept");
        assertThat(platform.hosting.variables("demo").plain()).isEqualTo(Map.of("KEY", "kept"));
        assertThat(platform.hosting.status("demo").getFirst().members()).hasSize(1);
    }

    @Test
    void requestsDoNotFailDuringAChange() throws Exception {
        var _ = platform.deploy("demo", "v1", APP);
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger answered = new AtomicInteger();
        AtomicInteger failed = new AtomicInteger();
        Thread load =
                Thread.ofVirtual()
                        .start(
                                () -> {
                                    while (!done.get()) {
                                        try {
                                            int status =
                                                    platform.get("demo.localhost", "/")
                                                            .statusCode();
                                            (status == 200 ? answered : failed).incrementAndGet();
                                        } catch (Exception e) {
                                            failed.incrementAndGet();
                                        }
                                    }
                                });
        for (int i = 0; i < 3; i++) {
            assertDone(change(VariableChange.Kind.SECRET, Map.of("KEY", "k" + i)));
            assertThat(answer()).isEqualTo("file k" + i);
        }
        done.set(true);
        load.join();
        assertThat(failed).hasValue(0);
        assertThat(answered.get()).isPositive();
    }

    @Test
    void invalidChangesAreRefusedWithoutTheirValues() {
        for (String name : List.of("PORT", "GAE_VERSION", "HOME", "API_HOST")) {
            assertThatThrownBy(() -> change(VariableChange.Kind.SECRET, Map.of(name, "hidden")))
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("set by the platform");
        }
        assertThatThrownBy(() -> change(VariableChange.Kind.SECRET, Map.of("A", "hidden\0")))
                .hasMessageContaining("character with the code 0")
                .hasMessageNotContaining("hidden");
        assertThat(new VariableChange(VariableChange.Kind.SECRET, Map.of("A", "hidden"), Set.of()))
                .asString()
                .contains("A")
                .doesNotContain("hidden");
        assertDone(change(VariableChange.Kind.SECRET, Map.of("A", "hidden")));
        Map<DeployResult, String> refused =
                Map.of(
                        change(VariableChange.Kind.PLAIN, Map.of("A", "x")),
                        "is a variable and a secret",
                        change(VariableChange.Kind.PLAIN, Map.of("1A", "x")),
                        "does not begin with a digit",
                        change(VariableChange.Kind.SECRET, Map.of(), "AB"),
                        "has no secret AB; the nearest is A",
                        change(
                                VariableChange.Kind.PLAIN,
                                Map.of(
                                        "B",
                                        "x".repeat(32_000),
                                        "C",
                                        "x".repeat(32_000),
                                        "D",
                                        "x".repeat(32_000))),
                        "at most 262144 bytes");
        refused.forEach(
                (result, reason) ->
                        assertThat(result)
                                .isInstanceOfSatisfying(
                                        DeployResult.Failed.class,
                                        failed -> assertThat(failed.reason()).contains(reason)));
        assertThat(platform.hosting.variables("demo").names()).containsExactly("A");
    }
}
