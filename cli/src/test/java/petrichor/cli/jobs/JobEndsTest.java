package petrichor.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import petrichor.cli.CommandProcess;
import petrichor.cli.CommandRun;
import petrichor.cli.console.ExitCode;
import petrichor.jobs.testkit.ProgramJar;
import petrichor.server.Server;
import petrichor.server.config.ServerConfig;

/** Tests jobs whose code ends its process or fails, and the environment of their code. */
@Timeout(300)
final class JobEndsTest {
    private static final String SOURCE =
            """
            import java.util.*;
            import petrichor.jobs.formats.*;
            import petrichor.jobs.local.*;
            import petrichor.jobs.pact.Plan;
            import petrichor.jobs.records.*;

            public final class Ends implements JobProgram {
                static final RecordType WORD = RecordType.of(Field.text("word"));
                static final List<byte[]> HELD = new ArrayList<>();

                @Override
                public Plan plan(Arguments arguments) {
                    String what = arguments.text("what");
                    Plan plan = Plan.named("ends").parallelism(2);
                    plan.read(new TextSource(arguments.text("in")))
                        .map("step", WORD, (in, out) -> {
                            switch (what) {
                                case "exit" -> System.exit(0);
                                case "halt" -> Runtime.getRuntime().halt(3);
                                case "keep" -> {
                                    while (true) {
                                        HELD.add(new byte[1 << 20]);
                                    }
                                }
                                default -> {}
                            }
                            // As JDBC, ServiceLoader and Hadoop's aggregates do.
                            String found;
                            try {
                                found = Class.forName("Ends", true,
                                        Thread.currentThread().getContextClassLoader()).getName();
                            } catch (ClassNotFoundException e) {
                                found = e.toString();
                            }
                            out.record().text(0, found).emit();
                        })
                        .groupBy("word")
                        .aggregate(Aggregate.count())
                        .write(new CsvSink(
                                Target.file(arguments.text("out")), CsvSource.Dialect.COMMA));
                    return plan;
                }
            }
            """;

    @TempDir private static Path shared;

    private static Path jar;

    @TempDir private Path folder;

    @BeforeAll
    static void compile() {
        jar = ProgramJar.compile(shared, "Ends", SOURCE);
    }

    private String[] line(List<String> options, String what) throws Exception {
        Files.writeString(folder.resolve("in"), "a\nb\n");
        List<String> line = new ArrayList<>(options);
        line.addAll(List.of(jar.toString(), "--what", what));
        line.addAll(List.of("--in", folder.resolve("in").toString()));
        line.addAll(List.of("--out", folder.resolve("out").toString()));
        return line.toArray(new String[0]);
    }

    private CommandRun run(List<String> options, String what) throws Exception {
        List<String> all = new ArrayList<>(List.of("job", "run"));
        all.addAll(options);
        return CommandProcess.run(folder, line(all, what));
    }

    private CommandRun runInServer(List<String> options, String what) throws Exception {
        try (Server server = Server.start(ServerConfig.defaults().withMemory().withPort(0))) {
            List<String> all = new ArrayList<>(List.of("job", "run"));
            all.addAll(List.of("--port", Integer.toString(server.port())));
            all.addAll(options);
            return CommandRun.of(line(all, what));
        }
    }

    private List<String> left() throws Exception {
        try (Stream<Path> all = Files.list(folder)) {
            return all.map(path -> path.getFileName().toString())
                    .filter(name -> !name.startsWith("command") && !name.equals("cloud"))
                    .sorted()
                    .toList();
        }
    }

    @Tag("slow")
    @ParameterizedTest
    @EnumSource(HadoopMainsTest.Way.class)
    void codeFindsItsClassesByTheContextClassLoader(HadoopMainsTest.Way way) throws Exception {
        List<String> options = new ArrayList<>(way.options());
        if (way == HadoopMainsTest.Way.LEASED) {
            options.addAll(List.of("--cloud-folder", folder.resolve("cloud").toString()));
        }
        CommandRun run = way.isServer() ? runInServer(options, "find") : run(options, "find");
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(folder.resolve("out")).content().endsWith("Ends,2\n");
    }

    @Test
    void codeThatExitsFailsItsJobAndLeavesNothing() throws Exception {
        CommandRun run = run(List.of(), "exit");
        assertThat(run.code()).isOne();
        assertThat(run.err()).contains("ends failed: its code called System.exit in Ends");
        assertThat(left()).containsExactly("in");
    }

