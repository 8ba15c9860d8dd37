package petrichor.apps.builds;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.Cancellation;

/**
 * What a malicious or broken build can do. The build is a shell script in the place of Maven's
 * wrapper.
 */
class ConfinedBuildTest {
    private static final long GONE_SECONDS_MAX = 30;

    @TempDir Path temporary;
    private final List<Workshop> workshops = new ArrayList<>();

    private Workshop workshop(BuildLimits limits) throws Exception {
        Workshop workshop = new Workshop(temporary, settings -> settings.withLimits(limits));
        workshops.add(workshop);
        return workshop;
    }

    @AfterEach
    void close() throws Exception {
        for (Workshop workshop : workshops) {
            assertThat(workshop.leftovers()).isEmpty();
            workshop.close();
        }
    }

    private static BuildRequest script(Workshop workshop, String... lines) throws Exception {
        return workshop.request(
                RuntimeFamily.JAVA,
                "true",
                Map.of("SECRET", "https://me:hunter2@example.invalid/"),
                Map.of("pom.xml", "", "mvnw", String.join("\n", lines) + "\n"));
    }

    private static String log(Path folder) throws Exception {
        return Files.readString(folder);
    }

    private static boolean isRoot() {
        return BuildUsers.forThisProcess() instanceof BuildUsers.UserPerApp;
    }

    @Test
    void aBuildSeesOnlyWhatPasses() throws Exception {
        Workshop workshop = workshop(BuildLimits.DEFAULT);
        var built =
                workshop.built(
                        script(
                                workshop,
                                "env | cut -d= -f1 >names",
                                "echo $HOME >home",
                                "pwd >pwd"));
        Set<String> names =
                Files.readAllLines(built.folder().resolve("names")).stream()
                        .filter(name -> name.matches("[A-Za-z_]+"))
                        .collect(Collectors.toSet());
        Set<String> passed = PassedSettings.of(System.getenv(), Path.of("/")).variables().keySet();
        assertThat(names)
                .contains("SECRET", "HOME", "TMPDIR", "PATH")
                .allMatch(
                        name ->
                                passed.contains(name)
                                        || Set.of(
                                                        "SECRET",
                                                        "HOME",
                                                        "TMPDIR",
                                                        "PATH",
                                                        "LANG",
                                                        "LC_ALL",
                                                        "PWD",
                                                        "OLDPWD",
                                                        "SHLVL",
                                                        "_",
                                                        "JAVA_HOME",
                                                        "MAVEN_OPTS",
                                                        "MAVEN_USER_HOME",
                                                        ProcessTree.MARK)
                                                .contains(name));
        assertThat(Files.readString(built.folder().resolve("home")))
                .contains("/apps/demo/work/")
                .doesNotContain(System.getProperty("user.home"));
    }

    @Test
    void aBuildRunsAsAUserOfItsApp() throws Exception {
        Assumptions.assumeTrue(isRoot(), "needs root");
        Workshop workshop = workshop(BuildLimits.DEFAULT);
        Path secret = Files.writeString(temporary.resolve("builds/secret"), "hunter2");
        FileTrees.setMode(secret, 0600);
        var built =
                workshop.built(
                        script(
                                workshop,
                                "id -u >uid; id -G >groups",
                                "cat " + secret + " >stolen 2>&1",
                                "ls " + temporary.resolve("builds/sources") + " >stolen 2>&1",
                                "grep -E 'NoNewPrivs|CapBnd' /proc/self/status >status",
                                "ps ax >processes || true"));
        int uid = workshop.builds.user("demo").orElseThrow().uid();
        assertThat(built.folder().resolve("uid")).hasContent(String.valueOf(uid));
        assertThat(built.folder().resolve("groups")).hasContent(String.valueOf(uid));
        assertThat(built.folder().resolve("stolen")).content().contains("Permission denied");
        assertThat(built.folder().resolve("status"))
                .content()
                .containsPattern("NoNewPrivs:\\s*1")
                .containsPattern("CapBnd:\\s*0+\n");
        assertThat(workshop.builds.user("other").orElseThrow().uid()).isNotEqualTo(uid);
        // What it built cannot be changed by the app, nor read by others.
        assertThat(FileTrees.mode(built.folder()) & 0227).isZero();
        assertThat(Files.getAttribute(built.folder(), "unix:uid")).isEqualTo(0);
        assertThat(Files.getAttribute(built.folder(), "unix:gid")).isEqualTo(uid);
    }

