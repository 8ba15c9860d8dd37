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
import petrichor.base.Cancellation;
import petrichor.base.PetrichorException;
import petrichor.transactions.Row;

/** Reads entities by key, without parsing them unless a property mask is given. Stateless. */
final class Lookups {
    private static final byte[] NO_CURSOR = {};

    /** Number of keys read before entity sizes are known; entities have up to 1 MiB. */
    private static final int FIRST_KEYS_PER_READ = 25;

    private Lookups() {}

    static LookupResult lookup(ReadContext context, LookupRequest request) {
        Map<Bytes, Key> wanted = keys(context.database(), request);
        List<Map.Entry<Bytes, Key>> keys = List.copyOf(wanted.entrySet());
        List<EntityHit> found = new ArrayList<>(Math.min(keys.size(), FIRST_KEYS_PER_READ));
        List<EntityHit> missing = new ArrayList<>();
        List<Key> deferred = new ArrayList<>();
        long bytes = 0;
        long read = 0;
        int next = 0;
        while (next < keys.size() && deferred.isEmpty()) {
            Cancellation.checkCurrent();
            List<Map.Entry<Bytes, Key>> part =
                    keys.subList(next, Math.min(keys.size(), next + keysPerRead(next, read)));
            List<@Nullable Row> rows =
                    context.reader().get(part.stream().map(key -> key.getKey().array()).toList());
            for (int i = 0; i < part.size(); i++) {
                Key key = part.get(i).getValue();
                Row row = rows.get(i);
                read += row == null ? 0 : row.value().length;
                EntityHit hit =
                        row == null ? missing(key, context.reader().version()) : hit(row, request);
                long size = (long) hit.entity().length + Limits.RESULT_OVERHEAD_BYTES;
                if (next + i > 0 && bytes + size > Limits.RESPONSE_BYTES_MAX) {
                    keys.subList(next + i, keys.size())
                            .forEach(left -> deferred.add(left.getValue()));
                    break;
                }
                bytes += size;
                (row == null ? missing : found).add(hit);
            }
            next += part.size();
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

    /** The number that probably still fits into the response, so that few reads are wasted. */
    private static int keysPerRead(int done, long bytesRead) {
        if (done == 0) {
            return FIRST_KEYS_PER_READ;
        }
        long average = Math.max(1, bytesRead / done);
        long free = Math.max(0, Limits.RESPONSE_BYTES_MAX - bytesRead);
        return Math.clamp(free / average, FIRST_KEYS_PER_READ, Limits.LOOKUP_KEYS_MAX);
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
