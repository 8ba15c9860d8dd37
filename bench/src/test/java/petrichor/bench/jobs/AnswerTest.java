package petrichor.bench.jobs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import petrichor.base.PetrichorException;

class AnswerTest {
    @TempDir private Path folder;

    private int files;

    private Answer of(MeasuredJob job, String text) throws IOException {
        return Answer.of(job, Files.writeString(folder.resolve("result" + files++), text));
    }

    @Test
    void sortedRecordsAreEqualRegardlessOfLineEndsAndFiles() throws IOException {
        Path parts = Files.createDirectory(folder.resolve("parts"));
        Files.writeString(parts.resolve("part-00000"), "aaaaaaaaaa 1\nbbbbbbbbbb 2\n");
        Files.writeString(parts.resolve("part-00001"), "cccccccccc 3\n");
        Files.writeString(parts.resolve("_SUCCESS"), "");
        Files.writeString(parts.resolve(".part-00000.crc"), "zzz\n");
        assertThat(Answer.of(MeasuredJob.SORT, parts))
                .isEqualTo(
                        of(MeasuredJob.SORT, "aaaaaaaaaa 1\r\nbbbbbbbbbb 2\r\ncccccccccc 3\r\n"));
    }

    @Test
    void aLostOrChangedRecordIsADifferentAnswer() throws IOException {
        Answer right = of(MeasuredJob.SORT, "aaaaaaaaaa 1\nbbbbbbbbbb 2\n");
        assertThat(of(MeasuredJob.SORT, "aaaaaaaaaa 1\n")).isNotEqualTo(right);
        assertThat(of(MeasuredJob.SORT, "aaaaaaaaaa 1\nbbbbbbbbbb 3\n")).isNotEqualTo(right);
    }

    @Test
    void recordsOutOfOrderAreRefused() {
        assertThatThrownBy(() -> of(MeasuredJob.SORT, "bbbbbbbbbb 2\naaaaaaaaaa 1\n"))
                .isInstanceOf(PetrichorException.class)
                .hasMessageContaining("record 2 is out of order");
    }

    @Test
    void wordsAreCountedInAnyOrder() throws IOException {
        Answer right = of(MeasuredJob.WORDS, "one\t1\ntwo\t2\n");
        assertThat(of(MeasuredJob.WORDS, "two\t2\none\t1")).isEqualTo(right);
        assertThat(of(MeasuredJob.WORDS, "two\t1\none\t2")).isNotEqualTo(right);
    }

    @Test
    void numbersAreEqualInAnyNotation() throws IOException {
        assertThat(of(MeasuredJob.SMALLEST, "5.987745068793123E18\n"))
                .isEqualTo(of(MeasuredJob.SMALLEST, "5987745068793124000.0\n"))
                .isNotEqualTo(of(MeasuredJob.SMALLEST, "5.987745088793123E18\n"));
        assertThat(of(MeasuredJob.Q3, "1|1995-03-05|0|406181.0111\n"))
                .isEqualTo(of(MeasuredJob.Q3, "1|1995-03-05|0|406181.01109999994\n"))
                .isNotEqualTo(of(MeasuredJob.Q3, "1|1995-03-05|0|406181.0112\n"));
    }

    @Test
    void aLineThatSpansBuffersIsRead() throws IOException {
        String half = "x".repeat((1 << 19) + 7);
        Answer whole = of(MeasuredJob.WORDS, half + "\n" + half + "\n" + half + "\n");
        assertThat(whole.words()).startsWith("3 words");
        assertThat(of(MeasuredJob.WORDS, half + "\n" + half + "\n")).isNotEqualTo(whole);
    }
}
