package petrichor.apps.catalog;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import petrichor.base.PetrichorException;
import petrichor.kv.KeyValueStore;
import petrichor.kv.memory.MemoryStore;
import petrichor.transactions.databases.RowDatabases;

class QuotasTest {
    private final KeyValueStore store = MemoryStore.open();
    private final RowDatabases databases = new RowDatabases(store);
    private final AppCatalog catalog = new AppCatalog(() -> databases.open("$system"));
    private final QuotaRecords records = new QuotaRecords(() -> databases.open("$system"));

    @AfterEach
    void close() {
        databases.close();
        store.close();
    }

    @ParameterizedTest
    @CsvSource({
        "requests, 6000/min, 6000/min, 6000",
        "requests, 100/s, 6000/min, 6000",
        "storage, 2GiB, 2GiB, 2147483648",
        "storage, 1536 KiB, 1536KiB, 1572864",
        "storage, 1000, 1000B, 1000",
        "longest-request, 30s, 30s, 30000",
        "longest-request, 90 s, 90s, 90000",
        "longest-task, 10m, 10m, 600000",
        "longest-task, 1500ms, 1500ms, 1500",
        "instances, 3, 3, 3"
    })
    void aValueIsReadAndWritten(String quota, String text, String again, long value) {
        AppQuotas quotas = AppQuotas.NONE.with(quota, text);
        assertThat(quotas.limit(Quota.of(quota))).hasValue(value);
        assertThat(Quota.of(quota).unit().format(value)).isEqualTo(again);
        assertThat(AppQuotas.parse(quota + "=" + again)).isEqualTo(quotas);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "requests=0/min",
                "requests=6000/h",
                "requests=-1/min",
                "storage=2 apples",
                "storage=999999999999999TiB",
                "longest-request=30",
                "instances=two",
                "instances",
                "instance=2"
            })
    void nonsenseIsRefused(String text) {
        assertThatThrownBy(() -> AppQuotas.parse(text)).isInstanceOf(PetrichorException.class);
    }

    @Test
    void unlimitedOverridesADefault() {
        AppQuotas defaults = AppQuotas.parse("requests=60/min, storage=1GiB");
        EffectiveQuotas effective = new EffectiveQuotas(defaults);
        effective.follow(
                java.util.Map.of("demo", AppQuotas.parse("storage=unlimited,instances=2")));
        assertThat(effective.limit("demo", Quota.STORAGE)).isEmpty();
        assertThat(effective.limit("demo", Quota.REQUESTS)).hasValue(60);
        assertThat(effective.limit("demo", Quota.INSTANCES)).hasValue(2);
        assertThat(effective.limit("other", Quota.STORAGE)).hasValue(1L << 30);
        assertThat(effective.of("demo").requestBurst()).isEqualTo(10);
    }

    @Test
    void quotasOutliveTheirApp() {
        assertThat(records.of("demo")).isEqualTo(AppQuotas.NONE);
        long before = catalog.revision();
        records.change("demo", quotas -> quotas.with("instances", "2"));
        records.change("demo", quotas -> quotas.with("requests", "60/min"));
        assertThat(catalog.revision()).isEqualTo(before + 2);
        assertThat(records.all()).containsOnlyKeys("demo");
        assertThat(records.of("demo")).isEqualTo(AppQuotas.parse("instances=2, requests=60/min"));
        catalog.configure("demo", known -> known);
        catalog.delete("demo");
        assertThat(records.of("demo").limit(Quota.INSTANCES)).hasValue(2);
        records.change("demo", quotas -> quotas.without(Set.of(Quota.INSTANCES)));
        assertThat(records.change("demo", quotas -> quotas.without(Set.of(Quota.REQUESTS))))
                .isEqualTo(AppQuotas.NONE);
        assertThat(records.all()).isEmpty();
    }

    @Test
    void concurrentChangesAreNotLost() throws Exception {
        List<Future<AppQuotas>> changes = new ArrayList<>();
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (Quota quota : Quota.values()) {
                String value = quota.unit().format(60_000);
                changes.add(
                        threads.submit(
                                () ->
                                        records.change(
                                                "demo",
                                                known -> known.with(quota.label(), value))));
            }
            for (Future<AppQuotas> change : changes) {
                change.get();
            }
        }
        assertThat(records.of("demo").limits()).containsOnlyKeys(Quota.values());
    }
}
