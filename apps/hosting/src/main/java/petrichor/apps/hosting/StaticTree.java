package petrichor.apps.hosting;

import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Comparator;
import java.util.function.Predicate;
import java.util.stream.Stream;
import petrichor.apps.manifest.HandlerTarget;
import petrichor.apps.manifest.UrlHandler;
import petrichor.base.FileProblem;

/**
 * The static files of a version: a folder per handler of {@code app.yaml} that contains exactly the
 * files which that handler may serve, as hard links to the sources. Symbolic links are left out, so
 * no file outside the sources can be served.
 */
final class StaticTree {
    private static final String COMPLETE = "complete";

    private final Path folder;

    private StaticTree(Path folder) {
        this.folder = folder;
    }

    /**
     * @param folder for this tree alone; a complete one is used again
     */
    static StaticTree of(Path sources, AppManifest manifest, Path folder) {
        StaticTree tree = new StaticTree(folder);
        try {
            if (!Files.exists(folder.resolve(COMPLETE))) {
                delete(folder);
                int number = 0;
                for (UrlHandler handler : manifest.yaml().routes().handlers()) {
                    tree.link(
                            sources, handler.target(), Files.createDirectories(tree.root(number)));
                    number++;
                }
                Files.createDirectories(folder);
                Files.createFile(folder.resolve(COMPLETE));
            }
            return tree;
        } catch (IOException e) {
            throw FileProblem.of("cannot prepare the static files in " + folder, e);
        }
    }

    /** The files of a handler, by its place in {@code app.yaml}. */
    Path root(int handler) {
        return folder.resolve(Integer.toString(handler));
    }

    private void link(Path sources, HandlerTarget target, Path root) throws IOException {
        switch (target) {
            case HandlerTarget.Script() -> {}
            case HandlerTarget.StaticDirectory(String name, _) -> {
                Path from = sources.resolve(name).normalize();
                if (from.startsWith(sources) && Files.isDirectory(from)) {
                    link(from, root, _ -> true);
                }
            }
            case HandlerTarget.StaticFiles(_, var upload, _) ->
                    link(sources, root, upload::matches);
        }
    }

    private static void link(Path from, Path to, Predicate<String> served) throws IOException {
        Files.walkFileTree(
                from,
                new SimpleFileVisitor<>() {
                    @Override
                    public FileVisitResult visitFile(Path file, BasicFileAttributes attributes)
                            throws IOException {
                        String name = from.relativize(file).toString();
                        if (attributes.isRegularFile() && served.test(name)) {
                            Path link = to.resolve(name);
                            Files.createDirectories(link.getParent());
                            Files.createLink(link, file);
                        }
                        return FileVisitResult.CONTINUE;
                    }
                });
    }

    static void delete(Path folder) throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        try (Stream<Path> files = Files.walk(folder)) {
            for (Path file : (Iterable<Path>) files.sorted(Comparator.reverseOrder())::iterator) {
                Files.delete(file);
            }
        }
    }
}
