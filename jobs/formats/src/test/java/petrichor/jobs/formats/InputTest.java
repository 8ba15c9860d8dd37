package petrichor.jobs.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.github.luben.zstd.ZstdOutputStreamNoFinalizer;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.GZIPOutputStream;
import org.apache.commons.compress.compressors.bzip2.BZip2CompressorOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;
import petrichor.jobs.records.Field;

/** Compressed files, damaged files, and patterns. */
class InputTest {
    private static final long SEED = Long.getLong("seed", System.nanoTime());

    @TempDir Path folder;

    private interface Compressor {
        OutputStream around(OutputStream out) throws IOException;
    }

    private static final List<String> SUFFIXES = List.of(".gz", ".zst", ".bz2");
    private static final List<Compressor> COMPRESSORS =
            List.of(
                    GZIPOutputStream::new,
                    out -> new ZstdOutputStreamNoFinalizer(out).setChecksum(true),
                    BZip2CompressorOutputStream::new);

    private static byte[] compressed(int form, String text) throws IOException {
        var bytes = new ByteArrayOutputStream();
        try (OutputStream out = COMPRESSORS.get(form).around(bytes)) {
            out.write(text.getBytes(StandardCharsets.UTF_8));
        }
        return bytes.toByteArray();
    }

    @Test
    void compressedTextIsReadUnderAnyName() throws IOException {
        for (int form = 0; form < SUFFIXES.size(); form++) {
            for (String name : List.of("named" + SUFFIXES.get(form), "unnamed", "wrong.txt")) {
                Path file = Files.write(folder.resolve(name), compressed(form, "one\ntwo\n"));
                TextSource source = new TextSource(file.toString());
                assertThat(Reading.shown(source, 8)).containsExactly("(one)", "(two)");
                assertThat(source.splits(8)).hasSize(1);
            }
        }
    }

    @Test
    void allMembersAreRead() throws IOException {
        for (int form = 0; form < SUFFIXES.size(); form++) {
            var all = new ByteArrayOutputStream();
            for (int member = 0; member < 20; member++) {
                all.write(compressed(form, "line " + member + "\nsplit "));
                all.write(compressed(form, "over two\n"));
            }
            Path file = Files.write(folder.resolve("m" + SUFFIXES.get(form)), all.toByteArray());
            assertThat(Reading.shown(new TextSource(file.toString()), 1))
                    .hasSize(40)
                    .contains("(line 19)", "(split over two)");
        }
    }

    @Test
    void truncatedCompressedDataIsAnError() throws IOException {
        String text = "some line of text\n".repeat(50);
        for (int form = 0; form < SUFFIXES.size(); form++) {
            byte[] whole = compressed(form, text);
            Path file = folder.resolve("cut" + SUFFIXES.get(form));
            for (int length = 1; length < whole.length; length++) {
                Files.write(file, Arrays.copyOf(whole, length));
                assertThatThrownBy(() -> Reading.shown(new TextSource(file.toString()), 1))
                        .as("the first " + length + " bytes")
                        .hasMessageContaining(file.getFileName().toString());
            }
        }
    }

