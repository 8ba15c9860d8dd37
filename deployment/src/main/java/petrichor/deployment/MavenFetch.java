package petrichor.deployment;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

/**
 * Fetches jars and archives through Maven, from the repositories configured by the user, into the
 * {@link Cache}.
 */
final class MavenFetch {
    private static final String COPY =
            "org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies";
    private static final byte[] ELF = {0x7F, 'E', 'L', 'F'};
    private static final byte[] SCRIPT = {'#', '!'};

    private MavenFetch() {}

    /** The folder with the jars. */
    static Path jars(Cache cache, Dependency.Jars jars, String version, Progress progress) {
        return cache.folder(
                Cache.key(jars.name(), version, jars),
                folder -> {
                    progress.say("fetching " + jars.name() + " " + version + " through Maven");
                    copy(pom(jars.artifacts(), jars.managed(), jars.excluded()), folder);
                });
    }

    /** The folder with the content of the archive. */
    static Path archive(
            Cache cache, Dependency.Archive archive, String version, Progress progress) {
        return cache.folder(
                Cache.key(archive.name(), version, archive),
                folder -> {
                    progress.say("fetching " + archive.name() + " " + version + " through Maven");
                    Path packed = Files.createDirectory(folder.resolve(".packed"));
                    copy(pom(List.of(archive.artifact()), Map.of(), List.of("*:*")), packed);
                    unpack(only(packed), folder);
                    Cache.delete(packed);
                });
    }

    private static void copy(String pom, Path folder) throws IOException {
        Path file = Files.writeString(folder.resolve("pom.xml"), pom);
        List<String> command = new ArrayList<>(maven());
        command.addAll(
                List.of(
                        "-B",
                        "-q",
                        "-f",
                        file.toString(),
                        COPY,
                        "-DincludeScope=runtime",
                        "-DoutputDirectory=" + folder));
        Shell.Ended ended = Shell.run(command, Shell.NO_INPUT, Shell.LONG);
        if (!ended.succeeded()) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "Maven could not download the server; check its access to a repository"
                            + " (settings, network). Its output: {output}",
                    "output",
                    ended.complaint());
        }
        Files.delete(file);
    }

    static String pom(List<String> artifacts, Map<String, String> managed, List<String> excluded) {
        StringBuilder pom =
                new StringBuilder(
                        """
                        <project xmlns="http://maven.apache.org/POM/4.0.0">
                        <modelVersion>4.0.0</modelVersion>
                        <groupId>petrichor.servers</groupId><artifactId>server</artifactId>
                        <version>1</version><packaging>pom</packaging>
                        <dependencyManagement><dependencies>
                        """);
        managed.forEach(
                (artifact, version) -> {
                    String[] parts = artifact.split(":", -1);
                    pom.append("<dependency>").append(element("groupId", parts[0]));
                    pom.append(element("artifactId", parts[1])).append(element("version", version));
                    pom.append("</dependency>\n");
                });
        pom.append("</dependencies></dependencyManagement>\n<dependencies>\n");
        for (String artifact : artifacts) {
            pom.append(dependency(artifact, excluded));
        }
        return pom.append("</dependencies>\n</project>\n").toString();
    }

    private static String dependency(String artifact, List<String> excluded) {
        String[] parts = artifact.split(":", -1);
        if (parts.length != 3 && parts.length != 5) {
            throw new IllegalArgumentException(
                    "an artifact is group:artifact:version or"
                            + " group:artifact:type:classifier:version, not "
                            + artifact);
        }
        StringBuilder xml = new StringBuilder("<dependency>");
        xml.append(element("groupId", parts[0])).append(element("artifactId", parts[1]));
        if (parts.length == 5) {
            xml.append(element("type", parts[2])).append(element("classifier", parts[3]));
        }
        xml.append(element("version", parts[parts.length - 1])).append("<exclusions>");
        for (String exclusion : excluded) {
            String[] names = exclusion.split(":", -1);
            xml.append("<exclusion>").append(element("groupId", names[0]));
            xml.append(element("artifactId", names[1])).append("</exclusion>");
        }
        return xml.append("</exclusions></dependency>\n").toString();
    }

    private static String element(String name, String text) {
        return "<" + name + ">" + text + "</" + name + ">";
    }

    /** The system's Maven, or the wrapper in the checkout of this program. */
    private static List<String> maven() {
        for (String folder : System.getenv().getOrDefault("PATH", "").split(":", -1)) {
            Path mvn = Path.of(folder, "mvn");
            if (Files.isExecutable(mvn)) {
                return List.of(mvn.toString());
            }
        }
        return wrapper()
                .map(file -> List.of("/bin/sh", file.toString()))
                .orElseThrow(
                        () ->
                                PetrichorException.of(
                                        ErrorCode.FAILED_PRECONDITION,
                                        "servers are downloaded with Maven, but there is no mvn on"
                                                + " PATH; install Maven (apt-get install maven)"));
    }

    private static Optional<Path> wrapper() {
        try {
            @Nullable Path above =
                    Path.of(
                            MavenFetch.class
                                    .getProtectionDomain()
                                    .getCodeSource()
                                    .getLocation()
                                    .toURI());
            for (; above != null; above = above.getParent()) {
                Path wrapper = above.resolve("mvnw");
                if (Files.exists(wrapper)) {
                    return Optional.of(wrapper);
                }
            }
            return Optional.empty();
        } catch (URISyntaxException impossible) {
            throw new IllegalStateException(impossible);
        }
    }

    private static Path only(Path folder) throws IOException {
        try (Stream<Path> files = Files.list(folder)) {
            return files.findFirst()
                    .orElseThrow(() -> new IOException("Maven left nothing in " + folder));
        }
    }

    /**
     * A jar does not record executable permissions: programs are recognized by their first bytes.
     */
    private static void unpack(Path archive, Path folder) throws IOException {
        try (FileSystem zip = FileSystems.newFileSystem(archive);
                Stream<Path> files = Files.walk(zip.getPath("/"))) {
            files.forEach(file -> unpackOne(zip, file, folder));
        } catch (UncheckedIOException failed) {
            throw new IOException("unpacking " + archive, failed);
        }
    }

    private static void unpackOne(FileSystem zip, Path file, Path folder) {
        try {
            Path to = folder.resolve(zip.getPath("/").relativize(file).toString()).normalize();
            if (!to.startsWith(folder)) {
                throw new IOException(file + " in an archive points outside of it");
            }
            if (Files.isDirectory(file)) {
                Files.createDirectories(to);
                return;
            }
            Files.copy(file, to);
            if (begins(to, ELF) || begins(to, SCRIPT)) {
                Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rwxr-xr-x"));
            }
        } catch (IOException failed) {
            throw new UncheckedIOException(failed);
        }
    }

    private static boolean begins(Path file, byte[] with) throws IOException {
        try (InputStream in = Files.newInputStream(file)) {
            return Arrays.equals(in.readNBytes(with.length), with);
        }
    }
}
