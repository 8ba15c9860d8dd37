package petrichor.frontends.appengine.datastore;

import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.Cost;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.DeleteRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.DeleteResponse;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.PutRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.PutResponse;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.TouchRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.TouchResponse;
import com.google.datastore.v1.AllocateIdsRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.Mutation;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.EntityProto;
import com.google.storage.onestore.v3.proto2api.OnestoreEntity.Reference;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.function.Supplier;
import petrichor.entities.Datastore;
import petrichor.entities.Limits;
import petrichor.entities.Validation;
import petrichor.frontends.appengine.CallingApp;

/** Put, Delete and Touch. Thread-safe. */
record EntityCalls(Supplier<Datastore> datastore, AppTransactions transactions) {

    PutResponse put(CallingApp app, PutRequest request) {
        PutResponse.Builder response = PutResponse.newBuilder();
        if (request.getEntityCount() == 0) {
            return response.build();
        }
        EntityTranslator translator =
                new EntityTranslator(AppId.of(app, request.getEntity(0).getKey().getApp()));
        List<Entity.Builder> entities = new ArrayList<>(request.getEntityCount());
        List<Key> keys = new ArrayList<>(request.getEntityCount());
        for (EntityProto entity : request.getEntityList()) {
            keys.add(translator.keys().own(entity.getKey()));
            EntityCheck.check(entity);
            entities.add(translator.toV1(entity));
        }
        boolean sequential = request.getAutoIdPolicy() == PutRequest.AutoIdPolicy.SEQUENTIAL;
        List<Key> complete = withIds(app, keys, sequential);
        List<Mutation> mutations = new ArrayList<>(complete.size());
        for (int i = 0; i < complete.size(); i++) {
            mutations.add(
                    Mutation.newBuilder()
                            .setUpsert(entities.get(i).setKey(complete.get(i)))
                            .build());
            response.addKey(translator.keys().toV3(complete.get(i)));
        }
        if (request.hasTransaction()) {
            OpenTransaction transaction =
                    transactions.requireToWrite(app, request.getTransaction());
            mutations.forEach(EntityCalls::check);
            for (int i = 0; i < mutations.size(); i++) {
                transaction.write(complete.get(i), mutations.get(i));
            }
            return response.build();
        }
        GroupCommits.Result result =
                new GroupCommits(datastore, app.project()).commit(complete, mutations);
        return response.addAllVersion(result.versions()).setCost(cost(result)).build();
    }

    /** The layers below check at the commit, but the app expects the error from the put. */
    private static void check(Mutation mutation) {
        Entity entity = mutation.getUpsert();
        Validation.requireWritable(entity.getKey());
        Validation.requireKey(entity.getKey(), Validation.Completeness.COMPLETE);
        Validation.requireProperties(entity);
        V3Error.check(entity.getSerializedSize() <= Limits.ENTITY_BYTES_MAX, "entity is too big");
    }

    /** Completes the incomplete ones of the keys. */
    private List<Key> withIds(CallingApp app, List<Key> keys, boolean sequential) {
        List<Key> incomplete = keys.stream().filter(key -> !KeyTranslator.complete(key)).toList();
        if (incomplete.isEmpty()) {
            return keys;
        }
        Iterator<Key> allocated =
                (sequential ? consecutive(app, incomplete) : scattered(app, incomplete)).iterator();
        return keys.stream()
                .map(key -> KeyTranslator.complete(key) ? key : allocated.next())
                .toList();
    }

    private List<Key> scattered(CallingApp app, List<Key> incomplete) {
        List<Key> complete = new ArrayList<>(incomplete.size());
        for (int from = 0; from < incomplete.size(); from += Limits.ALLOCATED_KEYS_MAX) {
            int to = Math.min(incomplete.size(), from + Limits.ALLOCATED_KEYS_MAX);
            complete.addAll(
                    datastore
                            .get()
                            .allocateIds(
                                    AllocateIdsRequest.newBuilder()
                                            .setProjectId(app.project())
                                            .addAllKeys(incomplete.subList(from, to))
                                            .build())
                            .getKeysList());
        }
        return complete;
    }

    private List<Key> consecutive(CallingApp app, List<Key> incomplete) {
        long next = datastore.get().allocateIdRange(app.project(), "", incomplete.size()).first();
        List<Key> complete = new ArrayList<>(incomplete.size());
        for (Key key : incomplete) {
            int last = key.getPathCount() - 1;
            complete.add(
                    key.toBuilder()
                            .setPath(last, key.getPath(last).toBuilder().setId(next++))
                            .build());
        }
        return complete;
    }

    DeleteResponse delete(CallingApp app, DeleteRequest request) {
        DeleteResponse.Builder response = DeleteResponse.newBuilder();
        if (request.getKeyCount() == 0) {
            return response.build();
        }
        List<Key> keys = complete(app, request.getKeyList());
        List<Mutation> mutations =
                keys.stream().map(key -> Mutation.newBuilder().setDelete(key).build()).toList();
        if (request.hasTransaction()) {
            OpenTransaction transaction =
                    transactions.requireToWrite(app, request.getTransaction());
            keys.forEach(Validation::requireWritable);
            for (int i = 0; i < keys.size(); i++) {
                transaction.write(keys.get(i), mutations.get(i));
            }
            return response.build();
        }
        GroupCommits.Result result =
                new GroupCommits(datastore, app.project()).commit(keys, mutations);
        return response.addAllVersion(result.versions()).setCost(cost(result)).build();
    }

    /** Only checks the keys: all indexes are up to date as soon as an entity is written. */
    TouchResponse touch(CallingApp app, TouchRequest request) {
        if (request.getKeyCount() > 0) {
            var _ = complete(app, request.getKeyList());
        }
        return TouchResponse.newBuilder().setCost(Cost.getDefaultInstance()).build();
    }

    private static List<Key> complete(CallingApp app, List<Reference> references) {
        KeyTranslator translator = KeyTranslator.of(app, references.getFirst());
        return references.stream().map(translator::ownComplete).toList();
    }

    private static Cost cost(GroupCommits.Result result) {
        return Cost.newBuilder()
                .setEntityWrites(result.versions().size())
                .setIndexWrites(result.indexUpdates())
                .build();
    }
}
