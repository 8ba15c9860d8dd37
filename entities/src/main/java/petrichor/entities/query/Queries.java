package petrichor.entities.query;

import com.google.datastore.v1.AggregationQuery;
import com.google.datastore.v1.AggregationResultBatch;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.EntityResult;
import com.google.datastore.v1.ExplainMetrics;
import com.google.datastore.v1.Filter;
import com.google.datastore.v1.PartitionId;
import com.google.datastore.v1.PropertyMask;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.QueryResultBatch;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RunAggregationQueryRequest;
import com.google.datastore.v1.RunAggregationQueryResponse;
import com.google.datastore.v1.RunQueryRequest;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.CompositeIndex;
import petrichor.entities.EntityHit;
import petrichor.entities.IndexDefinition;
import petrichor.entities.KeyValues;
import petrichor.entities.Limits;
import petrichor.entities.Masks;
import petrichor.entities.QueryResult;
import petrichor.entities.ReadContext;
import petrichor.entities.ReadContexts;
import petrichor.entities.ValueCodec;
import petrichor.entities.gql.Gql;

/**
 * RunQuery and RunAggregationQuery. Every query is answered from indexes at one version; if a
 * required composite index does not exist, it is created, or the query fails with the lines that
 * would declare it. Thread-safe; failures are {@link PetrichorException}.
 */
public final class Queries {
    private static final System.Logger LOG = System.getLogger(Queries.class.getName());

    /** A query needs at most one index per disjunction, and each attempt creates all of them. */
    private static final int ATTEMPTS_MAX = 3;

    private final ReadContexts contexts;
    private final TimeSource time;
    private final MissingIndexes missingIndexes;

    /** Handling of a query that needs a missing composite index. */
    public enum MissingIndexes {
        /** Creates it and logs the lines that would declare it. */
        CREATE,
        /** The query fails with the lines that would declare it, as in production. */
        REFUSE
    }

    public Queries(ReadContexts contexts, TimeSource time, MissingIndexes missingIndexes) {
        this.contexts = contexts;
        this.time = time;
        this.missingIndexes = missingIndexes;
    }

    /**
     * @param bytesMax encoded size of the results, of which there is at least one
     */
    public QueryResult run(RunQueryRequest request, int bytesMax) {
        long start = time.monotonicNanos();
        PartitionId partition =
                partition(
                        request.getPartitionId(), request.getProjectId(), request.getDatabaseId());
        Query query =
                switch (request.getQueryTypeCase()) {
                    case QUERY -> request.getQuery();
                    case GQL_QUERY -> Gql.parseQuery(request.getGqlQuery(), partition);
                    case QUERYTYPE_NOT_SET ->
                            throw PetrichorException.invalid("The request has no query.");
                };
        try (Planning planning = plan(query, partition, request.getReadOptions(), null)) {
            PlannedQuery planned = planning.planned();
            ExplainMetrics explain = null;
            BatchRun.Batch batch;
            if (request.hasExplainOptions() && !request.getExplainOptions().getAnalyze()) {
                explain = Explain.plan(planned.plans());
                batch = new BatchRun.Batch(QueryResultBatch.getDefaultInstance(), List.of());
            } else {
                Work work = new Work();
                batch = batch(planned, planning.context(), bytesMax, work);
                if (request.hasExplainOptions()) {
                    explain =
                            Explain.analyzed(
                                    planned.plans(),
                                    work,
                                    batch.hits().size(),
                                    time.monotonicNanos() - start);
                }
            }
            List<EntityHit> hits = batch.hits();
            if (request.hasPropertyMask()
                    && batch.batch().getEntityResultType() == EntityResult.ResultType.FULL) {
                hits = hits.stream().map(hit -> masked(hit, request.getPropertyMask())).toList();
            }
            return new QueryResult(
                    batch.batch(),
                    hits,
                    request.hasGqlQuery() ? query : null,
                    planning.context().transaction(),
                    explain);
        }
    }

