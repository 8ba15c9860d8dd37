package petrichor.server.doctor;

import java.util.Locale;

/** Formats sizes for display. */
final class Sizes {
    private static final long MEBIBYTE = 1L << 20;
    private static final double GIBIBYTE = 1L << 30;

    private Sizes() {}

    static String text(long bytes) {
        return bytes < 1L << 30
                ? bytes / MEBIBYTE + " MiB"
                : String.format(Locale.ROOT, "%.1f GiB", bytes / GIBIBYTE);
    }
}
