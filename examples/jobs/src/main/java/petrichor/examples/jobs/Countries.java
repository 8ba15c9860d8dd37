package petrichor.examples.jobs;

import petrichor.jobs.entities.EntityDatabase;
import petrichor.jobs.entities.EntitySink;
import petrichor.jobs.entities.QuerySource;
import petrichor.jobs.local.Arguments;
import petrichor.jobs.local.JobProgram;
import petrichor.jobs.pact.Plan;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordType;

/**
 * Aggregates the places of the cities example to one entity per country: number of places, centre,
 * and northernmost and southernmost latitude. The places are read at one read time, unaffected by
 * concurrent writes. The countries have their codes as keys, so that a repeated run replaces them.
 */
public final class Countries implements JobProgram {
    private static final RecordType COUNTRY =
            RecordType.of(
                    Field.text("__key__"),
                    Field.int64("places"),
                    Field.float64("lat"),
                    Field.float64("lng"),
                    Field.float64("north"),
                    Field.float64("south"));

    @Override
    public Plan plan(Arguments arguments) {
        return plan(EntityDatabase.ofEnvironment(System.getenv()));
    }

    public static Plan plan(EntityDatabase database) {
        var places =
                QuerySource.ofKind(
                        database,
                        "City",
                        Field.text("country"),
                        Field.float64("lat"),
                        Field.float64("lng"));
        var plan = Plan.named("countries").parallelism(2);
        plan.read(places)
                .groupBy("country")
                .aggregate(
                        Aggregate.count(),
                        Aggregate.average(1),
                        Aggregate.average(2),
                        Aggregate.max(1),
                        Aggregate.min(1))
                .map(
                        "entities",
                        COUNTRY,
                        (aggregates, out) -> {
                            var country = out.record();
                            for (int field = 0; field < COUNTRY.size(); field++) {
                                country.copy(field, aggregates, field);
                            }
                            country.emit();
                        })
                .write(EntitySink.ofKind(database, "Country"));
        return plan;
    }
}
