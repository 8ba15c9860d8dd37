package petrichor.entities;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static petrichor.entities.Entities.entity;
import static petrichor.entities.Entities.key;
import static petrichor.entities.Entities.value;

import com.google.datastore.v1.AllocateIdsRequest;
import com.google.datastore.v1.CommitRequest;
import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.LookupRequest;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PropertyMask;
import com.google.datastore.v1.PropertyTransform;
import com.google.datastore.v1.ReserveIdsRequest;
import com.google.datastore.v1.Value;
import com.google.protobuf.Timestamp;
import com.google.type.LatLng;
import java.util.Collections;
import java.util.List;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;

class LimitsTest {
    private final Entities entities = new Entities();

    @AfterEach
    void close() {
        entities.close();
    }

    @Test
    void anEntityHasAtMostAMebibyte() {
        Key key = key("K", "k");
        Entity bare = entity(key, "p", unindexed(0), "q", unindexed(500_000));
        int overhead = bare.getSerializedSize();
        // The lengths of nested messages take more bytes as they grow.
        Entity largest = bare;
        for (int bytes = Limits.ENTITY_BYTES_MAX - overhead; ; bytes--) {
            largest = entity(key, "p", unindexed(bytes), "q", unindexed(500_000));
            if (largest.getSerializedSize() <= Limits.ENTITY_BYTES_MAX) {
                break;
            }
        }
        assertThat(largest.getSerializedSize()).isEqualTo(Limits.ENTITY_BYTES_MAX);
        entities.put(largest);
        assertThat(entities.find(key)).isEqualTo(largest);
        Entity larger = largest.toBuilder().putProperties("r", value(true)).build();
        refused("entity is too big", () -> entities.put(larger));
    }

    @Test
    void indexedStringsHaveAtMost1500Bytes() {
        entities.put(entity(key("K", "k"), "p", "x".repeat(1500)));
        refused(
                "The value of property \"p\" is longer than 1500 bytes.",
                () -> entities.put(entity(key("K", "k"), "p", "x".repeat(1501))));
        refused(
                "longer than 1500",
                () -> entities.put(entity(key("K", "k"), "p", "ü".repeat(751))));
        refused(
                "longer than 1500",
                () -> entities.put(entity(key("K", "k"), "p", new Object[] {1, "x".repeat(1501)})));
        entities.put(entity(key("K", "k"), "p", unindexed(100_000)));
        refused(
                "longer than 1048487",
                () -> entities.put(entity(key("K", "k"), "p", unindexed(1_048_488))));
        Value insideExcluded =
                value(entity(key("E", "e"), "long", "x".repeat(2000))).toBuilder()
                        .setExcludeFromIndexes(true)
                        .build();
        entities.put(entity(key("K", "k"), "p", insideExcluded));
    }

    @Test
    void keysHaveKindsAndIdsOrNames() {
        refused("kind", () -> entities.lookup(key("", "x")));
        refused("must not be empty", () -> entities.lookup(key("K", "")));
        refused(
                "The key path element kind is longer than 1500 bytes.",
                () -> entities.lookup(key("K".repeat(1501), "x")));
        refused(
                "The key path element name is longer than 1500 bytes.",
                () -> entities.lookup(key("K", "x".repeat(1501))));
        refused(
                "Key path element must not be incomplete: [K: ]",
                () -> entities.lookup(Entities.incomplete("K")));
        refused("greater than zero", () -> entities.lookup(withId(0)));
        refused("greater than zero", () -> entities.lookup(withId(-1)));
        refused("at least one element", () -> entities.lookup(Key.getDefaultInstance()));
        assertThat(entities.lookup(key("K".repeat(1500), "x".repeat(1500))).missing()).hasSize(1);
    }

