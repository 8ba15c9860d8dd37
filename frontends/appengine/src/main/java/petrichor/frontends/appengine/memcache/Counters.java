package petrichor.frontends.appengine.memcache;

import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheBatchIncrementRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheBatchIncrementResponse;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheIncrementRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheIncrementRequest.Direction;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheIncrementResponse;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheIncrementResponse.IncrementStatusCode;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheServiceError.ErrorCode;
import java.util.Optional;
import petrichor.frontends.appengine.ServiceError;
import petrichor.services.cache.Cache;
import petrichor.services.cache.CounterOutcome;
import petrichor.services.cache.CounterStep;

/** Increments and decrements. Stateless. */
final class Counters {
    MemcacheIncrementResponse increment(Cache cache, MemcacheIncrementRequest request) {
        return switch (counted(cache, request.getNameSpace(), request)) {
            case CounterOutcome.Counted(long value) ->
                    MemcacheIncrementResponse.newBuilder()
                            .setNewValue(value)
                            .setIncrementStatus(IncrementStatusCode.OK)
                            .build();
            // SDKs recognize a missing key by the missing value.
            case CounterOutcome.Missing _ ->
                    MemcacheIncrementResponse.newBuilder()
                            .setIncrementStatus(IncrementStatusCode.NOT_CHANGED)
                            .build();
            case CounterOutcome.NotNumber _ ->
                    throw new ServiceError(
                            ErrorCode.INVALID_VALUE_VALUE,
                            "the value is not an unsigned decimal number of 64 bits");
            case CounterOutcome.NoMemory _ ->
                    throw new ServiceError(
                            ErrorCode.UNSPECIFIED_ERROR_VALUE, "the cache has no free memory");
        };
    }

    MemcacheBatchIncrementResponse batch(Cache cache, MemcacheBatchIncrementRequest request) {
        MemcacheBatchIncrementResponse.Builder response =
                MemcacheBatchIncrementResponse.newBuilder();
        for (MemcacheIncrementRequest item : request.getItemList()) {
            response.addItem(one(counted(cache, request.getNameSpace(), item)));
        }
        return response.build();
    }

    private static MemcacheIncrementResponse one(CounterOutcome outcome) {
        MemcacheIncrementResponse.Builder response = MemcacheIncrementResponse.newBuilder();
        return switch (outcome) {
            case CounterOutcome.Counted(long value) ->
                    response.setNewValue(value).setIncrementStatus(IncrementStatusCode.OK).build();
            case CounterOutcome.Missing _, CounterOutcome.NotNumber _ ->
                    response.setIncrementStatus(IncrementStatusCode.NOT_CHANGED).build();
            case CounterOutcome.NoMemory _ ->
                    response.setIncrementStatus(IncrementStatusCode.ERROR).build();
        };
    }

    private static CounterOutcome counted(
            Cache cache, String namespace, MemcacheIncrementRequest request) {
        Optional<CounterStep.Initial> initial =
                request.hasInitialValue()
                        ? Optional.of(
                                new CounterStep.Initial(
                                        request.getInitialValue(), request.getInitialFlags()))
                        : Optional.empty();
        return cache.count(
                Items.key(namespace, request.getKey()),
                new CounterStep(
                        request.getDelta(),
                        request.getDirection() == Direction.DECREMENT,
                        initial));
    }
}
