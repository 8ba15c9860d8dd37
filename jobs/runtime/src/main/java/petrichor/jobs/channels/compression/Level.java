package petrichor.jobs.channels.compression;

import java.util.List;
import java.util.Locale;

/** Compression level of a block, from none to strongest. */
public enum Level {
    NONE(0),
    LZ4(1),
    ZSTD_1(2),
    ZSTD_3(3),
    ZSTD_9(4);

    /** Weakest first. */
    public static final List<Level> ALL = List.of(values());

    private final int code;

    Level(int code) {
        this.code = code;
    }

    /** The level's number in a block header, from 0; it never changes its meaning. */
    public int code() {
        return code;
    }

    /** Whether a level has this code. */
    public static boolean known(int code) {
        return code >= 0 && code < ALL.size();
    }

    /**
     * @throws IllegalArgumentException for a code that is not {@link #known}
     */
    public static Level of(int code) {
        if (!known(code)) {
            throw new IllegalArgumentException("unknown compression level code " + code);
        }
        return ALL.get(code);
    }

    /** The level as text, such as {@code zstd-3}. */
    public String displayName() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }
}
