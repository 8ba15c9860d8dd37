package petrichor.apps.builds;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.Cancellation;

/** Reuse, eviction and crashes of the cache, with small Python apps. */
class BuildCacheTest {
    private static final String REQUIREMENTS = "itsdangerous\n";

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

    private BuildRequest script(String code, String requirements) throws Exception {
        return workshop.request(
                RuntimeFamily.PYTHON,
                "exec python run.py",
                Map.of(),
                Map.of("run.py", code + "\n", "requirements.txt", requirements));
    }

    @Test
    void twoBuildsOfOneLayerMakeItOnce() throws Exception {
        List<BuildRequest> requests =
                List.of(script("print(1)", REQUIREMENTS), script("print(2)", REQUIREMENTS));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<CompletableFuture<BuildResult.Built>> built =
                    requests.stream()
                            .map(
                                    request ->
                                            CompletableFuture.supplyAsync(
                                                    () ->
                                                            (BuildResult.Built)
                                                                    workshop.build(request),
                                                    threads))
                            .toList();
            assertThat(built.get(0).join().environment())
                    .isEqualTo(built.get(1).join().environment());
            assertThat(workshop.run(built.get(0).join())).isEqualTo("1\n");
            assertThat(workshop.run(built.get(1).join())).isEqualTo("2\n");
        }
        assertThat(
                        workshop.events.stream()
                                .filter(BuildEvent.StageFinished.class::isInstance)
                                .map(BuildEvent.StageFinished.class::cast)
                                .filter(event -> event.stage() == BuildStage.DEPENDENCIES)
                                .map(BuildEvent.StageFinished::reused))
                .containsExactlyInAnyOrder(true, false);
        assertThat(workshop.layers()).hasSize(1);
    }

    @Test
    void twoBuildsOfTheSameInputsAreOne() throws Exception {
        BuildRequest request = script("print(1)", "");
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var first = CompletableFuture.supplyAsync(() -> workshop.build(request), threads);
            var second = CompletableFuture.supplyAsync(() -> workshop.build(request), threads);
            assertThat(
                            Stream.of(first.join(), second.join())
                                    .map(BuildResult.Built.class::cast)
                                    .map(BuildResult.Built::cached))
                    .containsExactlyInAnyOrder(true, false);
        }
    }

    /** The same settings with a cache that holds nothing. */
    private void reopenWithoutSpace() throws Exception {
        BuildSettings settings = workshop.settings();
        workshop.builds =
                Builds.open(
                        settings.withLimits(settings.limits().withCacheBytesMax(1)),
                        SourceLimits.DEFAULT);
    }

    @Test
    void theLeastRecentlyUsedIsEvictedButNothingInUse() throws Exception {
        var deployed = workshop.built(script("print('deployed')", REQUIREMENTS));
        workshop.deployed.add(deployed.contentHash());
        var old = workshop.built(script("print('old')", "itsdangerous==2.1.2\n"));
        Path oldLayer = Path.of(old.environment().get("VIRTUAL_ENV"));
        workshop.advance(CacheEviction.GRACE.plusSeconds(1));
        BuildRequest latest = script("print('new')", "");
        var recent = workshop.built(latest);
        assertThat(old.folder()).exists();
        reopenWithoutSpace();
        workshop.builds.evict();
        assertThat(old.folder()).doesNotExist();
        assertThat(oldLayer).doesNotExist();
        assertThat(workshop.run(deployed)).isEqualTo("deployed\n");
        assertThat(Path.of(deployed.environment().get("VIRTUAL_ENV"))).exists();
        assertThat(workshop.run(recent)).isEqualTo("new\n");
        assertThat(latest.sources().folder()).exists();
        // Evicted builds can be made again.
        assertThat(workshop.run(workshop.built(script("print('old')", "itsdangerous==2.1.2\n"))))
                .isEqualTo("old\n");
        workshop.deployed.clear();
        workshop.advance(CacheEviction.GRACE.plusSeconds(1));
        workshop.builds.evict();
        assertThat(workshop.builds.cacheBytes()).isZero();
        assertThat(temporary.resolve("builds/apps/demo/downloads")).doesNotExist();
    }

    @Test
    void whatARunningBuildUsesIsNotEvicted() throws Exception {
        Path go = temporary.resolve("go");
        FileTrees.setMode(temporary, 0777);
        BuildRequest request =
                workshop.request(
                        RuntimeFamily.JAVA,
                        "true",
                        Map.of(),
                        Map.of(
                                "pom.xml",
                                "",
                                "mvnw",
                                "touch " + go + "; while [ -e " + go + " ]; do sleep 0.1; done\n"));
        reopenWithoutSpace();
        var result =
                CompletableFuture.supplyAsync(
                        () -> workshop.builds.build(request, Cancellation.never()));
        while (!Files.exists(go)) {
            assertThat(result).isNotDone();
            Thread.onSpinWait();
        }
        workshop.advance(CacheEviction.GRACE.plusSeconds(1));
        workshop.builds.evict();
        assertThat(request.sources().folder()).exists();
        Files.delete(go);
        assertThat(result.get(60, TimeUnit.SECONDS)).isInstanceOf(BuildResult.Built.class);
    }

    @Test
    void aCrashLeavesNoHalfLayer() throws Exception {
        // The dependencies never finish.
        Path tree =
                workshop.tree(
                        Map.of(
                                "run.py",
                                "print('up')",
                                "requirements.txt",
                                "./lib\n",
                                "lib/setup.py",
                                "import time\ntime.sleep(3600)\n"));
        Process server =
                new ProcessBuilder(
                                Path.of(System.getProperty("java.home"), "bin/java").toString(),
                                "-cp",
                                System.getProperty(
                                        "surefire.test.class.path",
                                        System.getProperty("java.class.path")),
                                CrashingServer.class.getName(),
                                temporary.toString(),
                                tree.toString())
                        .redirectErrorStream(true)
                        .redirectOutput(new File(temporary.toFile(), "server.log"))
                        .start();
        Path apps = temporary.resolve("builds/apps");
        long deadline = System.nanoTime() + TimeUnit.MINUTES.toNanos(2);
        while (!hasPython(apps)) {
            assertThat(server.isAlive())
                    .as(Files.readString(temporary.resolve("server.log")))
                    .isTrue();
            assertThat(System.nanoTime()).isLessThan(deadline);
            Thread.onSpinWait();
        }
        server.destroyForcibly().waitFor();
        assertThat(workshop.leftovers()).isNotEmpty();
        workshop.reopen();
        assertThat(workshop.leftovers()).isEmpty();
        assertThat(workshop.layers()).isEmpty();
        assertThat(
                        ProcessHandle.allProcesses()
                                .map(process -> process.info().commandLine().orElse(""))
                                .filter(line -> line.contains(temporary.toString())))
                .isEmpty();
        assertThat(workshop.run(workshop.built(script("print('up')", REQUIREMENTS))))
                .isEqualTo("up\n");
    }

    /** Whether a layer is being made. */
    private static boolean hasPython(Path apps) throws Exception {
        if (!Files.isDirectory(apps)) {
            return false;
        }
        try (Stream<Path> files =
                Files.find(apps, 6, (path, _) -> path.endsWith("layer/bin/python"))) {
            return files.findAny().isPresent();
        } catch (java.io.UncheckedIOException changedMeanwhile) {
            return false;
        }
    }

    /** A server that builds until it is killed. */
    static final class CrashingServer {
        private CrashingServer() {}

        public static void main(String[] arguments) throws Exception {
            Workshop workshop = new Workshop(Path.of(arguments[0]));
            var stored =
                    (SourceResult.Stored)
                            workshop.builds
                                    .sources()
                                    .folder(Path.of(arguments[1]), IgnorePatterns.NONE);
            System.out.println(
                    workshop.build(
                            new BuildRequest(
                                    stored.sources(),
                                    new AppRuntime(RuntimeFamily.PYTHON, ""),
                                    "python run.py",
                                    Map.of(),
                                    "demo",
                                    BuildProgress.NONE)));
        }
    }

    @Test
    void aTruncatedLayerIsMadeAgain() throws Exception {
        var built = workshop.built(script("import itsdangerous; print('up')", REQUIREMENTS));
        Path layer = Path.of(built.environment().get("VIRTUAL_ENV"));
        Path lost;
        try (Stream<Path> files = Files.walk(layer)) {
            lost =
                    files.filter(file -> file.endsWith("itsdangerous/__init__.py"))
                            .findFirst()
                            .orElseThrow();
        }
        // As after a power failure: the file exists, its data is lost.
        FileTrees.setMode(lost, 0600);
        Files.newOutputStream(lost, StandardOpenOption.TRUNCATE_EXISTING).close();
        workshop.reopen();
        var again = workshop.built(script("import itsdangerous; print('up')", REQUIREMENTS));
        assertThat(again.cached()).isFalse();
        assertThat(Files.size(lost)).isPositive();
        assertThat(workshop.run(again)).isEqualTo("up\n");
    }

    @Test
    void deletionOfAnAppRemovesItsFolder() throws Exception {
        var built = workshop.built(script("print(1)", ""));
        workshop.builds.delete("demo");
        assertThat(built.folder()).doesNotExist();
        assertThat(temporary.resolve("builds/apps/demo")).doesNotExist();
        assertThat(workshop.built(script("print(1)", "")).cached()).isFalse();
    }

    @Test
    void waitingForASlotCanBeCancelled() throws Exception {
        Cancellation cancelled = Cancellation.after(Duration.ofMillis(1).toNanos());
        BuildSettings settings = workshop.settings();
        BuildLimits one = new BuildLimits(Duration.ofMinutes(1), 1 << 20, 1 << 30, 1 << 30, 1);
        workshop.builds = Builds.open(settings.withLimits(one), SourceLimits.DEFAULT);
        BuildRequest slow =
                workshop.request(
                        RuntimeFamily.JAVA,
                        "true",
                        Map.of(),
                        Map.of("pom.xml", "", "mvnw", "sleep 3600\n"));
        Cancellation first = Cancellation.never();
        var running = CompletableFuture.supplyAsync(() -> workshop.builds.build(slow, first));
        while (workshop.events.size() < 3) {
            assertThat(running).isNotDone();
            Thread.onSpinWait();
        }
        assertThat(workshop.builds.build(script("print(1)", ""), cancelled))
                .isInstanceOfSatisfying(
                        BuildResult.BuildFailed.class,
                        failed ->
                                assertThat(failed.reason())
                                        .isEqualTo("the build was cancelled before it started"));
        first.cancel();
        assertThat(running.get(60, TimeUnit.SECONDS)).isInstanceOf(BuildResult.BuildFailed.class);
    }
}
