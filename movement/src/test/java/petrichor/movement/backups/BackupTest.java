package petrichor.movement.backups;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.datastore.v1.Entity;
import com.google.datastore.v1.Filter;
import com.google.datastore.v1.Key;
import com.google.datastore.v1.KindExpression;
import com.google.datastore.v1.Mutation;
import com.google.datastore.v1.PropertyFilter;
import com.google.datastore.v1.PropertyOrder;
import com.google.datastore.v1.PropertyReference;
import com.google.datastore.v1.Query;
import com.google.datastore.v1.RunQueryRequest;
import com.google.datastore.v1.Value;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.client.DatabaseName;
import petrichor.entities.EntityRow;
import petrichor.entities.IndexDefinition;
import petrichor.entities.RowLayout;
import petrichor.entities.SortOrder;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.Row;
import petrichor.transactions.Snapshot;

class BackupTest {
    private static final DatabaseName COPY = new DatabaseName("copy", "restored");

    @TempDir Path folder;

    private final Home home = new Home(MemoryStore.open());
    private @Nullable BackupKey key;

    @AfterEach
    void close() {
        home.close();
    }

    private BackupSets sets() {
        return new BackupSets(new FolderTarget(folder.resolve("backups")), Home.DATABASE, key);
    }

    private BackupRun.Result backUp(boolean full) {
        return new BackupRun(
                        home,
                        sets(),
                        new BackupRun.Options(full, BackupRun.Options.CONSUMER, 2),
                        (_, _, _) -> {})
                .run();
    }

    private Restore restore(long version, BackupFilter filter, DatabaseName target) {
        return new Restore(
                home, sets(), new Restore.Plan(version, filter, target), (_, _, _) -> {});
    }

    private List<String> problems() {
        return new BackupCheck(sets(), (_, _, _) -> {}).run().problems();
    }

    private void fill(int entities) {
        for (int i = 0; i < entities; i++) {
            home.put(i % 3 == 0 ? "City" : "River", "n" + i, i);
        }
    }

    @Test
    void everyVersionSinceTheFirstFullBackupCanBeRestored() {
        fill(50);
        long first = backUp(false).set().version();
        List<Long> versions = new ArrayList<>(List.of(first));
        for (int i = 0; i < 30; i++) {
            versions.add(i % 4 == 3 ? home.delete("City", "n" + i) : home.put("City", "n" + i, -i));
            if (i % 7 == 6) {
                assertThat(backUp(i == 13).gap()).isFalse();
            }
        }
        BackupSet last = backUp(false).set();
        assertThat(problems()).isEmpty();
        for (long version : versions) {
            var _ = restore(version, BackupFilter.ALL, COPY).apply();
            assertThat(home.entities(COPY, 0))
                    .as("version %d", version)
                    .isEqualTo(home.entities(Home.DATABASE, version));
        }
        assertThat(last.manifest().full()).isFalse();
        assertThatThrownBy(() -> restore(first - 1, BackupFilter.ALL, COPY).preview())
                .hasMessageContaining("The backup has no data of");
        assertThatThrownBy(() -> restore(last.version() + 1, BackupFilter.ALL, COPY).preview())
                .hasMessageContaining("The backup has no data of");
    }

    @Test
    void aDatabaseThatWasCreatedAgainBeginsANewChain() {
        fill(20);
        long before = backUp(false).set().version();
        Map<String, String> old = home.entities();
        home.datastore.databases().dropAll();
        assertThat(home.entities()).isEmpty();
        home.put("City", "new", 1);

        BackupRun.Result again = backUp(false);
        assertThat(again.set().manifest().full()).isTrue();
        assertThat(again.gap()).isTrue();
        home.put("City", "newer", 2);
        BackupRun.Result next = backUp(false);
        assertThat(next.set().manifest().full()).isFalse();
        assertThat(problems()).isEmpty();

        Map<String, String> now = home.entities();
        var _ = restore(next.set().version(), BackupFilter.ALL, COPY).apply();
        assertThat(home.entities(COPY, 0)).isEqualTo(now).hasSize(2);
        var _ = restore(before, BackupFilter.ALL, COPY).apply();
        assertThat(home.entities(COPY, 0)).isEqualTo(old);
    }

