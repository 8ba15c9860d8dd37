package petrichor.frontends.appengine.memcache;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.appengine.api.memcache.MemcacheServicePb.AppOverride;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheBatchIncrementRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheBatchIncrementResponse;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheDeleteRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheDeleteResponse;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheDeleteResponse.DeleteStatusCode;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheFlushRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheGetRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheGetResponse;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheIncrementRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheIncrementResponse;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheIncrementResponse.IncrementStatusCode;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheServiceError;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheSetRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheSetRequest.SetPolicy;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheSetResponse;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheSetResponse.SetStatusCode;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheStatsRequest;
import com.google.appengine.api.memcache.MemcacheServicePb.MemcacheStatsResponse;
import com.google.appengine.api.memcache.MemcacheServicePb.MergedNamespaceStats;
import com.google.apphosting.base.protos.api.RemoteApiPb.Response;
import com.google.protobuf.ByteString;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.MessageLite;
import com.google.protobuf.Parser;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.MemoryBudget;
import petrichor.base.TimeSource;
import petrichor.frontends.appengine.AppCaller;
import petrichor.kv.memory.MemoryStore;
import petrichor.services.cache.LruCaches;
import petrichor.transactions.databases.RowDatabases;

final class MemcacheServiceTest {
    private static final String DEMO = "demo";

    private final MemoryStore store = MemoryStore.open();
    private final RowDatabases databases = new RowDatabases(store);
    private final LruCaches caches =
            new LruCaches(() -> databases, MemoryBudget.of("cache", 128 << 20), TimeSource.SYSTEM);
    private final AppCaller apps = new AppCaller(new MemcacheService(caches, TimeSource.SYSTEM));

    @AfterEach
    void close() {
        caches.close();
        databases.close();
        store.close();
    }

    private <M> M call(String project, String method, MessageLite request, Parser<M> parser) {
        try {
            return parser.parseFrom(apps.call(project, "memcache", method, request));
        } catch (InvalidProtocolBufferException damaged) {
            throw new AssertionError(damaged);
        }
    }

    private static ByteString bytes(String text) {
        return ByteString.copyFromUtf8(text);
    }

    private static MemcacheSetRequest.Item.Builder item(String key, String value) {
        return MemcacheSetRequest.Item.newBuilder().setKey(bytes(key)).setValue(bytes(value));
    }

    private MemcacheSetResponse set(MemcacheSetRequest.Item.Builder... items) {
        MemcacheSetRequest.Builder request = MemcacheSetRequest.newBuilder();
        for (MemcacheSetRequest.Item.Builder item : items) {
            request.addItem(item);
        }
        return call(DEMO, "Set", request.build(), MemcacheSetResponse.parser());
    }

    private MemcacheGetResponse get(MemcacheGetRequest.Builder request, String... keys) {
        for (String key : keys) {
            request.addKey(bytes(key));
        }
        return call(DEMO, "Get", request.build(), MemcacheGetResponse.parser());
    }

    private MemcacheGetResponse get(String... keys) {
        return get(MemcacheGetRequest.newBuilder(), keys);
    }

    @Test
    void itemsAreStoredAndRead() {
        assertThat(set(item("a", "1").setFlags(7), item("b", "")).getSetStatusList())
                .containsExactly(SetStatusCode.STORED, SetStatusCode.STORED);
        MemcacheGetResponse found = get("a", "missing", "b", "a");
        assertThat(found.getItemList())
                .extracting(one -> one.getKey().toStringUtf8())
                .containsExactly("a", "b");
        assertThat(found.getItem(0).getValue()).isEqualTo(bytes("1"));
        assertThat(found.getItem(0).getFlags()).isEqualTo(7);
        assertThat(found.getItem(0).hasCasId()).isFalse();
    }

    @Test
    void manyKeysAreReadAtOnce() {
        MemcacheSetRequest.Item.Builder[] items = new MemcacheSetRequest.Item.Builder[100];
        String[] keys = new String[100];
        for (int i = 0; i < items.length; i++) {
            keys[i] = "k" + i;
            items[i] = item(keys[i], "v" + i);
        }
        set(items);
        assertThat(get(keys).getItemCount()).isEqualTo(100);
    }

