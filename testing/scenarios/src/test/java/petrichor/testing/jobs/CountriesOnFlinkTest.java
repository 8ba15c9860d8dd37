package petrichor.testing.jobs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.logging.Level;
import java.util.logging.Logger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.examples.jobs.Countries;
import petrichor.jobs.engine.EngineOptions;
import petrichor.jobs.entities.EntityDatabase;
import petrichor.jobs.entities.EntitySink;
import petrichor.jobs.entities.QuerySource;
import petrichor.jobs.flink.FlinkRuntime;
import petrichor.jobs.local.Jobs;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.testkit.Rows;
import petrichor.testing.process.PetrichorServer;

/** Tests that the example over entities has the same result in this process and on Flink. */
final class CountriesOnFlinkTest {
    private static final int PLACES = 4_000;
    private static final int COUNTRIES = 37;
    private static final RecordType PLACE =
            RecordType.of(Field.text("country"), Field.float64("lat"), Field.float64("lng"));

    /** A strong reference, because unreferenced loggers lose their level. */
    private static final Logger FLINK = Logger.getLogger("org.apache");

    @TempDir Path folder;

    @Test
    void flinkAndLocalRunsHaveTheSameCountries() {
        FLINK.setLevel(Level.OFF);
        Jobs here = Jobs.local().with(EngineOptions.ofThisProcess().withSpillFolder(folder));
        try (var server =
                        PetrichorServer.start(
                                List.of("--memory"), Map.of(), folder.resolve("log"));
                var flink = FlinkRuntime.inProcess(1, 4)) {
            List<String> inThisProcess = countries(server, "here", here);
            assertThat(inThisProcess).hasSize(COUNTRIES);
            assertThat(countries(server, "flink", here.with(flink))).isEqualTo(inThisProcess);
        }
    }

    private static List<String> countries(PetrichorServer server, String project, Jobs jobs) {
        EntityDatabase database = EntityDatabase.of("localhost", server.port(), project);
        // Integers: their sums do not depend on the order of the places.
        var places =
                Rows.of(
                        PLACE,
                        PLACES,
                        (record, i) ->
                                record.text(0, "C" + i % COUNTRIES)
                                        .float64(1, i % 181 - 90)
                                        .float64(2, i % 361 - 180));
        var plan = Plan.named("places").parallelism(2);
        plan.read(new Rows.ListSource("places", PLACE, new ArrayList<>(places)))
                .write(EntitySink.ofKind(database, "City"));
        Jobs.local().run(plan);

        jobs.run(Countries.plan(database));

        var sink = new Rows.ListSink("countries");
        var read = Plan.named("countries").parallelism(1);
        read.read(
                        QuerySource.ofKind(
                                database,
                                "Country",
                                Field.text("__key__"),
                                Field.int64("places"),
                                Field.float64("lat"),
                                Field.float64("lng"),
                                Field.float64("north"),
                                Field.float64("south")))
                .write(sink);
        Jobs.local().run(read);
        return sink.sortedRows();
    }
}
