package petrichor.cli.jobs;

import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.LinkedHashSet;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
import petrichor.base.ErrorCode;
import petrichor.base.FileProblem;
import petrichor.base.PetrichorException;
import petrichor.cli.console.ExitCode;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** Creates a folder with a template job that compiles and runs. */
@Command(
        name = "new",
        mixinStandardHelpOptions = true,
        description = "Create a folder with a job that compiles and runs.")
final class JobNewCommand implements Callable<Integer> {
    private static final String QUOTE = "'";

    @Parameters(paramLabel = "DIR", description = "The folder; must not exist, or be empty.")
    private Path folder = Path.of("");

    @Override
    public Integer call() {
        try {
            check();
            Path source = Files.createDirectories(folder.resolve("src/example"));
            Files.writeString(source.resolve("WordCount.java"), text("WordCount.java.txt"));
            Files.writeString(folder.resolve("lines.txt"), text("lines.txt"));
            Path build = folder.resolve("build");
            Files.writeString(
                    build,
                    text("build.txt")
                            .replace("@CLASSPATH@", quoted(classPath()))
                            .replace("@JAVA_HOME@", quoted(home())));
            Files.setPosixFilePermissions(build, PosixFilePermissions.fromString("rwxr-xr-x"));
        } catch (IOException e) {
            throw FileProblem.of("cannot create " + folder, e);
        }
        System.out.printf(
                "%s contains a job: src/example/WordCount.java. Compile and run it:%n  %s/build%n "
                    + " petrichor job run %s/job.jar --input %s/lines.txt --output counts.csv%n",
                folder, folder, folder, folder);
        return ExitCode.OK.number();
    }

    private void check() throws IOException {
        if (!Files.exists(folder)) {
            return;
        }
        boolean free = Files.isDirectory(folder);
        if (free) {
            try (Stream<Path> entries = Files.list(folder)) {
                free = entries.findAny().isEmpty();
            }
        }
        if (!free) {
            throw PetrichorException.of(
                    ErrorCode.ALREADY_EXISTS,
                    "{folder} already exists: name a new folder",
                    "folder",
                    folder);
        }
    }

    /** The class path of this program, with folders instead of single jars. */
    private static String classPath() {
        Set<String> entries = new LinkedHashSet<>();
        String all = Objects.requireNonNull(System.getProperty("java.class.path"));
        for (String entry : all.split(File.pathSeparator, -1)) {
            Path path = Path.of(entry).toAbsolutePath();
            Path parent = path.getParent();
            entries.add(entry.endsWith(".jar") && parent != null ? parent + "/*" : path.toString());
        }
        return String.join(File.pathSeparator, entries);
    }

    private static String home() {
        return Objects.requireNonNull(System.getProperty("java.home"));
    }

    private static String quoted(String text) {
        return text.replace(QUOTE, "'\\''");
    }

    private static String text(String name) throws IOException {
        try (InputStream in = JobNewCommand.class.getResourceAsStream("project/" + name)) {
            return new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }
}
