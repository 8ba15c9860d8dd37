package petrichor.services.blobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.services.blobs.content.BlobContent;
import petrichor.services.blobs.content.Checksums;

class ObjectsTest {
    private final BlobHome home = new BlobHome();
    private final Objects objects = home.blobs.objects();

    @BeforeEach
    void create() {
        home.blobs.buckets().create("one", "plain", false, "");
        home.blobs.buckets().create("one", "versioned", true, "");
        home.blobs.buckets().create("two", "others", false, "");
    }

    @AfterEach
    void close() {
        home.close();
    }

    static ListRequest versions() {
        return new ListRequest(
                new ListRequest.Names("", "", ""),
                "",
                null,
                Set.of(ListRequest.Option.VERSIONS),
                "",
                1_000);
    }

    private static ErrorCode code(Runnable call) {
        try {
            call.run();
        } catch (PetrichorException failed) {
            return failed.code();
        }
        throw new AssertionError("it did not fail");
    }

    private List<String> names(ListRequest request) {
        return objects.list("plain", request).objects().stream().map(BlobObject::name).toList();
    }

    @Test
    void anObjectIsReadAsWritten() {
        byte[] bytes = new byte[3 * BlobContent.GRANULE_BYTES + 5];
        new Random(1).nextBytes(bytes);
        ObjectAttributes attributes =
                new ObjectAttributes(
                        new ObjectAttributes.Headers("a/b", "gzip", "inline", "de", "no-store"),
                        "NEARLINE",
                        java.util.Map.of("k", "v"),
                        "{}");
        BlobObject written = home.put("plain", "a/b c", bytes, NewObject.of(attributes));
        assertThat(objects.get("plain", "a/b c", null)).isEqualTo(written);
        assertThat(written.attributes()).isEqualTo(attributes);
        assertThat(home.read(written)).isEqualTo(bytes);
        assertThat(home.read(written, 10, 300_000))
                .isEqualTo(Arrays.copyOfRange(bytes, 10, 300_000));
        Checksums sums = new Checksums();
        sums.update(bytes, 0, bytes.length);
        assertThat(written.content().crc32c()).isEqualTo(sums.crc32c());
        assertThat(written.content().md5()).isEqualTo(sums.md5());
    }

    @Test
    void anEmptyObjectHasNoContent() {
        BlobObject empty = home.put("plain", "empty", "");
        assertThat(home.read(empty)).isEmpty();
        assertThat(home.content.list("one")).isEmpty();
    }

    @Test
    void anObjectIsInvisibleUntilItIsComplete() {
        try (ObjectWriter writer =
                objects.create("plain", "a", NewObject.of(ObjectAttributes.NONE))) {
            writer.write(new byte[1_000_000], 0, 1_000_000);
            assertThat(objects.find("plain", "a", null)).isEmpty();
        }
        assertThat(objects.find("plain", "a", null)).isEmpty();
        assertThat(home.content.list("one")).isEmpty();
    }

    @Test
    void anotherContentThanAnnouncedIsRefused() {
        for (ExpectedChecksums wrong :
                List.of(new ExpectedChecksums(7, ""), new ExpectedChecksums(null, "abc="))) {
            NewObject wanted = new NewObject(ObjectAttributes.NONE, Preconditions.NONE, wrong);
            assertThat(code(() -> home.put("plain", "a", new byte[] {1}, wanted)))
                    .isEqualTo(ErrorCode.INVALID_ARGUMENT);
        }
        assertThat(objects.find("plain", "a", null)).isEmpty();
        assertThat(home.content.list("one")).isEmpty();
    }

