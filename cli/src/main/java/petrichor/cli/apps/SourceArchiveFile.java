package petrichor.cli.apps;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.TimeUnit;
import java.util.zip.ZipEntry;
import java.util.zip.ZipOutputStream;
import petrichor.apps.manifest.AppYaml;
import petrichor.apps.manifest.FilePatterns;
import petrichor.apps.manifest.IgnoreFile;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;

/**
 * The archive that a deployment sends: a folder without ignored files, the newest commit of a Git
 * repository, or an archive as it is.
 */
final class SourceArchiveFile implements AutoCloseable {
    private static final String APP_YAML = "app.yaml";

    private static final List<String> JAVA_ARCHIVES = List.of(".jar", ".war");

    /** Files of an app that can be deployed without it. */
    private static final Set<String> FILES =
            new TreeSet<>(Set.of("queue.yaml", "cron.yaml", "index.yaml", "dispatch.yaml"));

    private static final int CLONE_MINUTES_MAX = 5;

    private final Path file;
    private final String mediaType;
    private final Kind kind;

    private enum Kind {
        GIVEN,
        TEMPORARY,
        /** A temporary archive of some of the app's configuration files. */
        OF_FILES
    }

    private SourceArchiveFile(Path file, String mediaType, Kind kind) {
        this.file = file;
        this.mediaType = mediaType;
        this.kind = kind;
    }

    /** The archive of one source, or of one or more files such as {@code cron.yaml}. */
    static SourceArchiveFile of(List<String> sources) throws InterruptedException {
        List<Path> files = new ArrayList<>();
        for (String source : sources) {
            Path path = Path.of(source);
            Path name = path.getFileName();
            if (name != null && FILES.contains(name.toString()) && Files.isRegularFile(path)) {
                files.add(path);
            }
        }
        if (files.size() == sources.size()) {
            return ofFiles(files);
        }
        if (sources.size() > 1) {
            throw PetrichorException.invalid(
                    "several sources must be files of the names {names}; deploy a folder by itself",
                    "names",
                    FILES);
        }
        return of(sources.getFirst());
    }

    private static SourceArchiveFile ofFiles(List<Path> files) {
        try {
            return new SourceArchiveFile(zip(files), "application/zip", Kind.OF_FILES);
        } catch (IOException e) {
            throw FileProblem.of("cannot read " + files, e);
        }
    }

    /** An app that is one runnable jar or one WAR, with the app.yaml in the same folder, if any. */
    private static SourceArchiveFile javaArchive(Path archive) throws IOException {
        Path yaml = archive.resolveSibling(APP_YAML);
        List<Path> files = Files.isRegularFile(yaml) ? List.of(archive, yaml) : List.of(archive);
        return new SourceArchiveFile(zip(files), "application/zip", Kind.TEMPORARY);
    }

    /** A temporary archive of files of different names. */
    private static Path zip(List<Path> files) throws IOException {
        Path archive = Files.createTempFile("petrichor-files", ".zip");
        try (OutputStream out = Files.newOutputStream(archive);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            for (Path file : files) {
                zip.putNextEntry(new ZipEntry(String.valueOf(file.getFileName())));
                Files.copy(file, zip);
                zip.closeEntry();
            }
        }
        return archive;
    }

