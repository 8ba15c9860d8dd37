package petrichor.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.clients.StorageFixture.assertRefused;

import com.google.api.gax.paging.Page;
import com.google.cloud.storage.Bucket;
import com.google.cloud.storage.BucketInfo;
import com.google.cloud.storage.BucketInfo.LifecycleRule;
import com.google.cloud.storage.Cors;
import com.google.cloud.storage.HttpMethod;
import com.google.cloud.storage.Storage;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class BucketsTest {
    @Test
    void aNewBucketHasTheAttributesThatTheClientExpects() throws Exception {
        try (StorageFixture f = StorageFixture.open()) {
            Bucket found = f.storage.get(f.bucket.getName());
            assertThat(found.getName()).isEqualTo(f.bucket.getName());
            assertThat(found.getMetageneration()).isEqualTo(1);
            assertThat(found.getStorageClass()).hasToString("STANDARD");
            assertThat(found.getLocation()).isEqualTo("US");
            assertThat(found.getEtag()).isNotEmpty();
            assertThat(found.getCreateTimeOffsetDateTime()).isNotNull();
            assertThat(f.storage.get("b-no-such-bucket")).isNull();
        }
    }

    @Test
    void errorsHaveTheDocumentedStatuses() throws Exception {
        try (StorageFixture f = StorageFixture.open()) {
            assertRefused(() -> f.storage.create(BucketInfo.of(f.bucket.getName())), 409);
            assertRefused(() -> f.storage.create(BucketInfo.of("Upper")), 400);
            assertRefused(() -> f.storage.list("b-no-such-bucket"), 404);
            f.put("a", "");
            assertRefused(() -> f.bucket.delete(), 409);
            Bucket changed = f.bucket.toBuilder().setLabels(Map.of("a", "1")).build();
            f.storage.update(changed);
            assertRefused(() -> f.storage.update(changed, Storage.BucketTargetOption.metagenerationMatch()), 412);
        }
    }

    @Test
    void settingsArePatched() throws Exception {
        try (StorageFixture f = StorageFixture.open()) {
            f.bucket.toBuilder()
                    .setLabels(Map.of("a", "1"))
                    .setVersioningEnabled(true)
                    .setCors(List.of(Cors.newBuilder()
                            .setOrigins(List.of(Cors.Origin.any()))
                            .setMethods(List.of(HttpMethod.GET))
                            .build()))
                    .setLifecycleRules(List.of(new LifecycleRule(
                            LifecycleRule.LifecycleAction.newDeleteAction(),
                            LifecycleRule.LifecycleCondition.newBuilder().setAge(30).build())))
                    .build()
                    .update();
            Bucket found = f.storage.get(f.bucket.getName());
            assertThat(found.getLabels()).containsExactly(Map.entry("a", "1"));
            assertThat(found.versioningEnabled()).isTrue();
            assertThat(found.getCors().get(0).getMethods()).containsExactly(HttpMethod.GET);
            assertThat(found.getLifecycleRules().get(0).getCondition().getAge()).isEqualTo(30);
            assertThat(found.getMetageneration()).isEqualTo(2);
        }
    }

    @Test
    void bucketsAreListedByProjectInPages() throws Exception {
        try (StorageFixture f = StorageFixture.open();
                Storage elsewhere = StorageFixture.client("another-project")) {
            List<String> made = List.of(f.bucket.getName(), f.create(false).getName(), f.create(false).getName());
            Page<Bucket> first = f.storage.list(Storage.BucketListOption.pageSize(1));
            assertThat(first.getValues()).hasSize(1);
            assertThat(first.iterateAll()).extracting(Bucket::getName).containsAll(made);
            Storage.BucketListOption named = Storage.BucketListOption.prefix(f.bucket.getName());
            assertThat(f.storage.list(named).iterateAll()).hasSize(1);
            assertThat(elsewhere.list(named).iterateAll()).isEmpty();
        }
    }
}