    @Test
    void generationsRiseAndPreconditionsHold() {
        NewObject onlyNew =
                new NewObject(ObjectAttributes.NONE, Preconditions.ABSENT, ExpectedChecksums.NONE);
        BlobObject first = home.put("plain", "a", new byte[] {1}, onlyNew);
        assertThat(code(() -> home.put("plain", "a", new byte[] {2}, onlyNew)))
                .isEqualTo(ErrorCode.FAILED_PRECONDITION);
        NewObject replacing =
                new NewObject(
                        ObjectAttributes.NONE,
                        Preconditions.generation(first.generation()),
                        ExpectedChecksums.NONE);
        BlobObject second = home.put("plain", "a", new byte[] {2}, replacing);
        assertThat(second.generation()).isGreaterThan(first.generation());
        assertThat(code(() -> home.put("plain", "a", new byte[] {3}, replacing)))
                .isEqualTo(ErrorCode.FAILED_PRECONDITION);
        assertThat(objects.find("plain", "a", first.generation())).isEmpty();
    }

    @Test
    void aPreconditionIsCheckedAgainAtTheEnd() {
        NewObject onlyNew =
                new NewObject(ObjectAttributes.NONE, Preconditions.ABSENT, ExpectedChecksums.NONE);
        try (ObjectWriter slow = objects.create("plain", "a", onlyNew)) {
            slow.write(new byte[] {1}, 0, 1);
            home.put("plain", "a", "fast");
            assertThat(code(slow::finish)).isEqualTo(ErrorCode.FAILED_PRECONDITION);
        }
        assertThat(home.text("plain", "a")).isEqualTo("fast");
        assertThat(home.content.list("one")).hasSize(1);
    }

    @Test
    void aPreconditionIsCheckedBeforeTheUpload() {
        home.put("plain", "a", "there");
        NewObject onlyNew =
                new NewObject(ObjectAttributes.NONE, Preconditions.ABSENT, ExpectedChecksums.NONE);
        assertThat(code(() -> objects.create("plain", "a", onlyNew)))
                .isEqualTo(ErrorCode.FAILED_PRECONDITION);
    }

    @Test
    void generationsRiseIfTheClockGoesBack() {
        BlobObject first = home.put("plain", "a", "1");
        home.pass(Duration.ofHours(-1));
        assertThat(home.put("plain", "a", "2").generation()).isGreaterThan(first.generation());
    }

    @Test
    void aBucketThatIsDeletedMeanwhileReceivesNoObject() {
        try (ObjectWriter slow =
                objects.create("plain", "a", NewObject.of(ObjectAttributes.NONE))) {
            slow.write(new byte[] {1}, 0, 1);
            home.blobs.buckets().delete("plain", Preconditions.NONE);
            assertThat(code(slow::finish)).isEqualTo(ErrorCode.NOT_FOUND);
        }
    }

    @Test
    void anUpdateChangesOnlyTheMetadata() {
        BlobObject before = home.put("plain", "a", "text");
        BlobObject after =
                objects.update(
                        "plain",
                        "a",
                        null,
                        new Preconditions(before.generation(), null, 1L, null),
                        _ -> ObjectAttributes.ofType("x/y"));
        assertThat(after.generation()).isEqualTo(before.generation());
        assertThat(after.version().metageneration()).isEqualTo(2);
        assertThat(objects.get("plain", "a", null)).isEqualTo(after);
        assertThat(home.text("plain", "a")).isEqualTo("text");
    }

    @Test
    void versionsStayIfTheBucketKeepsThem() {
        BlobObject first = home.put("versioned", "a", "1");
        BlobObject second = home.put("versioned", "a", "2");
        assertThat(home.text("versioned", "a")).isEqualTo("2");
        assertThat(home.read(objects.get("versioned", "a", first.generation())))
                .isEqualTo(BlobHome.bytes("1"));
        objects.delete("versioned", "a", null, Preconditions.NONE);
        assertThat(objects.find("versioned", "a", null)).isEmpty();
        assertThat(objects.list("versioned", versions()).objects())
                .extracting(BlobObject::generation)
                .containsExactly(first.generation(), second.generation());
        assertThat(objects.list("versioned", ListRequest.all()).objects()).isEmpty();
        objects.delete("versioned", "a", first.generation(), Preconditions.NONE);
        assertThat(objects.list("versioned", versions()).objects()).containsExactly(second);
    }

