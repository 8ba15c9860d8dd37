package petrichor.jobs.flink;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import petrichor.jobs.channels.compression.Level;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.engine.JobMaster;
import petrichor.jobs.engine.hosted.HostedEngine;
import petrichor.jobs.formats.CsvSink;
import petrichor.jobs.formats.CsvSource;
import petrichor.jobs.formats.Target;
import petrichor.jobs.formats.TextSource;
import petrichor.jobs.jobgraph.SubtaskMetrics;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.pact.compiler.Compiler;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.MapCode;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.tuning.BottleneckSearch;
import petrichor.jobs.tuning.JobProfile;

/** Metrics of subtasks on Flink equal those elsewhere: channels, compression, bottlenecks. */
@ExtendWith(OneFlink.class)
@Timeout(120)
final class ProfileTest {
    private static final int LINES = 6_000;
    private static final int LINES_PER_PAUSE = 100;

    /** The pauses must dominate the time of the job, however slowly its tasks start. */
    private static final int LINES_PER_PAUSE_HELD_UP = 5;

    /** More than fit on one machine. */
    private static final int PARALLELISM = OneFlink.MACHINES * OneFlink.SLOTS;

    @TempDir Path folder;

    private final FlinkRuntime flink;

    ProfileTest(OneFlink flink) {
        this.flink = flink.runtime();
    }

    @Test
    void onlyTrafficBetweenMachinesIsCompressed() throws Exception {
        JobMaster run = run(slow(LINES_PER_PAUSE));
        List<SubtaskMetrics> senders =
                run.image().subtasks().values().stream()
                        .map(each -> each.metrics())
                        .filter(metrics -> metrics.channelBytes() > 0)
                        .toList();
        assertThat(senders).isNotEmpty();
        for (SubtaskMetrics metrics : senders) {
            assertThat(metrics.level()).isEqualTo(Level.ZSTD_1.displayName());
            assertThat(metrics.wireBytes()).isPositive().isLessThan(metrics.channelBytes() / 2);
            long sent = metrics.channels().stream().mapToLong(channel -> channel.bytes()).sum();
            assertThat(metrics.channelBytes()).isLessThan(sent);
        }
        assertThat(Files.readAllLines(folder.resolve("result")))
                .isEqualTo(
                        IntStream.range(0, LINES).mapToObj(i -> text(i) + ",1").sorted().toList());
    }

    @Test
    void bottlenecksAreFound() throws Exception {
        JobMaster run = run(slow(LINES_PER_PAUSE_HELD_UP));
        JobProfile profile = JobProfile.of(run.image());
        assertThat(BottleneckSearch.STANDARD.in(profile)).isNotEmpty();
        assertThat(BottleneckSearch.STANDARD.in(profile).getFirst().text()).contains("look");
        long processorNanos =
                run.image().subtasks().values().stream()
                        .mapToLong(each -> each.metrics().cpuNanos())
                        .sum();
        assertThat(processorNanos).isPositive();
    }

    private static String text(int i) {
        return "the line that has the number " + i + " and as many words as all of the others";
    }

    private JobMaster run(MapCode code) throws Exception {
        Path lines =
                Files.write(
                        folder.resolve("text"),
                        IntStream.range(0, LINES).mapToObj(ProfileTest::text).toList());
        RecordType line = RecordType.of(Field.text("line"));
        Plan plan = Plan.named("lines").parallelism(PARALLELISM);
        plan.read(new TextSource(lines.toString()))
                .map("look", line, code)
                .groupBy("line")
                .aggregate(Aggregate.count())
                .sortBy(Key.of(0))
                .write(
                        new CsvSink(
                                Target.file(folder.resolve("result").toString()),
                                new CsvSource.Dialect(',', false)));
        var parts = Compiler.standard().compile(plan).parts();
        var options = EngineOptions.ofThisProcess().withSpillFolder(folder);
        JobMaster run = new HostedEngine(options, flink).start(parts.getFirst().graph());
        run.await();
        return run;
    }

    /** Slow code, so that the locations of receivers are known while much remains to be sent. */
    private static MapCode slow(int linesPerPause) {
        return (line, out) -> {
            if (line.text(0).hashCode() % linesPerPause == 0) {
                try {
                    Thread.sleep(30);
                } catch (InterruptedException e) {
                    Thread.currentThread().interrupt();
                }
            }
            out.emit(line);
        };
    }
}
