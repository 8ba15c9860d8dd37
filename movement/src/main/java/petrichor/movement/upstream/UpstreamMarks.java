package petrichor.movement.upstream;

import com.google.datastore.v1.AggregationQuery;
import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.BeginTransactionResponse;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.EntityResult;
import com.google.datastore.v1.GqlQuery;
import com.google.datastore.v1.GqlQueryParameter;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.QueryResultBatch;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.RollbackRequest;
import com.google.datastore.v1.RunAggregationQueryRequest;
import com.google.datastore.v1.RunAggregationQueryResponse;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.RunQueryResponse;
import com.google.datastore.v1.TransactionOptions;
import com.google.protobuf.ByteString;
import com.google.protobuf.Message;
import java.util.Map;

/**
 * Marks transaction ids and cursors of the upstream on their way to clients, and removes the marks
 * on the way back. So every request shows which side issued what it contains, also after the switch
 * and after a restart. Stateless.
 */
final class UpstreamMarks {
    private static final ByteString MARK =
            ByteString.copyFrom(new byte[] {(byte) 0xff, 'P', 'u', 1});

    private static final ReadOptions NEW_TRANSACTION =
            ReadOptions.newBuilder()
                    .setNewTransaction(
                            TransactionOptions.newBuilder()
                                    .setReadWrite(
                                            TransactionOptions.ReadWrite.getDefaultInstance()))
                    .build();

    private UpstreamMarks() {}

    static boolean marked(ByteString token) {
        return token.startsWith(MARK);
    }

    private static ByteString with(ByteString token) {
        return token.isEmpty() ? token : MARK.concat(token);
    }

    private static ByteString without(ByteString token) {
        return marked(token) ? token.substring(MARK.size()) : token;
    }

    /** The request as the upstream gets it. */
    static Message outgoing(Message request) {
        return switch (request) {
            case LookupRequest lookup when lookup.hasReadOptions() ->
                    lookup.toBuilder().setReadOptions(without(lookup.getReadOptions())).build();
            case RunQueryRequest query -> {
                RunQueryRequest.Builder sent = query.toBuilder();
                if (query.hasReadOptions()) {
                    sent.setReadOptions(without(query.getReadOptions()));
                }
                if (query.hasQuery()) {
                    sent.setQuery(without(query.getQuery()));
                }
                if (query.hasGqlQuery()) {
                    sent.setGqlQuery(without(query.getGqlQuery()));
                }
                yield sent.build();
            }
            case RunAggregationQueryRequest query -> {
                RunAggregationQueryRequest.Builder sent = query.toBuilder();
                if (query.hasReadOptions()) {
                    sent.setReadOptions(without(query.getReadOptions()));
                }
                if (query.hasAggregationQuery()) {
                    AggregationQuery aggregation = query.getAggregationQuery();
                    sent.setAggregationQuery(
                            aggregation.toBuilder()
                                    .setNestedQuery(without(aggregation.getNestedQuery())));
                }
                if (query.hasGqlQuery()) {
                    sent.setGqlQuery(without(query.getGqlQuery()));
                }
                yield sent.build();
            }
            case BeginTransactionRequest begin when begin.hasTransactionOptions() ->
                    begin.toBuilder()
                            .setTransactionOptions(without(begin.getTransactionOptions()))
                            .build();
            case CommitRequest commit when commit.hasTransaction() ->
                    commit.toBuilder().setTransaction(without(commit.getTransaction())).build();
            case CommitRequest commit when commit.hasSingleUseTransaction() ->
                    commit.toBuilder()
                            .setSingleUseTransaction(without(commit.getSingleUseTransaction()))
                            .build();
            case RollbackRequest rollback ->
                    rollback.toBuilder().setTransaction(without(rollback.getTransaction())).build();
            case Message other -> other;
        };
    }

    private static ReadOptions without(ReadOptions options) {
        return switch (options.getConsistencyTypeCase()) {
            case TRANSACTION ->
                    options.toBuilder().setTransaction(without(options.getTransaction())).build();
            case NEW_TRANSACTION ->
                    options.toBuilder()
                            .setNewTransaction(without(options.getNewTransaction()))
                            .build();
            case READ_CONSISTENCY, READ_TIME, CONSISTENCYTYPE_NOT_SET -> options;
        };
    }

    /** A previous transaction of this server means nothing to the upstream. */
    private static TransactionOptions without(TransactionOptions options) {
        if (!options.hasReadWrite() || options.getReadWrite().getPreviousTransaction().isEmpty()) {
            return options;
        }
        ByteString previous = options.getReadWrite().getPreviousTransaction();
        return options.toBuilder()
                .setReadWrite(
                        TransactionOptions.ReadWrite.newBuilder()
                                .setPreviousTransaction(
                                        marked(previous) ? without(previous) : ByteString.EMPTY))
                .build();
    }

    private static Query without(Query query) {
        return marked(query.getStartCursor()) || marked(query.getEndCursor())
                ? query.toBuilder()
                        .setStartCursor(without(query.getStartCursor()))
                        .setEndCursor(without(query.getEndCursor()))
                        .build()
                : query;
    }

