package petrichor.clients;

import static org.assertj.core.api.Assertions.assertThat;
import static petrichor.clients.StorageFixture.assertRefused;

import com.google.api.gax.paging.Page;
import com.google.cloud.storage.Blob;
import com.google.cloud.storage.BlobId;
import com.google.cloud.storage.BlobInfo;
import com.google.cloud.storage.CopyWriter;
import com.google.cloud.storage.Storage.BlobListOption;
import com.google.cloud.storage.Storage.BlobSourceOption;
import com.google.cloud.storage.Storage.BlobTargetOption;
import com.google.cloud.storage.Storage.ComposeRequest;
import com.google.cloud.storage.Storage.CopyRequest;
import com.google.cloud.storage.StorageClass;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class ObjectsTest {
    @Test
    void metadataIsStoredAndPatched() throws Exception {
        try (StorageFixture f = StorageFixture.open()) {
            OffsetDateTime customTime = OffsetDateTime.of(2020, 1, 2, 0, 0, 0, 0, ZoneOffset.UTC);
            BlobInfo wanted = f.object("dir/ä b?#+%.txt").toBuilder()
                    .setContentType("text/x-test")
                    .setCacheControl("no-store")
                    .setContentDisposition("attachment")
                    .setContentLanguage("de")
                    .setCustomTimeOffsetDateTime(customTime)
                    .setMetadata(Map.of("color", "blue", "größe", "é"))
                    .build();
            Blob written = f.storage.create(wanted, "text".getBytes());
            Blob found = f.storage.get(f.bucket.getName(), "dir/ä b?#+%.txt");
            assertThat(found.getContentType()).isEqualTo("text/x-test");
            assertThat(found.getCacheControl()).isEqualTo("no-store");
            assertThat(found.getContentDisposition()).isEqualTo("attachment");
            assertThat(found.getContentLanguage()).isEqualTo("de");
            assertThat(found.getCustomTimeOffsetDateTime()).isEqualTo(customTime);
            assertThat(found.getMetadata()).isEqualTo(Map.of("color", "blue", "größe", "é"));
            assertThat(found.getSize()).isEqualTo(4);
            assertThat(found.getGeneration()).isEqualTo(written.getGeneration());
            assertThat(found.getCrc32c()).isNotEmpty();
            assertThat(found.getMd5ToHexString()).isEqualTo("1cb251ec0d568de6a929b520c4aed8d1");

            Map<String, String> metadata = new HashMap<>();
            metadata.put("color", "red");
            metadata.put("größe", null);
            Blob changed = found.toBuilder()
                    .setContentType("text/plain")
                    .setCacheControl(null)
                    .setMetadata(metadata)
                    .build()
                    .update();
            assertThat(changed.getContentType()).isEqualTo("text/plain");
            assertThat(changed.getCacheControl()).isNull();
            assertThat(changed.getContentLanguage()).isEqualTo("de");
            assertThat(changed.getMetadata()).isEqualTo(Map.of("color", "red"));
            assertThat(changed.getMetageneration()).isEqualTo(2);
            assertThat(changed.getGeneration()).isEqualTo(written.getGeneration());
        }
    }

    @Test
    void missingObjectsAndInvalidNames() throws Exception {
        try (StorageFixture f = StorageFixture.open()) {
            BlobId missing = BlobId.of(f.bucket.getName(), "no");
            assertThat(f.storage.get(missing)).isNull();
            assertThat(f.storage.delete(missing)).isFalse();
            assertRefused(() -> f.storage.readAllBytes(missing), 404);
            assertRefused(() -> f.put("a\nb", ""), 400);
        }
    }

    @Test
    void listsWithPrefixAndDelimiter() throws Exception {
        try (StorageFixture f = StorageFixture.open()) {
            for (String name : List.of("a", "b/1", "b/2", "b/c/3", "d/4", "e")) {
                f.put(name, "");
            }
            assertThat(f.names()).containsExactly("a", "b/1", "b/2", "b/c/3", "d/4", "e");
            assertThat(f.names(BlobListOption.prefix("b/"))).containsExactly("b/1", "b/2", "b/c/3");
            assertThat(f.names(BlobListOption.currentDirectory())).containsExactly("a", "e", "b/", "d/");
            assertThat(f.names(BlobListOption.prefix("b/"), BlobListOption.delimiter("/")))
                    .containsExactly("b/1", "b/2", "b/c/");
            assertThat(f.names(BlobListOption.startOffset("b/2"), BlobListOption.endOffset("e")))
                    .containsExactly("b/2", "b/c/3", "d/4");
            assertThat(f.names(BlobListOption.matchGlob("**/{3,4}"))).containsExactly("b/c/3", "d/4");
        }
    }

    @Test
    void listsInPages() throws Exception {
        try (StorageFixture f = StorageFixture.open()) {
            for (int i = 0; i < 7; i++) {
                f.put(String.valueOf(i), "");
            }
            List<Integer> sizes = new ArrayList<>();
            for (Page<Blob> page = f.bucket.list(BlobListOption.pageSize(3)); page != null; page = page.getNextPage()) {
                sizes.add((int) page.streamValues().count());
            }
            assertThat(sizes).containsExactly(3, 3, 1);
        }
    }

    @Test
    void generationsAndPreconditions() throws Exception {
        try (StorageFixture f = StorageFixture.open()) {
            Blob first = f.put("a", "1", BlobTargetOption.doesNotExist());
            assertRefused(() -> f.put("a", "2", BlobTargetOption.doesNotExist()), 412);
            Blob second = f.storage.create(first, "2".getBytes(), BlobTargetOption.generationMatch());
            assertThat(second.getGeneration()).isGreaterThan(first.getGeneration());
            BlobId live = BlobId.of(f.bucket.getName(), "a");
            BlobSourceOption stale = BlobSourceOption.generationMatch(first.getGeneration());
            assertRefused(() -> f.storage.delete(live, stale), 412);
            assertRefused(() -> f.storage.readAllBytes(live, stale), 412);
            f.storage.update(second.toBuilder().setContentType("text/plain").build());
            assertRefused(() -> f.storage.update(second, BlobTargetOption.metagenerationMatch()), 412);
            assertThat(f.text(live)).isEqualTo("2");
        }
    }

    @Test
    void versions() throws Exception {
        try (StorageFixture f = StorageFixture.withVersions()) {
            List<Blob> made = List.of(f.put("a", "1"), f.put("a", "2"), f.put("a", "3"));
            assertThat(f.bucket.list(BlobListOption.versions(true)).iterateAll())
                    .extracting(Blob::getGeneration)
                    .containsExactlyElementsOf(made.stream().map(Blob::getGeneration).toList());
            assertThat(f.text(made.get(0).getBlobId())).isEqualTo("1");
            BlobId live = BlobId.of(f.bucket.getName(), "a");
            f.storage.delete(live);
            assertThat(f.names()).isEmpty();
            f.storage.delete(made.get(1).getBlobId());
            assertThat(f.names(BlobListOption.versions(true))).hasSize(2);
            f.storage.copy(CopyRequest.of(made.get(0).getBlobId(), live)).getResult();
            assertThat(f.text(live)).isEqualTo("1");
        }
    }

    @Test
    void copiesAndNewStorageClasses() throws Exception {
        try (StorageFixture f = StorageFixture.open()) {
            Blob source = f.put("a/b c", "text");
            BlobInfo target = BlobInfo.newBuilder(f.create(false), "d/e").setContentType("text/y").build();
            CopyWriter copy = f.storage.copy(CopyRequest.of(source.getBlobId(), target));
            assertThat(copy.getResult().getContentType()).isEqualTo("text/y");
            assertThat(copy.getTotalBytesCopied()).isEqualTo(4);
            assertThat(f.text(target.getBlobId())).isEqualTo("text");
            CopyRequest again = CopyRequest.newBuilder()
                    .setSource(source.getBlobId())
                    .setTarget(target, BlobTargetOption.doesNotExist())
                    .build();
            assertRefused(() -> f.storage.copy(again), 412);
            assertRefused(() -> f.storage.copy(CopyRequest.of(f.object("no").getBlobId(), target)), 404);
            source.toBuilder().setStorageClass(StorageClass.NEARLINE).build().update();
            f.storage.copy(CopyRequest.of(
                    source.getBlobId(), source.toBuilder().setStorageClass(StorageClass.COLDLINE).build()));
            assertThat(f.storage.get(f.bucket.getName(), "a/b c").getStorageClass()).isEqualTo(StorageClass.COLDLINE);
        }
    }

    @Test
    void compositions() throws Exception {
        try (StorageFixture f = StorageFixture.open()) {
            f.put("1", "one ");
            f.put("2", "two");
            BlobInfo whole = f.object("whole").toBuilder().setContentType("text/plain").build();
            Blob composed = f.storage.compose(ComposeRequest.of(List.of("1", "2"), whole));
            assertThat(composed.getComponentCount()).isEqualTo(2);
            assertThat(composed.getContentType()).isEqualTo("text/plain");
            assertThat(composed.getCrc32c()).isEqualTo(f.put("check", "one two").getCrc32c());
            assertThat(f.text(BlobId.of(f.bucket.getName(), "whole"))).isEqualTo("one two");
            assertRefused(() -> f.storage.compose(ComposeRequest.of(List.of("1", "no"), whole)), 404);
            ComposeRequest stale =
                    ComposeRequest.newBuilder().addSource("1", 1).setTarget(whole).build();
            assertRefused(() -> f.storage.compose(stale), 404);
        }
    }

    @Test
    void batches() throws Exception {
        try (StorageFixture f = StorageFixture.open()) {
            BlobId one = f.put("ä 1", "1").getBlobId();
            BlobId two = f.put("2", "2").getBlobId();
            BlobId missing = BlobId.of(f.bucket.getName(), "no");
            assertThat(f.storage.get(one, missing, two))
                    .extracting(blob -> blob == null ? null : blob.getName())
                    .containsExactly("ä 1", null, "2");
            assertThat(f.storage.delete(one, missing, two)).containsExactly(true, false, true);
            assertThat(f.names()).isEmpty();
        }
    }
}