    @Test
    void codeThatExitsInAServerFailsItsJob() throws Exception {
        CommandRun run = runInServer(List.of(), "exit");
        assertThat(run.code()).isOne();
        assertThat(run.err()).contains("its code called System.exit in Ends");
        assertThat(left()).containsExactly("in");
    }

    @Tag("slow")
    @Test
    void codeThatTakesAllMemoryFailsItsJobAndLeavesNothing() throws Exception {
        CommandRun run = run(List.of(), "keep");
        assertThat(run.code()).as(run.err()).isOne();
        assertThat(run.err()).contains("ends failed", "OutOfMemoryError");
        assertThat(left()).containsExactly("in");
    }

    @Tag("slow")
    @Test
    void lostWorkersAreReportedAndFinallyFailTheJob() throws Exception {
        CommandRun run = run(List.of("--workers", "2", "--json"), "halt");
        assertThat(run.code()).as(run.err()).isOne();
        assertThat(run.err())
                .contains("stage 1 started again (attempt 2): worker ")
                .contains("stage 1 started again (attempt 3): worker ")
                .contains("the stage was attempted 3 times, the maximum");
        assertThat(run.out()).contains("\"attempts\":[{\"part\":0,\"round\":0,\"stage\":0");
        assertThat(left()).containsExactly("in");
    }

    @Test
    void workersLeaveNothingInTheTemporaryFolder() throws Exception {
        Path temporary = Files.createDirectory(folder.resolve("command-tmp"));
        CommandRun run =
                CommandProcess.run(
                        folder,
                        Map.of(),
                        List.of("-Djava.io.tmpdir=" + temporary),
                        line(new ArrayList<>(List.of("job", "run", "--workers", "2")), "find"));
        assertThat(run.code()).as(run.err()).isZero();
        try (Stream<Path> all = Files.list(temporary)) {
            assertThat(all.filter(path -> !path.getFileName().toString().contains("hsperf")))
                    .isEmpty();
        }
    }

    @Test
    void aResultThatIsThereIsAConflict() throws Exception {
        Files.writeString(folder.resolve("out"), "mine");
        CommandRun run = run(List.of(), "find");
        assertThat(run.code()).as(run.err()).isEqualTo(ExitCode.CONFLICT.number());
        assertThat(folder.resolve("out")).hasContent("mine");
    }

    @Test
    void aMissingArgumentIsAUsageErrorLocallyAndInAServer() {
        CommandRun here = CommandRun.of("job", "run", "--local", jar.toString());
        assertThat(here.code()).as(here.err()).isEqualTo(ExitCode.USAGE.number());
        assertThat(here.err()).contains("--what VALUE");
        try (Server server = Server.start(ServerConfig.defaults().withMemory().withPort(0))) {
            String port = Integer.toString(server.port());
            CommandRun there = CommandRun.of("job", "run", "--port", port, jar.toString());
            assertThat(there.code()).as(there.err()).isEqualTo(ExitCode.USAGE.number());
        }
    }

    @Test
    void onlyTheCommandLineMovesAJobIntoAServer() throws Exception {
        CommandRun run =
                CommandProcess.run(
                        folder,
                        Map.of("DATASTORE_EMULATOR_HOST", "localhost:1"),
                        List.of(),
                        line(new ArrayList<>(List.of("job", "run")), "find"));
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.err()).startsWith("the job runs in this process");
        CommandRun there = runInServer(List.of(), "find");
        // The job existed before; the message still reports where it ran.
        assertThat(there.err())
                .containsPattern(
                        "job \\S+ runs on the server at localhost:\\d+; its relative paths are"
                                + " resolved against /");
    }

    @Tag("slow")
    @Test
    void aJobWithOptionsIsTuned() throws Exception {
        CommandRun run =
                CommandRun.of(line(List.of("job", "tune", "--local", "--rounds", "2"), "find"));
        assertThat(run.code()).as(run.err()).isZero();
        assertThat(run.err()).contains("run 1: ", "best: run ");
        assertThat(folder.resolve("out")).doesNotExist();
    }

    @Test
    void aFolderOfAClusterStaysOutOfACheckout() throws Exception {
        FlinkCommand.keepOutOfGit(folder);
        assertThat(folder.resolve(".gitignore")).hasContent("*");
    }
}