    private static GqlQuery without(GqlQuery query) {
        GqlQuery.Builder sent = query.toBuilder();
        for (Map.Entry<String, GqlQueryParameter> binding :
                query.getNamedBindingsMap().entrySet()) {
            sent.putNamedBindings(binding.getKey(), without(binding.getValue()));
        }
        for (int i = 0; i < query.getPositionalBindingsCount(); i++) {
            sent.setPositionalBindings(i, without(query.getPositionalBindings(i)));
        }
        return sent.build();
    }

    private static GqlQueryParameter without(GqlQueryParameter parameter) {
        return parameter.hasCursor()
                ? parameter.toBuilder().setCursor(without(parameter.getCursor())).build()
                : parameter;
    }

    /** Whether a query continues at a cursor of the upstream. */
    static boolean continuesUpstream(Message request) {
        return switch (request) {
            case RunQueryRequest query -> continues(query.getQuery(), query.getGqlQuery());
            case RunAggregationQueryRequest query ->
                    continues(query.getAggregationQuery().getNestedQuery(), query.getGqlQuery());
            case Message _ -> false;
        };
    }

    private static boolean continues(Query query, GqlQuery gql) {
        return marked(query.getStartCursor())
                || marked(query.getEndCursor())
                || gql.getNamedBindingsMap().values().stream().anyMatch(UpstreamMarks::isMarked)
                || gql.getPositionalBindingsList().stream().anyMatch(UpstreamMarks::isMarked);
    }

    private static boolean isMarked(GqlQueryParameter parameter) {
        return parameter.hasCursor() && marked(parameter.getCursor());
    }

    /** Whether a query continues at a cursor without a mark. */
    static boolean continuesHere(Message request) {
        return switch (request) {
            case RunQueryRequest query -> continuesHere(query.getQuery());
            case RunAggregationQueryRequest query ->
                    continuesHere(query.getAggregationQuery().getNestedQuery());
            case Message _ -> false;
        };
    }

    private static boolean continuesHere(Query query) {
        return isOwn(query.getStartCursor()) || isOwn(query.getEndCursor());
    }

    private static boolean isOwn(ByteString cursor) {
        return !cursor.isEmpty() && !marked(cursor);
    }

    /** The request as this server gets it: a previous transaction of the upstream is unknown. */
    static Message local(Message request) {
        return switch (request) {
            case BeginTransactionRequest begin when retries(begin.getTransactionOptions()) ->
                    begin.toBuilder().clearTransactionOptions().build();
            case LookupRequest lookup when retries(lookup.getReadOptions().getNewTransaction()) ->
                    lookup.toBuilder().setReadOptions(NEW_TRANSACTION).build();
            case RunQueryRequest query when retries(query.getReadOptions().getNewTransaction()) ->
                    query.toBuilder().setReadOptions(NEW_TRANSACTION).build();
            case RunAggregationQueryRequest query
                    when retries(query.getReadOptions().getNewTransaction()) ->
                    query.toBuilder().setReadOptions(NEW_TRANSACTION).build();
            case Message other -> other;
        };
    }

    private static boolean retries(TransactionOptions options) {
        return marked(options.getReadWrite().getPreviousTransaction());
    }

    // Responses

    static BeginTransactionResponse incoming(BeginTransactionResponse response) {
        return response.toBuilder().setTransaction(with(response.getTransaction())).build();
    }

    static LookupResponse incoming(LookupResponse response) {
        return response.toBuilder().setTransaction(with(response.getTransaction())).build();
    }

    static RunAggregationQueryResponse incoming(RunAggregationQueryResponse response) {
        return response.toBuilder().setTransaction(with(response.getTransaction())).build();
    }

    static RunQueryResponse incoming(RunQueryResponse response) {
        RunQueryResponse.Builder marked =
                response.toBuilder().setTransaction(with(response.getTransaction()));
        if (response.hasBatch()) {
            QueryResultBatch.Builder batch = marked.getBatchBuilder();
            batch.setSkippedCursor(with(batch.getSkippedCursor()));
            batch.setEndCursor(with(batch.getEndCursor()));
            for (int i = 0; i < batch.getEntityResultsCount(); i++) {
                EntityResult result = batch.getEntityResults(i);
                if (!result.getCursor().isEmpty()) {
                    batch.setEntityResults(
                            i, result.toBuilder().setCursor(with(result.getCursor())));
                }
            }
        }
        if (response.hasQuery()) {
            Query.Builder query = marked.getQueryBuilder();
            query.setStartCursor(with(query.getStartCursor()));
            query.setEndCursor(with(query.getEndCursor()));
        }
        return marked.build();
    }

    /** The transaction that a read or a commit names; empty if it names none. */
    static ByteString transaction(Message request) {
        return switch (request) {
            case LookupRequest lookup -> lookup.getReadOptions().getTransaction();
            case RunQueryRequest query -> query.getReadOptions().getTransaction();
            case RunAggregationQueryRequest query -> query.getReadOptions().getTransaction();
            case CommitRequest commit -> commit.getTransaction();
            case RollbackRequest rollback -> rollback.getTransaction();
            case Message _ -> ByteString.EMPTY;
        };
    }

    /** The read options of a read; the default ones for other requests. */
    static ReadOptions readOptions(Message request) {
        return switch (request) {
            case LookupRequest lookup -> lookup.getReadOptions();
            case RunQueryRequest query -> query.getReadOptions();
            case RunAggregationQueryRequest query -> query.getReadOptions();
            case Message _ -> ReadOptions.getDefaultInstance();
        };
    }
}