    @Test
    void indexesAnswerQueriesAfterARestore() {
        IndexDefinition index =
                new IndexDefinition(
                        "City",
                        false,
                        List.of(
                                new IndexDefinition.Column("value", SortOrder.ASCENDING),
                                new IndexDefinition.Column("square", SortOrder.DESCENDING)));
        fill(30);
        home.database(Home.DATABASE).indexes().declare(List.of(index));
        home.database(Home.DATABASE).indexes().finish();
        long version = backUp(false).set().version();

        var _ = restore(version, BackupFilter.ALL, COPY).apply();

        assertThat(home.database(COPY).indexes().newest().all())
                .extracting(one -> one.definition())
                .contains(index);
        assertThat(count(Home.DATABASE)).isEqualTo(10);
        assertThat(count(COPY)).isEqualTo(10);
    }

    @Test
    void aKindAndAKeyAreExactAtEveryVersion() {
        fill(30);
        List<Long> versions = new ArrayList<>(List.of(backUp(false).set().version()));
        for (int i = 0; i < 20; i++) {
            versions.add(
                    i % 5 == 4
                            ? home.delete("City", "n" + i % 9)
                            : home.put(i % 2 == 0 ? "City" : "River", "n" + i % 9, 100 + i));
            if (i == 9) {
                backUp(false);
            }
        }
        backUp(false);
        BackupFilter cities =
                new BackupFilter(Optional.of("City"), Optional.empty(), Optional.empty());
        BackupFilter one =
                new BackupFilter(
                        Optional.empty(), Optional.empty(), Optional.of(Home.key("City", "n0")));
        for (long version : versions) {
            Map<String, String> then = home.entities(Home.DATABASE, version);
            Map<String, String> expected = new TreeMap<>(home.entities());
            expected.keySet().removeIf(key -> key.equals("City:\"n0\""));
            then.entrySet().stream()
                    .filter(entry -> entry.getKey().equals("City:\"n0\""))
                    .forEach(entry -> expected.put(entry.getKey(), entry.getValue()));

            var _ = restore(version, one, Home.DATABASE).apply();
            assertThat(home.entities()).as("key at %d", version).isEqualTo(expected);

            expected.keySet().removeIf(key -> key.startsWith("City:"));
            then.entrySet().stream()
                    .filter(entry -> entry.getKey().startsWith("City:"))
                    .forEach(entry -> expected.put(entry.getKey(), entry.getValue()));
            var _ = restore(version, cities, Home.DATABASE).apply();
            assertThat(home.entities()).as("kind at %d", version).isEqualTo(expected);
        }
    }

    private int count(DatabaseName database) {
        return home.datastore
                .runQuery(
                        RunQueryRequest.newBuilder()
                                .setProjectId(database.project())
                                .setDatabaseId(database.database())
                                .setPartitionId(database.partition(""))
                                .setQuery(
                                        Query.newBuilder()
                                                .addKind(
                                                        KindExpression.newBuilder().setName("City"))
                                                .setFilter(atLeast("value"))
                                                .addOrder(order("value", false))
                                                .addOrder(order("square", true)))
                                .build())
                .hits()
                .size();
    }

    private static Filter atLeast(String property) {
        return Filter.newBuilder()
                .setPropertyFilter(
                        PropertyFilter.newBuilder()
                                .setProperty(PropertyReference.newBuilder().setName(property))
                                .setOp(PropertyFilter.Operator.GREATER_THAN_OR_EQUAL)
                                .setValue(Value.newBuilder().setIntegerValue(0)))
                .build();
    }

