package petrichor.frontends.datastore;

import com.google.datastore.v1.AllocateIdsRequest;
import com.google.datastore.v1.AllocateIdsResponse;
import com.google.datastore.v1.BeginTransactionRequest;
import com.google.datastore.v1.BeginTransactionResponse;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.CommitResponse;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.LookupResponse;
import com.google.datastore.v1.ReadOptions;
import com.google.datastore.v1.ReserveIdsRequest;
import com.google.datastore.v1.ReserveIdsResponse;
import com.google.datastore.v1.RollbackRequest;
import com.google.datastore.v1.RollbackResponse;
import com.google.datastore.v1.RunAggregationQueryRequest;
import com.google.datastore.v1.RunAggregationQueryResponse;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.RunQueryResponse;
import com.google.datastore.v1.TransactionOptions;
import com.google.protobuf.Descriptors.FieldDescriptor;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Message;
import com.google.protobuf.Parser;
import java.util.Arrays;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import petrichor.base.PetrichorException;
import petrichor.entities.Datastore;
import petrichor.frontends.access.Role;

/** The eight methods of google.datastore.v1.Datastore, for both protocols. */
enum DatastoreMethod {
    LOOKUP("Lookup", LookupRequest.getDefaultInstance(), LookupResponse.getDefaultInstance()),
    RUN_QUERY(
            "RunQuery",
            RunQueryRequest.getDefaultInstance(),
            RunQueryResponse.getDefaultInstance()),
    RUN_AGGREGATION_QUERY(
            "RunAggregationQuery",
            RunAggregationQueryRequest.getDefaultInstance(),
            RunAggregationQueryResponse.getDefaultInstance()),
    BEGIN_TRANSACTION(
            "BeginTransaction",
            BeginTransactionRequest.getDefaultInstance(),
            BeginTransactionResponse.getDefaultInstance()),
    COMMIT("Commit", CommitRequest.getDefaultInstance(), CommitResponse.getDefaultInstance()),
    ROLLBACK(
            "Rollback",
            RollbackRequest.getDefaultInstance(),
            RollbackResponse.getDefaultInstance()),
    ALLOCATE_IDS(
            "AllocateIds",
            AllocateIdsRequest.getDefaultInstance(),
            AllocateIdsResponse.getDefaultInstance()),
    RESERVE_IDS(
            "ReserveIds",
            ReserveIdsRequest.getDefaultInstance(),
            ReserveIdsResponse.getDefaultInstance());

    /** The kind of thread that runs a call; see {@link Dispatcher}. */
    enum Lane {
        /** Reads the store and never waits for a lock. */
        READS,
        /**
         * Changes the store; the calling thread may run a group commit. A commit that must wait for
         * locks leaves the lane.
         */
        WRITES,
        /** Reads in a transaction or begins a retry: may wait for locks of another transaction. */
        LOCKS
    }

    static final String SERVICE = "google.datastore.v1.Datastore";

    private static final int SHORT_READ_KEYS_MAX = 25;
    private static final DatastoreMethod[] ALL = values();
    private static final Map<String, DatastoreMethod> BY_FULL_NAME =
            Arrays.stream(ALL)
                    .collect(Collectors.toUnmodifiableMap(DatastoreMethod::fullName, one -> one));

    private final String rpcName;
    private final String verb;
    private final Message request;
    private final Message response;

    @SuppressWarnings("ImmutableEnumChecker") // not modified after its creation
    private final RequestShape shape;

    @SuppressWarnings("ImmutableEnumChecker") // not modified
    private final FieldDescriptor project;

    @SuppressWarnings("ImmutableEnumChecker") // not modified
    private final FieldDescriptor database;

    /**
     * The list of keys or mutations, which has most of a request's bytes; null if the request has
     * none.
     */
    @SuppressWarnings("ImmutableEnumChecker") // not modified
    private final @Nullable FieldDescriptor list;

    /** Numbers of the fields needed for authorization and routing. */
    @SuppressWarnings("ImmutableEnumChecker") // not modified
    private final Set<Integer> head;

