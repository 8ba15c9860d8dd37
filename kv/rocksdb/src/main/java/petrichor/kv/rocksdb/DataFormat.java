package petrichor.kv.rocksdb;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The format version of a data folder, in its file {@code FORMAT}. A folder without that file has
 * version 1 and is upgraded when it is opened; one of a newer version is refused before anything
 * else in it is read.
 */
final class DataFormat {
    /** Folders without a format file. */
    static final int FIRST = 1;

    /** Since 2: acknowledged writes are noted, and the manifest tracks write-ahead logs. */
    static final int CURRENT = 2;

    static final String FILE = "FORMAT";

    private static final Pattern TEXT =
            Pattern.compile("petrichor data folder, format (\\d{1,9})\\n");
    private static final int TEXT_BYTES_MAX = 100;

    private DataFormat() {}

    /** The version of the folder; refuses newer ones, and invalid files. */
    static int require(Path folder) {
        Path file = folder.resolve(FILE);
        String text;
        try {
            if (Files.size(file) > TEXT_BYTES_MAX) {
                throw RocksFailures.unknownFormat(folder);
            }
            text = Files.readString(file, US_ASCII);
        } catch (NoSuchFileException first) {
            return FIRST;
        } catch (IOException e) {
            throw RocksFailures.unusable(folder, e);
        }
        Matcher matcher = TEXT.matcher(text);
        if (!matcher.matches()) {
            throw RocksFailures.unknownFormat(folder);
        }
        int version = Integer.parseInt(matcher.group(1));
        if (version > CURRENT) {
            throw RocksFailures.newerFormat(folder, version);
        }
        return version;
    }

    /** Durable when it returns; the last step of an upgrade. */
    static void write(Path folder) throws IOException {
        replace(
                folder,
                FILE,
                ("petrichor data folder, format " + CURRENT + "\n").getBytes(US_ASCII));
    }

    /** Atomic, even if the process is killed or the power fails. */
    static void replace(Path folder, String name, byte[] content) throws IOException {
        Path file = folder.resolve(name);
        Path next = folder.resolve(name + ".new");
        Files.write(next, content, StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING);
        sync(next, StandardOpenOption.WRITE);
        Files.move(next, file, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
        sync(folder, StandardOpenOption.READ);
    }

    private static void sync(Path path, StandardOpenOption mode) throws IOException {
        try (FileChannel channel = FileChannel.open(path, mode)) {
            channel.force(true);
        }
    }
}
