package petrichor.apps.instances;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.apps.instances.TestHost.failed;
import static petrichor.apps.instances.TestHost.with;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.LinuxProcesses;
import petrichor.base.TimeSource;

/** What an instance can and cannot reach, with the complete isolation. */
final class IsolationTest {
    private static final Pattern ENTRY =
            Pattern.compile("\"([A-Z_]+)\": \"((?:[^\"\\\\]|\\\\.)*)\"");

    @TempDir Path folder;
    private TestHost tested;

    @BeforeEach
    void open() throws IOException {
        TestHost.require(IsolationFeature.values());
        tested = new TestHost(folder);
    }

    @AfterEach
    void close() {
        if (tested != null) {
            tested.close();
        }
    }

    private static Map<String, String> entries(String json) {
        Map<String, String> entries = new HashMap<>();
        var matcher = ENTRY.matcher(json);
        while (matcher.find()) {
            entries.put(
                    matcher.group(1),
                    matcher.group(2)
                            .replace("\\n", "\n")
                            .replace("\\\"", "\"")
                            .replace("\\\\", "\\"));
        }
        return entries;
    }

    @Test
    void theEnvironmentIsThatOfTheSpecAndNothingElse() throws Exception {
        Instance instance = tested.ready(tested.spec("serve"));
        Map<String, String> environment = entries(tested.ask(instance, "/environ"));
        // A shell that is bash adds "_".
        environment.remove("_");
        // CPython sets it itself where the locale is C.
        environment.remove("LC_CTYPE");
        assertThat(environment)
                .containsOnlyKeys("GREETING", "PORT", "HOME", "TMPDIR", "PATH", "LANG")
                .containsEntry("GREETING", "it's a \"test\"\n$HOME")
                .containsEntry("PORT", Integer.toString(instance.port()))
                .containsEntry("TMPDIR", "/tmp")
                .containsEntry("HOME", "/tmp");
    }

    @Test
    void variablesOfTheAppDoNotReachStagesThatRunAsRoot() throws Exception {
        Map<String, String> environment =
                Map.of("LD_PRELOAD", "/planted.so", "PATH", "/planted", "IFS", "/");
        Instance instance = tested.ready(with(tested.spec("serve"), environment));
        assertThat(entries(tested.ask(instance, "/environ"))).containsAllEntriesOf(environment);
        // The loader of each program complains once: of the app only.
        assertThat(
                        tested.lines().stream()
                                .filter(line -> line.text().contains("/planted.so"))
                                .count())
                .isEqualTo(1);
    }

    @Test
    void hasItsOwnUserWithoutGroups() throws Exception {
        Instance first = tested.ready(tested.spec("serve"));
        Instance second = tested.ready(tested.spec("serve"));
        String ids = tested.ask(first, "/ids");
        assertThat(ids).matches("\\[(18790\\d+), \\1, \\[]]");
        assertThat(tested.ask(second, "/ids")).isNotEqualTo(ids);
    }

    @Test
    void doesNotSeeTheDataFolder() throws Exception {
        Path secret = tested.data.resolve("secret");
        assertThat(secret).exists();
        // Even if all users may read it.
        Files.setPosixFilePermissions(secret, PosixFilePermissions.fromString("rw-rw-rw-"));
        Instance instance = tested.ready(tested.spec("serve"));
        assertThat(tested.ask(instance, "/read", "path", secret.toString()))
                .isEqualTo("error: FileNotFoundError");
        assertThat(tested.ask(instance, "/list", "path", folder.toString()))
                .isEqualTo("[\"apps\"]");
        assertThat(tested.ask(instance, "/list", "path", "/"))
                .doesNotContain("root", "home", "srv", "sys");
        assertThat(tested.ask(instance, "/list", "path", "/run")).isEqualTo("[]");
    }

    @Test
    void hiddenFoldersOfTheSystemAreEmptyButCodeInThemIsNot() throws Exception {
        Path hidden = Path.of("/usr/share");
        assertThat(hidden).isNotEmptyDirectory();
        Path host = Files.createDirectories(folder.resolve("other"));
        HostSettings settings = HostSettings.of(host, List.of(hidden, folder));
        try (InstanceHost other =
                InstanceHost.open(settings, TestHost.machine(), TimeSource.SYSTEM)) {
            StartResult result = other.start(tested.spec("serve"), tested.log);
            Instance instance = ((StartResult.Accepted) result).instance();
            assertThat(TestHost.started(instance)).isEqualTo(new InstanceState.Ready());
            assertThat(tested.ask(instance, "/list", "path", "/usr/share")).isEqualTo("[]");
            assertThat(tested.ask(instance, "/list", "path", folder.toString()))
                    .isEqualTo("[\"apps\"]");
            instance.kill("done");
        }
    }