    /**
     * @param source a folder, a .zip, .tar.gz, .tgz, .jar or .war file, or the URL of a Git
     *     repository
     */
    private static SourceArchiveFile of(String source) throws InterruptedException {
        Path path = Path.of(source);
        try {
            if (Files.isDirectory(path)) {
                return folder(path);
            }
            if (Files.isRegularFile(path)) {
                if (source.endsWith(".zip")) {
                    return new SourceArchiveFile(path, "application/zip", Kind.GIVEN);
                }
                if (source.endsWith(".tar.gz") || source.endsWith(".tgz")) {
                    return new SourceArchiveFile(path, "application/gzip", Kind.GIVEN);
                }
                if (JAVA_ARCHIVES.stream().anyMatch(source::endsWith)) {
                    return javaArchive(path);
                }
                throw PetrichorException.invalid(
                        "{source} is neither a folder nor a .zip, .tar.gz, .tgz, .jar or .war"
                                + " file; name the app's folder",
                        "source",
                        source);
            }
            if (source.contains("://") || source.matches("[^/]+@[^/]+:.*")) {
                return clone(source);
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot read " + source, e);
        }
        throw PetrichorException.of(
                ErrorCode.NOT_FOUND,
                "there is no {source}; name the app's folder, an archive or a Git URL",
                "source",
                source);
    }

    private static SourceArchiveFile clone(String url) throws IOException, InterruptedException {
        Path folder = Files.createTempDirectory("petrichor-clone");
        try {
            Process git =
                    new ProcessBuilder(
                                    "git",
                                    "clone",
                                    "--quiet",
                                    "--depth",
                                    "1",
                                    "--",
                                    url,
                                    folder.resolve("app").toString())
                            .inheritIO()
                            .start();
            if (!git.waitFor(CLONE_MINUTES_MAX, TimeUnit.MINUTES) || git.exitValue() != 0) {
                git.destroy();
                throw PetrichorException.of(
                        ErrorCode.UNAVAILABLE,
                        "git could not clone {url}; its message is above",
                        "url",
                        url);
            }
            return folder(folder.resolve("app"));
        } finally {
            delete(folder);
        }
    }

    private static void delete(Path folder) throws IOException {
        try (var files = Files.walk(folder)) {
            for (Path each :
                    (Iterable<Path>) files.sorted(java.util.Comparator.reverseOrder())::iterator) {
                Files.delete(each);
            }
        }
    }

    private static SourceArchiveFile folder(Path folder) throws IOException {
        IgnoreFile ignored = IgnoreFile.of(name -> text(folder, name));
        FilePatterns skipped =
                text(folder, APP_YAML)
                        .map(text -> AppYaml.parse(APP_YAML, text))
                        .flatMap(yaml -> yaml.build().skipFiles())
                        .orElse(new FilePatterns(List.of()));
        Path archive = Files.createTempFile("petrichor-sources", ".zip");
        try (OutputStream out = Files.newOutputStream(archive);
                ZipOutputStream zip = new ZipOutputStream(out)) {
            Files.walkFileTree(folder, new Packing(folder, ignored, skipped, zip));
        }
        return new SourceArchiveFile(archive, "application/zip", Kind.TEMPORARY);
    }

    private static Optional<String> text(Path folder, String name) {
        try {
            Path file = folder.resolve(name);
            return Files.isRegularFile(file)
                    ? Optional.of(Files.readString(file, StandardCharsets.UTF_8))
                    : Optional.empty();
        } catch (IOException e) {
            throw FileProblem.of("cannot read " + name, e);
        }
    }

    /** Adds files to the archive. Whether a file is executable is not part of a ZIP archive. */
    private static final class Packing extends SimpleFileVisitor<Path> {
        private final Path root;
        private final IgnoreFile ignored;
        private final FilePatterns skipped;
        private final ZipOutputStream zip;

        Packing(Path root, IgnoreFile ignored, FilePatterns skipped, ZipOutputStream zip) {
            this.root = root;
            this.ignored = ignored;
            this.skipped = skipped;
            this.zip = zip;
        }

        private String name(Path file) {
            return root.relativize(file).toString().replace('\\', '/');
        }

        @Override
        public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes attributes) {
            boolean skip = !folder.equals(root) && ignored.ignores(name(folder), true);
            return skip ? FileVisitResult.SKIP_SUBTREE : FileVisitResult.CONTINUE;
        }

        @Override
        public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                throws IOException {
            String name = name(file);
            if (attributes.isRegularFile()
                    && !ignored.ignores(name, false)
                    && !skipped.skips(name)) {
                zip.putNextEntry(new ZipEntry(name));
                Files.copy(file, zip);
                zip.closeEntry();
            }
            return FileVisitResult.CONTINUE;
        }
    }

    Path file() {
        return file;
    }

    /** Whether it has only configuration files, and no app. */
    boolean isOfFiles() {
        return kind == Kind.OF_FILES;
    }

    String mediaType() {
        return mediaType;
    }

    @Override
    public void close() {
        try {
            if (kind != Kind.GIVEN) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw FileProblem.of("cannot delete " + file, e);
        }
    }
}