    DatastoreMethod(String rpcName, Message request, Message response) {
        this.rpcName = rpcName;
        this.verb = Character.toLowerCase(rpcName.charAt(0)) + rpcName.substring(1);
        this.request = request;
        this.response = response;
        this.shape = RequestShape.of(request.getDescriptorForType());
        this.project = request.getDescriptorForType().findFieldByName("project_id");
        this.database = request.getDescriptorForType().findFieldByName("database_id");
        this.list =
                request.getDescriptorForType().getFields().stream()
                        .filter(
                                field ->
                                        field.getName().equals("keys")
                                                || field.getName().equals("mutations"))
                        .findFirst()
                        .orElse(null);
        this.head =
                request.getDescriptorForType().getFields().stream()
                        .filter(field -> isInHead(field))
                        .map(FieldDescriptor::getNumber)
                        .collect(Collectors.toUnmodifiableSet());
    }

    /** By the verb in {@code POST /v1/projects/p:lookup}. */
    static Optional<DatastoreMethod> ofVerb(String verb) {
        return Arrays.stream(ALL).filter(method -> method.verb.equals(verb)).findFirst();
    }

    /** By its full gRPC name. */
    static Optional<DatastoreMethod> ofFullName(String name) {
        return Optional.ofNullable(BY_FULL_NAME.get(name));
    }

    String rpcName() {
        return rpcName;
    }

    /** The full gRPC name. */
    String fullName() {
        return SERVICE + "/" + rpcName;
    }

    String verb() {
        return verb;
    }

    /** Whether the method only reads, so that it can be retried. */
    boolean onlyReads() {
        return switch (this) {
            case LOOKUP, RUN_QUERY, RUN_AGGREGATION_QUERY -> true;
            case BEGIN_TRANSACTION, COMMIT, ROLLBACK, ALLOCATE_IDS, RESERVE_IDS -> false;
        };
    }

    /** The lowest role that any request of the method needs; known before the message is parsed. */
    Role role() {
        return switch (this) {
            case LOOKUP, RUN_QUERY, RUN_AGGREGATION_QUERY, BEGIN_TRANSACTION, COMMIT, ROLLBACK ->
                    Role.READ;
            case ALLOCATE_IDS, RESERVE_IDS -> Role.WRITE;
        };
    }

    private static boolean isInHead(FieldDescriptor field) {
        return switch (field.getName()) {
            case "project_id", "database_id", "read_options", "transaction_options" -> true;
            case String _ -> false;
        };
    }

    /** Whether the field is part of the {@link RequestHead}. */
    boolean isInHead(int number) {
        return head.contains(number);
    }

    /** Whether this field is the request's list of keys or mutations. */
    boolean isElement(int number) {
        FieldDescriptor known = list;
        return known != null && known.getNumber() == number;
    }

    /** The number of keys or mutations of a request. */
    int elements(Message message) {
        FieldDescriptor known = list;
        return known == null ? 0 : message.getRepeatedFieldCount(known);
    }

    String project(Message message) {
        return (String) message.getField(project);
    }

    String databaseId(Message message) {
        return (String) message.getField(database);
    }

    Parser<? extends Message> parser() {
        return request.getParserForType();
    }

    /**
     * The role that this request needs. A read-only transaction needs the role for reads only, from
     * its beginning to the commit without mutations that ends it; a read-write transaction may hold
     * locks for which others wait.
     *
     * @param message may lack the elements of the list
     * @param elements number of elements of the list
     */
    Role role(Message message, int elements) {
        return switch (this) {
            case LOOKUP -> role(((LookupRequest) message).getReadOptions());
            case RUN_QUERY -> role(((RunQueryRequest) message).getReadOptions());
            case RUN_AGGREGATION_QUERY ->
                    role(((RunAggregationQueryRequest) message).getReadOptions());
            case BEGIN_TRANSACTION ->
                    role(((BeginTransactionRequest) message).getTransactionOptions());
            case COMMIT -> elements == 0 ? Role.READ : Role.WRITE;
            case ROLLBACK -> Role.READ;
            case ALLOCATE_IDS, RESERVE_IDS -> Role.WRITE;
        };
    }

