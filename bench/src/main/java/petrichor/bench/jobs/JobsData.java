package petrichor.bench.jobs;

import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.SplittableRandom;

/** Generates the input of the measured jobs, from a fixed seed. */
final class JobsData {
    private static final int VOCABULARY = 200_000;
    private static final int WORDS_PER_LINE = 12;
    private static final double ZIPF = 1.05;
    private static final int BUFFER_BYTES = 1 << 20;

    private JobsData() {}

    static OutputStream open(Path file) throws IOException {
        return new BufferedOutputStream(Files.newOutputStream(file), BUFFER_BYTES);
    }

    /** TeraSort's text records: ten printable characters, eighty-eight more, CR LF. */
    static void tera(long records, OutputStream out) throws IOException {
        SplittableRandom random = new SplittableRandom(1);
        byte[] record = new byte[100];
        Arrays.fill(record, (byte) 'x');
        record[98] = '\r';
        record[99] = '\n';
        for (long i = 0; i < records; i++) {
            for (int k = 0; k < 10; k++) {
                record[k] = (byte) (' ' + random.nextInt(95));
            }
            byte[] number = Long.toHexString(i | 1L << 60).getBytes(StandardCharsets.US_ASCII);
            System.arraycopy(number, 0, record, 12, number.length);
            out.write(record);
        }
    }

    /**
     * Lines of words with a Zipf distribution: the n-th most frequent one is n^1.05 times rarer
     * than the first.
     */
    static void words(long bytes, OutputStream out) throws IOException {
        SplittableRandom random = new SplittableRandom(2);
        byte[][] vocabulary = new byte[VOCABULARY][];
        double[] sums = new double[VOCABULARY];
        double sum = 0;
        for (int i = 0; i < VOCABULARY; i++) {
            byte[] word = new byte[3 + random.nextInt(8)];
            for (int k = 0; k < word.length; k++) {
                word[k] = (byte) ('a' + random.nextInt(26));
            }
            vocabulary[i] = word;
            sum += 1 / Math.pow(i + 1, ZIPF);
            sums[i] = sum;
        }
        int onLine = 0;
        for (long written = 0; written < bytes; ) {
            int at = Arrays.binarySearch(sums, random.nextDouble() * sum);
            byte[] word = vocabulary[Math.min(VOCABULARY - 1, at < 0 ? -at - 1 : at)];
            out.write(word);
            onLine = (onLine + 1) % WORDS_PER_LINE;
            out.write(onLine == 0 ? '\n' : ' ');
            written += word.length + 1;
        }
    }
}