    @Test
    void aReadableFolderMustNotContainAHiddenOne() throws Exception {
        InstanceFiles files = new InstanceFiles(tested.code, List.of(folder));
        InstanceState.Failed failed = failed(tested.start(with(tested.spec("serve"), files)));
        assertThat(failed.reason()).contains("contains " + tested.data, "must not see");
    }

    @Test
    void furtherFoldersAreReadableWhereNamed() throws Exception {
        Path library = Files.createDirectories(folder.resolve("private/a library #1\\"));
        Files.writeString(library.resolve("module"), "def f");
        Files.writeString(folder.resolve("private/other"), "not this");
        InstanceFiles files = new InstanceFiles(tested.code, List.of(library));
        Instance instance = tested.ready(with(tested.spec("serve"), files));
        assertThat(tested.ask(instance, "/read", "path", library.resolve("module").toString()))
                .isEqualTo("def f");
        assertThat(tested.ask(instance, "/list", "path", folder.resolve("private").toString()))
                .isEqualTo("[\"a library #1\\\\\"]");
    }

    @Test
    void cannotWriteItsCodeNorTheSystem() throws Exception {
        // Even if the modes permit it.
        Files.setPosixFilePermissions(tested.code, PosixFilePermissions.fromString("rwxrwxrwx"));
        Instance instance = tested.ready(tested.spec("serve"));
        for (String path :
                List.of(tested.code + "/planted", "/planted", "/usr/planted", "/dev/planted")) {
            assertThat(tested.ask(instance, "/write", "path", path)).startsWith("error: ");
        }
        assertThat(tested.ask(instance, "/write", "path", "/tmp/file")).isEqualTo("written");
        assertThat(tested.ask(instance, "/write", "path", "/var/tmp/file")).isEqualTo("written");
        assertThat(tested.ask(instance, "/write", "path", "/dev/shm/file")).isEqualTo("written");
        assertThat(tested.code.resolve("planted")).doesNotExist();
        // The root folder, even if the instance owned it.
        assertThat(tested.ask(instance, "/read", "path", "/proc/self/mounts"))
                .containsPattern("(?m)^\\S+ / \\S+ ro,");
    }

    @Test
    void seesOnlyItsOwnProcessesAndFiles() throws Exception {
        Instance first = tested.ready(tested.spec("serve", "first"));
        Instance second = tested.ready(tested.spec("serve", "second"));
        List<Long> firsts = pids(first);
        assertThat(firsts).isNotEmpty();
        for (long pid : firsts) {
            assertThat(tested.ask(second, "/read", "path", "/proc/" + pid + "/environ"))
                    .startsWith("error: ");
            assertThat(tested.ask(second, "/kill", "pid", Long.toString(pid)))
                    .isEqualTo("error: ProcessLookupError");
        }
        String processes = tested.ask(second, "/list", "path", "/proc");
        assertThat(Arrays.stream(processes.split("\"", -1)).filter(name -> name.matches("\\d+")))
                .as("the first process, and the app")
                .hasSize(2);
        assertThat(tested.ask(first, "/write", "path", "/tmp/first")).isEqualTo("written");
        assertThat(tested.ask(second, "/list", "path", "/tmp")).doesNotContain("first");
        assertThat(tested.ask(second, "/read", "path", "/proc/1/environ"))
                .isEqualTo("error: PermissionError");
        assertThat(first.state()).isEqualTo(new InstanceState.Ready());
    }

    /** Processes of an instance, as the machine numbers them. */
    private List<Long> pids(Instance instance) throws IOException {
        String name = "petrichor-" + InstanceHost.hash(folder.resolve("host").toRealPath()) + "-";
        return TestHost.machine().groups().existing(name).stream()
                .map(TestHost.machine().groups()::group)
                .flatMap(group -> group.members().stream())
                .filter(pid -> LinuxProcesses.command(pid).contains("first"))
                .filter(pid -> !LinuxProcesses.command(pid).contains("unshare"))
                .filter(_ -> instance.state() instanceof InstanceState.Ready)
                .toList();
    }

    @Test
    void cannotGainPrivileges() throws Exception {
        Instance instance = tested.ready(tested.spec("serve"));
        String status = tested.ask(instance, "/read", "path", "/proc/self/status");
        assertThat(status)
                .containsPattern("CapBnd:\\s+0000000000000000")
                .containsPattern("CapEff:\\s+0000000000000000")
                .containsPattern("NoNewPrivs:\\s+1");
    }
}