    @Test
    void aToolThatTheUserCannotReachDoesNotCount() throws Exception {
        Assumptions.assumeTrue(isRoot(), "needs root");
        Path tools = Files.createDirectory(temporary.resolve("private"));
        // Any program that answers --version.
        Files.copy(Path.of("/bin/true"), tools.resolve("node"), StandardCopyOption.COPY_ATTRIBUTES);
        Workshop workshop =
                new Workshop(temporary, settings -> settings.withToolFolders(List.of(tools)));
        workshops.add(workshop);
        BuildRequest request = workshop.request(RuntimeFamily.NODE, Map.of("server.js", ""));
        FileTrees.setMode(tools, FileTrees.ENTER_ONLY);
        var _ = workshop.built(request);
        FileTrees.setMode(tools, FileTrees.OWNER_ONLY);
        assertThat(workshop.failed(request).reason()).startsWith("Node.js is not installed");
    }

    @Test
    void anAppKeepsItsUser() throws Exception {
        Assumptions.assumeTrue(isRoot(), "needs root");
        Workshop workshop = workshop(BuildLimits.DEFAULT);
        var users = List.of(workshop.builds.user("a"), workshop.builds.user("b"));
        workshop.reopen();
        assertThat(List.of(workshop.builds.user("b"), workshop.builds.user("a")))
                .isEqualTo(users.reversed());
        workshop.builds.delete("a");
        assertThat(workshop.builds.user("c")).isEqualTo(users.getFirst());
    }

    @Test
    void theSourcesOfLaterBuildsCannotBeChanged() throws Exception {
        Workshop workshop = workshop(BuildLimits.DEFAULT);
        BuildRequest request = script(workshop, "echo changed >>pom.xml", "rm mvnw");
        var _ = workshop.built(request);
        assertThat(request.sources().folder().resolve("pom.xml")).isEmptyFile();
        assertThat(request.sources().folder().resolve("mvnw")).exists();
    }

    @Test
    void credentialsInOutputAreNotLogged() throws Exception {
        Workshop workshop = workshop(BuildLimits.DEFAULT);
        var failed =
                workshop.failed(
                        script(
                                workshop,
                                "echo \"Looking in $SECRET\"",
                                "echo \"ERROR: $SECRET\"; exit 1"));
        assertThat(failed.reason()).contains("https://***@example.invalid/");
        assertThat(log(failed.log())).contains("Looking in https://***@").doesNotContain("hunter2");
    }

    /** A number that no other process has among its arguments. */
    private static String nonce() {
        return String.valueOf(1_000_000_000L + System.nanoTime() % 1_000_000_000L);
    }

    private static void assertGone(String nonce) {
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(GONE_SECONDS_MAX);
        while (isRunning(nonce)) {
            assertThat(System.nanoTime()).as("%s still runs", nonce).isLessThan(deadline);
            Thread.onSpinWait();
        }
    }

    private static boolean isRunning(String nonce) {
        return ProcessHandle.allProcesses()
                .anyMatch(
                        process ->
                                process.info().commandLine().orElse("").contains("sleep " + nonce));
    }

