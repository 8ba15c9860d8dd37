package petrichor.kv.hbase;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.apache.hadoop.hbase.NamespaceDescriptor;
import org.apache.hadoop.hbase.client.AsyncAdmin;
import org.apache.hadoop.hbase.client.ColumnFamilyDescriptorBuilder;
import org.apache.hadoop.hbase.client.Durability;
import org.apache.hadoop.hbase.client.TableDescriptorBuilder;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyValueStore;
import petrichor.kv.StoreUrl;

/** Stores that are refused on opening, each with a one-line remedy. */
@Tag("slow")
class UnfitStoreTest {
    private static final String TABLE = "rows";

    private final String url = TestHBase.newUrl();

    /** A change that an operator makes in the HBase shell. */
    private interface Alteration {
        void by(AsyncAdmin admin, HBaseConnection connection) throws Exception;
    }

    private void alter(Alteration alteration) throws Exception {
        HBaseAddress address = HBaseAddress.of(StoreUrl.parse(url));
        try (HBaseConnection connection = HBaseConnection.open(address)) {
            alteration.by(connection.changingAdmin(), connection);
        }
    }

    private void alterTable(java.util.function.UnaryOperator<TableDescriptorBuilder> change)
            throws Exception {
        try (KeyValueStore store = TestHBase.open(url)) {
            store.createTable(TABLE);
        }
        alter(
                (admin, connection) ->
                        admin.modifyTable(
                                        change.apply(
                                                        TableDescriptorBuilder.newBuilder(
                                                                admin.getDescriptor(
                                                                                connection.name(
                                                                                        TABLE))
                                                                        .get()))
                                                .build())
                                .get());
    }

    private static TableDescriptorBuilder foreignTable(HBaseConnection connection) {
        return TableDescriptorBuilder.newBuilder(connection.name("theirs"))
                .setColumnFamily(ColumnFamilyDescriptorBuilder.of("d"));
    }

    private void assertRefused(ErrorCode code, String address, String... words) {
        assertThatThrownBy(() -> TestHBase.open(address))
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> {
                            assertThat(e.code()).as(e.getMessage()).isEqualTo(code);
                            assertThat(e.getMessage()).contains(words).doesNotContain("\n");
                        });
    }

    @Test
    void namespaceOfAnotherProgramIsRefused() throws Exception {
        alter(
                (admin, connection) -> {
                    admin.createNamespace(
                                    NamespaceDescriptor.create(connection.address().namespace())
                                            .build())
                            .get();
                    admin.createTable(foreignTable(connection).build()).get();
                });
        assertRefused(ErrorCode.FAILED_PRECONDITION, url, "another program", "name another one");
    }

    @Test
    void existingEmptyNamespaceIsAccepted() throws Exception {
        alter(
                (admin, connection) ->
                        admin.createNamespace(
                                        NamespaceDescriptor.create(connection.address().namespace())
                                                .build())
                                .get());
        try (KeyValueStore store = TestHBase.open(url)) {
            store.createTable(TABLE);
        }
        TestHBase.open(url).close();
    }

    @Test
    void foreignTableAmongOursIsRefused() throws Exception {
        TestHBase.open(url).close();
        alter((admin, connection) -> admin.createTable(foreignTable(connection).build()).get());
        assertRefused(ErrorCode.FAILED_PRECONDITION, url, "theirs", "not Petrichor's");
    }

    @Test
    void formatOfANewerPetrichorIsRefused() throws Exception {
        TestHBase.open(url).close();
        alter(
                (admin, connection) ->
                        admin.modifyNamespace(
                                        NamespaceDescriptor.create(connection.address().namespace())
                                                .addConfiguration("petrichor.format", "2")
                                                .build())
                                .get());
        assertRefused(ErrorCode.FAILED_PRECONDITION, url, "format 2");
    }

    @Test
    void tableThatForgetsRowsIsRefused() throws Exception {
        alterTable(
                table ->
                        table.modifyColumnFamily(
                                ColumnFamilyDescriptorBuilder.newBuilder(StoredRow.FAMILY)
                                        .setTimeToLive(3_600)
                                        .build()));
        assertRefused(ErrorCode.FAILED_PRECONDITION, url, TABLE, "TTL");
    }

    @Test
    void tableThatIsSetToLoseWritesIsRefused() throws Exception {
        alterTable(table -> table.setDurability(Durability.ASYNC_WAL));
        assertRefused(ErrorCode.FAILED_PRECONDITION, url, TABLE, "ASYNC_WAL", "USE_DEFAULT");
    }

    @Test
    void readOnlyTableIsRefused() throws Exception {
        alterTable(table -> table.setReadOnly(true));
        assertRefused(ErrorCode.FAILED_PRECONDITION, url, TABLE, "read-only");
    }

    @Test
    void addressesWithUnknownPartsAreRefused() {
        assertRefused(ErrorCode.INVALID_ARGUMENT, "hbase://h/n?replicas=2", "replicas");
        assertRefused(ErrorCode.INVALID_ARGUMENT, "hbase://u:secret@h/n", "passwords");
        assertRefused(ErrorCode.INVALID_ARGUMENT, "hbase://h/hbase", "HBase's own");
        assertRefused(ErrorCode.INVALID_ARGUMENT, "hbase://h/a-b", "letters, digits");
        assertRefused(ErrorCode.INVALID_ARGUMENT, "hbase://h/n?zookeeper=zk:2181", "znode");
    }

    @Test
    void versionsBeforeTwoFiveAreRefused() {
        assertThat(HBaseTables.isKnown("2.6.4-hadoop3")).isTrue();
        assertThat(HBaseTables.isKnown("2.5.0")).isTrue();
        assertThat(HBaseTables.isKnown("3.0.0")).isTrue();
        assertThat(HBaseTables.isKnown("2.4.18")).isFalse();
        assertThat(HBaseTables.isKnown("1.7.2")).isFalse();
        assertThat(HBaseTables.isKnown("unknown")).isFalse();
    }
}
