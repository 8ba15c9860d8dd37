package petrichor.cli.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import petrichor.cli.CommandProcess;
import petrichor.cli.CommandRun;
import petrichor.jobs.testkit.ProgramJar;
import petrichor.server.Server;
import petrichor.server.config.ServerConfig;

/** Tests the example of a Hadoop program, as run by users. */
@Timeout(180)
final class HadoopProgramTest {
    private static final Path SOURCE = Path.of("../examples/mapreduce/WordCount.java");

    @TempDir private Path folder;

    private String jar() throws Exception {
        Files.writeString(folder.resolve("text"), "one two\n\ntwo\n");
        return ProgramJar.compile(
                        Files.createDirectory(folder.resolve("program")),
                        "WordCount",
                        Files.readString(SOURCE))
                .toString();
    }

    private static JsonObject json(CommandRun run) {
        assertThat(run.code()).as(run.err()).isZero();
        return JsonParser.parseString(run.out()).getAsJsonObject();
    }

    private static void hasCounters(JsonObject job) {
        JsonObject counters = job.getAsJsonObject("counters");
        assertThat(counters.getAsJsonObject("WordCount$Lines").get("EMPTY").getAsLong()).isOne();
        assertThat(
                        counters.getAsJsonObject("org.apache.hadoop.mapreduce.TaskCounter")
                                .get("MAP_INPUT_RECORDS")
                                .getAsLong())
                .isEqualTo(3);
    }

    @Test
    void countersAreReportedInEveryExecutionMode() throws Exception {
        String jar = jar();
        String text = folder.resolve("text").toString();
        String here = folder.resolve("here").toString();
        hasCounters(
                json(
                        CommandProcess.run(
                                folder, "job", "run", "--local", "--json", jar, text, here)));
        try (Server server = Server.start(ServerConfig.defaults().withMemory().withPort(0))) {
            String port = Integer.toString(server.port());
            String there = folder.resolve("there").toString();
            JsonObject job =
                    json(CommandRun.of("job", "run", "--port", port, "--json", jar, text, there));
            hasCounters(job);
            String id = job.get("id").getAsString();
            hasCounters(json(CommandRun.of("job", "show", "--port", port, "--json", id)));
            hasCounters(json(CommandRun.of("job", "history", "--port", port, "--json")));
            assertThat(CommandRun.of("job", "show", "--port", port, id).err())
                    .contains("WordCount$Lines\n  EMPTY=1");
        }
        assertThat(folder.resolve("here/part-r-00000")).exists();
    }
}
