package petrichor.deployment;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

class SuppliesTest {
    private static final Host HERE = new Host.ThisMachine();

    @TempDir private Path folder;

    private InstalledDependency supplied(Dependency supply) {
        return new DependencyInstaller("1", Progress.SILENT, Cache.in(folder))
                .on(HERE, List.of(supply))
                .values()
                .iterator()
                .next();
    }

    @Test
    @Tag("slow")
    void jarsComeWithTheirManagedDependencies() throws IOException {
        Path jars =
                supplied(
                                new Dependency.Jars(
                                        "assertions",
                                        List.of("org.assertj:assertj-core:3.27.7"),
                                        Map.of(),
                                        List.of()))
                        .place();
        assertThat(names(jars)).contains("assertj-core-3.27.7.jar").hasSize(2);
        Path without =
                supplied(
                                new Dependency.Jars(
                                        "assertions",
                                        List.of("org.assertj:assertj-core:3.27.7"),
                                        Map.of(),
                                        List.of("net.bytebuddy:byte-buddy")))
                        .place();
        assertThat(names(without)).containsExactly("assertj-core-3.27.7.jar");
    }

    @Test
    void managedVersionsAndClassifiersAreWrittenForMaven() {
        assertThat(MavenFetch.pom(List.of("g:a:jar:linux:1"), Map.of("h:b", "2"), List.of("x:y")))
                .contains("<groupId>h</groupId><artifactId>b</artifactId><version>2</version>")
                .contains("<type>jar</type><classifier>linux</classifier><version>1</version>")
                .contains("<exclusion><groupId>x</groupId><artifactId>y</artifactId></exclusion>");
    }

    @Test
    @Tag("slow")
    void archiveIsUnpacked() {
        Path place =
                supplied(new Dependency.Archive("annotations", "org.jspecify:jspecify:1.0.0"))
                        .place();
        assertThat(place.resolve("org/jspecify/annotations/Nullable.class")).exists();
        assertThat(place.resolve("META-INF/MANIFEST.MF")).exists();
    }

    @Test
    void systemProgramsAreFound() {
        Path place =
                supplied(
                                new Dependency.Programs(
                                        "shell", List.of("sh", "ls"), List.of(), List.of()))
                        .place();
        assertThat(place.resolve("ls")).isExecutable();
    }

    @Test
    @Tag("slow")
    void packagesForANamespaceAreFetchedThroughThisMachinesNetwork() {
        Host.Namespace isolated = new Host.Namespace("psupplies", "10.0.0.1");
        DebianPackages packages = new DebianPackages(HERE, List.of("hello"));
        run("ip netns add " + isolated.space());
        try {
            run("rm -rf " + Shell.quoted(packages.root()));
            Path place =
                    new DependencyInstaller("1", Progress.SILENT, Cache.in(folder))
                            .on(
                                    isolated,
                                    List.of(
                                            new Dependency.Programs(
                                                    "greeting",
                                                    List.of("hello"),
                                                    List.of(),
                                                    List.of("hello"))))
                            .values()
                            .iterator()
                            .next()
                            .place();
            assertThat(place.resolve("hello")).isExecutable();
        } finally {
            run("ip netns delete " + isolated.space());
        }
    }

    private static void run(String script) {
        Shell.run(HERE, script).required(script);
    }

    @Test
    void missingProgramIsReportedWithItsPackage() {
        assertRefused(
                new Dependency.Programs("none", List.of("no-such-d"), List.of(), List.of()),
                "this machine has no no-such-d");
    }

    @Test
    @Tag("slow")
    void unknownPackageIsNamed() {
        assertRefused(new Dependency.Java("old", List.of(1)), "no Java 1");
        assertRefused(
                new Dependency.Programs(
                        "none", List.of("no-such-d"), List.of(), List.of("no-such-package-d")),
                "apt-get install no-such-package-d");
    }

    @Test
    void javaIsFoundByItsVersion() {
        Path home = supplied(new Dependency.Java("java", List.of(1, 25))).place();
        assertThat(home.resolve("bin/java")).isExecutable();
        assertThat(home.resolve("release")).content().contains("JAVA_VERSION=\"25");
    }

    @Test
    void concurrentRequestsFetchOnce() throws Exception {
        Cache cache = Cache.in(folder);
        AtomicInteger fetched = new AtomicInteger();
        List<Future<Path>> places = new ArrayList<>();
        try (ExecutorService threads = Executors.newFixedThreadPool(4)) {
            for (int i = 0; i < 4; i++) {
                places.add(
                        threads.submit(
                                () ->
                                        cache.folder(
                                                "server-1",
                                                into -> {
                                                    fetched.incrementAndGet();
                                                    Files.writeString(into.resolve("it"), "all");
                                                })));
            }
            for (Future<Path> place : places) {
                assertThat(place.get().resolve("it")).hasContent("all");
            }
        }
        assertThat(fetched).hasValue(1);
    }

    @Test
    void incompleteFetchLeavesNothing() throws IOException {
        Cache cache = Cache.in(folder);
        assertThatThrownBy(
                        () ->
                                cache.folder(
                                        "server-1",
                                        into -> {
                                            Files.writeString(into.resolve("it"), "half");
                                            throw new IOException("the line is cut");
                                        }))
                .hasMessageContaining("the line is cut");
        assertThat(names(folder)).containsExactly("server-1.lock");
        assertThat(cache.folder("server-1", _ -> {})).isEmptyDirectory();
    }

    private void assertRefused(Dependency supply, String text) {
        assertThatThrownBy(() -> supplied(supply))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining(text)
                .extracting(failure -> ((PetrichorException) failure).code())
                .isEqualTo(ErrorCode.FAILED_PRECONDITION);
    }

    private static List<String> names(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.map(file -> file.getFileName().toString()).sorted().toList();
        }
    }
}
