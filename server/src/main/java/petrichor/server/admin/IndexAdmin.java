package petrichor.server.admin;

import com.google.datastore.admin.v1.CommonMetadata;
import com.google.datastore.admin.v1.CreateIndexRequest;
import com.google.datastore.admin.v1.DeleteIndexRequest;
import com.google.datastore.admin.v1.GetIndexRequest;
import com.google.datastore.admin.v1.Index;
import com.google.datastore.admin.v1.IndexOperationMetadata;
import com.google.datastore.admin.v1.ListIndexesRequest;
import com.google.datastore.admin.v1.ListIndexesResponse;
import com.google.datastore.admin.v1.OperationType;
import com.google.longrunning.Operation;
import com.google.protobuf.Any;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.Timestamp;
import com.google.protobuf.util.Timestamps;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import petrichor.base.ErrorCode;
import petrichor.base.NotOwner;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.entities.CompositeIndex;
import petrichor.entities.EntityDatabase;
import petrichor.entities.EntityDatabases;
import petrichor.entities.IndexDefinition;
import petrichor.entities.SortOrder;

/**
 * Composite indexes of a project's default database in the format of google.datastore.admin.v1, and
 * the operations that create and delete them. An operation is done when its index is, according to
 * the index catalog; after a restart the catalog completes unfinished operations. Thread-safe;
 * calls block. Failures are {@link PetrichorException}s.
 */
final class IndexAdmin implements OperationOwner {
    private static final System.Logger LOG = System.getLogger(IndexAdmin.class.getName());
    private static final int PAGE_MAX = 1_000;

    private final Supplier<EntityDatabases> databases;
    private final TimeSource time;

    IndexAdmin(Supplier<EntityDatabases> databases, TimeSource time) {
        this.databases = databases;
        this.time = time;
    }

    private EntityDatabase database(String project) {
        return databases.get().open(project, "");
    }

    ListIndexesResponse list(ListIndexesRequest request) {
        String state = filtered(request.getFilter());
        List<Index> found = new ArrayList<>();
        for (CompositeIndex index : database(request.getProjectId()).indexes().newest().all()) {
            Index shown = index(request.getProjectId(), index);
            if (state == null || shown.getState().name().equals(state)) {
                found.add(shown);
            }
        }
        int from = start(request.getPageToken());
        int size =
                request.getPageSize() <= 0 ? PAGE_MAX : Math.min(PAGE_MAX, request.getPageSize());
        int to = Math.min(found.size(), from + size);
        return ListIndexesResponse.newBuilder()
                .addAllIndexes(found.subList(Math.min(from, to), to))
                .setNextPageToken(to < found.size() ? Integer.toString(to) : "")
                .build();
    }

    /** Only filters on the state are supported, such as {@code state=READY}; null for no filter. */
    private static @Nullable String filtered(String filter) {
        if (filter.isBlank()) {
            return null;
        }
        String[] parts = filter.strip().split("\\s*[=:]\\s*", -1);
        if (parts.length != 2 || !parts[0].equalsIgnoreCase("state")) {
            throw PetrichorException.invalid(
                    "The filter \"{filter}\" is not supported; use state=READY.", "filter", filter);
        }
        return parts[1].replace("\"", "").toUpperCase(Locale.ROOT);
    }

    private static int start(String token) {
        if (token.isEmpty()) {
            return 0;
        }
        try {
            return Integer.parseUnsignedInt(token);
        } catch (NumberFormatException foreign) {
            throw PetrichorException.invalid("The page_token was not issued by this server.");
        }
    }

    Index get(GetIndexRequest request) {
        return index(
                request.getProjectId(),
                find(database(request.getProjectId()), request.getIndexId()));
    }

    private static CompositeIndex find(EntityDatabase database, String id) {
        return database.indexes().newest().all().stream()
                .filter(index -> Integer.toString(index.id()).equals(id))
                .findFirst()
                .orElseThrow(
                        () ->
                                PetrichorException.of(
                                        ErrorCode.NOT_FOUND,
                                        "There is no index \"{id}\".",
                                        "id",
                                        id));
    }

    private static Index index(String project, CompositeIndex index) {
        Index.Builder shown =
                Index.newBuilder()
                        .setProjectId(project)
                        .setIndexId(Integer.toString(index.id()))
                        .setKind(index.definition().kind())
                        .setAncestor(
                                index.definition().ancestor()
                                        ? Index.AncestorMode.ALL_ANCESTORS
                                        : Index.AncestorMode.NONE)
                        .setState(
                                switch (index.state()) {
                                    case WRITE_ONLY -> Index.State.CREATING;
                                    case READABLE -> Index.State.READY;
                                    case REMOVING -> Index.State.DELETING;
                                });
        for (IndexDefinition.Column column : index.definition().columns()) {
            shown.addPropertiesBuilder()
                    .setName(column.property())
                    .setDirection(
                            switch (column.order()) {
                                case ASCENDING -> Index.Direction.ASCENDING;
                                case DESCENDING -> Index.Direction.DESCENDING;
                            });
        }
        return shown.build();
    }

