package petrichor.bench.stores;

import java.util.Locale;

/** Formats numbers for people: three significant digits, thousands with commas. */
final class NumberFormat {
    private NumberFormat() {}

    static String text(double value) {
        if (value >= 100) {
            return String.format(Locale.ROOT, "%,.0f", value);
        }
        if (value >= 10) {
            return String.format(Locale.ROOT, "%.1f", value);
        }
        return String.format(Locale.ROOT, value >= 1 ? "%.2f" : "%.3f", value);
    }

    /** For an axis: 0.1, 1, 10, 1k, 1M. */
    static String brief(double value) {
        if (value >= 1e6) {
            return trimmed(value / 1e6) + "M";
        }
        return value >= 1e3 ? trimmed(value / 1e3) + "k" : trimmed(value);
    }

    private static String trimmed(double value) {
        String text = String.format(Locale.ROOT, "%.3f", value);
        return text.replaceAll("\\.?0+$", "");
    }
}
