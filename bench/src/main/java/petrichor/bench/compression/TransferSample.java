package petrichor.bench.compression;

import java.util.List;
import java.util.Locale;

/**
 * One measured transfer.
 *
 * @param content name of the file sent
 * @param megabits the link's rate, Mbit/s
 * @param contender the strategy for the compression level
 * @param bytes of data received
 * @param seconds until the receiver had consumed the last byte
 * @param wireBytes size on the link, without headers
 * @param cpuSeconds processor time of both ends together
 * @param levels number of blocks at each level
 */
record TransferSample(
        String content,
        int megabits,
        Contender contender,
        long bytes,
        double seconds,
        long wireBytes,
        double cpuSeconds,
        String levels) {
    static final String CSV_HEAD =
            "content,megabits,contender,bytes,seconds,wire_bytes,cpu_seconds,levels";

    private static final int COLUMNS = 8;

    double megabytesPerSecond() {
        return bytes / 1e6 / seconds;
    }

    /** Processor seconds per gigabyte. */
    double cpuPerGigabyte() {
        return cpuSeconds * 1e9 / bytes;
    }

    String csv() {
        return String.format(
                Locale.ROOT,
                "%s,%d,%s,%d,%.6f,%d,%.3f,%s",
                content,
                megabits,
                contender.displayName(),
                bytes,
                seconds,
                wireBytes,
                cpuSeconds,
                levels);
    }

    static TransferSample parse(String line) {
        List<String> columns = List.of(line.split(",", -1));
        if (columns.size() != COLUMNS) {
            throw new IllegalArgumentException("not a line of samples: " + line);
        }
        return new TransferSample(
                columns.get(0),
                Integer.parseInt(columns.get(1)),
                Contender.of(columns.get(2)),
                Long.parseLong(columns.get(3)),
                Double.parseDouble(columns.get(4)),
                Long.parseLong(columns.get(5)),
                Double.parseDouble(columns.get(6)),
                columns.get(7));
    }
}
