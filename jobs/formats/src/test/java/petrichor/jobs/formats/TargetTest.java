package petrichor.jobs.formats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.jobs.jobgraph.Sink;
import petrichor.jobs.records.Field;
import petrichor.jobs.records.RecordBuilder;
import petrichor.jobs.records.RecordType;

class TargetTest {
    private static final RecordType LINE = RecordType.of(Field.text("line"));

    @TempDir Path folder;

    @Test
    void aFileIsReplacedWhenTheJobHasSucceededAndNotBefore() throws IOException {
        Path file = Files.writeString(folder.resolve("result"), "old\n");
        Target target = Target.file(file.toString()).overwriting();
        TextSink sink = new TextSink(target);
        sink.begin(LINE, 2);
        write(sink, 0, "new");
        write(sink, 1, "newer");
        assertThat(file).hasContent("old");
        sink.abort(2);
        assertThat(file).hasContent("old");
        run(target, "new", "newer");
        assertThat(file).hasContent("new\nnewer");
        assertThat(folder.toFile().list()).containsExactly("result");
    }

    @Test
    void aLinkStaysALinkToTheReplacedFile() throws IOException {
        Path file = Files.writeString(folder.resolve("file"), "old\n");
        Path link = Files.createSymbolicLink(folder.resolve("link"), file);
        run(Target.file(link.toString()).overwriting(), "new");
        assertThat(link).isSymbolicLink();
        assertThat(file).hasContent("new");
    }

    @Test
    void aFolderIsReplacedAsAWhole() throws IOException {
        Path result = folder.resolve("result");
        run(Target.folder(result.toString()), "a", "b", "c");
        Target target = Target.folder(result.toString()).overwriting();
        TextSink sink = new TextSink(target);
        sink.begin(LINE, 1);
        write(sink, 0, "new");
        assertThat(contents(result)).hasSize(3);
        sink.commit(1);
        assertThat(contents(result)).containsExactly("part-00000: new");
        assertThat(folder.toFile().list()).containsExactly("result");
    }

    @Test
    void aFolderIsReplacedInTwoStepsWhereNamesCannotBeExchanged() throws IOException {
        Path old = Files.createDirectory(folder.resolve("result"));
        Path fresh = Files.createDirectory(folder.resolve(".result.writing"));
        Files.writeString(old.resolve("a"), "old");
        Files.writeString(fresh.resolve("a"), "new");
        FolderExchange.inTwoSteps(old, fresh);
        assertThat(contents(old)).containsExactly("a: new");
        assertThat(contents(fresh)).containsExactly("a: old");
    }

    @Test
    void anOldFolderMovedAsideBeforeAKillIsRestored() throws IOException {
        Path aside = Files.createDirectory(folder.resolve(".result.writing-replaced"));
        Files.writeString(aside.resolve("part-00000"), "old");
        Path result = folder.resolve("result");
        assertThatThrownBy(() -> Target.folder(result.toString()).begin())
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("result already exists");
        assertThat(contents(result)).containsExactly("part-00000: old");
        // The kill came one step later: the new folder has been renamed already.
        Files.createDirectory(aside);
        Files.writeString(aside.resolve("part-00000"), "older");
        Target.folder(result.toString()).overwriting().begin();
        assertThat(contents(result)).containsExactly("part-00000: old");
        assertThat(aside).doesNotExist();
    }

    @Test
    void filesAreAddedToAFolderUnderUnusedNames() throws IOException {
        Path result = folder.resolve("result");
        Target target = Target.folder(result.toString()).appending();
        run(target, "a", "b");
        run(target, "c");
        assertThat(contents(result))
                .containsExactly("part-00000: a", "part-00001: b", "part-00002: c");
        assertThat(folder.toFile().list()).containsExactly("result");
        assertThatThrownBy(() -> Target.file("x").appending())
                .hasMessageContaining("only a folder can be appended to");
    }

