package petrichor.entities;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import petrichor.base.Bytes;
import petrichor.base.PetrichorException;
import petrichor.transactions.Row;

/** Reading entities by key, without parsing them unless a mask asks for parts. Stateless. */
final class Lookups {
    private static final byte[] NO_CURSOR = {};

    private Lookups() {}

    static LookupResult lookup(ReadContext context, LookupRequest request) {
        Map<Bytes, Key> wanted = keys(context.database(), request);
        List<byte[]> rowKeys = new ArrayList<>(wanted.size());
        for (Bytes row : wanted.keySet()) {
            rowKeys.add(row.array());
        }
        List<@Nullable Row> rows = context.reader().get(rowKeys);
        List<EntityHit> found = new ArrayList<>(rows.size());
        List<EntityHit> missing = new ArrayList<>();
        List<Key> deferred = new ArrayList<>();
        long bytes = 0;
        int i = 0;
        for (Key key : wanted.values()) {
            Row row = rows.get(i++);
            if (row == null) {
                missing.add(missing(key, context.reader().version()));
            } else if (bytes > 0 && bytes + row.value().length > Limits.LOOKUP_BYTES_MAX) {
                deferred.add(key);
            } else {
                bytes += row.value().length;
                found.add(hit(row, request));
            }
        }
        return new LookupResult(
                found, missing, deferred, context.transaction(), context.reader().version());
    }

    /** The namespace of the keys if all have one without transactions, else the default one. */
    static String namespace(LookupRequest request) {
        String found = "";
        for (Key key : request.getKeysList()) {
            found = key.getPartitionId().getNamespaceId();
            if (!Namespaces.withoutTransactions(found)) {
                return "";
            }
        }
        return found;
    }

    private static Map<Bytes, Key> keys(EntityDatabase database, LookupRequest request) {
        if (request.getKeysCount() > Limits.LOOKUP_KEYS_MAX) {
            throw PetrichorException.invalid(
                    "cannot get more than " + Limits.LOOKUP_KEYS_MAX + " keys in a single call");
        }
        Map<Bytes, Key> keys = LinkedHashMap.newLinkedHashMap(request.getKeysCount());
        for (Key given : request.getKeysList()) {
            Key key =
                    Validation.ownKey(
                            database.project(),
                            database.id(),
                            given,
                            Validation.Completeness.COMPLETE);
            keys.put(Bytes.of(RowLayout.entityRow(key)), key);
        }
        return keys;
    }

    private static EntityHit hit(Row row, LookupRequest request) {
        EntityHit whole = EntityRow.hit(row);
        if (!request.hasPropertyMask()) {
            return whole;
        }
        Entity part = Masks.selected(EntityRow.entity(row.value()), request.getPropertyMask());
        return new EntityHit(
                part.toByteArray(),
                whole.version(),
                whole.createTime(),
                whole.updateTime(),
                NO_CURSOR);
    }

    private static EntityHit missing(Key key, long version) {
        return new EntityHit(
                Entity.newBuilder().setKey(key).build().toByteArray(), version, 0, 0, NO_CURSOR);
    }
}