    private static Role role(ReadOptions options) {
        return options.hasNewTransaction() ? role(options.getNewTransaction()) : Role.READ;
    }

    private static Role role(TransactionOptions options) {
        return options.hasReadOnly() ? Role.READ : Role.WRITE;
    }

    /** The fields of the method's requests. */
    RequestShape shape() {
        return shape;
    }

    Message.Builder newRequest() {
        return request.newBuilderForType();
    }

    Message.Builder newResponse() {
        return response.newBuilderForType();
    }

    /** INVALID_ARGUMENT if the bytes are not a valid message. */
    Message parse(byte[] bytes) {
        try {
            return request.getParserForType().parseFrom(bytes);
        } catch (InvalidProtocolBufferException malformed) {
            throw PetrichorException.invalid(
                    "the body is not a serialized google.datastore.v1.{message}:" + " {reason}",
                    "message",
                    request.getDescriptorForType().getName(),
                    "reason",
                    malformed.getMessage());
        }
    }

    Lane lane(Message message) {
        return switch (this) {
            case LOOKUP -> lane(((LookupRequest) message).getReadOptions());
            case RUN_QUERY -> lane(((RunQueryRequest) message).getReadOptions());
            case RUN_AGGREGATION_QUERY ->
                    lane(((RunAggregationQueryRequest) message).getReadOptions());
            case BEGIN_TRANSACTION -> lane((BeginTransactionRequest) message);
            case COMMIT, ROLLBACK, ALLOCATE_IDS, RESERVE_IDS -> Lane.WRITES;
        };
    }

    /** Whether a request in the read lane reads the newest state of a few entities. */
    boolean isShortRead(Message message, int keys) {
        return this == LOOKUP
                && message instanceof LookupRequest lookup
                && keys <= SHORT_READ_KEYS_MAX
                && !lookup.getReadOptions().hasReadTime();
    }

    /** A retry waits for the locks of its previous attempt. */
    private static Lane lane(BeginTransactionRequest begin) {
        return begin.getTransactionOptions().getReadWrite().getPreviousTransaction().isEmpty()
                ? Lane.WRITES
                : Lane.LOCKS;
    }

    private static Lane lane(ReadOptions options) {
        return switch (options.getConsistencyTypeCase()) {
            case TRANSACTION, NEW_TRANSACTION -> Lane.LOCKS;
            case READ_CONSISTENCY, READ_TIME, CONSISTENCYTYPE_NOT_SET -> Lane.READS;
        };
    }

    /** Executes the method; the future has the serialized response. */
    CompletableFuture<byte[]> call(Datastore datastore, Message message) {
        return switch (this) {
            case LOOKUP -> done(ResponseEncoder.encode(datastore.lookup((LookupRequest) message)));
            case RUN_QUERY ->
                    done(ResponseEncoder.encode(datastore.runQuery((RunQueryRequest) message)));
            case RUN_AGGREGATION_QUERY ->
                    done(datastore.runAggregationQuery((RunAggregationQueryRequest) message));
            case BEGIN_TRANSACTION ->
                    done(datastore.beginTransaction((BeginTransactionRequest) message));
            case COMMIT ->
                    datastore.commit((CommitRequest) message).thenApply(Message::toByteArray);
            case ROLLBACK -> done(datastore.rollback((RollbackRequest) message));
            case ALLOCATE_IDS -> done(datastore.allocateIds((AllocateIdsRequest) message));
            case RESERVE_IDS -> done(datastore.reserveIds((ReserveIdsRequest) message));
        };
    }

    private static CompletableFuture<byte[]> done(Message response) {
        return done(response.toByteArray());
    }

    private static CompletableFuture<byte[]> done(byte[] response) {
        return CompletableFuture.completedFuture(response);
    }
}
