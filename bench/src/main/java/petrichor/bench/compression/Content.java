package petrichor.bench.compression;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import petrichor.base.ErrorCode;
import petrichor.base.PetrichorException;
import petrichor.base.TimeSource;
import petrichor.jobs.channels.Block;
import petrichor.jobs.channels.compression.BlockCompressor;
import petrichor.jobs.channels.compression.Level;
import petrichor.jobs.channels.compression.Sweep;
import petrichor.jobs.channels.compression.SweepRun;

/**
 * A file that is sent repeatedly.
 *
 * @param name in the report
 * @param file where the processes find it
 */
record Content(String name, Path file) {
    /**
     * From the Canterbury corpus: a scanned fax, which compresses well, and a text, which
     * compresses moderately.
     */
    private static final List<String> CORPUS = List.of("ptt5", "alice29.txt");

    private static final String PHOTO = "photo.jpg";
    private static final int WARM_UPS = 20;

    /**
     * The two files of the corpus and a synthetic photograph.
     *
     * @param data the folder of the corpus
     * @param temporary the folder for the photograph
     */
    static List<Content> all(Path data, Path temporary) throws IOException {
        List<Content> all = new ArrayList<>();
        for (String name : CORPUS) {
            Path file = data.resolve(name);
            if (!Files.isReadable(file)) {
                throw new PetrichorException(
                        ErrorCode.NOT_FOUND,
                        "there is no "
                                + file
                                + "; get the Canterbury corpus, whose "
                                + String.join(" and ", CORPUS)
                                + " are needed, and name its folder with --data",
                        Map.of("file", file.toString()));
            }
            all.add(new Content(name, file));
        }
        Path photo = temporary.resolve(PHOTO);
        Files.write(photo, Photo.jpeg());
        all.add(new Content(PHOTO, photo));
        return all;
    }

    /** Measures the cost and the ratio of each level on the whole file. */
    Sweep sweep() throws IOException {
        byte[] bytes = Files.readAllBytes(file);
        byte[] block = new byte[Block.FRAME_BYTES_MAX];
        for (int at = 0; at < block.length; at++) {
            block[at] = bytes[at % bytes.length];
        }
        try (BlockCompressor compressor = new BlockCompressor();
                SweepRun trials = new SweepRun(compressor, block.length, TimeSource.SYSTEM)) {
            for (int warmUp = 0; warmUp < WARM_UPS; warmUp++) {
                trials.of(block, 0, block.length, Set.of(Level.LZ4));
            }
            return trials.of(block, 0, block.length, EnumSet.range(Level.LZ4, Level.ZSTD_9));
        }
    }

    /** About as many bytes as the best level sends in this time. */
    static long bytes(Sweep sweep, int megabits, double seconds) {
        double wireNanosPerByte = 8e3 / megabits;
        double best = wireNanosPerByte;
        for (Sweep.Trial trial : sweep.trials().values()) {
            double compress = (double) trial.compressNanos() / sweep.rawBytes();
            double wire = wireNanosPerByte * trial.bytes() / sweep.rawBytes();
            best = Math.min(best, Math.max(compress, wire));
        }
        long blocks = (long) (seconds * 1e9 / best / Block.FRAME_BYTES_MAX);
        return Math.max(4, blocks) * Block.FRAME_BYTES_MAX;
    }
}
