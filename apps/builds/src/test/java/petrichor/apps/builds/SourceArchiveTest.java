package petrichor.apps.builds;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveOutputStream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.apache.commons.compress.archivers.zip.ZipArchiveEntry;
import org.apache.commons.compress.archivers.zip.ZipArchiveOutputStream;
import org.apache.commons.compress.compressors.gzip.GzipCompressorOutputStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SourceArchiveTest {
    private static final SourceLimits LIMITS =
            new SourceLimits(10, 40 << 20, 30 << 20, 100, 200, Duration.ofMinutes(1));

    /** In place of a file's mode: the header in front of a file with a long name. */
    private static final int LONG_NAME = 0170000;

    @TempDir Path temporary;
    private Workshop workshop;
    private SourceArchive sources;

    @BeforeEach
    void open() throws Exception {
        workshop = new Workshop(temporary);
        sources = Builds.open(workshop.settings(), LIMITS).sources();
    }

    @AfterEach
    void close() throws Exception {
        assertThat(workshop.leftovers()).isEmpty();
        workshop.close();
    }

    /** An entry of a test's archive. */
    private record Item(String name, int mode, byte[] content) {
        static Item file(String name, String content) {
            return new Item(name, 0100644, content.getBytes(UTF_8));
        }

        static Item link(String name, String target) {
            return new Item(name, 0120777, target.getBytes(UTF_8));
        }
    }

    private Path zip(Item... items) throws IOException {
        Path file = temporary.resolve("archive.zip");
        try (ZipArchiveOutputStream zip = new ZipArchiveOutputStream(file)) {
            for (Item item : items) {
                ZipArchiveEntry entry = new ZipArchiveEntry(item.name());
                entry.setUnixMode(item.mode());
                zip.putArchiveEntry(entry);
                zip.write(item.content());
                zip.closeArchiveEntry();
            }
        }
        return file;
    }

    private Path tar(Item... items) throws IOException {
        Path file = temporary.resolve("archive.tar.gz");
        try (OutputStream out = Files.newOutputStream(file);
                TarArchiveOutputStream tar =
                        new TarArchiveOutputStream(new GzipCompressorOutputStream(out))) {
            tar.setLongFileMode(TarArchiveOutputStream.LONGFILE_POSIX);
            tar.setAddPaxHeadersForNonAsciiNames(true);
            for (Item item : items) {
                byte type =
                        switch (item.mode() & 0170000) {
                            case 0120000 -> TarConstants.LF_SYMLINK;
                            case 0060000 -> TarConstants.LF_BLK;
                            case 0010000 -> TarConstants.LF_FIFO;
                            case 0 -> TarConstants.LF_LINK;
                            case LONG_NAME -> TarConstants.LF_GNUTYPE_LONGNAME;
                            default -> TarConstants.LF_NORMAL;
                        };
                // true: a leading slash stays.
                TarArchiveEntry entry = new TarArchiveEntry(item.name(), type, true);
                entry.setMode(item.mode());
                boolean hasContent =
                        type == TarConstants.LF_NORMAL || type == TarConstants.LF_GNUTYPE_LONGNAME;
                if (hasContent) {
                    entry.setSize(item.content().length);
                } else {
                    entry.setLinkName(new String(item.content(), UTF_8));
                }
                tar.putArchiveEntry(entry);
                if (hasContent) {
                    tar.write(item.content());
                }
                tar.closeArchiveEntry();
            }
        }
        return file;
    }

    private SourceResult readZip(Item... items) throws IOException {
        return sources.zip(zip(items), IgnorePatterns.NONE);
    }

    private SourceResult readTar(Item... items) throws IOException {
        return sources.tarGz(tar(items), IgnorePatterns.NONE);
    }

    private static Sources stored(SourceResult result) {
        assertThat(result).isInstanceOf(SourceResult.Stored.class);
        return ((SourceResult.Stored) result).sources();
    }

    private static String refused(SourceResult result) {
        assertThat(result).isInstanceOf(SourceResult.Refused.class);
        return ((SourceResult.Refused) result).reason();
    }

    @Test
    void theSameFilesHaveTheSameHashHoweverTheyCome() throws Exception {
        Path tree = workshop.tree(Map.of("a.txt", "one", "b/c.sh", "two"));
        FileTrees.setMode(tree.resolve("b/c.sh"), 0755);
        Files.createSymbolicLink(tree.resolve("b/l"), Path.of("../a.txt"));
        Files.createDirectory(tree.resolve("empty"));
        Sources folder = stored(sources.folder(tree, IgnorePatterns.NONE));
        Item[] items = {
            Item.link("b/l", "../a.txt"),
            new Item("./b/c.sh", 0100700, "two".getBytes(UTF_8)),
            Item.file("a.txt", "one"),
        };
        assertThat(stored(readZip(items))).isEqualTo(folder);
        assertThat(stored(readTar(items))).isEqualTo(folder);
        assertThat(folder.files()).isEqualTo(3);
        assertThat(folder.bytes()).isEqualTo(6);
        assertThat(sources.find(folder.hash())).contains(folder);
        assertThat(folder.folder().resolve("b/l")).hasContent("one");
        assertThat(FileTrees.mode(folder.folder().resolve("a.txt")) & 0222).isZero();
        FileTrees.setMode(tree.resolve("b/c.sh"), 0644);
        assertThat(stored(sources.folder(tree, IgnorePatterns.NONE)).hash())
                .isNotEqualTo(folder.hash());
    }

    @Test
    void contentsAndNamesDoNotRunTogetherInTheHash() throws Exception {
        assertThat(stored(readZip(Item.file("ab", "c"))).hash())
                .isNotEqualTo(stored(readZip(Item.file("a", "bc"))).hash());
    }

    @Test
    void ignoredFilesAreNotRead() throws Exception {
        IgnorePatterns ignored = IgnorePatterns.of(List.of("*.log", "node_modules/", "!keep.log"));
        Item[] items = {
            Item.file("a.txt", "one"),
            new Item("big.log", 0100644, new byte[2 << 20]),
            Item.file("keep.log", "kept"),
            Item.file("x/node_modules/m/i.js", "1"),
        };
        Sources zip = stored(sources.zip(zip(items), ignored));
        assertThat(zip.files()).isEqualTo(2);
        assertThat(stored(sources.tarGz(tar(items), ignored))).isEqualTo(zip);
        Path tree =
                workshop.tree(Map.of("a.txt", "one", "keep.log", "kept", "node_modules/m.js", "2"));
        assertThat(stored(sources.folder(tree, ignored))).isEqualTo(zip);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "../evil",
                "a/../../evil",
                "a/../b",
                "/etc/evil",
                "//evil",
                "a//b",
                "a/./b",
                "..",
                "a\\..\\evil",
                "C:\\evil",
                "a\nb",
                "a\u0000b",
                "a\u007fb"
            })
    void pathsOutOfTheFolderAndUnsafeNamesAreRefused(String name) throws Exception {
        assertThat(refused(readZip(Item.file("ok", ""), Item.file(name, "x"))))
                .startsWith("the path ");
        // A tar header ends a name at NUL.
        if (name.indexOf('\0') < 0) {
            assertThat(refused(readTar(Item.file("ok", ""), Item.file(name, "x"))))
                    .startsWith("the path ");
        }
        assertThat(temporary.resolve("builds/evil")).doesNotExist();
        assertThat(temporary.resolve("builds/sources/evil")).doesNotExist();
    }

    @ParameterizedTest
    @ValueSource(strings = {"/etc/passwd", "../outside", "b/../../outside", "..", "", "missing"})
    void linksOutOfTheFolderAreRefused(String target) throws Exception {
        Item[] items = {Item.file("b/file", ""), Item.link("link", target)};
        assertThat(refused(readZip(items))).contains("link");
        assertThat(refused(readTar(items))).contains("link");
        if (!target.isEmpty()) {
            Path tree = workshop.tree(Map.of("b/file", ""));
            Files.createSymbolicLink(tree.resolve("link"), Path.of(target));
            assertThat(refused(sources.folder(tree, IgnorePatterns.NONE))).contains("link");
        }
    }

    @Test
    void aLinkThroughALinkOutOfTheFolderIsRefused() throws Exception {
        // By its text, "w" leads to "p"; in fact, to the parent of the folder's parent.
        Item[] items = {
            Item.file("z/file", ""),
            Item.file("p/q/file", ""),
            Item.link("p/q/r", "../../z"),
            Item.link("w", "p/q/r/../.."),
        };
        assertThat(refused(readZip(items))).contains("\"w\" leads out");
        assertThat(refused(readTar(items))).contains("\"w\" leads out");
    }

    @Test
    void nothingIsWrittenThroughALink() throws Exception {
        Item[] items = {
            Item.file("b/ok", ""), Item.link("dir", "b"), Item.file("dir/file", "x"),
        };
        assertThat(refused(readZip(items))).contains("dir");
        assertThat(refused(readTar(items))).contains("dir");
    }

    @Test
    void devicesPipesAndHardLinksAreRefused() throws Exception {
        assertThat(refused(readTar(new Item("disk", 0060644, new byte[0]))))
                .contains("is a device");
        assertThat(refused(readTar(new Item("pipe", 0010644, new byte[0]))))
                .contains("is a device");
        assertThat(
                        refused(
                                readTar(
                                        Item.file("a", ""),
                                        new Item("hard", 0, "/etc/passwd".getBytes(UTF_8)))))
                .contains("is a device");
        assertThat(refused(readZip(new Item("disk", 0060644, new byte[0]))))
                .contains("is a device");
        Path tree = workshop.tree(Map.of("a", ""));
        assertThat(new ProcessBuilder("mkfifo", tree.resolve("pipe").toString()).start().waitFor())
                .isZero();
        assertThat(refused(sources.folder(tree, IgnorePatterns.NONE))).contains("\"pipe\"");
    }

    @Test
    void namesThatAreOneFileElsewhereAreRefused() throws Exception {
        List<String[]> pairs = new ArrayList<>();
        pairs.add(new String[] {"a.txt", "a.txt"});
        pairs.add(new String[] {"a.txt", "./a.txt"});
        pairs.add(new String[] {"a.txt", "A.TXT"});
        pairs.add(new String[] {"dir/a", "DIR/b"});
        pairs.add(new String[] {"dir", "dir/a"});
        pairs.add(new String[] {"dir/a", "dir"});
        pairs.add(new String[] {"\u00e9", "e\u0301"});
        pairs.add(new String[] {"stra\u00dfe", "STRASSE"});
        for (String[] pair : pairs) {
            Item[] items = {Item.file(pair[0], "1"), Item.file(pair[1], "2")};
            assertThat(refused(readZip(items))).as(pair[1]).startsWith("the archive contains");
            assertThat(refused(readTar(items))).as(pair[1]).startsWith("the archive contains");
        }
    }

    @Test
    void limitsAreEnforcedOnWhatIsRead() throws Exception {
        Item[] many = new Item[11];
        for (int i = 0; i < many.length; i++) {
            many[i] = Item.file("f" + i, "");
        }
        assertThat(refused(readZip(many))).contains("more than 10 files");
        assertThat(refused(readTar(many))).contains("more than 10 files");
        assertThat(refused(readZip(Item.file("x".repeat(101), ""))))
                .contains("more than 100 bytes");
        byte[] noise = new byte[(30 << 20) + 1];
        new java.util.Random(1).nextBytes(noise);
        assertThat(refused(readTar(new Item("big", 0100644, noise))))
                .contains("\"big\" has more than 31457280 bytes");
        byte[] half = java.util.Arrays.copyOf(noise, 21 << 20);
        assertThat(refused(readTar(new Item("a", 0100644, half), new Item("b", 0100644, half))))
                .contains("more than 41943040 bytes in total");
        assertThat(refused(readZip())).contains("contain no files");
    }

    @Test
    void bombsAreRefusedBeforeTheyExpand() throws Exception {
        byte[] zeros = new byte[17 << 20];
        assertThat(refused(readZip(new Item("a", 0100644, zeros)))).contains("permitted ratio");
        assertThat(refused(readTar(new Item("a", 0100644, zeros)))).contains("permitted ratio");
        // The same, in a name that the reader keeps in memory.
        assertThat(refused(readTar(new Item("@LongLink", LONG_NAME, new byte[3 << 20]))))
                .contains("header");
        Item[] millions = new Item[60_000];
        for (int i = 0; i < millions.length; i++) {
            millions[i] = Item.file("f" + i, "");
        }
        assertThat(refused(readZip(millions))).contains("lists too many files");
    }

    @Test
    void damagedArchivesAreRefused() throws Exception {
        Path zip = zip(Item.file("a", "some text that is long enough"));
        byte[] bytes = Files.readAllBytes(zip);
        for (int cut : new int[] {0, 10, bytes.length / 2, bytes.length - 1}) {
            Files.write(zip, java.util.Arrays.copyOf(bytes, cut));
            String _ = refused(sources.zip(zip, IgnorePatterns.NONE));
        }
        byte[] wrong = bytes.clone();
        // A bit of the checksum, in the central directory.
        int directory =
                new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1).indexOf("PK\1\2");
        wrong[directory + 16] ^= 1;
        Files.write(zip, wrong);
        assertThat(refused(sources.zip(zip, IgnorePatterns.NONE))).contains("wrong checksum");
        Path tar = tar(Item.file("a", "text"));
        bytes = Files.readAllBytes(tar);
        Files.write(tar, java.util.Arrays.copyOf(bytes, bytes.length / 2));
        String _ = refused(sources.tarGz(tar, IgnorePatterns.NONE));
        assertThat(refused(sources.zip(temporary.resolve("none.zip"), IgnorePatterns.NONE)))
                .isEqualTo("cannot read the archive none.zip: there is no such file or folder");
    }

    /** As another server gets them. */
    @Test
    void packedSourcesHaveTheSameContent() throws Exception {
        Path folder = Files.createDirectories(temporary.resolve("app/" + "long/".repeat(15)));
        Files.writeString(folder.resolve("ünïcode name.txt"), "text");
        Files.write(temporary.resolve("app/empty-looking"), new byte[20 << 20]);
        Path script = Files.writeString(temporary.resolve("app/run"), "#!/bin/sh\n");
        assertThat(script.toFile().setExecutable(true)).isTrue();
        Files.createSymbolicLink(temporary.resolve("app/link"), Path.of("run"));
        Sources packed =
                ((SourceResult.Stored)
                                sources.folder(temporary.resolve("app"), IgnorePatterns.NONE))
                        .sources();
        Path archive = temporary.resolve("packed.tar.gz");
        sources.pack(packed, archive);
        Path elsewhere = Files.createDirectories(temporary.resolve("other"));
        try (Workshop other = new Workshop(elsewhere)) {
            SourceResult unpacked = Builds.open(other.settings(), LIMITS).sources().unpack(archive);
            assertThat(unpacked).isInstanceOf(SourceResult.Stored.class);
            Sources same = ((SourceResult.Stored) unpacked).sources();
            assertThat(same.hash()).isEqualTo(packed.hash());
            assertThat(Files.isExecutable(same.folder().resolve("run"))).isTrue();
            assertThat(Files.readSymbolicLink(same.folder().resolve("link")))
                    .isEqualTo(Path.of("run"));
        }
    }
}