    Operation create(CreateIndexRequest request) {
        Index wanted = request.getIndex();
        List<IndexDefinition.Column> columns = new ArrayList<>();
        for (Index.IndexedProperty property : wanted.getPropertiesList()) {
            columns.add(
                    new IndexDefinition.Column(
                            property.getName(),
                            property.getDirection() == Index.Direction.DESCENDING
                                    ? SortOrder.DESCENDING
                                    : SortOrder.ASCENDING));
        }
        boolean ancestor = wanted.getAncestor() == Index.AncestorMode.ALL_ANCESTORS;
        EntityDatabase database = database(request.getProjectId());
        CompositeIndex made =
                database.indexes().create(new IndexDefinition(wanted.getKind(), ancestor, columns));
        return started(database, made, OperationType.CREATE_INDEX);
    }

    Operation delete(DeleteIndexRequest request) {
        EntityDatabase database = database(request.getProjectId());
        CompositeIndex index = find(database, request.getIndexId());
        database.indexes().drop(index.id());
        return started(database, index, OperationType.DELETE_INDEX);
    }

    private Operation started(EntityDatabase database, CompositeIndex index, OperationType type) {
        Timestamp now = Timestamps.fromMicros(time.epochMicros());
        Operation operation =
                Operation.newBuilder()
                        .setName(
                                "projects/"
                                        + database.project()
                                        + "/operations/"
                                        + type.name().toLowerCase(Locale.ROOT).replace('_', '-')
                                        + "-"
                                        + index.id())
                        .setMetadata(
                                Any.pack(
                                        IndexOperationMetadata.newBuilder()
                                                .setIndexId(Integer.toString(index.id()))
                                                .setCommon(
                                                        CommonMetadata.newBuilder()
                                                                .setStartTime(now)
                                                                .setOperationType(type)
                                                                .setState(
                                                                        CommonMetadata.State
                                                                                .PROCESSING))
                                                .build()))
                        .build();
        new OperationLog(database).add(operation);
        Thread.ofVirtual().name("index-" + index.id()).start(() -> finish(database));
        return operation;
    }

    private static void finish(EntityDatabase database) {
        try {
            database.indexes().finish();
        } catch (NotOwner moved) {
            LOG.log(
                    System.Logger.Level.INFO,
                    "The new owner of {0} continues its index changes.",
                    database.rows().name());
        } catch (PetrichorException e) {
            LOG.log(
                    System.Logger.Level.WARNING,
                    "An index of {0} is not finished: {1}",
                    database.rows().name(),
                    e.getMessage());
        }
    }

    @Override
    public boolean owns(Operation operation) {
        return operation.getMetadata().is(IndexOperationMetadata.class);
    }

    /** Removes an index that is being built; the deletion of an index cannot be cancelled. */
    @Override
    public void cancel(EntityDatabase database, OperationLog log, Operation operation) {
        IndexOperationMetadata metadata = metadata(operation);
        if (metadata.getCommon().getOperationType() != OperationType.CREATE_INDEX) {
            throw PetrichorException.of(
                    ErrorCode.FAILED_PRECONDITION,
                    "The removal of an index cannot be cancelled; create the index again.");
        }
        log.replace(
                ended(operation, metadata, CommonMetadata.State.CANCELLED)
                        .setError(
                                com.google.rpc.Status.newBuilder()
                                        .setCode(com.google.rpc.Code.CANCELLED_VALUE)
                                        .setMessage("The operation was cancelled."))
                        .build());
        database.indexes().drop(Integer.parseInt(metadata.getIndexId()));
        Thread.ofVirtual().name("index-removal").start(() -> finish(database));
    }

    @Override
    public Operation settled(EntityDatabase database, OperationLog log, Operation operation) {
        IndexOperationMetadata metadata = metadata(operation);
        CompositeIndex index =
                database.indexes().newest().all().stream()
                        .filter(one -> Integer.toString(one.id()).equals(metadata.getIndexId()))
                        .findFirst()
                        .orElse(null);
        boolean creates = metadata.getCommon().getOperationType() == OperationType.CREATE_INDEX;
        if (index != null && (!creates || index.state() != CompositeIndex.State.READABLE)) {
            return operation;
        }
        Operation.Builder ended;
        if (creates && index == null) {
            ended =
                    ended(operation, metadata, CommonMetadata.State.FAILED)
                            .setError(
                                    com.google.rpc.Status.newBuilder()
                                            .setCode(com.google.rpc.Code.FAILED_PRECONDITION_VALUE)
                                            .setMessage(
                                                    "The index was removed before it was ready, or"
                                                        + " an entity would have too many entries"
                                                        + " in it; see the server's log."));
        } else {
            Index shown =
                    index == null
                            ? Index.newBuilder()
                                    .setProjectId(database.project())
                                    .setIndexId(metadata.getIndexId())
                                    .build()
                            : index(database.project(), index);
            ended =
                    ended(operation, metadata, CommonMetadata.State.SUCCESSFUL)
                            .setResponse(Any.pack(shown));
        }
        Operation done = ended.build();
        log.replace(done);
        return done;
    }

    private Operation.Builder ended(
            Operation operation, IndexOperationMetadata metadata, CommonMetadata.State state) {
        IndexOperationMetadata.Builder next = metadata.toBuilder();
        next.getCommonBuilder()
                .setState(state)
                .setEndTime(Timestamps.fromMicros(time.epochMicros()));
        return operation.toBuilder().setDone(true).setMetadata(Any.pack(next.build()));
    }

    private static IndexOperationMetadata metadata(Operation operation) {
        try {
            return operation.getMetadata().unpack(IndexOperationMetadata.class);
        } catch (InvalidProtocolBufferException damaged) {
            throw PetrichorException.of(
                    ErrorCode.INTERNAL, damaged, "The list of operations is damaged.");
        }
    }
}
