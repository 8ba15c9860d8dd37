package petrichor.apps.instances;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * The files of a log: numbered, never renamed, so that the position of a reader remains valid while
 * files rotate. Stateless.
 */
record LogFiles(Path folder) {
    private static final Pattern NAME = Pattern.compile("\\d{10}\\.log");
    private static final String SUFFIX = ".log";
    private static final int BLOCK_BYTES = 64 << 10;

    Path path(long number) {
        return folder.resolve(String.format(Locale.ROOT, "%010d%s", number, SUFFIX));
    }

    /** Numbers of the existing files, ascending. */
    List<Long> numbers() throws IOException {
        List<Long> numbers = new ArrayList<>();
        try (var all = Files.newDirectoryStream(folder)) {
            for (Path each : all) {
                String name = String.valueOf(each.getFileName());
                if (NAME.matcher(name).matches()) {
                    numbers.add(Long.parseLong(name.substring(0, name.length() - SUFFIX.length())));
                }
            }
        }
        Collections.sort(numbers);
        return numbers;
    }

    void deleteOldest(int filesMax) throws IOException {
        List<Long> numbers = numbers();
        for (long number : numbers.subList(0, Math.max(0, numbers.size() - filesMax))) {
            Files.deleteIfExists(path(number));
        }
    }

    /** The position this many lines before the end, or that of the first line. */
    LogPosition before(LogPosition end, int lines) throws IOException {
        List<Long> numbers = numbers().stream().filter(each -> each <= end.file()).toList();
        long wanted = lines;
        LogPosition found = end;
        for (long number : numbers.reversed()) {
            if (wanted <= 0) {
                break;
            }
            try {
                long size = number == end.file() ? end.offset() : Files.size(path(number));
                Counted counted = countBack(number, size, wanted);
                wanted -= counted.lines;
                found = new LogPosition(number, counted.offset);
            } catch (NoSuchFileException deleted) {
                break;
            }
        }
        return found;
    }

    private record Counted(long offset, long lines) {}

    /** Counts lines backwards from the end of a file; every line ends with a line feed. */
    private Counted countBack(long number, long size, long wanted) throws IOException {
        long lines = 0;
        ByteBuffer block = ByteBuffer.allocate(BLOCK_BYTES);
        try (FileChannel file = FileChannel.open(path(number), StandardOpenOption.READ)) {
            for (long blockEnd = size; blockEnd > 0; ) {
                long from = Math.max(0, blockEnd - BLOCK_BYTES);
                read(file, from, block.clear().limit((int) (blockEnd - from)));
                for (int i = (int) (blockEnd - from) - 1; i >= 0; i--) {
                    long after = from + i + 1;
                    if (block.get(i) == '\n' && after < size && ++lines == wanted) {
                        return new Counted(after, lines);
                    }
                }
                blockEnd = from;
            }
        }
        return new Counted(0, size > 0 ? lines + 1 : 0);
    }

    /** Bytes from a position on, before {@code end}; empty if the file was deleted. */
    Optional<byte[]> bytes(LogPosition from, long end, int bytesMax) throws IOException {
        try (FileChannel file = FileChannel.open(path(from.file()), StandardOpenOption.READ)) {
            long available = Math.min(end, file.size()) - from.offset();
            ByteBuffer buffer =
                    ByteBuffer.allocate((int) Math.max(0, Math.min(available, bytesMax)));
            read(file, from.offset(), buffer);
            return Optional.of(buffer.array());
        } catch (NoSuchFileException deleted) {
            return Optional.empty();
        }
    }

    private static void read(FileChannel file, long offset, ByteBuffer into) throws IOException {
        long at = offset;
        while (into.hasRemaining()) {
            int read = file.read(into, at);
            if (read < 0) {
                throw new IOException("a log file became shorter while it was read");
            }
            at += read;
        }
    }
}