    @Test
    void policiesDecideWhatIsStored() {
        set(item("k", "1"));
        long cas = get(MemcacheGetRequest.newBuilder().setForCas(true), "k").getItem(0).getCasId();
        assertThat(
                        set(
                                        item("k", "2").setSetPolicy(SetPolicy.ADD),
                                        item("x", "2").setSetPolicy(SetPolicy.REPLACE),
                                        item("k", "2").setSetPolicy(SetPolicy.CAS).setCasId(cas),
                                        item("k", "3").setSetPolicy(SetPolicy.CAS).setCasId(cas),
                                        item("x", "3").setSetPolicy(SetPolicy.CAS).setCasId(cas))
                                .getSetStatusList())
                .containsExactly(
                        SetStatusCode.NOT_STORED,
                        SetStatusCode.NOT_STORED,
                        SetStatusCode.STORED,
                        SetStatusCode.EXISTS,
                        SetStatusCode.NOT_STORED);
    }

    @Test
    void aValueThatIsTooLargeIsAnErrorOfThatItem() {
        assertThat(
                        set(
                                        item("large", "")
                                                .setValue(ByteString.copyFrom(new byte[1_000_001])),
                                        item("k", "v"))
                                .getSetStatusList())
                .containsExactly(SetStatusCode.ERROR, SetStatusCode.STORED);
    }

    @Test
    void moreValuesThanAResponseMayHoldAreRefused() {
        MemcacheSetRequest.Item.Builder[] items = new MemcacheSetRequest.Item.Builder[12];
        MemcacheGetRequest.Builder keys = MemcacheGetRequest.newBuilder();
        for (int batch = 0; batch < 3; batch++) {
            for (int i = 0; i < items.length; i++) {
                String key = "k" + batch + "-" + i;
                items[i] = item(key, "").setValue(ByteString.copyFrom(new byte[1_000_000]));
                keys.addKey(bytes(key));
            }
            set(items);
        }
        Response response = apps.response(DEMO, "memcache", "Get", keys.build().toByteString());
        assertThat(response.getRpcError().getDetail()).contains("get fewer keys");
    }

    @Test
    void deletedKeysMayStayLocked() {
        set(item("a", "1"), item("b", "1"));
        MemcacheDeleteRequest delete =
                MemcacheDeleteRequest.newBuilder()
                        .addItem(
                                MemcacheDeleteRequest.Item.newBuilder()
                                        .setKey(bytes("a"))
                                        .setDeleteTime(100))
                        .addItem(MemcacheDeleteRequest.Item.newBuilder().setKey(bytes("b")))
                        .addItem(MemcacheDeleteRequest.Item.newBuilder().setKey(bytes("c")))
                        .build();
        assertThat(
                        call(DEMO, "Delete", delete, MemcacheDeleteResponse.parser())
                                .getDeleteStatusList())
                .containsExactly(
                        DeleteStatusCode.DELETED,
                        DeleteStatusCode.DELETED,
                        DeleteStatusCode.NOT_FOUND);
        assertThat(
                        set(
                                        item("a", "2").setSetPolicy(SetPolicy.ADD),
                                        item("b", "2").setSetPolicy(SetPolicy.ADD))
                                .getSetStatusList())
                .containsExactly(SetStatusCode.NOT_STORED, SetStatusCode.STORED);
        MemcacheGetResponse.Item locked =
                get(MemcacheGetRequest.newBuilder().setForPeek(true), "a").getItem(0);
        assertThat(locked.getIsDeleteLocked()).isTrue();
        assertThat(locked.getTimestamps().getDeleteLockTimeSec())
                .isGreaterThan(System.currentTimeMillis() / 1_000);
    }

    @Test
    void countersAreUnsigned() {
        MemcacheIncrementRequest.Builder step =
                MemcacheIncrementRequest.newBuilder()
                        .setKey(bytes("n"))
                        .setInitialValue(-1)
                        .setInitialFlags(3)
                        .setDelta(2);
        assertThat(
                        call(DEMO, "Increment", step.build(), MemcacheIncrementResponse.parser())
                                .getNewValue())
                .isEqualTo(1);
        assertThat(get("n").getItem(0).getFlags()).isEqualTo(3);
        assertThat(
                        call(
                                        DEMO,
                                        "Increment",
                                        step.setDirection(
                                                        MemcacheIncrementRequest.Direction
                                                                .DECREMENT)
                                                .build(),
                                        MemcacheIncrementResponse.parser())
                                .getNewValue())
                .isZero();
    }

    @Test
    void whatCannotBeCountedIsAnErrorOfTheApi() {
        set(item("text", "x"));
        assertThat(incrementError("text"))
                .isEqualTo(MemcacheServiceError.ErrorCode.INVALID_VALUE_VALUE);
    }