    @Test
    void deletedContentIsCollectedWhenNoReaderCanNeedIt() {
        home.put("plain", "a", "1");
        home.put("plain", "b", "2");
        objects.delete("plain", "a", null, Preconditions.NONE);
        home.blobs.collector().collect();
        assertThat(home.content.list("one")).hasSize(2);
        home.pass(home.content.keptForReaders());
        home.blobs.collector().collect();
        assertThat(home.content.list("one")).hasSize(1);
        assertThat(home.text("plain", "b")).isEqualTo("2");
    }

    @Test
    void oldContentThatWasJustDeletedIsKeptForItsReaders() {
        home.put("plain", "a", "1");
        home.pass(Collector.ORPHAN_AGE.plusHours(1));
        objects.delete("plain", "a", null, Preconditions.NONE);
        home.blobs.collector().collectOrphans();
        assertThat(home.content.list("one")).hasSize(1);
    }

    @Test
    void replacedContentIsCollected() {
        for (int i = 0; i < 5; i++) {
            home.put("plain", "a", "version " + i);
        }
        home.pass(home.content.keptForReaders());
        home.blobs.collector().collect();
        assertThat(home.content.list("one")).hasSize(1);
        assertThat(home.text("plain", "a")).isEqualTo("version 4");
    }

    @Test
    void objectsAreComposedWithoutCopies() {
        home.put("plain", "a", "Hello ");
        home.put("plain", "b", "world");
        BlobObject whole = compose("c", "a", "b", "b");
        assertThat(home.text("plain", "c")).isEqualTo("Hello worldworld");
        Checksums sums = new Checksums();
        sums.update(BlobHome.bytes("Hello worldworld"), 0, 16);
        assertThat(whole.content().crc32c()).isEqualTo(sums.crc32c());
        assertThat(whole.content().md5()).isEmpty();
        assertThat(whole.content().components()).isEqualTo(3);
        assertThat(home.content.list("one")).hasSize(2);
        assertThat(home.read(whole, 4, 8)).isEqualTo(BlobHome.bytes("o wo"));
    }

    private BlobObject compose(String name, String... sources) {
        List<Objects.Source> from =
                Arrays.stream(sources)
                        .map(source -> new Objects.Source(source, null, Preconditions.NONE))
                        .toList();
        return objects.compose("plain", name, from, NewObject.of(ObjectAttributes.NONE));
    }

    @Test
    void anObjectIsAppendedToItself() {
        home.put("plain", "log", "a");
        home.put("plain", "more", "b");
        compose("log", "log", "more");
        compose("log", "log", "more");
        home.pass(home.content.keptForReaders());
        home.blobs.collector().collect();
        assertThat(home.text("plain", "log")).isEqualTo("abb");
        objects.delete("plain", "log", null, Preconditions.NONE);
        home.pass(home.content.keptForReaders());
        home.blobs.collector().collect();
        assertThat(home.text("plain", "more")).isEqualTo("b");
        assertThat(home.content.list("one")).hasSize(1);
    }

    @Test
    void sharedContentStaysUntilTheLastObjectIsDeleted() {
        BlobObject source = home.put("plain", "a", "text");
        objects.copy(source, "versioned", "b", NewObject.of(source.attributes()));
        objects.delete("plain", "a", null, Preconditions.NONE);
        home.pass(home.content.keptForReaders());
        home.blobs.collector().collect();
        assertThat(home.text("versioned", "b")).isEqualTo("text");
    }

    @Test
    void anObjectThatWasDeletedMeanwhileIsNotCopied() {
        BlobObject source = home.put("plain", "a", "text");
        objects.delete("plain", "a", null, Preconditions.NONE);
        assertThat(
                        code(
                                () ->
                                        objects.copy(
                                                source,
                                                "versioned",
                                                "b",
                                                NewObject.of(source.attributes()))))
                .isEqualTo(ErrorCode.NOT_FOUND);
    }

