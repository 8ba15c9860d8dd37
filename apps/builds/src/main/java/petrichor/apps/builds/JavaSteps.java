package petrichor.apps.builds;

import static java.nio.file.LinkOption.NOFOLLOW_LINKS;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.locks.ReentrantLock;
import java.util.jar.Attributes;
import java.util.jar.JarFile;
import java.util.jar.Manifest;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import java.util.zip.ZipException;
import java.util.zip.ZipFile;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Java: a runnable jar or a WAR, which is deployed or built by Maven: with the app's wrapper if it
 * has one. Maven's repository is in the app's downloads; Maven does not permit two builds in one
 * repository, so that builds of an app take turns.
 */
final class JavaSteps implements BuildSteps {
    private static final String POM = "pom.xml";
    private static final String WRAPPER = "mvnw";
    private static final int MANIFEST_BYTES_MAX = 1 << 20;

    private static final List<String> GRADLE =
            List.of("build.gradle", "build.gradle.kts", "settings.gradle", "settings.gradle.kts");

    private final JavaInstallation java;
    private final List<String> maven;

    private JavaSteps(JavaInstallation java, List<String> maven) {
        this.java = java;
        this.maven = maven;
    }

    static JavaSteps of(BuildRun run) throws IOException {
        boolean builds = run.has(POM);
        Path sources = run.request().sources().folder();
        if (!builds && GRADLE.stream().anyMatch(run::has)) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "apps that Gradle builds are not supported: build the runnable jar yourself,"
                            + " and deploy a folder with it and app.yaml");
        }
        JavaInstallation java =
                JavaInstallation.find(
                        run.request().runtime(), run.tools(), run.app().user(), builds);
        if (!builds) {
            if (run.request().entrypoint() == null && !WarRuntime.isWar(sources)) {
                Path _ = runnableJar(List.of(sources));
            }
            return new JavaSteps(java, List.of());
        }
        return new JavaSteps(java, maven(run));
    }

    private static List<String> maven(BuildRun run) {
        List<String> line = new ArrayList<>();
        if (run.has(WRAPPER)) {
            // An archive may have lost the permission to execute it.
            line.addAll(List.of("/bin/sh", "./" + WRAPPER));
        } else {
            line.add(
                    run.tools().find("mvn").stream()
                            .findFirst()
                            .orElseThrow(
                                    () ->
                                            PetrichorException.of(
                                                    ErrorCode.FAILED_PRECONDITION,
                                                    "Maven is not installed: install the package"
                                                            + " maven, or add the wrapper mvnw to"
                                                            + " the app"))
                            .toString());
        }
        return line;
    }

    @Override
    public String toolchain() {
        return "java %s %s %s".formatted(java.version(), java.home(), maven);
    }

    @Override
    public Start build(BuildRun run) throws IOException {
        Path app = run.appFolder();
        List<Path> folders = List.of(app);
        if (!maven.isEmpty()) {
            run.downloads();
            int _ = run.stage(BuildStage.COMPILE, () -> packageApp(run));
            folders = targets(app);
        }
        String entrypoint = run.request().entrypoint();
        if (entrypoint != null) {
            return Start.shell(entrypoint, environment(java));
        }
        Path war = war(run, folders);
        if (war != null) {
            run.downloads();
            WarRuntime.describe(run, war);
            BuildRun.Layer runtime =
                    run.stage(BuildStage.DEPENDENCIES, () -> WarRuntime.layer(run, java));
            return WarRuntime.start(
                    java,
                    runtime.folder(),
                    run.publishedContent().resolve(run.content().relativize(war)));
        }
        String jar = app.relativize(runnableJar(folders)).toString();
        return Start.shell("exec java -jar " + quoted(jar), environment(java));
    }

    private int packageApp(BuildRun run) throws IOException {
        maven(run, java, maven, List.of("-B", "-ntp", "package", "-DskipTests"));
        return 0;
    }

    static Map<String, String> environment(JavaInstallation java) {
        return Map.of(
                "PATH", Tools.path(List.of(java.home().resolve("bin"))),
                "JAVA_HOME", java.home().toString());
    }

    /** The folder of the app's exploded WAR; null if it is not a WAR app. */
    private @Nullable Path war(BuildRun run, List<Path> folders) throws IOException {
        Path app = run.appFolder();
        if (!maven.isEmpty()) {
            List<Path> exploded = WarRuntime.exploded(folders);
            return exploded.size() == 1 ? exploded.getFirst() : null;
        }
        if (Files.isDirectory(app.resolve(WarRuntime.WEB_INF), NOFOLLOW_LINKS)) {
            return app;
        }
        List<Path> archives = WarRuntime.archives(app);
        if (archives.size() != 1) {
            return null;
        }
        // The build's user extracts it: it cannot write elsewhere.
        run.run(
                FailureReason.Source.MAVEN,
                List.of(
                        java.home().resolve("bin/jar").toString(),
                        "xf",
                        archives.getFirst().toString()),
                run.binaries(),
                run.environment(List.of(java.home().resolve("bin")), Map.of()));
        return run.binaries();
    }

    /** Runs Maven with the app's repository. */
    static void maven(BuildRun run, JavaInstallation java, List<String> maven, List<String> goals)
            throws IOException {
        ReentrantLock turn = run.app().builds().lock("maven");
        run.lock(turn);
        try {
            List<String> line = new ArrayList<>(maven);
            line.addAll(goals);
            line.add("-Dmaven.repo.local=" + run.downloads("maven"));
            Map<String, String> more = new TreeMap<>();
            more.put("JAVA_HOME", java.home().toString());
            more.put("MAVEN_USER_HOME", run.downloads("maven-wrapper").toString());
            // Java asks the system, not HOME, for the home folder.
            more.put("MAVEN_OPTS", "-Duser.home=" + run.content().resolveSibling("home"));
            run.run(
                    FailureReason.Source.MAVEN,
                    line,
                    run.appFolder(),
                    run.environment(List.of(java.home().resolve("bin")), more));
        } finally {
            turn.unlock();
        }
    }

    /** The target folders of the project, or of its modules. */
    private static List<Path> targets(Path app) throws IOException {
        List<Path> targets = new ArrayList<>(List.of(app.resolve("target")));
        try (Stream<Path> modules = Files.list(app)) {
            modules.sorted()
                    .filter(module -> Files.isDirectory(module, NOFOLLOW_LINKS))
                    .map(module -> module.resolve("target"))
                    .forEach(targets::add);
        }
        return targets;
    }

    private static Path runnableJar(List<Path> folders) throws IOException {
        List<Path> runnable = new ArrayList<>();
        for (Path folder : folders) {
            if (Files.isDirectory(folder, NOFOLLOW_LINKS)) {
                try (Stream<Path> files = Files.list(folder)) {
                    for (Path file : (Iterable<Path>) files.sorted()::iterator) {
                        if (isRunnable(file)) {
                            runnable.add(file);
                        }
                    }
                }
            }
        }
        if (runnable.isEmpty()) {
            throw BuildSteps.noStart("jar with a Main-Class in its manifest");
        }
        if (runnable.size() > 1) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "the app has several runnable jars, such as {first} and {second}: add an"
                            + " entrypoint to app.yaml, such as java -jar {first}",
                    "first",
                    runnable.get(0).getFileName(),
                    "second",
                    runnable.get(1).getFileName());
        }
        return runnable.getFirst();
    }

    private static boolean isRunnable(Path file) throws IOException {
        String name = file.getFileName().toString();
        if (!name.endsWith(".jar")
                || name.startsWith("original-")
                || name.endsWith("-sources.jar")
                || name.endsWith("-javadoc.jar")
                || name.endsWith("-tests.jar")
                || !Files.isRegularFile(file, NOFOLLOW_LINKS)) {
            return false;
        }
        try (ZipFile jar = new ZipFile(file.toFile())) {
            return mainClass(jar) != null;
        } catch (ZipException damaged) {
            return false;
        }
    }

    private static @Nullable String mainClass(ZipFile jar) throws IOException {
        ZipEntry entry = jar.getEntry(JarFile.MANIFEST_NAME);
        if (entry == null) {
            return null;
        }
        try (InputStream content = jar.getInputStream(entry)) {
            byte[] bytes = content.readNBytes(MANIFEST_BYTES_MAX);
            return new Manifest(new ByteArrayInputStream(bytes))
                    .getMainAttributes()
                    .getValue(Attributes.Name.MAIN_CLASS);
        }
    }

    static String quoted(String path) {
        return "'" + path.replace("'", "'\\''") + "'";
    }
}
