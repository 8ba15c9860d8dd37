package petrichor.jobs.entities;

import com.google.datastore.v1.AggregationQuery;
import com.google.datastore.v1.AggregationQuery.Aggregation;
import com.google.datastore.v1.GqlQuery;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.QueryResultBatch;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RunAggregationQueryRequest;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.RunQueryResponse;
import com.google.protobuf.ByteString;
import com.google.protobuf.Int32Value;
import com.google.protobuf.Timestamp;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import petrichor.client.DatastoreClient;
import petrichor.jobs.jobgraph.Source;
import petrichor.jobs.jobgraph.SourceEstimate;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordType;

/**
 * The results of a query as of one time: the creation of the source, or one {@linkplain #at given}
 * explicitly. The server must still keep that version when the job ends (an hour by default); if it
 * does not, the job fails.
 *
 * <p>Creating the source calls the server: to validate the query, and to get the current time and
 * the number of entities. The query is divided by its own cursors into equal parts; since the time
 * is fixed, every process that divides it gets the same parts. A query with a limit, an offset or
 * {@code DISTINCT} is a single part.
 *
 * @param readTime the time of the snapshot
 * @param entities number of entities; {@value SourceEstimate#NOT_KNOWN} for a query that is a
 *     single part
 */
public record QuerySource(
        EntityDatabase database, Query query, Timestamp readTime, long entities, RecordType type)
        implements Source {
    /** Smaller parts cost more than they balance. */
    private static final long SPLIT_ENTITIES_MIN = 1_000;

    /** The time of a database that was never written to; it cannot be read at. */
    private static final Timestamp NEVER_WRITTEN = Timestamp.getDefaultInstance();

    private static final Aggregation COUNT =
            Aggregation.newBuilder()
                    .setCount(Aggregation.Count.getDefaultInstance())
                    .setAlias("entities")
                    .build();

    /** A part of the query: from one cursor to another; an empty one is the start or the end. */
    record Part(ByteString after, ByteString to, int number) implements Split {
        @Override
        public String toString() {
            return "part " + number;
        }
    }

    /**
     * All entities of a kind, as of now.
     *
     * @param fields of the properties to read, optionally {@code __key__}
     */
    public static QuerySource ofKind(EntityDatabase database, String kind, Field... fields) {
        var query = Query.newBuilder().addKind(KindExpression.newBuilder().setName(kind)).build();
        return of(database, query, fields);
    }

    /** The results of a GQL query, as of now. */
    public static QuerySource ofGql(EntityDatabase database, String gql, Field... fields) {
        var literal = GqlQuery.newBuilder().setQueryString(gql).setAllowLiterals(true);
        try (var client = database.connect()) {
            var answer = client.runQuery(request(database).setGqlQuery(literal).build());
            return counted(client, database, answer.getQuery(), readTime(answer), fields);
        }
    }

    /** The results of a query, as of now. */
    public static QuerySource of(EntityDatabase database, Query query, Field... fields) {
        var nothing = query.toBuilder().clearOffset().setLimit(Int32Value.of(0));
        try (var client = database.connect()) {
            var answer = client.runQuery(request(database).setQuery(nothing).build());
            return counted(client, database, query, readTime(answer), fields);
        }
    }

    /** The same query as of another time, e.g. that of another source. */
    public QuerySource at(Instant moment) {
        var time =
                Timestamp.newBuilder()
                        .setSeconds(moment.getEpochSecond())
                        .setNanos(moment.getNano() / 1_000 * 1_000)
                        .build();
        try (var client = database.connect()) {
            return counted(client, database, query, time, type.fields().toArray(new Field[0]));
        }
    }

    /** The time of the snapshot. */
    public Instant moment() {
        return Instant.ofEpochSecond(readTime.getSeconds(), readTime.getNanos());
    }

    private static QuerySource counted(
            DatastoreClient client,
            EntityDatabase database,
            Query query,
            Timestamp readTime,
            Field... fields) {
        long entities = SourceEstimate.NOT_KNOWN;
        if (readTime.equals(NEVER_WRITTEN)) {
            entities = 0;
        } else if (isWhole(query)) {
            entities = count(client, database, query, readTime);
        }
        return new QuerySource(database, query, readTime, entities, RecordType.of(fields));
    }

    private static boolean isWhole(Query query) {
        return !query.hasLimit() && query.getOffset() == 0 && query.getDistinctOnCount() == 0;
    }

    private static long count(
            DatastoreClient client, EntityDatabase database, Query query, Timestamp readTime) {
        return client.runAggregationQuery(
                        RunAggregationQueryRequest.newBuilder()
                                .setProjectId(database.project())
                                .setDatabaseId(database.database())
                                .setPartitionId(database.partition())
                                .setReadOptions(ReadOptions.newBuilder().setReadTime(readTime))
                                .setAggregationQuery(
                                        AggregationQuery.newBuilder()
                                                .setNestedQuery(query)
                                                .addAggregations(COUNT))
                                .build())
                .getBatch()
                .getAggregationResults(0)
                .getAggregatePropertiesOrThrow(COUNT.getAlias())
                .getIntegerValue();
    }

    private static Timestamp readTime(RunQueryResponse answer) {
        return answer.getBatch().getReadTime();
    }

    private static RunQueryRequest.Builder request(EntityDatabase database) {
        return RunQueryRequest.newBuilder()
                .setProjectId(database.project())
                .setDatabaseId(database.database())
                .setPartitionId(database.partition());
    }

    /** Runs the query once, as of the source's time. */
    QueryResultBatch ask(DatastoreClient client, Query asked) {
        return client.runQuery(
                        request(database)
                                .setReadOptions(ReadOptions.newBuilder().setReadTime(readTime))
                                .setQuery(asked)
                                .build())
                .getBatch();
    }

    @Override
    public String name() {
        var kind = query.getKindCount() == 0 ? "all kinds" : query.getKind(0).getName();
        return kind + " of " + database;
    }

    @Override
    public SourceEstimate estimate() {
        return new SourceEstimate(SourceEstimate.NOT_KNOWN, entities);
    }

    @Override
    public List<Split> splits(int wanted) {
        if (entities == 0) {
            return List.of();
        }
        long each = Math.max(SPLIT_ENTITIES_MIN, entities / Math.max(1, wanted) + 1);
        var splits = new ArrayList<Split>();
        var after = ByteString.EMPTY;
        try (var client = database.connect()) {
            for (long cut = each; cut < entities; cut += each) {
                var to = skip(client, after, each);
                splits.add(new Part(after, to, splits.size()));
                after = to;
            }
        }
        splits.add(new Part(after, ByteString.EMPTY, splits.size()));
        return splits;
    }

    /** The cursor this many entities after another one. */
    private ByteString skip(DatastoreClient client, ByteString from, long entitiesToSkip) {
        var cursor = from;
        long left = entitiesToSkip;
        while (left > 0) {
            var batch =
                    ask(
                            client,
                            query.toBuilder()
                                    .setStartCursor(cursor)
                                    .setOffset((int) Math.min(left, Integer.MAX_VALUE))
                                    .setLimit(Int32Value.of(0))
                                    .build());
            if (batch.getSkippedResults() == 0) {
                throw new IllegalStateException(
                        name()
                                + " returned fewer entities than were counted at the same read"
                                + " time");
            }
            left -= batch.getSkippedResults();
            cursor = batch.getEndCursor();
        }
        return cursor;
    }

    @Override
    public SplitReader open(Split split) {
        return new QueryReader(this, (Part) split);
    }
}