    @Test
    void damagedCompressedDataIsAnErrorThatNamesFileAndByte() throws IOException {
        Random random = new Random(SEED);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 20_000; i++) {
            text.append(random.nextInt()).append('\n');
        }
        for (int form = 0; form < SUFFIXES.size(); form++) {
            byte[] bytes = compressed(form, text.toString());
            for (int round = 0; round < 20; round++) {
                byte[] damaged = bytes.clone();
                int at = bytes.length / 4 + random.nextInt(bytes.length / 2);
                damaged[at] ^= (byte) (1 << random.nextInt(8));
                Path file = Files.write(folder.resolve("d" + SUFFIXES.get(form)), damaged);
                assertThatThrownBy(() -> Reading.shown(new TextSource(file.toString()), 1))
                        .as("seed " + SEED + ", byte " + at)
                        .isInstanceOf(IOException.class)
                        .hasMessageContaining(file.toString())
                        .hasMessageContaining("damaged or incomplete near compressed byte");
            }
        }
        Path trailing = folder.resolve("t.gz");
        Files.write(
                trailing,
                (new String(compressed(0, "a\n"), StandardCharsets.ISO_8859_1) + "garbage")
                        .getBytes(StandardCharsets.ISO_8859_1));
        assertThatThrownBy(() -> Reading.shown(new TextSource(trailing.toString()), 1))
                .hasMessageContaining("t.gz");
    }

    @Test
    void namesAndBytesThatDisagreeAndOtherFormatsAreRefused() throws IOException {
        refused("plain.gz", "text".getBytes(StandardCharsets.UTF_8), "named like a gzip file");
        refused("really.gz", compressed(1, "x"), "its first bytes are zstd");
        refused("empty.gz", new byte[0], "named like a gzip file");
        refused("a.xz", new byte[] {1}, "compressed with xz");
        refused("b", new byte[] {(byte) 0xfd, '7', 'z', 'X', 'Z', 0}, "compressed with xz");
        refused("c.csv", new byte[] {'P', 'K', 3, 4, 0}, "compressed with zip");
        refused("d.tar.gz", compressed(0, "x"), "is an archive");
        refused("e.txt", "x".getBytes(StandardCharsets.UTF_16), "UTF-16");
        Path bz = Files.writeString(folder.resolve("f.txt"), "BZh is how bzip2 data begins\n");
        assertThat(Reading.shown(new TextSource(bz.toString()), 1)).hasSize(1);
        FixedSource fixed =
                new FixedSource(
                        folder.resolve("plain.gz").toString(),
                        List.of(new FixedColumn(Field.text("a"), 2)));
        assertThatThrownBy(() -> fixed.splits(1)).hasMessageContaining("uncompressed only");
    }

    private void refused(String name, byte[] bytes, String why) throws IOException {
        Path file = Files.write(folder.resolve(name), bytes);
        assertThatThrownBy(() -> new TextSource(file.toString()).splits(1))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining(name)
                .hasMessageContaining(why);
    }

    @Test
    void aReaderReportsItsProgressInCompressedBytes() throws IOException {
        Random random = new Random(SEED);
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < 100_000; i++) {
            text.append(random.nextLong()).append('\n');
        }
        Path file = Files.write(folder.resolve("p.gz"), compressed(0, text.toString()));
        TextSource source = new TextSource(file.toString());
        var split = source.splits(1).getFirst();
        assertThat(split.bytes()).isEqualTo(Files.size(file)).isEqualTo(source.inputBytes());
        try (var reader = source.open(split)) {
            long before = -1;
            boolean more = true;
            while (more) {
                more = reader.read(Reading.NOWHERE);
                assertThat(reader.bytesRead()).isGreaterThanOrEqualTo(before);
                before = reader.bytesRead();
            }
            assertThat(before).isEqualTo(split.bytes());
        }
    }

    @Test
    void filesAreFoundByPatterns() throws IOException {
        Files.createDirectories(folder.resolve("s/t"));
        Files.createDirectories(folder.resolve(".g"));
        for (String name :
                List.of(
                        "a.csv",
                        "b.csv",
                        "c.txt",
                        ".h.csv",
                        "_x.csv",
                        "s/d.csv",
                        "s/t/e.csv",
                        ".g/f.csv",
                        "[1].csv")) {
            Files.writeString(folder.resolve(name), name);
        }
        assertThat(found("*.csv")).containsExactly("[1].csv", "a.csv", "b.csv");
        assertThat(found("?.{csv,txt}")).containsExactly("a.csv", "b.csv", "c.txt");
        assertThat(found("**/*.csv"))
                .containsExactly("[1].csv", "a.csv", "b.csv", "s/d.csv", "s/t/e.csv");
        assertThat(found("s/**")).containsExactly("s/d.csv", "s/t/e.csv");
        assertThat(found("**/t/*")).containsExactly("s/t/e.csv");
        assertThat(found("[a-b].csv")).containsExactly("a.csv", "b.csv");
        assertThat(found("[1].csv")).as("a file of this very name").containsExactly("[1].csv");
        assertThat(found(".*.csv")).containsExactly(".h.csv");
        assertThat(found("")).containsExactly("[1].csv", "a.csv", "b.csv", "c.txt");
        for (String none : List.of("*.parquet", "nowhere/*.csv", "a.csv/*")) {
            assertThatThrownBy(() -> found(none))
                    .isInstanceOf(PetrichorException.class)
                    .hasMessageContaining("no file matches")
                    .hasMessageContaining(none);
        }
    }

    private List<String> found(String pattern) throws IOException {
        return InputFiles.of(folder + "/" + pattern).stream()
                .map(file -> folder.relativize(file).toString())
                .toList();
    }
}
