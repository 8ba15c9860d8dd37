package petrichor.jobs.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JarClasses;
import petrichor.jobs.local.Arguments;
import petrichor.jobs.local.JobProgram;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.testkit.ProgramJar;

/**
 * Libraries of a job find its classes through the context class loader of the thread, as in the
 * other execution modes ({@code OwnLibrariesTest}). They are the classes that the functions use:
 * Flink's own class loader of the job would find others of the same names.
 */
@ExtendWith(OneFlink.class)
final class ContextClassLoaderTest {
    private static final String PROGRAM =
            """
            import petrichor.jobs.formats.*;
            import petrichor.jobs.local.*;
            import petrichor.jobs.pact.*;
            import petrichor.jobs.records.*;

            public final class Program implements JobProgram {
                private static final RecordType LINE = RecordType.of(Field.text("line"));

                @Override
                public Plan plan(Arguments arguments) {
                    Plan plan = Plan.named("libraries").parallelism(2);
                    plan.read(new TextSource(arguments.text("in")))
                            .map("mapped", LINE, (in, out) ->
                                    out.record().text(0, in.text(0) + whose("m")).emit())
                            .groupBy("line")
                            .combinedBy((group, out) -> {
                                for (RecordView each : group) {
                                    out.record().text(0, each.text(0) + whose("c")).emit();
                                }
                            })
                            .reduce("reduced", LINE, (group, out) -> {
                                for (RecordView each : group) {
                                    out.record().text(0, each.text(0) + whose("r")).emit();
                                }
                            })
                            .filter("filtered", line -> whose("").equals("!"))
                            .write(new TextSink(Target.file(arguments.text("out"))));
                    return plan;
                }

                private static String whose(String where) throws Exception {
                    Class<?> found = Class.forName(
                            "own.Library",
                            true,
                            Thread.currentThread().getContextClassLoader());
                    return where + (found == own.Library.class
                            ? found.getMethod("whose").invoke(null)
                            : "of another class loader");
                }
            }
            """;

    private static final String LIBRARY =
            """
            package own;

            public final class Library {
                public static String whose() {
                    return "!";
                }
            }
            """;

    @TempDir private Path folder;

    private final FlinkRuntime flink;

    ContextClassLoaderTest(OneFlink flink) {
        this.flink = flink.runtime();
    }

    @Test
    void everyFunctionFindsTheClassesOfItsJob() throws Exception {
        Path jar =
                ProgramJar.compile(
                        folder, "Program", Map.of("Program", PROGRAM, "own.Library", LIBRARY));
        Path in = Files.writeString(folder.resolve("in"), "a\nb\nc\nd\n");
        Path out = folder.resolve("out");
        try (JarClasses classes = JarClasses.of(List.of(jar), getClass().getClassLoader())) {
            JobProgram program =
                    (JobProgram) classes.loadClass("Program").getConstructor().newInstance();
            Jobs.local()
                    .with(EngineOptions.ofThisProcess().withSpillFolder(folder))
                    .with(flink.withJars(List.of(jar)))
                    .run(
                            program.plan(
                                    Arguments.of(
                                            List.of(
                                                    "--in",
                                                    in.toString(),
                                                    "--out",
                                                    out.toString()))));
        }
        // A group that is one part need not be combined.
        assertThat(lines(out))
                .map(line -> line.replace("c!", ""))
                .containsExactlyInAnyOrder("am!r!", "bm!r!", "cm!r!", "dm!r!");
    }

    private static List<String> lines(Path out) throws IOException {
        if (Files.isRegularFile(out)) {
            return Files.readAllLines(out);
        }
        try (var files = Files.list(out)) {
            return files.flatMap(
                            file -> {
                                try {
                                    return Files.readAllLines(file).stream();
                                } catch (IOException failed) {
                                    throw new UncheckedIOException(failed);
                                }
                            })
                    .toList();
        }
    }
}
