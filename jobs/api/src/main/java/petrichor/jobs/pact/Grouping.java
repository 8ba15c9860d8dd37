package petrichor.jobs.pact;

import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import petrichor.jobs.records.Aggregate;
import petrichor.jobs.records.Aggregation;
import petrichor.jobs.records.Key;
import petrichor.jobs.records.RecordType;
import petrichor.jobs.records.ReduceCode;

/** Records grouped by a key, to which a function is applied next. */
public final class Grouping {
    private final DataSet from;
    private final Key key;
    private final Key order;
    private final @Nullable ReduceCode combiner;

    Grouping(DataSet from, Key key) {
        this(from, key, key, null);
    }

    private Grouping(DataSet from, Key key, Key order, @Nullable ReduceCode combiner) {
        this.from = from;
        this.key = key;
        this.order = order;
        this.combiner = combiner;
    }

    /**
     * Sets a combiner, which shrinks a part of a group before it is sent: its output has the type
     * of its input and the same key, and the Reduce computes the same result from it.
     */
    public Grouping combinedBy(ReduceCode code) {
        return new Grouping(from, key, order, code);
    }

    /** Sorts the records of each group by further fields, ascending (secondary sort). */
    public Grouping inOrderOf(String... fields) {
        Key whole = order;
        for (var part : from.key("inOrderOf", fields).parts()) {
            whole = whole.then(part.field(), part.order());
        }
        return new Grouping(from, key, whole, combiner);
    }

    /** Calls the code once per group. */
    public DataSet reduce(String name, RecordType type, ReduceCode code) {
        return from.plan()
                .add(
                        name,
                        new Contract.Reduce(key, order, code, combiner),
                        List.of(from),
                        type,
                        Promises.NONE);
    }

    /** Emits the key's fields, followed by these aggregates. */
    public DataSet aggregate(Aggregate... aggregates) {
        return aggregates(from, Arrays.stream(key.fields()).boxed().toList(), aggregates);
    }

    /** Emits every key once. */
    public DataSet distinct() {
        return aggregate();
    }

    static DataSet aggregates(DataSet from, List<Integer> keys, Aggregate... aggregates) {
        var aggregation = new Aggregation(keys, List.of(aggregates));
        var type = aggregation.resultType(from.type());
        var promises = Promises.NONE.withAtMostOne();
        for (int at = 0; at < keys.size(); at++) {
            promises = promises.with(new Constant(0, keys.get(at), at));
        }
        promises =
                promises.withUnique(
                        new HashSet<>(IntStream.range(0, keys.size()).boxed().toList()));
        var set =
                from.plan()
                        .add(
                                "aggregates of " + from.name(),
                                new Contract.Aggregated(aggregation),
                                List.of(from),
                                type,
                                promises);
        return keys.isEmpty() ? set.parallelism(1) : set;
    }
}