    private static PropertyOrder order(String property, boolean descending) {
        return PropertyOrder.newBuilder()
                .setProperty(PropertyReference.newBuilder().setName(property))
                .setDirection(
                        descending
                                ? PropertyOrder.Direction.DESCENDING
                                : PropertyOrder.Direction.ASCENDING)
                .build();
    }

    @Test
    void oneKindIsRestoredInPlaceAfterItsDifferenceWasShown() {
        fill(30);
        long version = backUp(false).set().version();
        Map<String, String> before = home.entities();
        home.delete("City", "n0");
        home.put("City", "n3", 1_000);
        home.put("City", "new", 1);
        home.put("River", "n1", 1_000);
        Map<String, String> after = home.entities();
        BackupFilter cities =
                new BackupFilter(Optional.of("City"), Optional.empty(), Optional.empty());

        Restore.Difference shown = restore(version, cities, Home.DATABASE).preview();
        assertThat(shown.examples())
                .containsExactly("add City:\"n0\"", "change City:\"n3\"", "delete City:\"new\"");
        assertThat(home.entities()).isEqualTo(after);

        Restore.Difference done = restore(version, cities, Home.DATABASE).apply();
        assertThat(List.of(done.added(), done.changed(), done.deleted(), done.unchanged()))
                .containsExactly(1L, 1L, 1L, 8L);
        before.put("River:\"n1\"", after.getOrDefault("River:\"n1\"", ""));
        assertThat(home.entities()).isEqualTo(before);
    }

    @Test
    void oneEntityIsRestored() {
        fill(6);
        long version = backUp(false).set().version();
        Map<String, String> before = home.entities();
        home.delete("City", "n0");
        home.delete("City", "n3");
        BackupFilter one =
                new BackupFilter(
                        Optional.empty(), Optional.empty(), Optional.of(Home.key("City", "n3")));

        assertThat(restore(version, one, Home.DATABASE).apply().added()).isEqualTo(1);

        before.remove("City:\"n0\"");
        assertThat(home.entities()).isEqualTo(before);
    }

    @Test
    void everyDamageIsFoundAndNothingIsRestored() throws IOException {
        // More than a restore commits at once.
        fill(1_200);
        backUp(false);
        fill(20);
        long version = backUp(false).set().version();
        assertThat(problems()).isEmpty();
        int damages = 0;
        for (Path file : files()) {
            byte[] whole = Files.readAllBytes(file);
            for (int at = 0; at < whole.length; at += Math.max(1, whole.length / 40)) {
                byte[] flipped = whole.clone();
                flipped[at] ^= 0x10;
                requireDamage(file, flipped, version, "byte " + at + " flipped");
                damages++;
            }
            requireDamage(
                    file, java.util.Arrays.copyOf(whole, whole.length - 1), version, "truncated");
            requireDamage(file, new byte[0], version, "emptied");
            Files.delete(file);
            requireDamage(file, null, version, "missing");
            Files.write(file, whole);
        }
        assertThat(damages).isGreaterThan(100);
        assertThat(problems()).isEmpty();
    }

    private void requireDamage(Path file, byte @Nullable [] damaged, long version, String how)
            throws IOException {
        if (damaged != null) {
            Files.write(file, damaged);
        }
        String what = folder.relativize(file) + " " + how;
        assertThat(problems()).as(what).isNotEmpty();
        assertThatThrownBy(() -> restore(version, BackupFilter.ALL, COPY).apply())
                .as(what)
                .isInstanceOf(PetrichorException.class);
        assertThat(home.entities(COPY, 0)).as(what).isEmpty();
    }

    private List<Path> files() throws IOException {
        try (Stream<Path> all = Files.walk(folder.resolve("backups"))) {
            return all.filter(Files::isRegularFile).toList();
        }
    }

