package petrichor.workflows;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.jar.Attributes;
import java.util.jar.JarEntry;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Jobs as steps. The program is compiled against the jars of the server, which needs its JDK. */
class JobsTest {
    private static final String PROGRAM =
            """
            import petrichor.jobs.formats.*;
            import petrichor.jobs.local.*;
            import petrichor.jobs.pact.*;
            import petrichor.jobs.records.*;

            public final class Words implements JobProgram {
                @Override
                public Plan plan(Arguments arguments) {
                    if (arguments.text("input").equals("none")) {
                        throw new IllegalStateException("no words");
                    }
                    var word = RecordType.of(Field.text("word"), Field.int64("times"));
                    var plan = Plan.named("words of a workflow").parallelism(2);
                    plan.read(new TextSource(arguments.text("input")))
                            .map("words", word, (in, out) -> {
                                for (String each : in.text(0).split(" ")) {
                                    out.record().text(0, each).int64(1, 1).emit();
                                }
                            })
                            .groupBy("word")
                            .aggregate(Aggregate.sum(1))
                            .write(new CsvSink(Target.file(arguments.text("output")), CsvSource.Dialect.COMMA));
                    return plan;
                }
            }
            """;

    private final Platform platform = Platform.shared();
    @TempDir Path folder;
    private Path jar;

    @BeforeEach
    void compile() throws IOException {
        Path source = Files.writeString(folder.resolve("Words.java"), PROGRAM);
        Path classes = Files.createDirectory(folder.resolve("classes"));
        String libraries;
        try (Stream<Path> jars = Files.list(Path.of("../../cli/target/lib"))) {
            libraries = jars.map(Path::toString).collect(Collectors.joining(File.pathSeparator));
        }
        int status =
                ToolProvider.getSystemJavaCompiler()
                        .run(
                                null,
                                null,
                                null,
                                "-proc:none",
                                "-cp",
                                libraries,
                                "-d",
                                classes.toString(),
                                source.toString());
        assertThat(status).isZero();
        jar = folder.resolve("words.jar");
        Manifest manifest = new Manifest();
        manifest.getMainAttributes().put(Attributes.Name.MANIFEST_VERSION, "1.0");
        try (OutputStream file = Files.newOutputStream(jar);
                JarOutputStream out = new JarOutputStream(file, manifest);
                Stream<Path> compiled = Files.list(classes)) {
            for (Path each : compiled.toList()) {
                out.putNextEntry(new JarEntry(each.getFileName().toString()));
                Files.copy(each, out);
            }
        }
    }

    @Test
    void aJobCountsWords() throws IOException {
        Path input = Files.writeString(folder.resolve("lines.txt"), "a b a\na c\n");
        Path output = folder.resolve("counts.csv");
        Call call =
                RunJob.of(
                        jar.toString(),
                        "Words",
                        List.of("--input", input.toString(), "--output", output.toString()));
        assertThat(platform.output(call, String.class)).isNotEmpty();
        assertThat(Files.readAllLines(output)).contains("a,3", "b,1", "c,1");
    }

    @Test
    void aJobThatIsRefusedAbortsTheWorkflow() {
        Call call =
                RunJob.of(jar.toString(), "Words", List.of("--input", "none", "--output", "none"));
        Workflows.Status status = platform.ended(platform.start(call));
        assertThat(status.state()).isEqualTo("aborted");
        assertThat(status.error().orElseThrow()).contains("no words");
    }
}
