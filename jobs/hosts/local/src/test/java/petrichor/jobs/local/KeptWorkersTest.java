package petrichor.jobs.local;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.workers.Workers;
import petrichor.jobs.formats.Target;
import petrichor.jobs.formats.TextSink;
import petrichor.jobs.formats.TextSource;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.RecordType;
import petrichor.testing.process.CommandLines;

/** The rounds of an iteration share worker processes. */
@Timeout(300)
final class KeptWorkersTest {
    private static final int ROUNDS = 4;
    private static final int WORKERS = 2;
    private static final RecordType LINE = RecordType.of(Field.text("line"));

    @TempDir Path folder;

    /** Every round appends the process id of its worker to each line. */
    @Test
    void allRoundsRunInTheSameProcessesWhichEndWithTheJob() throws IOException {
        List<String[]> lines = run("none");
        Set<String> processes =
                lines.stream()
                        .flatMap(line -> Arrays.stream(line).skip(1))
                        .collect(Collectors.toSet());
        assertThat(processes).hasSize(WORKERS);
        assertThat(processes)
                .allSatisfy(pid -> assertThat(ProcessHandle.of(Long.parseLong(pid))).isEmpty());
    }

    @Test
    void aDeadWorkerRestartsOnlyItsRound() throws IOException {
        List<String[]> lines = run("die");
        Set<String> first = lines.stream().map(line -> line[1]).collect(Collectors.toSet());
        Set<String> last = lines.stream().map(line -> line[ROUNDS]).collect(Collectors.toSet());
        assertThat(first).hasSize(WORKERS);
        assertThat(last).hasSize(WORKERS).doesNotContainAnyElementsOf(first);
    }

    @Test
    void aFailingRoundEndsTheProcesses() {
        assertThatThrownBy(() -> run("fail"))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("not in round 3");
        Optional<ProcessHandle> left =
                ProcessHandle.current()
                        .descendants()
                        .filter(process -> CommandLines.of(process).contains("WorkerMain"))
                        .findAny();
        assertThat(left).isEmpty();
    }

    private List<String[]> run(String what) throws IOException {
        Path in = Files.write(folder.resolve("in"), List.of("a", "b", "c", "d"));
        Path out = folder.resolve("out");
        Plan plan = Plan.named("rounds").parallelism(WORKERS);
        var rounds = plan.iterate(plan.read(new TextSource(in.toString())), ROUNDS);
        rounds.close(
                        rounds.current()
                                .sortBy(Key.of(0))
                                .map("process", LINE, code(what, folder.resolve("died"))))
                .write(new TextSink(Target.file(out.toString())));
        Path spill = Files.createDirectories(folder.resolve("spill"));
        Jobs.local()
                .with(
                        EngineOptions.ofThisProcess()
                                .withMemoryBytes(16 << 20)
                                .withSpillFolder(spill))
                .with(Workers.of(WORKERS, List.of("-Xmx64m", "-XX:TieredStopAtLevel=1")))
                .run(plan);
        assertThat(spill).isEmptyDirectory();
        List<String[]> lines =
                Files.readAllLines(out).stream().map(line -> line.split(" ", -1)).toList();
        assertThat(lines).hasSize(4).allMatch(line -> line.length == ROUNDS + 1);
        return lines;
    }

    private static MapCode code(String what, Path died) {
        String mark = died.toString();
        return (in, out) -> {
            String line = in.text(0);
            boolean third = line.split(" ", -1).length == 3;
            if (third && what.equals("die") && line.startsWith("b")) {
                if (!Files.exists(Path.of(mark))) {
                    Files.createFile(Path.of(mark));
                    Runtime.getRuntime().halt(1);
                }
            }
            if (third && what.equals("fail")) {
                throw new IllegalStateException("not in round 3");
            }
            out.record().text(0, line + " " + ProcessHandle.current().pid()).emit();
        };
    }
}