    private static EntityHit masked(EntityHit hit, PropertyMask mask) {
        try {
            return new EntityHit(
                    Masks.selected(Entity.parseFrom(hit.entity()), mask).toByteArray(),
                    hit.version(),
                    hit.createTime(),
                    hit.updateTime(),
                    hit.cursor());
        } catch (InvalidProtocolBufferException e) {
            throw PetrichorException.of(ErrorCode.INTERNAL, e, "A stored entity is damaged.");
        }
    }

    private static BatchRun.Batch batch(
            PlannedQuery planned, ReadContext context, int bytesMax, Work work) {
        BatchRun run =
                new BatchRun(
                        planned.query(),
                        planned.shape(),
                        planned.partition(),
                        context.reader(),
                        bytesMax,
                        work);
        try (Walk walk = planned.walk(context.reader(), run.start(), work)) {
            return run.run(walk);
        }
    }

    public RunAggregationQueryResponse aggregate(RunAggregationQueryRequest request) {
        long start = time.monotonicNanos();
        PartitionId partition =
                partition(
                        request.getPartitionId(), request.getProjectId(), request.getDatabaseId());
        AggregationQuery aggregation =
                switch (request.getQueryTypeCase()) {
                    case AGGREGATION_QUERY -> request.getAggregationQuery();
                    case GQL_QUERY -> Gql.parseAggregation(request.getGqlQuery(), partition);
                    case QUERYTYPE_NOT_SET ->
                            throw PetrichorException.invalid("The request has no query.");
                };
        AggregateResults aggregates = new AggregateResults(aggregation.getAggregationsList());
        Query query = aggregation.getNestedQuery();
        try (Planning planning = plan(query, partition, request.getReadOptions(), aggregates)) {
            RunAggregationQueryResponse.Builder response = RunAggregationQueryResponse.newBuilder();
            AggregationRun run = new AggregationRun(planning.planned(), aggregates);
            if (request.hasExplainOptions() && !request.getExplainOptions().getAnalyze()) {
                response.setExplainMetrics(Explain.plan(run.plans()));
            } else {
                Work work = new Work();
                run.run(planning.context().reader(), work);
                response.setBatch(
                        AggregationResultBatch.newBuilder()
                                .addAggregationResults(aggregates.result())
                                .setMoreResults(QueryResultBatch.MoreResultsType.NO_MORE_RESULTS)
                                .setReadTime(
                                        ValueCodec.timestamp(
                                                planning.context().reader().version())));
                if (request.hasExplainOptions()) {
                    response.setExplainMetrics(
                            Explain.analyzed(run.plans(), work, 1, time.monotonicNanos() - start));
                }
            }
            if (request.hasGqlQuery()) {
                response.setQuery(aggregation);
            }
            ByteString transaction = planning.context().transaction();
            return response.setTransaction(transaction).build();
        }
    }

    private static PartitionId partition(PartitionId asked, String project, String database) {
        if (!asked.getProjectId().isEmpty() && !asked.getProjectId().equals(project)) {
            throw PetrichorException.invalid(
                    "The partition is of project \"{projectId}\", the request of \"{project}\".",
                    "projectId",
                    asked.getProjectId(),
                    "project",
                    project);
        }
        if (!asked.getDatabaseId().isEmpty() && !asked.getDatabaseId().equals(database)) {
            throw PetrichorException.invalid(
                    "The partition is of database \"{databaseId}\", the request of \"{database}\".",
                    "databaseId",
                    asked.getDatabaseId(),
                    "database",
                    database);
        }
        return asked.toBuilder().setProjectId(project).setDatabaseId(database).build();
    }

    private record Planning(PlannedQuery planned, ReadContext context) implements AutoCloseable {
        @Override
        public void close() {
            context.close();
        }
    }