    @Test
    void anObjectHasABoundedNumberOfParts() {
        home.put("plain", "a", "a");
        String[] thirtyTwo = new String[32];
        Arrays.fill(thirtyTwo, "a");
        compose("b", thirtyTwo);
        Arrays.fill(thirtyTwo, "b");
        compose("c", thirtyTwo);
        assertThat(code(() -> compose("d", "c", "a"))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }

    @Test
    void aCopyToAnotherProjectHasItsOwnContent() {
        BlobObject source = home.put("plain", "a", "text");
        BlobObject copy = objects.copy(source, "others", "b", NewObject.of(source.attributes()));
        assertThat(home.content.list("two")).hasSize(1);
        assertThat(copy.content().md5()).isEqualTo(source.content().md5());
        assertThat(home.text("others", "b")).isEqualTo("text");
    }

    @Test
    void namesAreListedInOrderAndInPages() {
        List<String> all = new ArrayList<>();
        for (int i = 0; i < 25; i++) {
            String name = "n" + (char) ('a' + i);
            all.add(name);
            home.put("plain", name, "");
        }
        List<String> listed = new ArrayList<>();
        String token = "";
        int pages = 0;
        do {
            Listing page = objects.list("plain", ListRequest.all().from(token, 10));
            page.objects().forEach(object -> listed.add(object.name()));
            token = page.nextPageToken();
            pages++;
        } while (!token.isEmpty());
        assertThat(listed).isEqualTo(all);
        assertThat(pages).isEqualTo(3);
        assertThatThrownBy(() -> objects.list("plain", ListRequest.all().from("?", 10)))
                .hasMessageContaining("page token");
    }

    @Test
    void foldersAreCommonPrefixes() {
        for (String name : List.of("a", "b/", "b/1", "b/2", "b/c/3", "b0", "d/e/f", "é/x")) {
            home.put("plain", name, "");
        }
        Listing top = objects.list("plain", ListRequest.ofPrefix("", "/"));
        assertThat(top.prefixes()).containsExactly("b/", "d/", "é/");
        assertThat(top.objects()).extracting(BlobObject::name).containsExactly("a", "b0");
        Listing inside = objects.list("plain", ListRequest.ofPrefix("b/", "/"));
        assertThat(inside.prefixes()).containsExactly("b/c/");
        assertThat(inside.objects())
                .extracting(BlobObject::name)
                .containsExactly("b/", "b/1", "b/2");
        List<String> paged = new ArrayList<>();
        String token = "";
        do {
            Listing page = objects.list("plain", ListRequest.ofPrefix("", "/").from(token, 1));
            page.objects().forEach(object -> paged.add(object.name()));
            paged.addAll(page.prefixes());
            token = page.nextPageToken();
        } while (!token.isEmpty());
        assertThat(paged).containsExactly("a", "b/", "b0", "d/", "é/");
    }

    @Test
    void aRangeOfNamesIsListed() {
        for (String name : List.of("a", "b", "c", "d")) {
            home.put("plain", name, "");
        }
        ListRequest range =
                new ListRequest(new ListRequest.Names("", "b", "d"), "", null, Set.of(), "", 10);
        assertThat(names(range)).containsExactly("b", "c");
    }

    @Test
    void versionsArePaged() {
        home.put("versioned", "a", "1");
        home.put("versioned", "a", "2");
        home.put("versioned", "a", "3");
        home.put("versioned", "b", "4");
        List<String> texts = new ArrayList<>();
        String token = "";
        do {
            Listing page = objects.list("versioned", versions().from(token, 1));
            page.objects()
                    .forEach(
                            o ->
                                    texts.add(
                                            new String(
                                                    home.read(o),
                                                    java.nio.charset.StandardCharsets.UTF_8)));
            token = page.nextPageToken();
        } while (!token.isEmpty());
        assertThat(texts).containsExactly("1", "2", "3", "4");
    }

    @Test
    void missingThingsAreNotFound() {
        assertThat(code(() -> home.put("missing", "a", ""))).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(code(() -> objects.get("plain", "a", null))).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(code(() -> objects.delete("plain", "a", null, Preconditions.NONE)))
                .isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(code(() -> compose("c", "a"))).isEqualTo(ErrorCode.NOT_FOUND);
        assertThat(code(() -> home.put("plain", "a\nb", ""))).isEqualTo(ErrorCode.INVALID_ARGUMENT);
    }
}
