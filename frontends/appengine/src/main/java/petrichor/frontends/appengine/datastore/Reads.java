package petrichor.frontends.appengine.datastore;

import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.GetRequest;
import com.google.apphosting.datastore.proto2api.DatastoreV3Pb.GetResponse;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.ReadOptions;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.SequencedSet;
import java.util.function.Supplier;
import petrichor.entities.Datastore;
import petrichor.entities.EntityHit;
import petrichor.entities.Limits;
import petrichor.entities.LookupResult;
import petrichor.frontends.appengine.CallingApp;

/** Get. Thread-safe. */
record Reads(Supplier<Datastore> datastore, AppTransactions transactions) {
    /** The SDKs accept responses of 32 MiB. */
    static final int RESPONSE_BYTES_MAX = 30 << 20;

    GetResponse get(CallingApp app, GetRequest request) {
        GetResponse.Builder response =
                GetResponse.newBuilder().setInOrder(!request.getAllowDeferred());
        if (request.getKeyCount() == 0) {
            return response.build();
        }
        EntityTranslator translator =
                new EntityTranslator(AppId.of(app, request.getKey(0).getApp()));
        List<Key> keys = request.getKeyList().stream().map(translator.keys()::ownComplete).toList();
        ReadOptions options =
                transactions.readOptions(app, request.hasTransaction(), request.getTransaction());
        Map<Key, GetResponse.Entity> found = new HashMap<>();
        SequencedSet<Key> wanted = new LinkedHashSet<>(keys);
        long bytes = 0;
        do {
            bytes += read(app, options, wanted, translator, found);
            requireFits(bytes, request.getAllowDeferred());
        } while (!wanted.isEmpty() && !request.getAllowDeferred());
        addAll(keys, found, translator.keys(), response);
        return response.build();
    }

    /** In the order of the request, which may name a key several times. */
    private static void addAll(
            List<Key> keys,
            Map<Key, GetResponse.Entity> found,
            KeyTranslator translator,
            GetResponse.Builder response) {
        boolean mayDefer = !response.getInOrder();
        SequencedSet<Key> deferred = new LinkedHashSet<>();
        long bytes = 0;
        for (Key key : keys) {
            GetResponse.Entity one = found.get(key);
            bytes += one == null ? 0 : one.getSerializedSize();
            requireFits(bytes, mayDefer);
            if (one == null || bytes > RESPONSE_BYTES_MAX) {
                deferred.add(key);
            } else {
                response.addEntity(one);
            }
        }
        deferred.forEach(key -> response.addDeferred(translator.toV3(key)));
    }

    private static void requireFits(long bytes, boolean mayDefer) {
        V3Error.check(
                mayDefer || bytes <= RESPONSE_BYTES_MAX,
                "The entities have more than "
                        + RESPONSE_BYTES_MAX
                        + " bytes together; get fewer of them at once.");
    }

    /** Reads the first of the wanted keys, and removes those that it has read. */
    private int read(
            CallingApp app,
            ReadOptions options,
            SequencedSet<Key> wanted,
            EntityTranslator translator,
            Map<Key, GetResponse.Entity> found) {
        List<Key> some = wanted.stream().limit(Limits.LOOKUP_KEYS_MAX).toList();
        LookupResult result =
                datastore
                        .get()
                        .lookup(
                                LookupRequest.newBuilder()
                                        .setProjectId(app.project())
                                        .setReadOptions(options)
                                        .addAllKeys(some)
                                        .build());
        List<Key> read = new ArrayList<>(some.size());
        int bytes = 0;
        for (EntityHit hit : result.found()) {
            Entity entity = EntityTranslator.parse(hit.entity());
            GetResponse.Entity answer =
                    GetResponse.Entity.newBuilder()
                            .setEntity(translator.toV3(entity))
                            .setVersion(hit.version())
                            .build();
            read.add(entity.getKey());
            found.put(entity.getKey(), answer);
            bytes += hit.entity().length;
        }
        for (EntityHit hit : result.missing()) {
            Key key = EntityTranslator.parse(hit.entity()).getKey();
            GetResponse.Entity answer =
                    GetResponse.Entity.newBuilder()
                            .setKey(translator.keys().toV3(key))
                            .setVersion(hit.version())
                            .build();
            read.add(key);
            found.put(key, answer);
        }
        read.forEach(wanted::remove);
        return bytes;
    }
}
