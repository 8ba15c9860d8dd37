package petrichor.frontends.appengine.datastore;

import com.google.apphosting.base.protos.api.ApiBasePb.Integer64Proto;
import com.google.apphosting.base.protos.api.ApiBasePb.VoidProto;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.CompositeIndices;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.GetIndicesRequest;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.CompositeIndex.State;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Index;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.entities.CompositeIndex;
import petrichor.entities.Datastore;
import petrichor.entities.EntityDatabase;
import petrichor.entities.IndexDefinition;
import petrichor.entities.SortOrder;
import petrichor.frontends.appengine.CallingApp;

/**
 * CreateIndex, UpdateIndex, GetIndices and DeleteIndex. Indexes are built and removed in the
 * background; their states follow from that, so UpdateIndex changes none. Thread-safe.
 */
record IndexCalls(Supplier<Datastore> datastore) {
    private static final System.Logger LOG = System.getLogger(IndexCalls.class.getName());

    Integer64Proto create(
            CallingApp app,
            com.google.storage.onestore.v3.proto2api.OnestoreEntity.CompositeIndex index) {
        AppId.of(app, index.getAppId());
        V3Error.check(index.getId() == 0, "New index id must be 0.");
        EntityDatabase database = database(app);
        CompositeIndex created;
        try {
            created = database.indexes().create(definition(index.getDefinition()));
        } catch (PetrichorException e) {
            throw e.code() == ErrorCode.ALREADY_EXISTS
                    ? V3Error.badRequest("Index already exists.")
                    : V3Error.of(e);
        }
        finish(database);
        return Integer64Proto.newBuilder().setValue(created.id()).build();
    }

    VoidProto update(
            CallingApp app,
            com.google.storage.onestore.v3.proto2api.OnestoreEntity.CompositeIndex index) {
        CompositeIndex known = find(app, index);
        if (index.getState() == State.DELETED) {
            return drop(app, known);
        }
        V3Error.check(
                index.getState() != State.ERROR,
                "cannot move index state from " + state(known) + " to ERROR");
        return VoidProto.getDefaultInstance();
    }

    VoidProto delete(
            CallingApp app,
            com.google.storage.onestore.v3.proto2api.OnestoreEntity.CompositeIndex index) {
        return drop(app, find(app, index));
    }

    private VoidProto drop(CallingApp app, CompositeIndex index) {
        EntityDatabase database = database(app);
        database.indexes().drop(index.id());
        finish(database);
        return VoidProto.getDefaultInstance();
    }

    CompositeIndices list(CallingApp app, GetIndicesRequest request) {
        AppId.of(app, request.getAppId());
        CompositeIndices.Builder indices = CompositeIndices.newBuilder();
        for (CompositeIndex index : database(app).indexes().newest().all()) {
            Index.Builder definition =
                    Index.newBuilder()
                            .setEntityType(index.definition().kind())
                            .setAncestor(index.definition().ancestor());
            for (IndexDefinition.Column column : index.definition().columns()) {
                definition
                        .addPropertyBuilder()
                        .setName(column.property())
                        .setDirection(
                                column.order() == SortOrder.DESCENDING
                                        ? Index.Property.Direction.DESCENDING
                                        : Index.Property.Direction.ASCENDING);
            }
            indices.addIndexBuilder()
                    .setAppId(request.getAppId())
                    .setId(index.id())
                    .setDefinition(definition)
                    .setState(state(index));
        }
        return indices.build();
    }

    private static State state(CompositeIndex index) {
        return switch (index.state()) {
            case WRITE_ONLY -> State.WRITE_ONLY;
            case READABLE -> State.READ_WRITE;
            case REMOVING -> State.DELETED;
        };
    }

    private CompositeIndex find(
            CallingApp app,
            com.google.storage.onestore.v3.proto2api.OnestoreEntity.CompositeIndex index) {
        AppId.of(app, index.getAppId());
        IndexDefinition definition = definition(index.getDefinition());
        return database(app).indexes().newest().all().stream()
                .filter(known -> known.state() != CompositeIndex.State.REMOVING)
                .filter(known -> known.definition().equals(definition))
                .findFirst()
                .orElseThrow(() -> V3Error.badRequest("Index does not exist."));
    }

    private static IndexDefinition definition(Index index) {
        List<IndexDefinition.Column> columns = new ArrayList<>();
        for (Index.Property property : index.getPropertyList()) {
            columns.add(
                    new IndexDefinition.Column(
                            property.getName(),
                            property.getDirection() == Index.Property.Direction.DESCENDING
                                    ? SortOrder.DESCENDING
                                    : SortOrder.ASCENDING));
        }
        return new IndexDefinition(index.getEntityType(), index.getAncestor(), columns);
    }

    private EntityDatabase database(CallingApp app) {
        return datastore.get().databases().open(app.project(), "");
    }

    private static void finish(EntityDatabase database) {
        Thread.ofVirtual()
                .name("indexes-" + database.rows().name())
                .start(
                        () -> {
                            try {
                                database.indexes().finish();
                            } catch (PetrichorException e) {
                                LOG.log(
                                        System.Logger.Level.WARNING,
                                        "An index of {0} is not finished: {1}",
                                        database.rows().name(),
                                        e.getMessage());
                            }
                        });
    }
}