    @Test
    void aMissingCounterHasNoNewValue() {
        MemcacheIncrementResponse response =
                call(
                        DEMO,
                        "Increment",
                        MemcacheIncrementRequest.newBuilder().setKey(bytes("missing")).build(),
                        MemcacheIncrementResponse.parser());
        assertThat(response.hasNewValue()).isFalse();
        assertThat(response.getIncrementStatus()).isEqualTo(IncrementStatusCode.NOT_CHANGED);
    }

    private int incrementError(String key) {
        return apps.response(
                        DEMO,
                        "memcache",
                        "Increment",
                        MemcacheIncrementRequest.newBuilder()
                                .setKey(bytes(key))
                                .build()
                                .toByteString())
                .getApplicationError()
                .getCode();
    }

    @Test
    void aBatchOfCountersReportsEach() {
        set(item("text", "x"), item("n", "4"));
        MemcacheBatchIncrementRequest batch =
                MemcacheBatchIncrementRequest.newBuilder()
                        .addItem(MemcacheIncrementRequest.newBuilder().setKey(bytes("text")))
                        .addItem(MemcacheIncrementRequest.newBuilder().setKey(bytes("n")))
                        .addItem(MemcacheIncrementRequest.newBuilder().setKey(bytes("missing")))
                        .build();
        MemcacheBatchIncrementResponse response =
                call(DEMO, "BatchIncrement", batch, MemcacheBatchIncrementResponse.parser());
        assertThat(response.getItemList())
                .extracting(MemcacheIncrementResponse::getIncrementStatus)
                .containsExactly(
                        IncrementStatusCode.NOT_CHANGED,
                        IncrementStatusCode.OK,
                        IncrementStatusCode.NOT_CHANGED);
        assertThat(response.getItem(1).getNewValue()).isEqualTo(5);
    }

    @Test
    void anAppSeesAndFlushesOnlyItsOwnItems() {
        set(item("k", "of demo"));
        MemcacheGetRequest read = MemcacheGetRequest.newBuilder().addKey(bytes("k")).build();
        assertThat(call("other", "Get", read, MemcacheGetResponse.parser()).getItemCount())
                .isZero();
        apps.call("other", "memcache", "FlushAll", MemcacheFlushRequest.getDefaultInstance());
        assertThat(get("k").getItemCount()).isEqualTo(1);
        apps.call(DEMO, "memcache", "FlushAll", MemcacheFlushRequest.getDefaultInstance());
        assertThat(get("k").getItemCount()).isZero();
    }

    @Test
    void aMessageThatNamesAnotherAppIsRefused() {
        MemcacheGetRequest foreign =
                MemcacheGetRequest.newBuilder()
                        .addKey(bytes("k"))
                        .setOverride(AppOverride.newBuilder().setAppId("s~other"))
                        .build();
        assertThat(
                        apps.response(DEMO, "memcache", "Get", foreign.toByteString())
                                .getApplicationError()
                                .getCode())
                .isEqualTo(MemcacheServiceError.ErrorCode.PERMISSION_DENIED_VALUE);
        assertThat(apps.response("other", "memcache", "Get", foreign.toByteString()).hasResponse())
                .isTrue();
    }

    @Test
    void statisticsCountHitsAndContents() {
        set(item("k", "12345"));
        get("k", "missing");
        MergedNamespaceStats stats =
                call(
                                DEMO,
                                "Stats",
                                MemcacheStatsRequest.getDefaultInstance(),
                                MemcacheStatsResponse.parser())
                        .getStats();
        assertThat(stats.getHits()).isEqualTo(1);
        assertThat(stats.getMisses()).isEqualTo(1);
        assertThat(stats.getByteHits()).isEqualTo(6);
        assertThat(stats.getItems()).isEqualTo(1);
        assertThat(stats.getBytes()).isEqualTo(6);
        assertThat(stats.hasOldestItemAge()).isTrue();
    }

    @Test
    void keysThatAreTooLongAreInvalidArguments() {
        Response response =
                apps.response(
                        DEMO,
                        "memcache",
                        "Get",
                        MemcacheGetRequest.newBuilder()
                                .addKey(bytes("k".repeat(251)))
                                .build()
                                .toByteString());
        assertThat(response.getRpcError().getDetail()).contains("251 bytes");
    }
}
