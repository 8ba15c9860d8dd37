package petrichor.frontends.appengine.memcache;

import com.google.appengine.api.memcache.MemcacheServicePb.AppOverride;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheBatchIncrementRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheDeleteRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheFlushRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheFlushResponse;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheGetRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheIncrementRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheServiceError.ErrorCode;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheSetRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheStatsRequest;
import com.google.protobuf.MessageLite;
import java.util.concurrent.CompletableFuture;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.frontends.appengine.BundledService;
import petrichor.frontends.appengine.CallingApp;
import petrichor.frontends.appengine.ServiceCall;
import petrichor.frontends.appengine.ServiceError;
import petrichor.services.cache.Cache;
import petrichor.services.cache.Caches;

/** The API {@code memcache} on {@link Caches}. Thread-safe. */
public final class MemcacheService implements BundledService {
    private final Caches caches;
    private final Items items;
    private final Counters counters = new Counters();

    public MemcacheService(Caches caches, TimeSource time) {
        this.caches = caches;
        this.items = new Items(time);
    }

    @Override
    public String name() {
        return "memcache";
    }

    @Override
    public boolean answersAtOnce(String project) {
        return caches.inMemory(project);
    }

    @Override
    public CompletableFuture<byte[]> call(ServiceCall call) {
        return CompletableFuture.completedFuture(answer(call).toByteArray());
    }

    private MessageLite answer(ServiceCall call) {
        return switch (call.method()) {
            case "Get" -> {
                MemcacheGetRequest request = call.parsed(MemcacheGetRequest.parser());
                yield items.get(cache(call.app(), request.getOverride()), request);
            }
            case "Set" -> {
                MemcacheSetRequest request = call.parsed(MemcacheSetRequest.parser());
                yield items.set(cache(call.app(), request.getOverride()), request);
            }
            case "Delete" -> {
                MemcacheDeleteRequest request = call.parsed(MemcacheDeleteRequest.parser());
                yield items.delete(cache(call.app(), request.getOverride()), request);
            }
            case "Increment" -> {
                MemcacheIncrementRequest request = call.parsed(MemcacheIncrementRequest.parser());
                yield counters.increment(cache(call.app(), request.getOverride()), request);
            }
            case "BatchIncrement" -> {
                MemcacheBatchIncrementRequest request =
                        call.parsed(MemcacheBatchIncrementRequest.parser());
                yield counters.batch(cache(call.app(), request.getOverride()), request);
            }
            case "FlushAll" -> {
                MemcacheFlushRequest request = call.parsed(MemcacheFlushRequest.parser());
                cache(call.app(), request.getOverride()).flush();
                yield MemcacheFlushResponse.getDefaultInstance();
            }
            case "Stats" -> {
                MemcacheStatsRequest request = call.parsed(MemcacheStatsRequest.parser());
                yield Statistics.of(cache(call.app(), request.getOverride()).statistics());
            }
            default -> throw call.unknownMethod();
        };
    }

    private Cache cache(CallingApp app, AppOverride override) {
        try {
            app.require(override.getAppId());
        } catch (PetrichorException other) {
            throw new ServiceError(
                    ErrorCode.PERMISSION_DENIED_VALUE, String.valueOf(other.getMessage()));
        }
        return caches.open(app.project());
    }
}