    /**
     * @param aggregates computed from the results; null for the results themselves
     */
    private Planning plan(
            Query given,
            PartitionId partition,
            ReadOptions options,
            @Nullable AggregateResults aggregates) {
        Query query = withFilledKeys(given, partition);
        for (int attempt = 1; ; attempt++) {
            ReadContext context =
                    contexts.open(
                            partition.getProjectId(),
                            partition.getDatabaseId(),
                            options,
                            partition.getNamespaceId());
            Planning planning = null;
            try {
                var indexes = readable(context);
                PlannedQuery planned =
                        permitted(PlannedQuery.of(query, partition, indexes), indexes);
                if (planned.complete() && aggregates != null) {
                    PlannedQuery source =
                            permitted(AggregationRun.source(planned, aggregates, indexes), indexes);
                    boolean wait =
                            AggregationRun.dependsOnOrder(query) || mayMake(context, options);
                    planned = source.complete() || wait ? source : planned;
                }
                if (planned.complete()) {
                    context.database().indexes().used(planned.composites());
                    planning = new Planning(planned, context);
                    return planning;
                }
                provide(planned.missing(), context, options, attempt);
            } finally {
                if (planning == null) {
                    context.close();
                }
            }
        }
    }

    /**
     * Without automatic indexes, the existing ones determine the order of results where the query
     * leaves it open, as do cursors.
     */
    private PlannedQuery permitted(
            PlannedQuery planned, Function<String, List<CompositeIndex>> indexes) {
        boolean permute =
                planned.complete()
                        ? !planned.fitsCursors()
                        : missingIndexes == MissingIndexes.REFUSE;
        return permute ? planned.permuted(indexes) : planned;
    }

    /** Whether an index can be created without failing running work. */
    private boolean mayMake(ReadContext context, ReadOptions options) {
        return missingIndexes == MissingIndexes.CREATE
                && !context.atReadTime()
                && options.getTransaction().isEmpty();
    }

    private static Query withFilledKeys(Query query, PartitionId partition) {
        if (!query.hasFilter()) {
            return query;
        }
        Filter filter =
                new KeyValues(partition.getProjectId(), partition.getDatabaseId())
                        .filled(query.getFilter());
        return filter.equals(query.getFilter())
                ? query
                : query.toBuilder().setFilter(filter).build();
    }

    private static Function<String, List<CompositeIndex>> readable(ReadContext context) {
        return context.database().indexes().at(context.reader())::readable;
    }

    private void provide(
            List<IndexDefinition> missing, ReadContext context, ReadOptions options, int attempt) {
        if (missingIndexes == MissingIndexes.REFUSE || attempt == ATTEMPTS_MAX) {
            throw noIndex(missing, null);
        }
        if (context.atReadTime()) {
            throw noIndex(missing, "at the version that read_time names");
        }
        for (IndexDefinition index : missing) {
            requireModest(index);
        }
        context.abandon();
        for (IndexDefinition index : missing) {
            if (context.database().indexes().ensure(index)) {
                LOG.log(
                        System.Logger.Level.INFO,
                        "A query needed a composite index, which was created; declare it in"
                                + " index.yaml:\n{0}",
                        index.yaml());
            }
        }
        if (!options.getTransaction().isEmpty()) {
            throw PetrichorException.of(
                    ErrorCode.ABORTED,
                    "The query needed a composite index, which has been created; the transaction is"
                            + " older and can't use it. Retry the transaction.");
        }
    }

    private static void requireModest(IndexDefinition index) {
        if (index.columns().size() > Limits.AUTOMATIC_INDEX_COLUMNS_MAX) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "no matching index found. The query needs an index of {columnsCount}"
                            + " properties; indexes of more than "
                            + Limits.AUTOMATIC_INDEX_COLUMNS_MAX
                            + " are not created automatically. Declare it in index.yaml, or query"
                            + " by fewer properties.",
                    "columnsCount",
                    index.columns().size());
        }
    }

    private static PetrichorException noIndex(
            List<IndexDefinition> missing, @Nullable String where) {
        StringBuilder yaml = new StringBuilder();
        missing.forEach(index -> yaml.append(index.yaml()));
        return PetrichorException.of(
                ErrorCode.FAILED_PRECONDITION,
                "no matching index found{location}. recommended index is:\n{yaml}",
                "location",
                where == null ? "" : " " + where,
                "yaml",
                yaml.toString());
    }
}
