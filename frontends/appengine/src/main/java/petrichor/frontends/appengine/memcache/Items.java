package petrichor.frontends.appengine.memcache;

import com.google.appengine.api.memcache.MemcacheServicePb.ItemTimestamps;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheDeleteRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheDeleteResponse;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheDeleteResponse.DeleteStatusCode;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheGetRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheGetResponse;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheSetRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheSetResponse;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheSetResponse.SetStatusCode;
import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import java.util.List;
import java.util.Map;
import petrichor.base.Bytes;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.services.cache.Cache;
import petrichor.services.cache.CacheItem;
import petrichor.services.cache.CacheKey;
import petrichor.services.cache.Expiry;
import petrichor.services.cache.StoreOutcome;
import petrichor.services.cache.StorePolicy;

/** Reads, writes and deletes items. Stateless. */
final class Items {
    /** App Engine's limit on responses. */
    private static final long GET_BYTES_MAX = 32L << 20;

    private final TimeSource time;

    Items(TimeSource time) {
        this.time = time;
    }

    MemcacheGetResponse get(Cache cache, MemcacheGetRequest request) {
        List<CacheKey> keys =
                request.getKeyList().stream()
                        .distinct()
                        .map(key -> key(request.getNameSpace(), key))
                        .toList();
        MemcacheGetResponse.Builder response = MemcacheGetResponse.newBuilder();
        long bytes = 0;
        for (int from = 0; from < keys.size(); from += Cache.KEYS_PER_GET_MAX) {
            List<CacheKey> some =
                    keys.subList(from, Math.min(keys.size(), from + Cache.KEYS_PER_GET_MAX));
            Map<CacheKey, CacheItem> found =
                    request.getForPeek() ? cache.peek(some) : cache.get(some);
            for (CacheKey key : some) {
                CacheItem item = found.get(key);
                if (item != null) {
                    bytes += item.value().length;
                    response.addItem(item(key, item, request));
                }
            }
            if (bytes > GET_BYTES_MAX) {
                throw PetrichorException.of(
                        ErrorCode.RESOURCE_EXHAUSTED,
                        "the values of these {keys} keys have more than {bytesMax} bytes; get fewer"
                                + " keys at once",
                        "keys",
                        keys.size(),
                        "bytesMax",
                        GET_BYTES_MAX);
            }
        }
        return response.build();
    }

    private static MemcacheGetResponse.Item item(
            CacheKey key, CacheItem found, MemcacheGetRequest request) {
        MemcacheGetResponse.Item.Builder item =
                MemcacheGetResponse.Item.newBuilder()
                        .setKey(UnsafeByteOperations.unsafeWrap(key.key().array()))
                        .setValue(UnsafeByteOperations.unsafeWrap(found.value()))
                        .setFlags(found.flags());
        if (request.getForCas()) {
            item.setCasId(found.casId());
        }
        if (request.getForPeek()) {
            ItemTimestamps.Builder times = ItemTimestamps.newBuilder();
            found.usedSeconds().ifPresent(times::setLastAccessTimeSec);
            if (!found.expiry().isNever()) {
                times.setExpirationTimeSec(found.expiry().epochSeconds());
            }
            if (found.locked()) {
                times.setDeleteLockTimeSec(found.expiry().epochSeconds());
            }
            item.setIsDeleteLocked(found.locked()).setTimestamps(times);
        }
        return item.build();
    }

    MemcacheSetResponse set(Cache cache, MemcacheSetRequest request) {
        MemcacheSetResponse.Builder response = MemcacheSetResponse.newBuilder();
        for (MemcacheSetRequest.Item item : request.getItemList()) {
            response.addSetStatus(set(cache, request.getNameSpace(), item));
        }
        return response.build();
    }

    private SetStatusCode set(Cache cache, String namespace, MemcacheSetRequest.Item item) {
        CacheKey key = key(namespace, item.getKey());
        StorePolicy policy =
                switch (item.getSetPolicy()) {
                    case SET -> StorePolicy.SET;
                    case ADD -> StorePolicy.ADD;
                    case REPLACE -> StorePolicy.REPLACE;
                    case CAS -> new StorePolicy.CompareAndSet(item.getCasId());
                };
        StoreOutcome outcome =
                cache.store(
                        key,
                        item.getValue().toByteArray(),
                        item.getFlags(),
                        expiry(item.getExpirationTime()),
                        policy);
        return switch (outcome) {
            case STORED -> SetStatusCode.STORED;
            case NOT_STORED -> SetStatusCode.NOT_STORED;
            case CHANGED -> SetStatusCode.EXISTS;
            case TOO_LARGE, NO_MEMORY -> SetStatusCode.ERROR;
        };
    }

    MemcacheDeleteResponse delete(Cache cache, MemcacheDeleteRequest request) {
        MemcacheDeleteResponse.Builder response = MemcacheDeleteResponse.newBuilder();
        for (MemcacheDeleteRequest.Item item : request.getItemList()) {
            boolean deleted =
                    cache.delete(
                            key(request.getNameSpace(), item.getKey()),
                            expiry(item.getDeleteTime()));
            response.addDeleteStatus(
                    deleted ? DeleteStatusCode.DELETED : DeleteStatusCode.NOT_FOUND);
        }
        return response.build();
    }

    /**
     * @param seconds unsigned
     */
    private Expiry expiry(int seconds) {
        return Expiry.of(Integer.toUnsignedLong(seconds), time.epochMicros());
    }

    static CacheKey key(String namespace, ByteString key) {
        return new CacheKey(namespace, Bytes.of(key.toByteArray()));
    }
}