    @Test
    void keysHaveAtMost100ElementsAnd6KiB() {
        Key.Builder deep = Key.newBuilder();
        for (int i = 0; i < 100; i++) {
            deep.addPathBuilder().setKind("K").setId(1);
        }
        assertThat(entities.lookup(deep.build()).missing()).hasSize(1);
        deep.addPathBuilder().setKind("K").setId(1);
        refused("at most 100", () -> entities.lookup(deep.build()));
        Key.Builder longer = Key.newBuilder();
        for (int i = 0; i < 5; i++) {
            longer.addPathBuilder().setKind("K").setName("x".repeat(1500));
        }
        refused("longer than 6144", () -> entities.lookup(longer.build()));
    }

    @Test
    void reservedNamesCanBeReadButNotWritten() {
        assertThat(entities.lookup(key("__Stat_Total__", "x")).missing()).hasSize(1);
        refused("reserved", () -> entities.put(entity(key("__Stat_Total__", "x"))));
        refused("reserved", () -> entities.put(entity(key("K", "__x__"))));
        refused("reserved", () -> entities.put(entity(key("K", "x"), "__p__", 1)));
        refused("reserved", () -> entities.commit(Entities.delete(key("__K__", "x"))));
        refused(
                "reserved",
                () -> entities.put(entity(key("K", "x"), "e", entity(key("E", "e"), "__p__", 1))));
        entities.put(entity(key("_K_", "__x"), "__p", 1));
    }

    @Test
    void keysBelongToTheDatabaseOfTheRequest() {
        Key foreign =
                key("K", "k").toBuilder().setPartitionId(RowLayout.partition("q", "", "")).build();
        refused("Mismatched project", () -> entities.lookup(foreign));
        Key other =
                key("K", "k").toBuilder().setPartitionId(RowLayout.partition("p", "d", "")).build();
        refused("Mismatched database", () -> entities.put(entity(other)));
        entities.put(entity(key("K", "k"), "p", value(0).toBuilder().setKeyValue(foreign).build()));
    }

    @Test
    void requestsNameAProjectAndADatabase() {
        refused(
                "project id is missing",
                () -> entities.datastore.lookup(LookupRequest.getDefaultInstance()));
        refused(
                "(default)",
                () ->
                        entities.datastore.lookup(
                                LookupRequest.newBuilder()
                                        .setProjectId("p")
                                        .setDatabaseId("(default)")
                                        .build()));
        refused(
                "project id",
                () ->
                        entities.datastore.lookup(
                                LookupRequest.newBuilder().setProjectId("p/q").build()));
    }

    @Test
    void valuesAreWithinTheirRanges() {
        refused("no value", () -> putValue(Value.getDefaultInstance()));
        refused("array in an array", () -> putValue(value(new Object[] {new Object[] {1}})));
        refused("meaning is 18", () -> putValue(value(1).toBuilder().setMeaning(18).build()));
        refused(
                "point on earth",
                () ->
                        putValue(
                                Value.newBuilder()
                                        .setGeoPointValue(LatLng.newBuilder().setLatitude(90.1))
                                        .build()));
        refused(
                "point on earth",
                () ->
                        putValue(
                                Value.newBuilder()
                                        .setGeoPointValue(
                                                LatLng.newBuilder().setLongitude(Double.NaN))
                                        .build()));
        refused(
                "timestamp",
                () ->
                        putValue(
                                Value.newBuilder()
                                        .setTimestampValue(
                                                Timestamp.newBuilder().setSeconds(1L << 40))
                                        .build()));
        refused(
                "incomplete",
                () -> putValue(Value.newBuilder().setKeyValue(Entities.incomplete("K")).build()));
    }

    @Test
    void entitiesAreNestedAtMost20Deep() {
        Value nested = value(1);
        for (int depth = 0; depth < 20; depth++) {
            nested = value(Entity.newBuilder().putProperties("p", nested).build());
        }
        putValue(nested);
        Value deeper = value(Entity.newBuilder().putProperties("p", nested).build());
        refused("nested deeper", () -> putValue(deeper));
    }