    @Test
    void aMissingSetIsFound() throws IOException {
        fill(5);
        backUp(false);
        home.put("City", "more", 1);
        BackupSet middle = backUp(false).set();
        home.put("City", "more", 2);
        long version = backUp(false).set().version();
        Path set = folder.resolve("backups/p/(default)/" + middle.version());
        for (Path file : files()) {
            if (file.startsWith(set)) {
                Files.delete(file);
            }
        }
        assertThat(problems()).anyMatch(problem -> problem.contains("is missing"));
        assertThatThrownBy(() -> restore(version, BackupFilter.ALL, COPY).preview())
                .hasMessageContaining("is missing");
    }

    @Test
    void encryptedBackupsNeedTheirKey() throws IOException {
        key = BackupKey.create(folder.resolve("key"));
        fill(20);
        home.put("City", "secret-name", 4711);
        long version = backUp(false).set().version();
        for (Path file : files()) {
            assertThat(
                            new String(
                                    Files.readAllBytes(file),
                                    java.nio.charset.StandardCharsets.ISO_8859_1))
                    .doesNotContain("secret-name");
        }
        var _ = restore(version, BackupFilter.ALL, COPY).apply();
        assertThat(home.entities(COPY, 0)).isEqualTo(home.entities());

        key = BackupKey.create(folder.resolve("another-key"));
        assertThat(problems()).anyMatch(problem -> problem.contains("is encrypted with the key"));
        key = null;
        assertThat(problems()).anyMatch(problem -> problem.contains("name its key"));
        assertThatThrownBy(() -> restore(version, BackupFilter.ALL, COPY).preview())
                .hasMessageContaining("name its key");
    }

    @Test
    void aBackupThatDidNotEndIsIgnored() {
        fill(100);
        backUp(false);
        fill(100);
        AtomicInteger calls = new AtomicInteger();
        RowsOwner failing =
                request -> {
                    if (request.hasScan() && calls.incrementAndGet() == 2) {
                        throw new PetrichorException(
                                petrichor.base.ErrorCode.UNAVAILABLE, "the server was killed");
                    }
                    return home.ask(request);
                };
        assertThatThrownBy(
                        () ->
                                new BackupRun(
                                                failing,
                                                sets(),
                                                new BackupRun.Options(true, "backup", 1),
                                                (_, _, _) -> {})
                                        .run())
                .hasMessageContaining("was killed");
        assertThat(sets().find().incomplete()).hasSize(1);

        home.put("City", "later", 1);
        long version = backUp(true).set().version();
        assertThat(problems()).isEmpty();
        BackupSets.Found found = sets().find();
        assertThat(found.sets()).hasSize(2);
        assertThat(sets().deleteBefore(found, found.sets().getLast())).isEqualTo(2);
        assertThat(problems()).isEmpty();
        assertThat(sets().find().incomplete()).isEmpty();
        var _ = restore(version, BackupFilter.ALL, COPY).apply();
        assertThat(home.entities(COPY, 0)).isEqualTo(home.entities());
    }

    @Test
    void createTimesAndIdsSurvive() {
        long created = home.put("City", "old", 1);
        home.put("City", "old", 2);
        long id = home.database(Home.DATABASE).rows().allocateIds(1)[0];
        Key numbered =
                Key.newBuilder()
                        .setPartitionId(Home.DATABASE.partition(""))
                        .addPath(Key.PathElement.newBuilder().setKind("City").setId(id))
                        .build();
        home.commit(Mutation.newBuilder().setUpsert(Entity.newBuilder().setKey(numbered)).build());
        long version = backUp(false).set().version();

        var _ = restore(version, BackupFilter.ALL, COPY).apply();

        try (Snapshot snapshot = home.database(COPY).rows().snapshot()) {
            Row row =
                    Objects.requireNonNull(
                            snapshot.get(RowLayout.entityRow(Home.key("City", "old"))));
            assertThat(EntityRow.createTime(row.version(), row.value())).isEqualTo(created);
        }
        assertThat(home.database(COPY).rows().allocateIds(100)).doesNotContain(id);
    }
}