    @Test
    void anExistingTargetIsRefusedWithAdvice() throws IOException {
        Path file = Files.writeString(folder.resolve("taken"), "old");
        assertThatThrownBy(() -> Target.file(file.toString()).begin())
                .isInstanceOfSatisfying(
                        PetrichorException.class,
                        e -> assertThat(e.code()).isEqualTo(ErrorCode.ALREADY_EXISTS))
                .hasMessageContaining("taken already exists")
                .hasMessageContaining("Target.file(…).overwriting()")
                .hasMessageContaining("if_exists=\"overwrite\"");
        assertThatThrownBy(() -> Target.folder(file.toString()).overwriting().begin())
                .hasMessageContaining("is not a folder");
        Path home = folder.resolve("home");
        Path deep = Files.createDirectories(home.resolve("documents"));
        assertThatThrownBy(() -> Target.folder(home.toString()).overwriting().begin())
                .hasMessageContaining("which jobs do not write");
        assertThatThrownBy(() -> Target.file(deep.toString()).overwriting().begin())
                .hasMessageContaining("is not a file");
        assertThat(file).hasContent("old");
    }

    @Test
    void filesOfAKilledJobAreNotPartOfTheNextResult() throws IOException {
        Path result = folder.resolve("result");
        TextSink killed = new TextSink(Target.folder(result.toString()));
        killed.begin(LINE, 3);
        write(killed, 2, "of the killed job");
        run(Target.folder(result.toString()), "a");
        assertThat(contents(result)).containsExactly("part-00000: a");
        TextSink file = new TextSink(Target.file(folder.resolve("file").toString()));
        file.begin(LINE, 3);
        write(file, 2, "of the killed job");
        run(file.target(), "a");
        assertThat(folder.toFile().list()).containsExactlyInAnyOrder("result", "file");
    }

    /** A part is never on the disk twice: it is truncated while it is copied. */
    @Test
    void partsAreJoinedFromTheirEndsInChunks() throws IOException {
        List<byte[]> contents =
                IntStream.of(3, PartFiles.CHUNK_BYTES + 5, 0, 2 * PartFiles.CHUNK_BYTES, 1)
                        .mapToObj(TargetTest::bytes)
                        .toList();
        List<Path> parts =
                IntStream.range(0, contents.size()).mapToObj(i -> folder.resolve("p" + i)).toList();
        int total = 0;
        for (int i = 0; i < contents.size(); i++) {
            Files.write(parts.get(i), contents.get(i));
            total += contents.get(i).length;
        }
        PartFiles.join(parts);
        byte[] all = Files.readAllBytes(parts.getFirst());
        assertThat(all).hasSize(total);
        int at = 0;
        for (byte[] content : contents) {
            assertThat(java.util.Arrays.copyOfRange(all, at, at + content.length))
                    .isEqualTo(content);
            at += content.length;
        }
        assertThat(folder.toFile().list()).containsExactly("p0");
    }

    private static byte[] bytes(int count) {
        byte[] bytes = new byte[count];
        new java.util.Random(count).nextBytes(bytes);
        return bytes;
    }

    private static void run(Target target, String... lines) throws IOException {
        TextSink sink = new TextSink(target);
        sink.begin(LINE, lines.length);
        for (int i = 0; i < lines.length; i++) {
            write(sink, i, lines[i]);
        }
        sink.commit(lines.length);
    }

    private static void write(TextSink sink, int subtask, String line) throws IOException {
        try (Sink.Writer writer = sink.open(LINE, subtask)) {
            writer.write(new RecordBuilder(LINE).text(0, line).finish());
            writer.finish();
        }
    }

    private static List<String> contents(Path folder) throws IOException {
        var contents = new TreeMap<String, String>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.toList()) {
                contents.put(file.getFileName().toString(), Files.readString(file).strip());
            }
        }
        return contents.entrySet().stream().map(e -> e.getKey() + ": " + e.getValue()).toList();
    }
}