    @Test
    void anEntityHasAtMost20000IndexedValues() {
        Object[] numbers = new Object[20_000];
        for (int i = 0; i < numbers.length; i++) {
            numbers[i] = i;
        }
        putValue(value(numbers));
        refused("indexed values", () -> entities.put(entity(key("K", "k"), "p", numbers, "q", 1)));
    }

    @Test
    void aCommitWritesAtMostTenMebibytes() {
        CommitRequest.Builder request =
                CommitRequest.newBuilder().setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
        for (int i = 0; i < 11; i++) {
            request.addMutations(
                    Entities.upsert(entity(key("K", "k" + i), "p", unindexed(1_000_000))));
        }
        refused("Split it", () -> entities.commit(request));
    }

    @Test
    void aLookupDefersEntitiesThatExceedTheResponse() {
        LookupRequest.Builder request = LookupRequest.newBuilder().setProjectId("p");
        for (int i = 0; i < 5; i++) {
            Key key = key("K", "k" + i);
            entities.put(entity(key, "p", unindexed(1_000_000)));
            request.addKeys(key);
        }
        LookupResult result = entities.datastore.lookup(request.build());
        assertThat(result.found()).hasSize(3);
        assertThat(result.deferred()).containsExactly(key("K", "k3"), key("K", "k4"));
    }

    @Test
    void aLookupNamesAtMost1000Keys() {
        LookupRequest request =
                LookupRequest.newBuilder()
                        .setProjectId("p")
                        .addAllKeys(Collections.nCopies(1001, key("K", "k")))
                        .build();
        refused("1000 keys", () -> entities.datastore.lookup(request));
    }

    @Test
    void idsAreAllocatedForIncompleteKeysAndReservedForCompleteOnes() {
        Key allocated =
                entities.datastore
                        .allocateIds(
                                AllocateIdsRequest.newBuilder()
                                        .setProjectId("p")
                                        .addKeys(Entities.incomplete("K"))
                                        .build())
                        .getKeys(0);
        assertThat(allocated.getPath(0).getId()).isPositive();
        entities.datastore.reserveIds(
                ReserveIdsRequest.newBuilder().setProjectId("p").addKeys(withId(77)).build());
        refused(
                "must be incomplete",
                () ->
                        entities.datastore.allocateIds(
                                AllocateIdsRequest.newBuilder()
                                        .setProjectId("p")
                                        .addKeys(withId(7))
                                        .build()));
        refused(
                "incomplete",
                () ->
                        entities.datastore.reserveIds(
                                ReserveIdsRequest.newBuilder()
                                        .setProjectId("p")
                                        .addKeys(Entities.incomplete("K"))
                                        .build()));
    }

    @Test
    void idsAreAllocatedAndReservedForAtMost500Keys() {
        AllocateIdsRequest.Builder allocation = AllocateIdsRequest.newBuilder().setProjectId("p");
        allocation.addAllKeys(Collections.nCopies(500, Entities.incomplete("K")));
        assertThat(entities.datastore.allocateIds(allocation.build()).getKeysList())
                .hasSize(500)
                .doesNotHaveDuplicates();
        allocation.addKeys(Entities.incomplete("K"));
        refused(
                "cannot allocate more than 500 ids in a single call",
                () -> entities.datastore.allocateIds(allocation.build()));
        ReserveIdsRequest.Builder reservation = ReserveIdsRequest.newBuilder().setProjectId("p");
        reservation.addAllKeys(Collections.nCopies(501, withId(1)));
        refused(
                "cannot reserve more than 500 ids in a single call",
                () -> entities.datastore.reserveIds(reservation.build()));
    }