    /** A process in the background that has left the session and group, and ignores signals. */
    private static String daemon(String nonce) {
        return "trap '' HUP TERM INT; setsid sh -c 'trap \"\" HUP TERM; sleep "
                + nonce
                + "; true' &";
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void aBuildOutOfTimeIsKilledWithEverythingItStarted(boolean namespaces) throws Exception {
        Workshop workshop = workshop(BuildLimits.DEFAULT.withTimeMax(Duration.ofSeconds(3)));
        useNamespaces(workshop, namespaces);
        String nonce = nonce();
        var failed =
                workshop.failed(
                        script(
                                workshop,
                                daemon(nonce),
                                "(sleep " + nonce + ") &",
                                "sleep " + nonce));
        assertThat(failed.stage()).isEqualTo(BuildStage.COMPILE);
        assertThat(failed.reason()).startsWith("the build took longer than 3 s and was killed");
        assertGone(nonce);
    }

    private static void useNamespaces(Workshop workshop, boolean namespaces) {
        if (!namespaces) {
            workshop.builds =
                    Builds.open(
                            workshop.settings(),
                            SourceLimits.DEFAULT,
                            CommandRunner.withoutNamespaces(workshop.settings().folder()),
                            System.getenv());
        }
    }

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void whatABuildLeavesBehindIsKilledWhenItEnds(boolean namespaces) throws Exception {
        Workshop workshop = workshop(BuildLimits.DEFAULT);
        useNamespaces(workshop, namespaces);
        String nonce = nonce();
        var built = workshop.built(script(workshop, daemon(nonce), "echo done"));
        assertThat(built.duration()).isLessThan(Duration.ofSeconds(60));
        assertGone(nonce);
    }

    @Test
    void aCancelledBuildIsKilled() throws Exception {
        Workshop workshop = workshop(BuildLimits.DEFAULT);
        String nonce = nonce();
        BuildRequest request = script(workshop, daemon(nonce), "sleep " + nonce);
        Cancellation cancellation = Cancellation.never();
        CompletableFuture<BuildResult> result =
                CompletableFuture.supplyAsync(() -> workshop.builds.build(request, cancellation));
        while (!isRunning(nonce)) {
            assertThat(result).isNotDone();
            Thread.onSpinWait();
        }
        cancellation.cancel();
        assertThat(
                        ((BuildResult.BuildFailed) result.get(GONE_SECONDS_MAX, TimeUnit.SECONDS))
                                .reason())
                .isEqualTo("the build was cancelled");
        assertGone(nonce);
    }

    @Test
    void tooMuchOutputEndsABuild() throws Exception {
        Workshop workshop = workshop(BuildLimits.DEFAULT.withLogBytesMax(100_000));
        var failed = workshop.failed(script(workshop, "yes 'a line of output'"));
        assertThat(failed.reason()).contains("wrote more than 100000 bytes of output");
        assertThat(Files.size(failed.log())).isLessThan(110_000);
    }

    @Test
    void aLineWithoutEndIsBounded() throws Exception {
        Workshop workshop = workshop(BuildLimits.DEFAULT.withLogBytesMax(100_000));
        var failed = workshop.failed(script(workshop, "cat /dev/zero"));
        assertThat(failed.reason()).contains("wrote more than 100000 bytes of output");
    }

    @Test
    void tooManyFilesEndABuild() throws Exception {
        Workshop workshop = workshop(BuildLimits.DEFAULT.withWorkBytesMax(10 << 20));
        String nonce = nonce();
        var running =
                workshop.failed(
                        script(
                                workshop,
                                "head -c 20000000 /dev/zero >$TMPDIR/big",
                                "sleep " + nonce));
        assertThat(running.reason()).contains("wrote more than 10485760 bytes of files");
        var ended = workshop.failed(script(workshop, "head -c 20000000 /dev/zero >big"));
        assertThat(ended.reason()).contains("wrote more than 10485760 bytes of files");
        assertGone(nonce);
    }

    @Test
    void aLinkOutOfTheFolderIsRefusedAndADeadOneRemoved() throws Exception {
        Workshop workshop = workshop(BuildLimits.DEFAULT);
        var failed = workshop.failed(script(workshop, "mkdir static; ln -s /etc static/etc"));
        assertThat(failed.stage()).isEqualTo(BuildStage.PUBLISH);
        assertThat(failed.reason()).contains("\"app/static/etc\", a symbolic link out");
        var built =
                workshop.built(
                        script(workshop, "ln -s nowhere dead; ln -s pom.xml alive; mkfifo pipe"));
        assertThat(
                        Workshop.list(built.folder()).stream()
                                .map(file -> file.getFileName().toString()))
                .containsExactly("alive", "mvnw", "pom.xml");
    }

    @Test
    void theFolderOfAppsMustBeReachable() throws Exception {
        Assumptions.assumeTrue(isRoot(), "needs root");
        Workshop workshop = workshop(BuildLimits.DEFAULT);
        FileTrees.setMode(temporary, FileTrees.OWNER_ONLY);
        org.assertj.core.api.Assertions.assertThatThrownBy(workshop::reopen)
                .hasMessageContaining("move the folder of builds");
        FileTrees.setMode(temporary, FileTrees.ENTER_ONLY);
    }

    @Test
    void settingsOfRegistriesPassAndNothingElse() throws Exception {
        Path home =
                Files.createDirectories(temporary.resolve("home/.config/pip"))
                        .resolve("../..")
                        .normalize();
        Files.writeString(home.resolve(".config/pip/pip.conf"), "[global]\nindex-url = x\n");
        Files.writeString(home.resolve(".npmrc"), "registry=x\n");
        Files.createDirectory(home.resolve(".ssh"));
        Files.writeString(home.resolve(".ssh/id_rsa"), "key");
        PassedSettings settings =
                PassedSettings.of(
                        Map.of(
                                "PIP_INDEX_URL",
                                "i",
                                "https_proxy",
                                "p",
                                "GOPROXY",
                                "g",
                                "npm_config_registry",
                                "n",
                                "AWS_SECRET_ACCESS_KEY",
                                "s",
                                "PETRICHOR_TOKEN",
                                "t",
                                "LD_PRELOAD",
                                "l",
                                "PIP_TARGET",
                                "/"),
                        home);
        assertThat(settings.variables().keySet())
                .containsExactlyInAnyOrder(
                        "PIP_INDEX_URL", "https_proxy", "GOPROXY", "npm_config_registry");
        assertThat(settings.forUv().orElseThrow()).containsEntry("UV_DEFAULT_INDEX", "i");
        Path target = Files.createDirectory(temporary.resolve("target"));
        settings.writeFiles(target, null);
        assertThat(target.resolve(".npmrc")).hasContent("registry=x");
        assertThat(FileTrees.mode(target.resolve(".npmrc")) & 0777).isEqualTo(0600);
        assertThat(target.resolve(".config/pip/pip.conf")).exists();
        assertThat(target.resolve(".ssh")).doesNotExist();
    }
}