    @Test
    void aCommitMayHaveAnyNumberOfMutations() {
        CommitRequest.Builder request =
                CommitRequest.newBuilder().setMode(CommitRequest.Mode.NON_TRANSACTIONAL);
        for (int i = 0; i < 1_500; i++) {
            request.addMutations(Entities.upsert(entity(key("K", "k" + i))));
        }
        assertThat(entities.commit(request).getMutationResultsCount()).isEqualTo(1_500);
    }

    @Test
    void anEntityIsTransformedAtMost500TimesAtOnce() {
        entities.put(entity(key("K", "k"), "n", 0));
        entities.commit(incremented(500));
        assertThat(entities.find(key("K", "k"))).isEqualTo(entity(key("K", "k"), "n", 500));
        refused("at most 500", () -> entities.commit(incremented(501)));
        Mutation.Builder append = Entities.update(entity(key("K", "k"))).toBuilder();
        PropertyTransform.Builder elements =
                append.addPropertyTransformsBuilder().setProperty("array");
        for (int i = 0; i <= 500; i++) {
            elements.getAppendMissingElementsBuilder().addValues(value(i));
        }
        refused("at most 500", () -> entities.commit(append.build()));
    }

    private static Mutation incremented(int times) {
        Mutation.Builder mutation =
                Entities.update(entity(key("K", "k"))).toBuilder()
                        .setPropertyMask(PropertyMask.getDefaultInstance());
        for (int i = 0; i < times; i++) {
            mutation.addPropertyTransformsBuilder().setProperty("n").setIncrement(value(1));
        }
        return mutation.build();
    }

    @Test
    void anEntityHasAtMost20000EntriesInCompositeIndexes() {
        ensure("p", "q");
        entities.put(entity(key("K", "k"), "p", numbers(100), "q", numbers(200)));
        refused(
                "20000 entries",
                () -> entities.put(entity(key("K", "k"), "p", numbers(101), "q", numbers(200))));
        ensure("q", "p");
        // The limit applies to all indexes together, and to changes.
        entities.put(entity(key("K", "k"), "p", numbers(100), "q", numbers(200)));
        refused(
                "20000 entries",
                () -> entities.put(entity(key("K", "k"), "p", numbers(99), "q", numbers(200))));
        entities.put(entity(key("K", "k"), "p", numbers(100), "q", numbers(100)));
    }

    @Test
    void anEntityHasAtMost2MebibytesOfEntriesInCompositeIndexes() {
        ensure("p", "q");
        Object[] longOnes = new Object[40];
        for (int i = 0; i < longOnes.length; i++) {
            longOnes[i] = i + "x".repeat(1_400);
        }
        entities.put(entity(key("K", "k"), "p", numbers(35), "q", longOnes));
        refused(
                "2097152 bytes",
                () -> entities.put(entity(key("K", "k"), "p", numbers(40), "q", longOnes)));
    }

    private void ensure(String first, String second) {
        entities.database()
                .indexes()
                .ensure(
                        new IndexDefinition(
                                "K",
                                false,
                                List.of(
                                        new IndexDefinition.Column(first, SortOrder.ASCENDING),
                                        new IndexDefinition.Column(second, SortOrder.ASCENDING))));
    }

    private static Object[] numbers(int count) {
        return IntStream.range(0, count).boxed().toArray();
    }

    @Test
    void commitsMustBeUnambiguous() {
        refused("operation", () -> entities.commit(Mutation.getDefaultInstance()));
        refused("must name a transaction", () -> entities.commit(CommitRequest.newBuilder()));
    }

    private void putValue(Value value) {
        entities.put(entity(key("K", "k"), "p", value));
    }

    private static Key withId(long id) {
        return Key.newBuilder()
                .addPath(Key.PathElement.newBuilder().setKind("K").setId(id))
                .build();
    }

    private static Value unindexed(int bytes) {
        return value("x".repeat(bytes)).toBuilder().setExcludeFromIndexes(true).build();
    }

    private static void refused(String text, ThrowingCallable call) {
        assertThatThrownBy(call)
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT))
                .hasMessageContaining(text);
    }
}
